"""Answer the methods that open the memory, in the protocol's words."""

import time

from ralph_mem.core import fast
from ralph_mem.core import project as projects
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.format import ago, day, moment_of
from ralph_mem.interfaces.mcp import offers, protocol, reading
from ralph_mem.interfaces.mcp.reading import Told
from ralph_mem.memory import access
from ralph_mem.memory.facts import by_hand, proposed
from ralph_mem.memory.inject import block, briefing
from ralph_mem.memory.recall import embeddings_client, layers, lookup
from ralph_mem.memory.rows import facts as fact_rows
from ralph_mem.memory.rows import row
from ralph_mem.memory.rows.receipts import Item

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.interfaces.mcp.offers import Given
    from ralph_mem.interfaces.mcp.protocol import Message
    from ralph_mem.interfaces.mcp.reading import Asked
    from ralph_mem.interfaces.mcp.roots import Roots
    from ralph_mem.memory.recall.lookup import Reader, Row
    from ralph_mem.memory.rows.facts import Fact

LINE, FULL, NO_SESSION = "line", "full", 0
AROUND = 2
MOST_FACTS, MOST_SOURCES, AGAINST_CHARACTERS = 40, 3, 120
NO_FACT = "No fact is known here that holds."
NONE_ABOUT = "No fact that holds has any of these words; without `about` all are listed."
DEEPER = "timeline(id) tells what happened around one, show(ids) its whole text."
WHOLE = "show(ids) gives the whole text."
GO_ON = "show(ids, from) goes on at a character."
ASK = "What do we know from earlier sessions about this: {}\n\n"


def called(name: str, given: "Given", asked: "Asked") -> str:
    """Return what a tool answers. Raises RalphMemError for what it cannot do, whatever SQLite raises for a memory in trouble."""
    given = offers.checked(name, given)
    if name == "remember":
        taken = proposed.propose(asked.project, asked.settings, given["text"], asked.client, asked.session, reading.WAIT_MS)
        return proposed.told(taken)
    with reading.Reading(asked) as reader:
        told = OF_TOOL[name](reader, given, asked.now) if reader.stores else Told([], plain=reading.NOTHING_YET)
        text, items = _written(told, reader, asked)
    if reader.stores:
        reading.note(asked, name, items)
    return text


def _written(told: Told, reader: "Reader", asked: "Asked") -> "tuple[str, list[Item]]":
    text, items = told.fitting()
    if told.plain:
        return told.plain, []
    return "\n".join([reading.fenced(text, reader.stores, asked), *([told.below] if told.below else [])]), items


def search(reader: "Reader", given: "Given", now: int) -> Told:
    """Return what answers a query, a line each."""
    since, until = [moment_of(given[key], now) if given.get(key, "").strip() else 0 for key in ("since", "until")]
    types = [name.strip() for name in given.get("type", "").split(",") if name.strip()]
    limit = given.get("limit", reader.settings["search.max_results"])
    wanted = lookup.Wanted(min(limit, offers.MOST_HITS), since, until or lookup.FOREVER, types)
    rows = lookup.search(reader, given["query"], now, wanted, embeddings_client.open_sense())
    lines = [(layers.index(each) + _label(each), _item(each, LINE, layers.index(each))) for each in rows]
    said = DEEPER if lines else " ".join(lookup.nothing(given["query"], wanted))
    below = "\n".join([line for line in (said, lookup.unapproved(reader)) if line])
    return Told(lines, below, "" if lines else below)


def _item(found: "Row", outcome: str, text: str) -> Item:
    return Item(found.public_id, outcome, 0.0, 0, layers.price(text))  # asked for, so nothing had to speak for it


def _label(found: "Row") -> str:
    """Return the mark of a row of which the title comes from a call of a web or MCP tool: all that is shown of it."""
    return f"  {block.FROM_OUTSIDE}" if found.tainted and found.type not in ("turn", "response") else ""


def _found(reader: "Reader", public_id: str) -> "Row":
    """Return a row by its id; what an agent has proposed is nobody's yet. Raises RalphMemError where there is none."""
    found = lookup.find(reader, public_id.strip())
    if found.type == row.FACT and found.state == lookup.PROPOSED:
        raise RalphMemError(f"no memory has the id {public_id[:40]}", "ids are printed by search")
    return found


def timeline(reader: "Reader", given: "Given", _now: int) -> Told:
    """Return what happened around a row."""
    found = _found(reader, given["id"])
    most = given.get("limit", AROUND)
    (rows,) = lookup.timelines(reader, [found], most, most)
    marked = {each.public_id: _label(each) for each in rows}
    known = {each.public_id: each for each in rows}
    lines: list[tuple[str, Item | None]] = []
    for line in layers.compress(rows, reading.BODY_TOKENS - 2 * len(rows), found=found).split("\n"):
        name = line[2:].partition("  ")[0]
        told = _item(known[name], LINE, line) if name in known else None
        lines.append((line + marked.get(name, ""), told))
    return Told(lines, WHOLE)


def show(reader: "Reader", given: "Given", now: int) -> Told:
    """Return whole texts, from a character on, each within its share of what an answer may cost."""
    names = list(dict.fromkeys(given["ids"]))
    share, lines, missing, left = reading.BODY_TOKENS // len(names) - 40, [], [], 0
    for name in names:
        try:
            found = _found(reader, name)
        except RalphMemError as error:
            missing.append(error)
            continue
        piece, more = layers.full(found, given.get("from", 0), share)
        (head, _, rest), left = piece.partition("\n"), left + more
        text = f"{head}\norigin: {found.origin}, {ago(found.at, now)}{_label(found)}\n{rest}"
        lines.append((text, _item(found, FULL, text)))
    if not lines:
        raise missing[0]
    return Told([*lines, *[(str(error), None) for error in missing]], GO_ON if left else "")


def facts(reader: "Reader", given: "Given", now: int) -> Told:
    """Return what holds now: all of it, the newest first, or what is about some words, the best first."""
    held = {each.public_id: each for each in by_hand.listed(reader, fact_rows.HOLDING, "", now) if not each.tainted}
    names = list(held)
    if given.get("about", "").strip():
        wanted = lookup.Wanted(MOST_FACTS, types=(fact_rows.TYPE, row.NOTE))
        names = [each.public_id for each in lookup.search(reader, given["about"], now, wanted) if each.public_id in held]
    lines = [line for name in names[:MOST_FACTS] for line in _of_fact(reader, held, name)]
    return Told(lines, WHOLE, "" if lines else NONE_ABOUT if held else NO_FACT)


def _of_fact(reader: "Reader", held: "dict[str, Fact]", name: str) -> "list[tuple[str, Item | None]]":
    """Return a fact in a line with where it comes from and what it may contradict; nothing of one that the person excludes."""
    try:
        found = lookup.find(reader, name)
    except RalphMemError:
        return []
    fact = held[name]
    sources = sorted(fact_rows.sources(found.store, name))
    more = f" and {len(sources) - MOST_SOURCES} more" if len(sources) > MOST_SOURCES else ""
    details = [f"by {by_hand.WHENCE[fact.source]}" + (f" in {', '.join(sources[:MOST_SOURCES])}{more}" if sources else "")]
    for one, other, kind, *_ in fact_rows.links(found.store, name):
        against = held.get(other if one == name else one)
        if kind == fact_rows.CONFLICTS and against:
            said = " ".join(against.text.split())[:AGAINST_CHARACTERS]
            details.append(f'may contradict [{against.public_id}, {day(against.said_at)}] "{said}"')
    details += ["marked wrong"] if fact.misled else []
    text = f"- [{name}, {day(fact.said_at)}, {fact.kind}] {' '.join(found.asked.split())} ({'; '.join(details)})"
    return [(text, _item(found, FULL, text))]


OF_TOOL = {"search": search, "timeline": timeline, "show": show, "facts": facts}


def recalled(query: str, asked: "Asked") -> str:
    """Return the text of the prompt: what is asked, with what a search finds about it."""
    words = offers.text_of(query)[: offers.PROPOSAL_CHARACTERS]
    return ASK.format(" ".join(words.split())) + called("search", {"query": words}, asked)


def briefed(asked: "Asked") -> str:
    """Return the text of the resource: what a new session is told, within what an answer may cost."""
    budget = min(asked.settings["memory.inject_tokens_start"] or reading.MOST_TOKENS, reading.BODY_TOKENS)
    with reading.Reading(asked) as reader:
        if not reader.stores or access.is_global(reader.stores[0]):
            return reading.NOTHING_YET
        settings = {**asked.settings, "memory.inject_tokens_start": budget}
        elsewhere = projects.elsewhere(asked.project)
        text, items = briefing.build(reader.stores, settings, NO_SESSION, None, asked.now, elsewhere=elsewhere)
        said = reading.fenced(text, reader.stores, asked) if text else reading.NOTHING_YET
    reading.note(asked, "briefing", items)
    return said


class Calls:
    """Answers calls of a client's session, which is one of its process; both as the client tells its child processes."""

    def __init__(self, session: str, process: int) -> None:
        self.session, self.process = session, process

    def read(self, method: str, given: "Message", client: str, roots: "Roots") -> "Message":
        """Return the result of a method. Raises Refused and RalphMemError."""
        asked = reading.Asked(roots.project(), client, self.session, self.process, time.time_ns() // 1_000_000)
        if not asked.settings["mcp"]:
            raise protocol.Refused(protocol.NO_PARAMETERS, protocol.OFF)
        if method == "tools/call":
            return _tool_answer(given, asked)
        return _resource_answer(given, asked) if method == "resources/read" else _prompt_answer(given, asked)


def _tool_answer(given: "Message", asked: "reading.Asked") -> "Message":
    name = given.get("name")
    if not isinstance(name, str) or name not in offers.SCHEMAS:
        allowed = "one of " + ", ".join(offers.SCHEMAS)
        raise protocol.Refused(protocol.NO_PARAMETERS, f"there is no tool {str(name)[:40]!a}: {allowed}")
    arguments = given.get("arguments")
    try:
        said, is_wrong = called(name, {} if arguments is None else arguments, asked), False
    except RalphMemError as error:
        said, is_wrong = _refusal(error), True
    except fast.load_sqlite().Error as error:
        from ralph_mem.memory import inspect  # lazy: only for a memory that cannot be used

        said, is_wrong = _refusal(inspect.unusable(error)), True
    return {"content": [{"type": "text", "text": said}], **({"isError": True} if is_wrong else {})}


def _refusal(error: RalphMemError) -> str:
    return f"ralph-mem: {error}" + (f" ({error.hint})" if error.hint else "")


def _resource_answer(given: "Message", asked: "reading.Asked") -> "Message":
    uri = given.get("uri")
    if uri != offers.BRIEFING:
        raise protocol.Refused(protocol.NO_PARAMETERS, f"the one resource is {offers.BRIEFING}", {"uri": uri})
    return {"contents": [{"uri": uri, "mimeType": "text/plain", "text": briefed(asked)}]}


def _prompt_answer(given: "Message", asked: "reading.Asked") -> "Message":
    named = given.get("arguments")
    query = named.get(offers.ABOUT["name"]) if isinstance(named, dict) else None
    if given.get("name") != offers.RECALL or not isinstance(query, str):
        raise protocol.Refused(protocol.NO_PARAMETERS, f"the one prompt is {offers.RECALL}, and its argument a query as a text")
    message = {"role": "user", "content": {"type": "text", "text": recalled(query, asked)}}
    return {"description": offers.PROMPTS[0]["description"], "messages": [message]}
