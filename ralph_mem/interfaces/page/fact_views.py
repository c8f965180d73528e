"""Read for the page what holds, what waits for a yes or no, and what belongs to what."""

from typing import Any

from ralph_mem.core.errors import RalphMemError
from ralph_mem.interfaces.page.asking import Asked
from ralph_mem.maintenance import review as reviewing
from ralph_mem.memory import notes_by_hand
from ralph_mem.memory.facts import by_hand, candidates, core, playbook, relations
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.rows import facts as rows
from ralph_mem.memory.rows import relations as relation_rows

Values = dict[str, Any]

# What stays below 200 KB where each character is written as five.
MOST, MOST_BULLETS, MOST_RELATIONS, MOST_ROWS, MOST_WAITING, MOST_SESSIONS = 40, 50, 50, 60, 15, 20
CONFLICTS, CONFLICTS_TO_DECIDE = 5, 12
LOOKED_AT = 200  # sessions, the last ones, unless one is named
MOST_PAGES = 10_000
DAY_MS = 86_400_000


def facts(asked: Asked) -> Values:
    """Return a page of what holds, or of what was known or true at another time, and what of it may contradict something."""
    reader, status, kind = asked.reader(), asked.word("status"), asked.word("kind")
    for word, known, what in ((status, rows.STATUSES, "status"), (kind, rows.KINDS, "kind")):
        if word and word not in known:
            raise RalphMemError(f"there is no {what} {word[:40]}", "one of " + ", ".join(known))
    found, page = _listed(asked, reader, status, kind), asked.number("page", 1, 1, MOST_PAGES)
    conflicts = _conflicts(reader)
    return {
        "facts": [by_hand.as_values(each) for each in found[(page - 1) * MOST : page * MOST]], "number": len(found), "page": page,
        "pages": -(-len(found) // MOST), "status": status, "kind": kind, "statuses": rows.STATUSES, "kinds": rows.KINDS,
        "kinds_to_add": rows.SAID, "as_of": asked.word("as_of"), "valid_at": asked.word("valid_at"), **_days(asked, reader),
        "conflicts": _both(reader, conflicts[:CONFLICTS]), "more_conflicts": max(0, len(conflicts) - CONFLICTS),
        "keys": [] if asked.is_global else _keys(reader),
    }  # fmt: skip


def _listed(asked: Asked, reader: lookup.Reader, status: str, kind: str) -> list[rows.Fact]:
    """Return the facts of today, or as they were known or true at another time; a day of the slider is over at its end."""
    times = [asked.moment(name) if asked.word(name) else None for name in ("as_of", "valid_at")]
    day = asked.number("day", 0, 0, asked.now // DAY_MS)
    if day and times == [None, None] and day < asked.now // DAY_MS:
        times[0] = (day + 1) * DAY_MS - 1
    if times == [None, None]:
        return by_hand.listed(reader, (status,) if status else rows.THERE, kind, asked.now)
    return by_hand.at_another_time(reader, times[0], times[1], (status,) if status else (), kind)


def _days(asked: Asked, reader: lookup.Reader) -> Values:
    """Return what the slider goes over, in days since 1970 (UTC): from the first fact until today; and where it stands."""
    last = asked.now // DAY_MS
    began = [at for store in reader.stores for at in [rows.began(store)] if at]
    first = min([*began, asked.now]) // DAY_MS
    return {"first_day": first, "last_day": last, "day": asked.number("day", last, first, last)}


def _keys(reader: lookup.Reader) -> list[Values]:
    found = core.all_of(reader.stores[0])
    by_hand.shown(reader, [*found.values()])
    return [{"key": key, "value": core.value_of(fact), "as_shown": fact.public_id} for key, fact in found.items()]


def _conflicts(reader: lookup.Reader) -> list[tuple[Any, str, str]]:
    """Return pairs of ids of facts that may contradict each other, the newer first, each behind its memory."""
    pairs = [(store, *link[:3]) for store in reader.stores for link in rows.links(store)]
    held = {fact.public_id for fact in by_hand.listed(reader, rows.THERE)} if pairs else set()
    return [(store, one, other) for store, one, other, kind in pairs if kind == rows.CONFLICTS and {one, other} <= held]


def _both(reader: lookup.Reader, pairs: list[tuple[Any, str, str]]) -> list[list[Values]]:
    found = [(store, [rows.of_id(store, name) for name in names]) for store, *names in pairs]
    return [[_shown(store, each) for each in by_hand.shown(reader, [fact for fact in both if fact])] for store, both in found]


def _shown(store: Any, fact: rows.Fact) -> Values:
    return {**by_hand.as_values(fact), "as_shown": notes_by_hand.version(store, fact.public_id)}


def fact(asked: Asked) -> Values:
    """Return one fact: why it is held, what it has to do with others, what said it, what it could be folded into."""
    reader = asked.reader()
    store, found = by_hand.find(reader, asked.public_id)
    is_held = found.status in rows.THERE
    alike = by_hand.shown(reader, by_hand.alike(store, found, asked.now)) if is_held else []
    history = [{**by_hand.as_values(each), "after": did} for each, did in by_hand.history(reader, store, found)]
    return {"fact": _shown(store, found), "lines": by_hand.explained(store, found)[1:], "history": history,
            "alike": [by_hand.as_values(each) for each in alike], "links": _links(reader, store, found), "is_held": is_held,
            "sources": sorted(rows.sources(store, found.public_id))}  # fmt: skip


def _links(reader: lookup.Reader, store: Any, found: rows.Fact) -> list[Values]:
    """Return the facts that one is linked with: what the link says, and the other fact."""
    told = []
    for one, other, kind, *_ in rows.links(store, found.public_id):
        is_first = one == found.public_id
        there = rows.of_id(store, other if is_first else one)
        for linked in by_hand.shown(reader, [there] if there else []):
            did = f"{by_hand.LINKED[kind]}" if is_first else f"is what {one} {by_hand.LINKED[kind]}"
            told.append({"did": did, **by_hand.as_values(linked)})
    return told


def rules(asked: Asked) -> Values:
    """Return the playbook, the most useful first."""
    found = playbook.bullets(asked.reader().stores[0], asked.now)
    words = asked.word("q")
    shown = playbook.having(found, words) if words else found
    return {"bullets": [each.values() for each in shown[:MOST_BULLETS]], "left_out": max(0, len(shown) - MOST_BULLETS),
            "sums": playbook.overview(found), "q": words}  # fmt: skip


def related(asked: Asked) -> Values:
    """Return the relations that are believed most."""
    predicate, subject = asked.word("predicate"), asked.word("subject")
    if predicate:
        relation_rows.known_predicate(predicate)
    reader, parts = asked.reader(), (subject, predicate, "")
    found = [each for store in reader.stores for each in relations.listed(store, asked.now, parts, MOST_RELATIONS + 1)]
    shown = [relations.as_values(each, asked.now) for each in relations.shown(reader, found[:MOST_RELATIONS])]
    edges = [(each["subject"], each["predicate"], each["object"]) for each in shown]
    return {"relations": shown, "is_cut": len(found) > MOST_RELATIONS, "predicates": relation_rows.PREDICATES,
            "predicate": predicate, "subject": subject, "edges": edges}  # fmt: skip


def relation(asked: Asked) -> Values:
    """Return one relation, to correct or remove."""
    reader = asked.reader()
    _, found = relations.find(reader, asked.public_id)
    as_shown = relations.version(found)
    relations.shown(reader, [found])
    return {"relation": relations.as_values(found, asked.now), "as_shown": as_shown,
            "predicates": relation_rows.PREDICATES}  # fmt: skip


def review(asked: Asked) -> Values:
    """Return what waits for a yes or no, what contradicts what, and what is remembered by where it came from."""
    reader, origin, session = asked.reader(), asked.word("origin"), asked.word("session")
    wanted = reviewing.Wanted([origin] if origin else [], session, asked.moment("since"), 0 if session else LOOKED_AT)
    waiting, conflicts = candidates.waiting(reader), _conflicts(reader)
    shown = [{**candidates.as_values(each), "as_shown": notes_by_hand.version(each.store, each.fact.public_id),
              "lines": candidates.told(each)[1:]} for each in waiting[:MOST_WAITING]]  # fmt: skip
    return {
        "waiting": shown, "more_waiting": max(0, len(waiting) - MOST_WAITING),
        "conflicts": _both(reader, conflicts[:CONFLICTS_TO_DECIDE]),
        "more_conflicts": max(0, len(conflicts) - CONFLICTS_TO_DECIDE), "origin": origin, "session": session,
        "sessions": reviewing.counts_of_sessions(reader, wanted)[:MOST_SESSIONS], "origins": reviewing.ORIGINS,
        "rows": [reviewing.values(row) for row in reviewing.rows(reader, wanted, MOST_ROWS)], "looked_at": wanted.last,
        "since": asked.word("since"), "outside": asked.flag("outside"),
    }  # fmt: skip
