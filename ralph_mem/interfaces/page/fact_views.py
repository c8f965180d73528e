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

MOST, MOST_RELATIONS, MOST_ROWS = 200, 200, 100
HOLDING = (rows.ACTIVE, rows.CANDIDATE)


def facts(asked: Asked) -> Values:
    """Return what holds, or what was known or true at another time, and which of it may contradict something."""
    reader, status, kind = asked.reader(), asked.word("status"), asked.word("kind")
    for word, known, what in ((status, rows.STATUSES, "status"), (kind, rows.KINDS, "kind")):
        if word and word not in known:
            raise RalphMemError(f"there is no {what} {word[:40]}", "one of " + ", ".join(known))
    as_of, valid_at = asked.word("as_of"), asked.word("valid_at")
    if as_of or valid_at:
        times = [asked.moment(name) if asked.word(name) else None for name in ("as_of", "valid_at")]
        found = by_hand.at_another_time(reader, times[0], times[1], (status,) if status else (), kind)
    else:
        found = by_hand.listed(reader, (status,) if status else HOLDING, kind, asked.now)
    return {
        "facts": [by_hand.as_values(each) for each in found[:MOST]], "left_out": max(0, len(found) - MOST), "status": status,
        "kind": kind, "as_of": as_of, "valid_at": valid_at, "statuses": rows.STATUSES, "kinds": rows.KINDS,
        "kinds_to_add": rows.SAID,
        "conflicts": _conflicts(reader), "keys": {} if asked.is_global else _keys(reader),
    }  # fmt: skip


def _keys(reader: lookup.Reader) -> dict[str, str]:
    return {key: core.value_of(fact) for key, fact in core.all_of(reader.stores[0]).items()}


def _conflicts(reader: lookup.Reader) -> list[tuple[Values, Values]]:
    """Return pairs of facts that hold and may contradict each other, the newer first."""
    found = []
    for store in reader.stores:
        for one, other, kind, *_ in rows.links(store):
            pair = [rows.of_id(store, name) for name in (one, other)] if kind == rows.CONFLICTS else []
            if len(pair) == 2 and all(each is not None and each.status in HOLDING for each in pair):
                found.append(tuple(_shown(store, each) for each in pair if each))
    return found  # type: ignore[return-value]


def _shown(store: Any, fact: rows.Fact) -> Values:
    return {**by_hand.as_values(fact), "as_shown": notes_by_hand.version(store, fact.public_id)}


def fact(asked: Asked) -> Values:
    """Return one fact: why it is held, what it replaced, what said it."""
    store, found = by_hand.find(asked.reader(), asked.public_id)
    history = [{**by_hand.as_values(each), "after": did} for each, did in by_hand.history(store, found)]
    return {"fact": _shown(store, found), "lines": by_hand.explained(store, found)[1:], "history": history,
            "sources": rows.sources(store, found.public_id)}  # fmt: skip


def rules(asked: Asked) -> Values:
    """Return the playbook, the most useful first."""
    found = playbook.bullets(asked.reader().stores[0], asked.now)
    words = asked.word("q")
    shown = playbook.having(found, words) if words else found
    return {"bullets": [each.values() for each in shown[:MOST]], "sums": playbook.overview(found), "q": words}


def related(asked: Asked) -> Values:
    """Return the relations that are believed most."""
    predicate, subject = asked.word("predicate"), asked.word("subject")
    if predicate:
        relation_rows.known_predicate(predicate)
    found = [relations.as_values(each, asked.now) for store in asked.reader().stores
             for each in relations.listed(store, asked.now, (subject, predicate, ""), MOST_RELATIONS)]  # fmt: skip
    edges = [(each["subject"], each["predicate"], each["object"]) for each in found]
    return {"relations": found, "predicates": relation_rows.PREDICATES, "predicate": predicate, "subject": subject, "edges": edges}


def review(asked: Asked) -> Values:
    """Return what waits for a yes or no, and what is remembered by where it came from, the most doubtful first."""
    reader, origin, session = asked.reader(), asked.word("origin"), asked.word("session")
    wanted = reviewing.Wanted([origin] if origin else [], session, asked.moment("since"))
    waiting = [{**candidates.as_values(each), "as_shown": notes_by_hand.version(each.store, each.fact.public_id),
                "lines": candidates.told(each)[1:]} for each in candidates.waiting(reader)[:MOST_ROWS]]  # fmt: skip
    return {
        "waiting": waiting, "sessions": reviewing.counts_of_sessions(reader, wanted)[:MOST_ROWS], "origins": reviewing.ORIGINS,
        "rows": [reviewing.values(row) for row in reviewing.rows(reader, wanted, MOST_ROWS)], "origin": origin, "session": session,
        "since": asked.word("since"), "outside": asked.flag("outside"),
    }  # fmt: skip
