"""Carry what is known of facts, their links and relations in an export, beside the observations that facts are."""

from collections.abc import Callable
from typing import Any

from ralph_mem.core import fast
from ralph_mem.core.redaction import path_rules
from ralph_mem.memory.facts import core, taking, wording
from ralph_mem.memory.rows import facts, relations
from ralph_mem.memory.store.connection import Store

FACT, LINK, RELATION = ROWS = ("fact", "fact_link", "relation")
# What travels of a fact, by its columns; how strong it is, and what it helped, belongs to the sessions of one machine.
TIMES = ("said_at", "valid_from", "valid_until", "recorded_at", "retired_at", "expires_at")
COLUMNS = ("kind", "status", "source", *TIMES, "anchors")
MOST_CHARACTERS = 65_536
HIGHEST = 2**61


def collected(opened: Store, names: set[str]) -> list[dict[str, Any]]:
    """Return the rows of the facts among exported observations, and of the links between them."""
    found = []
    for fact in facts.read(opened):
        if fact.public_id in names:
            known = {name: getattr(fact, name) for name in COLUMNS[:-1]}
            found.append({"row": FACT, "observation": fact.public_id, **known, "anchors": fast.dumps(fact.anchors)})
    links = [dict(zip(("row", "a", "b", "kind", "score", "decided_by", "at"), (LINK, *each))) for each in facts.links(opened)]
    return [*found, *[each for each in links if {each["a"], each["b"]} <= names]]


def related(opened: Store, names: set[str], settings: dict[str, Any], is_all: bool) -> list[dict[str, Any]]:
    """Return the relations that exported facts say, and where everything is exported those that were counted.

    Those about a path that the person excludes are left out.
    """
    found = []
    said_by = {fact.number: fact.public_id for fact in facts.read(opened)}
    for relation, number in relations.with_facts(opened):
        fact = None if number is None else said_by.get(number, "")
        known = {name: getattr(relation, name) for name in relations.COLUMNS}
        is_about = any([path_rules.names_excluded(known[name], settings) for name in ("subject", "object")])
        if (is_all if fact is None else fact in names) and not is_about:
            found.append({"row": RELATION, "observation": fact, **known})
    return found


def checks(is_id: Callable[[Any], bool]) -> dict[str, dict[str, Callable[[Any], bool]]]:
    """Return what each field of these rows has to be; `is_id` knows public ids."""
    fact: dict[str, Callable[[Any], bool]] = {"observation": is_id, **dict.fromkeys(TIMES, _is_time)}
    fact |= {"kind": lambda value: value in facts.KINDS, "status": lambda value: value in facts.STATUSES}
    fact |= {"source": lambda value: value in (*facts.SOURCES, *facts.BY_HAND), "anchors": _is_list}
    link: dict[str, Callable[[Any], bool]] = {"a": is_id, "b": is_id, "at": _is_time, "kind": lambda value: value in facts.LINKS}
    link |= {"score": lambda value: isinstance(value, float) and 0 <= value <= 1}
    link |= {"decided_by": lambda value: value in (facts.BY_RULE, facts.BY_PERSON)}
    return {FACT: fact, LINK: link, RELATION: _of_relations(is_id)}


def _of_relations(is_id: Callable[[Any], bool]) -> dict[str, Callable[[Any], bool]]:
    found: dict[str, Callable[[Any], bool]] = {"observation": lambda value: value is None or is_id(value), "public_id": is_id}
    found |= dict.fromkeys(("subject", "object"), _is_label)
    found |= dict.fromkeys(("subject_type", "object_type"), lambda value: value in relations.TYPES)
    found |= {"predicate": lambda value: value in relations.PREDICATES}
    found |= {"confidence": lambda value: isinstance(value, float) and 0 <= value <= 1}
    return found | dict.fromkeys(("confirmed_at", "made_at"), lambda value: value is not None and _is_time(value))


def _is_label(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value) <= relations.LABEL_CHARACTERS and value == " ".join(value.split())


def _is_time(value: Any) -> bool:
    return value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value < HIGHEST)


def _is_list(value: Any) -> bool:
    """Say whether a text is a list of anchors: of paths, each with a symbol or none."""
    try:
        found = fast.loads(value) if isinstance(value, str) and len(value) <= MOST_CHARACTERS else None
    except (ValueError, RecursionError):
        return False
    return isinstance(found, list) and all([isinstance(each, dict) and isinstance(each.get("path"), str) for each in found])


def of_a_stranger(record: dict[str, Any]) -> dict[str, Any]:
    """Return a row of somebody else's file as a proposal, which nobody has accepted; nothing for what they decided otherwise."""
    if record["row"] != FACT or record["status"] not in facts.THERE:
        return {}
    return {**record, "status": facts.CANDIDATE, "source": facts.PROPOSAL, "anchors": "[]"}


def without_key(metadata: str | None) -> str | None:
    """Return the metadata of somebody else's fact without the key under which it stands there; nothing of what is none."""
    known = _known(metadata)
    return fast.dumps({name: value for name, value in known.items() if name != core.NAME}) if known else None


def _known(metadata: str | None) -> dict[str, Any]:
    try:
        known = fast.loads(metadata or "{}")
    except (ValueError, RecursionError):
        return {}
    return known if isinstance(known, dict) else {}


def observations_of(record: dict[str, Any]) -> set[str]:
    """Return the ids in the file of the observations that a fact, a link or a relation is about; that may be none."""
    names = {record["a"], record["b"]} if record["row"] == LINK else {record["observation"]}
    return names - {None}


def is_here(opened: Store, record: dict[str, Any]) -> bool:
    """Say whether a relation of these parts is here."""
    return record["row"] == RELATION and relations.number_of(opened, *[record[name] for name in relations.PARTS]) is not None


def known_here(opened: Store, record: dict[str, Any], going: frozenset[str]) -> str:
    """Return the id of a fact that holds here, or waits, in the words of a row, or that the log proved; none of those going."""
    said = [fact for fact in facts.with_key(opened, wording.key(record["title"])) if fact.status in facts.THERE]
    same = [*said, *_proved(opened, record)]
    return next((fact.public_id for fact in same if fact.public_id not in going), "")


def _proved(opened: Store, record: dict[str, Any]) -> list[facts.Fact]:
    """Return what the log proved here that a row says as well: of a command, whenever that passed last."""
    known = _known(record["metadata"])
    found = facts.read(opened, "WHERE f.kind IN (?, ?) AND f.source = ?", (*facts.PROVED, facts.RAN)) if known else []
    return [fact for fact in found if fact.text == record["title"] or ("command" in known and _are_same(fact.metadata, known))]


def _are_same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    """Say whether what is known of two commands is of the same one."""
    return all([one.get(part) == other.get(part) for part in ("purpose", "command", "place")])


def take(opened: Store, record: dict[str, Any], names: dict[str, str]) -> None:
    """Store a fact, a link or a relation whose observations came in; `names` leads from their ids in the file to those here."""
    if record["row"] == LINK:
        one, other = names.get(record["a"]), names.get(record["b"])
        if one and other:
            facts.link(opened, one, record["kind"], other, record["score"], record["at"], record["decided_by"])
        return
    if record["row"] == RELATION:
        fact = record["observation"] and facts.observed(opened, names[record["observation"]])[0]
        relations.bring(opened, {name: record[name] for name in relations.COLUMNS}, fact)
        return
    number, text = facts.observed(opened, names[record["observation"]])
    known = {name: record[name] for name in COLUMNS if record[name] is not None}
    facts.add(opened, number, {**known, "text_key": wording.key(text), "anchors": fast.loads(record["anchors"])})


def compare(opened: Store, came: set[str], at: int) -> None:
    """Let facts that came in, by their ids, be in conflict with those that were here and that they may be an update of.

    Under a key one of them holds.
    """
    core.settle(opened, came, at)
    there = facts.of_status(opened, facts.ACTIVE, facts.CANDIDATE)
    incoming = [fact for fact in there if fact.public_id in came]
    for fact in incoming if len(incoming) < len(there) else ():
        taking.compare(opened, fact, at, came)
