"""Keep one lesson for each failure of a project, made of what all its runs say about it."""

import json
from collections import namedtuple

from ralph_mem.core.format import day
from ralph_mem.memory.facts import remedies, taking, wording
from ralph_mem.memory.rows import facts, learnt, records
from ralph_mem.ralph import lesson_text
from ralph_mem.ralph.criteria import evidence

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.memory.rows.learnt import Lesson
    from ralph_mem.memory.store.connection import Store

Said = namedtuple("Said", "account run session at text redactions")
Said.__doc__ = (
    """What one run says: the id of its account, its own, the client's id of its session, when it ended in ms, the text."""
)

Delta = namedtuple("Delta", "added reinforced replaced")
Delta.__doc__ = """The ids of the lessons that were added, that were taught again, and that replace one whose remedy was another."""


def take(store: "Store", record: "dict[str, Any]") -> Delta:
    """Store the account of a run, given as a record, and fold it into the lessons. In the caller's transaction.

    Where the run has given one before, that is taken back first.
    """
    fold_old(store)
    account = learnt.write_account(store, record)
    run = record["event_id"][len(learnt.ACCOUNT) :]
    return _fold(store, Said(account, run, record["session"], record["at"], record["content"], record["redactions"]))


def fold_old(store: "Store") -> int:
    """Fold what an older release left, a lesson for each run; returns how many. In the caller's transaction.

    One that a person has corrected, pinned or called wrong stays as it is, and the others of the same failure count for it.
    """
    found = learnt.unfolded(store)
    for number, public_id, event, text, at, is_touched, session in found:
        if is_touched:
            facts.add(store, number, _known(text, at))
            continue
        learnt.to_account(store, number, remedies.OPEN not in text)
        _fold(store, Said(public_id, event[len(learnt.ACCOUNT) :], session, at, text, None))
    return len(found)


def _known(text: str, at: int) -> "dict[str, Any]":
    return {"kind": facts.LESSON, "status": facts.ACTIVE, "source": facts.LOOP, "text_key": wording.key(text), "said_at": at}


def _fold(store: "Store", said: Said) -> Delta:
    """Give each failure of an account to the lesson that is for it, and write all lessons that this changes."""
    facts.make(store)
    before = learnt.taught(store, said.account)
    learnt.unsay(store, said.account)
    there = {each.public_id: each for each in learnt.lessons(store)}
    owners = {key: name for name, each in there.items() for key in each.owned or lesson_text.keys_of(each.content)}
    delta = Delta([], [], [])
    for name, keys in _shared_out(remedies.accounts(said.text), owners).items():
        if name in there and _have_parted(store, there[name], keys, said):
            before.add(name)
            delta.added.append(_part(store, there[name], keys, said))
        elif name in there:
            there[name].owned |= keys
            facts.sight(store, name, said.account)
        else:
            delta.added.append(_add(store, said, keys))
    for name in sorted((before | learnt.taught(store, said.account)) & set(there)):
        _write(store, there[name], said, delta)
    return delta


def _have_parted(store: "Store", lesson: "Lesson", keys: "set[str]", said: Said) -> bool:
    """Say whether some of the failures of a lesson, and not all, were ended by another change than all of them were before."""
    if lesson.is_touched or not keys < lesson.owned:
        return False
    new = remedies.History([(said.at, said.text)], keys, _key_of).fix()
    old = _history(lesson.owned, [each for each in learnt.accounts(store, lesson.public_id) if each[0] != said.account]).fix()
    return bool(new and old and new.key != old.key)


def _part(store: "Store", lesson: "Lesson", keys: "set[str]", said: Said) -> str:
    """Make a lesson of its own for some failures of another one, with all that was said of them; returns its id."""
    lesson.owned -= keys
    name = _add(store, said, keys)
    for account in learnt.accounts(store, lesson.public_id):
        if _history(keys, [account]).failures:
            facts.sight(store, name, account[0])
    new = next(each for each in learnt.lessons(store) if each.public_id == name)
    told = learnt.accounts(store, name)
    _rewrite(store, new, _history(new.owned, told), told)
    return name


def _history(owned: "set[str]", told: "list[tuple[str, int, str, str]]") -> "remedies.History":
    return remedies.History([(at, text) for _, at, _, text in told], owned, _key_of)


def _shared_out(told: "list[remedies.Account]", owners: "dict[str, str]") -> "dict[str, set[str]]":
    """Return which failures of a run each lesson gets, by its id; the name of one that has to be made is a number.

    What no lesson is for makes one with the rest of its paragraph that has none either, and joins none that is there: lessons
    would grow together to one about everything.
    """
    found: dict[str, set[str]] = {}
    for number, account in enumerate(told):
        for said, test in account.failures:
            key = _key_of(test, said)
            found.setdefault(owners.setdefault(key, str(number)), set()).add(key)
    return found


def _key_of(test: str, said: str) -> str:
    return evidence.key_of(evidence.signature_of(test, said))


def _add(store: "Store", said: Said, keys: "set[str]", known: "dict[str, Any] | None" = None) -> str:
    """Store a lesson that an account teaches, for the failures of these keys; returns its id."""
    event = f"{learnt.LESSON}{said.run}:{min(keys)}:{said.at}"
    history = remedies.History([(said.at, said.text)], keys, _key_of)
    record = records.memory(
        said.session, said.at, event, learnt.title_of(store, said.account), history.text(), tool_name=lesson_text.TOOL,
        type="note", origin="test", files="\n".join(history.paths()), metadata=_metadata(said.run, keys),
        redactions=said.redactions,
    )  # fmt: skip
    name = learnt.add(store, record, {**_known(history.text(), said.at), **(known or {})})
    facts.sight(store, name, said.account)
    return name


def _metadata(run: str, keys: "set[str]") -> str:
    return json.dumps({"loop": run, "signatures": sorted(keys)})


def _write(store: "Store", lesson: "Lesson", said: Said, delta: Delta) -> None:
    """Write a lesson anew from its accounts; where another remedy than before has worked a new lesson takes its place."""
    told = learnt.accounts(store, lesson.public_id)
    if not told and lesson.event.startswith(learnt.LESSON):
        learnt.drop(store, lesson.public_id)
    elif not lesson.is_touched:
        earlier = _history(lesson.owned, [each for each in told if each[0] != said.account])
        history = _history(lesson.owned, told)
        old, new = earlier.fix(), history.fix()
        is_own = lesson.event.startswith(f"{learnt.LESSON}{said.run}:")
        if old and new and old.key != new.key and not is_own:
            delta.replaced.append(_replace(store, lesson, said, told))
        elif told:
            delta.reinforced.append(lesson.public_id)
            _rewrite(store, lesson, history, told)


def _replace(store: "Store", lesson: "Lesson", said: Said, told: "list[tuple[str, int, str, str]]") -> str:
    """Let a new lesson with all accounts of an older one, and what came of that, take its place; returns its id."""
    name = _add(store, said, lesson.owned, {"helpful": lesson.helpful, "harmful": lesson.harmful, "status": lesson.status})
    for account, *_ in told:
        facts.sight(store, name, account)
    old = facts.of_id(store, lesson.public_id)
    assert old is not None  # noqa: S101 - it was read in this transaction
    taking.supersede(store, name, old, said.at, 1.0, said.at)
    new = next(each for each in learnt.lessons(store) if each.public_id == name)
    _rewrite(store, new, _history(new.owned, told), told)
    return name


def _rewrite(
    store: "Store", lesson: "Lesson", history: "remedies.History", told: "list[tuple[str, int, str, str]]"
) -> None:  # fmt: skip
    """Give a lesson the words that its accounts make."""
    _, at, title, _ = told[-1]
    texts = {
        "title": _title(title, len(told), at), "content": history.text(), "files": "\n".join(history.paths()),
        "metadata": _metadata(lesson.event.split(":")[1], lesson.owned),
    }  # fmt: skip
    learnt.rewrite_lesson(store, lesson.number, texts, at)
    facts.change(store, lesson.number, {"text_key": wording.key(history.text())})


def _title(title: str, times: int, at: int) -> str:
    """Return the title of the last account, with how often the failure was met where that is more than once."""
    goal, mark, rest = title.rpartition(lesson_text.LOOP)
    return f"{goal}{mark}{times} times, last on {day(at)}; {rest}" if times > 1 and mark else title
