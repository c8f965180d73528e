"""The command `/mem-forget`, which shows rows and deletes them when their digits are typed."""

from ralph_mem.core.format import not_as_shown
from ralph_mem.interfaces import verbs
from ralph_mem.interfaces.skills import MOST_CHARACTERS, fenced, fitting, typed_words
from ralph_mem.maintenance.forget import erase, select
from ralph_mem.maintenance.forget import pending as erasure_report
from ralph_mem.memory.recall.lookup import Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.interfaces.skills import Asked

MOST_REPEATED = 400
YET = "Nothing is deleted yet; what is deleted cannot be brought back."
FLAGS = ("--confirm", "--snapshots", "--all")
OPTIONS = tuple([each for each in verbs.OF["forget"].valued() if each not in FLAGS])


def answer(asked: "Asked") -> str:
    """Return a preview, or after `--confirm` with its digits the report."""
    typed = typed_words.Typed(asked.text, OPTIONS, FLAGS)
    reader = Reader(select.memories(asked.project), asked.project, asked.settings)
    if erasure_report.waits(asked.project):
        return _finished(reader)
    scope, snapshots = typed.options.get("--scope", select.BOTH), "--snapshots" in typed.options
    choice = select.choose(reader, _selection(asked, typed), scope, snapshots)
    if typed.confirmed.lower() != choice.digits:
        changed = f"ralph-mem: {not_as_shown(typed.confirmed)}\n" if typed.confirmed else ""
        shown = fitting(select.preview(reader, choice), MOST_CHARACTERS - MOST_REPEATED, "more")
        return f"{changed}{fenced(shown, asked, reader)}\n{_again(typed, choice)}"
    with erasure_report.told_where_cut_off(asked.project):
        report = erase.forget(reader, choice.plans, snapshots=choice.runs())
    return "\n".join([*erasure_report.lines_of_report(report), f"Out of reach: {erasure_report.ALWAYS_OUT_OF_REACH}"])


def _finished(reader: Reader) -> str:
    with erasure_report.told_where_cut_off(reader.project):
        report = erase.resume(reader)
    lines = erasure_report.lines_of_report(report) if report else []
    return "\n".join(["A forget that was interrupted is finished now:", *lines, "Nothing else is deleted: type it again for that."])


def _again(typed: typed_words.Typed, choice: select.Choice) -> str:
    if len(typed.rest) > MOST_REPEATED:
        return f"{YET} To delete it, add this to what you typed: --confirm {choice.digits}"
    return f"{YET} To delete it: /mem-forget --confirm {choice.digits} {typed.rest}"


def _selection(asked: "Asked", typed: typed_words.Typed) -> select.Selection:
    given = typed.options
    ids, text = select.told_apart(typed.words, given.get("--query", ""))
    return select.Selection(
        ids, _unquoted(text), given.get("--session", ""), typed.moment("--since", asked.now), typed.moment("--until", asked.now),
        typed_words.listed(given["--type"]) if "--type" in given else [], given.get("--origin", ""), "--all" in given,
    )  # fmt: skip


def _unquoted(text: str) -> str:
    """Return a text without the quotes that somebody put around it, as a terminal would need them."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'" else text
