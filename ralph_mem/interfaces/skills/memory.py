"""The verbs that look into a memory and change nothing."""

from ralph_mem.core import paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.interfaces import verbs
from ralph_mem.interfaces.skills import MOST_CHARACTERS, fenced, fitting, typed_words
from ralph_mem.memory.recall import layers, lookup
from ralph_mem.memory.rows import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.interfaces.skills import Asked
    from ralph_mem.memory.recall.embeddings_client import Sense

A_SESSION = "sess-"
SESSIONS = 20  # of a page: what fits on a screen
FURTHEST = 50  # turns before and after one, as on the command line
MARK_OF_HIT, MARK_IN_MARKDOWN = "> ", "=> "  # the first would be a quotation that swallows what stands below it


def _typed(asked: "Asked", verb: str) -> typed_words.Typed:
    return typed_words.Typed(asked.text, verbs.OF[verb].valued(), verbs.OF[verb].flags())


def search(asked: "Asked") -> str:
    """Return hits as lines (layer 1), with what happened around them (2), or in full (3)."""
    typed = _typed(asked, "search")
    reader = asked.reader()
    layer = typed.number("--layer", asked.settings["search.default_layer"], 1, 3)
    start = typed.number("--from", 0, 0, 999_999_999)
    if len(typed.words) == 1 and typed.words[0].startswith(A_SESSION):
        return _session(asked, reader, typed.words[0], start)
    query, nothing, open_turns = " ".join(typed.words), "", ""
    if row.is_public_id(query):
        rows = [lookup.find(reader, query)]
        layer = layer if "--layer" in typed.options else 3
    else:
        wanted = _wanted(asked, typed, layer)
        rows = lookup.search(reader, query, asked.now, wanted, _sense())
        open_turns = lookup.not_ended(reader, query, wanted)
        nothing = "" if open_turns else " ".join(lookup.nothing(query, wanted))
    found = HOW_ON[layer] if rows else nothing
    below = "\n".join([line for line in (found, open_turns, lookup.unapproved(reader)) if line])
    return _told(asked, reader, layers.shown(reader, rows, layer, start, MOST_CHARACTERS), below) if rows else below


def _told(asked: "Asked", reader: "lookup.Reader", text: str, below: str) -> str:
    marked = "\n".join([MARK_IN_MARKDOWN + line[2:] if line[:2] == MARK_OF_HIT else line for line in text.split("\n")])
    return fenced(marked, asked, reader) + "\n" + below


def _session(asked: "Asked", reader: "lookup.Reader", public_id: str, start: int) -> str:
    """Return what a session did, whatever the layer: there is no shorter way to tell it."""
    from ralph_mem.memory import reports  # lazy: only for the id of a session

    return _told(asked, reader, reports.full(reader, reports.find(reader, public_id), start), HOW_ON[3])


HOW_ON = {
    1: "Deeper: /mem timeline ID (what happened around it), /mem show ID (its whole text).",
    2: "The whole text of one: /mem show ID.",
    3: "The rest of a long text: /mem show ID --from CHARACTER.",
}


def _sense() -> "Sense | None":
    """Do what `meaning.sense` does, without loading what only a search that has a model needs."""
    if not paths.exists(paths.data_home() + paths.MODEL):
        return None
    from ralph_mem.memory.recall import embeddings_client  # lazy: only where embeddings are set up

    return embeddings_client.open_sense(embeddings_client.SEARCH_S)


def _wanted(asked: "Asked", typed: typed_words.Typed, layer: int) -> lookup.Wanted:
    limit = min(asked.settings["search.max_results"], layers.MOST_FULL) if layer == 3 else asked.settings["search.max_results"]
    return lookup.Wanted(
        typed.number("--limit", limit, 1, 100),
        typed.moment("--since", asked.now),
        typed.moment("--until", asked.now) or lookup.FOREVER,
        typed_words.listed(typed.options["--type"]) if "--type" in typed.options else [],
    )


def one_id(typed: typed_words.Typed, verb: str) -> str:
    """Return the one id that was typed. Raises RalphMemError for none, and for more."""
    if len(typed.words) == 1:
        return typed.words[0]
    what = f"/mem {verb} takes one id" + (f", not {len(typed.words)} words" if typed.words else "")
    raise RalphMemError(what, f"/mem search WORDS finds it; for example: /mem {verbs.OF[verb].example}")


def timeline(asked: "Asked") -> str:
    """Return what happened around a row, in order."""
    typed = _typed(asked, "timeline")
    reader = asked.reader()
    found = lookup.find(reader, one_id(typed, "timeline"))
    before, after = [typed.number(name, 1, 0, FURTHEST) for name in ("--before", "--after")]
    (entries,) = lookup.timelines(reader, [found], before, after)
    return _told(asked, reader, fitting([layers.entry(each, found) for each in entries], MOST_CHARACTERS, "more"), HOW_ON[2])


def show(asked: "Asked") -> str:
    """Return the whole text of a row or a session, from a character on."""
    typed = _typed(asked, "show")
    reader, start = asked.reader(), typed.number("--from", 0, 0, 999_999_999)
    name = one_id(typed, "show")
    if name.startswith(A_SESSION):
        return _session(asked, reader, name, start)
    return _told(asked, reader, layers.full(lookup.find(reader, name), start)[0], HOW_ON[3])


def sessions(asked: "Asked") -> str:
    """Return a page of the sessions, the latest first, each with what was asked first and what came of it."""
    from ralph_mem.memory import reports  # lazy: only for what was told, or done

    typed = _typed(asked, "sessions")
    reader = asked.reader()
    if typed.words:
        name = one_id(typed, "sessions")
        if not name.startswith(A_SESSION):
            raise RalphMemError(f"{name[:40]!a} is no session", "/mem sessions lists them")
        return _session(asked, reader, name, 0)
    page = typed.number("--page", 1, 1, 100_000)
    span = typed.moment("--since", asked.now), typed.moment("--until", asked.now) or lookup.FOREVER
    found = reports.listed(reader, asked.now, SESSIONS, *span, page)
    if not found:
        return "No session is remembered" + (" of that time, or on that page." if typed.options else " here yet.")
    more = f" More: /mem sessions --page {page + 1}." if len(found) == SESSIONS else ""
    return "\n".join([*map(reports.line, found), "What one of them did: /mem show ID." + more])


def why(asked: "Asked") -> str:
    """Return what was told to the model, why, and what it cost."""
    from ralph_mem.memory import reports  # lazy: only for what was told, or would be

    typed = _typed(asked, "why")
    reader = asked.reader()
    memory = one_id(typed, "why") if typed.words else ""
    found = reports.receipts(reader, typed.number("--last", 5, 1, 1000), typed.options.get("--session", ""), memory)
    lines = [line for receipt in reversed(found) for line in reports.lines_of_receipt(receipt)]
    return fenced(fitting(lines, MOST_CHARACTERS, "more"), asked, reader) if lines else reports.NOTHING_TOLD


def preview(asked: "Asked") -> str:
    """Return what a new session would be told now."""
    from ralph_mem.hosts.claude_code import event  # lazy: loaded already, by the door
    from ralph_mem.memory import reports  # lazy: only for what was told, or would be

    reader = asked.reader()
    found = reports.preview(reader, asked.text.strip(), asked.now, event.instructions(), asked.folder)
    return fenced(
        fitting([line for each in found for line in reports.lines_of_preview(each)], MOST_CHARACTERS, "more"), asked, reader
    )


def review(asked: "Asked") -> str:
    """Return the rows by where they came from, the most doubtful first."""
    from ralph_mem.maintenance import review as reviewing  # lazy: only this one counts by origin

    typed = _typed(asked, "review")
    reader = asked.reader()
    origins = typed_words.listed(typed.options["--origin"]) if "--origin" in typed.options else []
    wanted = reviewing.Wanted(origins, typed.options.get("--session", ""), typed.moment("--since", asked.now))
    most = typed.number("--limit", 20, 1, 1000)
    rows = reviewing.rows(reader, wanted, most + 1)
    lines = [f"{reviewing.source(each)}  {layers.index(each)}" for each in rows[:most]]
    lines += ["and more: --limit N lists them"] if rows[most:] else []
    return fenced(fitting(lines, MOST_CHARACTERS, "more"), asked, reader) if lines else "Nothing that is remembered fits."
