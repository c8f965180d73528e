"""Read for the page what was told, what sessions did, what a search finds, and all about one memory."""

from typing import Any

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import count
from ralph_mem.hosts.claude_code import event
from ralph_mem.interfaces.page.asking import Asked
from ralph_mem.maintenance import review, status
from ralph_mem.memory import access, notes_by_hand, plain_values, reports, undoing
from ralph_mem.memory.facts import by_hand, mining
from ralph_mem.memory.recall import layers, lookup, meaning
from ralph_mem.memory.rows import fact_queries
from ralph_mem.memory.rows import facts as fact_rows

Values = dict[str, Any]

# What a person reads before asking for more, and what stays below 200 KB where each character is written as five.
RECEIPTS, OF_ONE, SESSIONS, ENTRIES, FOUND = 6, 5, 30, 50, 20
MOST_PAGES = 100_000
MOST_NOTICED = 3
# A summary reads every turn of its session, some 0.1 ms each.
MOST_SUMMED = 1_000
OUTCOMES = {"full": "told", "line": "told in a line", "folded": "said by the one above", "missed": "just missed"}


def today(asked: Asked) -> Values:
    """Return the last receipts, how the memory stands, what was noticed, and what would be told now at a prompt."""
    if not access.is_there(asked.project):
        return _nothing_yet(asked)
    reader = asked.reader()
    prompt, page, of_session = asked.text("prompt"), asked.number("page", 1, 1, MOST_PAGES), asked.word("session")
    preview = []
    if "prompt" in asked.fields:
        found = reports.preview(reader, prompt, asked.now, event.instructions(), asked.project.root)
        preview = [plain_values.of_preview(each) for each in found]
    receipts = reports.receipts(reader, RECEIPTS + 1, of_session, skip=(page - 1) * RECEIPTS)
    told = status.of(asked.project, asked.settings, asked.now, held=asked.opened)
    lines = status.lines(told)[int(asked.is_global) :]  # the first says whether sessions are recorded, which only projects have
    return {
        "receipts": [plain_values.of_receipt(each) for each in receipts[:RECEIPTS]], "more": len(receipts) > RECEIPTS, "page": page,
        "of_session": of_session, "status": told, "lines": lines, "prompt": prompt, "preview": preview,
        "outcomes": OUTCOMES, "noticed": _noticed(asked, reader), "waiting": _waiting(reader), "last": undoing.last(reader),
    }  # fmt: skip


def _nothing_yet(asked: Asked) -> Values:
    """Return what is shown of a project without a memory: why there is none, and where a first note could be kept."""
    told = status.of(asked.project, asked.settings, asked.now, held=asked.opened)
    return {
        "receipts": [], "more": False, "page": 1, "of_session": "", "status": told, "lines": status.lines(told), "prompt": "",
        "preview": [], "outcomes": OUTCOMES, "noticed": [], "waiting": 0, "last": None,
    }  # fmt: skip


def _noticed(asked: Asked, reader: lookup.Reader) -> list[Values]:
    """Return what was counted in the log and is believed enough to be a hint, with how much."""
    found = [fact for store in reader.stores for fact in mining.hints(store, asked.now, MOST_NOTICED)]
    return [{**by_hand.as_values(fact), "believed": mining.believed(fact, asked.now)} for fact in found[:MOST_NOTICED]]


def _waiting(reader: lookup.Reader) -> int:
    return sum([len(fact_rows.of_status(store, *fact_rows.UNDECIDED)) for store in reader.stores])


def sessions(asked: Asked) -> Values:
    """Return a page of the sessions, the latest first."""
    page = asked.number("page", 1, 1, MOST_PAGES)
    since, until = asked.moment("since"), asked.moment("until", lookup.FOREVER)
    found = reports.listed(asked.reader(), asked.now, SESSIONS, since, until, page)
    return {"sessions": [reports.facts(each) for each in found], "page": page, "more": len(found) == SESSIONS,
            "since": asked.word("since"), "until": asked.word("until")}  # fmt: skip


def session(asked: Asked) -> Values:
    """Return what one session did, and a page of its turns, commands and files."""
    reader = asked.reader()
    found = reports.find(reader, asked.public_id)
    told = plain_values.of_session(reader, found, asked.number("page", 1, 1, MOST_PAGES), ENTRIES)
    short = found.prompts + found.commands + found.loop <= MOST_SUMMED
    summary = reports.text(reader, found) if short else f"{count(found.prompts, 'prompt')}: too many to sum up here"
    return {"session": told, "summary": summary, "entries_of_a_page": ENTRIES}


def search(asked: Asked) -> Values:
    """Return what a search finds, at one of three depths."""
    query, layer = asked.text("q"), asked.number("layer", 1, 1, 3)
    since, until, types = asked.moment("since"), asked.moment("until", lookup.FOREVER), asked.word("type")
    values = {"q": query, "layer": layer, "since": asked.word("since"), "until": asked.word("until"), "type": types,
              "types": lookup.TYPES, "outside": asked.flag("outside"), "rows": [],
              "by_meaning": meaning.sense() is not None}  # fmt: skip
    if not query.strip():
        return values
    reader = asked.reader()
    most = layers.MOST_FULL if layer == 3 else FOUND
    wanted = lookup.Wanted(most, since, until, [types] if types else [])
    rows = lookup.search(reader, query, asked.now, wanted, meaning.sense())
    told = [plain_values.of_row(reader, row, layer) for row in rows]
    return {**values, "rows": told, "nothing": lookup.nothing(query, wanted)}


def memory(asked: Asked) -> Values:
    """Return all about one memory: its text, whence it is, where it was told, what happened around it, what was made from it."""
    reader = asked.reader()
    row = lookup.find(reader, asked.public_id)
    told = plain_values.of_row(reader, row, 3)
    (around,) = lookup.timelines(reader, [row])
    receipts = [plain_values.of_receipt(each) for each in _receipts(reader, asked.public_id)]
    fact = fact_rows.of_id(row.store, asked.public_id)
    children = [by_hand.as_values(each) for each in by_hand.shown(reader, fact_queries.made_from(row.store, asked.public_id))]
    editable = row.asked if row.type == fact_rows.TYPE else notes_by_hand.editable(row)
    history = by_hand.history(reader, row.store, fact) if fact else []
    return {
        "row": told, "around": [plain_values.of_row(reader, each, 1) for each in around], "receipts": receipts,
        "is_fact": fact is not None, "made": children, "editable": editable,
        "is_too_long": len(editable) > notes_by_hand.MOST_CHARACTERS,
        "as_shown": notes_by_hand.version(row.store, asked.public_id), "from_outside": notes_by_hand.is_from_outside(row),
        "withheld": lookup.WITHHELD in (row.said, row.lines) or row.asked == lookup.STRANGE, "outcomes": OUTCOMES,
        "session": review.session_of(row), "outside": asked.flag("outside"), "edited_at": notes_by_hand.edited_at(row),
        "history": [{**by_hand.as_values(each), "after": did} for each, did in history],
    }  # fmt: skip


def _receipts(reader: lookup.Reader, public_id: str) -> list[reports.Receipt]:
    try:
        return reports.receipts(reader, OF_ONE, memory=public_id)
    except RalphMemError:  # of a kind that no receipt names
        return []
