"""/mem-forget: show what would go; with --confirm delete it, and say what the files still hold."""

from ralph_mem import access, erasure, erasure_report, selection
from ralph_mem.answers import MOST_CHARACTERS, arguments, fenced
from ralph_mem.core import context, row
from ralph_mem.core.errors import RalphMemError
from ralph_mem.recall import Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.answers import Asked

MOST_REPEATED = 400
OPTIONS = ("--query", "--session", "--type", "--origin", "--since", "--until", "--scope")
FLAGS = ("--confirm", "--snapshots", "--all")


def answer(asked: "Asked") -> str:
    """Return a preview, or after `--confirm` the report."""
    typed = arguments.Typed(asked.text, OPTIONS, FLAGS)
    reader = Reader(access.to_change(asked.project), asked.project, asked.settings)
    plans = selection.plan(reader, _selection(asked, typed), typed.options.get("--scope", selection.BOTH))
    if "--confirm" not in typed.options:
        again = f"Nothing is deleted yet. To delete it: /mem-forget --confirm {' '.join(asked.text.split())[:MOST_REPEATED]}"
        return fenced(_fitting(erasure.preview(reader, plans)), asked, reader) + "\n" + again
    report = erasure.forget(reader, plans, snapshots="--snapshots" in typed.options)
    return "\n".join([*erasure_report.told(report), f"Out of reach: {erasure_report.ALWAYS_OUT_OF_REACH}"])


def _fitting(lines: "list[str]") -> str:
    """Return as many lines as the client takes whole, and how many more there are."""
    room = MOST_CHARACTERS - MOST_REPEATED
    kept: list[str] = []
    for line in lines:
        room -= len(context.escaped(line)) + 1
        if room < 0:
            return "\n".join([*kept, f"and {len(lines) - len(kept)} more"])
        kept.append(line)
    return "\n".join(kept)


def _selection(asked: "Asked", typed: arguments.Typed) -> selection.Selection:
    given = typed.options
    ids = [word for word in typed.words if row.is_public_id(word)]
    text = _unquoted(" ".join([given.get("--query", ""), *[word for word in typed.words if word not in ids]]).strip())
    if text and "--query" not in given:
        raise RalphMemError(f"{text[:40]} is no id", "to forget all that holds a text: --query TEXT")
    return selection.Selection(
        ids, text, given.get("--session", ""), typed.moment("--since", asked.now), typed.moment("--until", asked.now),
        arguments.listed(given["--type"]) if "--type" in given else [], given.get("--origin", ""), "--all" in given,
    )  # fmt: skip


def _unquoted(text: str) -> str:
    """Return a text without the quotes that somebody put around it, as a terminal would need them."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
