"""Read for the page what was told, what sessions did, what a search finds, and all about one memory."""

from typing import Any

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import count
from ralph_mem.hosts.claude_code import event
from ralph_mem.interfaces.page.asking import Asked
from ralph_mem.maintenance import review, status
from ralph_mem.memory import notes_by_hand, plain_values, reports
from ralph_mem.memory.facts import by_hand
from ralph_mem.memory.recall import layers, lookup, meaning
from ralph_mem.memory.rows import fact_queries
from ralph_mem.memory.rows import facts as fact_rows

Values = dict[str, Any]

RECEIPTS, SESSIONS, ENTRIES, FOUND = 20, 30, 50, 20  # what a person reads before asking for more
MOST_PAGES = 100_000
# A summary reads every turn of its session, some 0.1 ms each; its text is cut where nobody reads on.
MOST_SUMMED, MOST_CHARACTERS = 1_000, 40_000
OUTCOMES = {"full": "told", "line": "told in a line", "folded": "said by the one above", "missed": "just missed"}


def today(asked: Asked) -> Values:
    """Return the last receipts, how the memory stands, and what would be told now at a prompt."""
    reader = asked.reader()
    prompt = asked.text("prompt")
    last = asked.number("last", RECEIPTS, 1, 200)
    preview = []
    if "prompt" in asked.fields:
        found = reports.preview(reader, prompt, asked.now, event.instructions(), asked.project.root)
        preview = [plain_values.of_preview(each) for each in found]
    receipts = [plain_values.of_receipt(each) for each in reports.receipts(reader, last, asked.word("session"))]
    told = status.of(asked.project, asked.settings, asked.now, held=asked.opened)
    return {"receipts": receipts, "status": told, "lines": status.lines(told), "prompt": prompt, "preview": preview, "last": last,
            "outcomes": OUTCOMES}  # fmt: skip


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
    summary = (
        reports.text(reader, found)[:MOST_CHARACTERS] if short else f"{count(found.prompts, 'prompt')}: too many to sum up here"
    )
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
    return {**values, "rows": [plain_values.of_row(reader, row, layer) for row in rows]}


def memory(asked: Asked) -> Values:
    """Return all about one memory: its text, whence it is, where it was told, what happened around it, what was made from it."""
    reader = asked.reader()
    row = lookup.find(reader, asked.public_id)
    told = plain_values.of_row(reader, row, 3)
    (around,) = lookup.timelines(reader, [row])
    receipts = [plain_values.of_receipt(each) for each in _receipts(reader, asked.public_id)]
    fact = fact_rows.of_id(row.store, asked.public_id)
    children = [by_hand.as_values(each) for each in fact_queries.made_from(row.store, asked.public_id)]
    before = row.said if row.type != "note" else "\n".join([part for part in (row.asked, row.said) if part])
    return {
        "row": told, "around": [plain_values.of_row(reader, each, 1) for each in around], "receipts": receipts,
        "is_fact": fact is not None, "made": children, "editable": row.asked if row.type == fact_rows.TYPE else before,
        "as_shown": notes_by_hand.version(row.store, asked.public_id), "from_outside": notes_by_hand.is_from_outside(row),
        "withheld": lookup.WITHHELD in (row.said, row.lines) or row.asked == lookup.STRANGE, "outcomes": OUTCOMES,
        "session": review.session_of(row), "outside": asked.flag("outside"),
    }  # fmt: skip


def _receipts(reader: lookup.Reader, public_id: str) -> list[reports.Receipt]:
    try:
        return reports.receipts(reader, RECEIPTS, memory=public_id)
    except RalphMemError:  # of a kind that no receipt names
        return []
