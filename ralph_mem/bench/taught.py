"""Measure how often what a user teaches again had been told at that session's start.

A file of teachings is {name, users: [{id, sessions: [{id, at, prompts: [text]}], useful: [text],
                                       repeats: [{session, text, of: [text]}]}]}.
"""

import html
from collections import namedtuple
from pathlib import Path
from typing import Any

from ralph_mem.bench import labelled, measures
from ralph_mem.bench.histories import Memory
from ralph_mem.bench.labelled import moment, text
from ralph_mem.bench.retrieval import Announce
from ralph_mem.bench.throwaway import Throwaway
from ralph_mem.memory.facts import learning, wording
from ralph_mem.memory.inject import briefing
from ralph_mem.memory.rows import facts

Teachings = namedtuple("Teachings", "name users")
# `useful` are the sentences of a user that are worth telling in a later session, as they stand in the prompts.
User = namedtuple("User", "id sessions useful repeats")
Session = namedtuple("Session", "id at prompts")  # `at` in milliseconds; in the order of their times
# A sentence of a session that teaches again, and those of earlier sessions that had taught it.
Repeat = namedtuple("Repeat", "session text of")

# With candidates learned from the prompts, and with the briefing of turns alone.
LEARNED, TURNS = ARMS = ("learned", "turns-alone")
NEW_SESSION, ALL, FOR_EVER = 0, 1_000_000, float("inf")
OWN = Path(__file__).with_suffix(".json")  # three invented users, written by hand for this benchmark
BETWEEN_MS = 60_000  # from one prompt to the next; nothing depends on it


def run(given: Teachings, announce: Announce) -> dict[str, Any]:
    """Play every user's sessions in their order, and look at each start; returns the figures of both arms, in all and by user."""
    told: dict[str, dict[str, list[bool]]] = {arm: {} for arm in ARMS}
    useless: dict[str, list[bool]] = {}
    twice = 0
    for number, user in enumerate(given.users):
        announce(user.id, number, len(given.users))
        told[LEARNED][user.id], useless[user.id], more = play(user, learns=True)
        told[TURNS][user.id], _, _ = play(user, learns=False)
        twice += more
    users = {
        user.id: {**{arm: measures.share(told[arm][user.id]) for arm in ARMS}, "useless": measures.share(useless[user.id])}
        for user in given.users
    }
    return {
        "name": given.name, "users": len(given.users), "sessions": sum(len(user.sessions) for user in given.users),
        "repeats": sum(len(user.repeats) for user in given.users), "lines": sum(map(len, useless.values())),
        **{arm: measures.share([each for found in told[arm].values() for each in found]) for arm in ARMS},
        "useless": measures.share([each for found in useless.values() for each in found]), "by_user": users,
        "told_twice": twice,
    }  # fmt: skip


def play(user: User, learns: bool) -> tuple[list[bool], list[bool], int]:
    """Return of each repeat of a user whether it had been told, of each standing line that was told whether it is useless, and
    the tokens that starts told twice.
    """
    told: list[bool] = []
    useless: list[bool] = []
    twice = 0
    with Throwaway() as throwaway:
        for session in user.sessions:
            text, lines = _start(throwaway, session)
            twice += measures.told_twice(text)
            told += [_holds(text, lines, each.of) for each in user.repeats if each.session == session.id]
            useless += [not any(is_same(line, each) for each in user.useful) for line in lines]
            throwaway.remember(_turns(session))
            if learns:
                learning.learn(throwaway.store, throwaway.project, throwaway.settings, ALL, FOR_EVER)
    return told, useless, twice


def _start(throwaway: Throwaway, session: Session) -> tuple[str, list[str]]:
    """Return what a session is told at its start, and the statements among it that somebody made."""
    text, items = briefing.build([throwaway.store], throwaway.settings, NEW_SESSION, None, session.at)
    found = [facts.of_id(throwaway.store, item.memory) for item in items if item.tokens]
    return html.unescape(text), [fact.text for fact in found if fact is not None and fact.kind in facts.SAID]


def _holds(text: str, lines: list[str], sentences: list[str]) -> bool:
    whole = wording.folded(text)
    return any(wording.folded(each) in whole or any(is_same(line, each) for line in lines) for each in sentences)


def is_same(line: str, sentence: str) -> bool:
    """Say whether one of two texts stands in the other: a label may hold a little more than what is told, or less."""
    one, other = wording.folded(line), wording.folded(sentence)
    return one in other or other in one


def _turns(session: Session) -> list[Memory]:
    return [
        Memory(f"{session.id}-{number}", session.id, session.at + number * BETWEEN_MS, prompt, "Done.", "", (), (), ())
        for number, prompt in enumerate(session.prompts)
    ]


def read(path: str) -> Teachings:
    """Read and check a file. Raises RalphMemError with the place of what is wrong, and OSError."""
    found = labelled.read(path, "teachings", lambda whole: Teachings(text(whole["name"]), [_user(each) for each in whole["users"]]))
    labelled.need(path, any(user.repeats for user in found.users), "nothing that is taught again")
    return found


def _user(given: Any) -> User:
    name = text(given["id"])
    sessions = sorted([_session(each) for each in given["sessions"]], key=lambda each: each.at)
    if len({each.id for each in sessions}) < len(sessions):
        raise ValueError(f"{name}: two sessions have one id")
    useful = [_said(text(each), sessions, name) for each in given["useful"]]
    return User(name, sessions, useful, [_repeat(each, sessions, name) for each in given["repeats"]])


def _session(given: Any) -> Session:
    return Session(text(given["id"]), moment(given["at"]), [text(each) for each in given["prompts"]])


def _repeat(given: Any, sessions: list[Session], name: str) -> Repeat:
    ids = [each.id for each in sessions]
    if given["session"] not in ids:
        raise ValueError(f"{name}: there is no session {str(given['session'])[:40]}")
    at = ids.index(given["session"])
    again = _said(text(given["text"]), sessions[at : at + 1], name)
    return Repeat(given["session"], again, [_said(text(each), sessions[:at], name) for each in given["of"]])


def _said(sentence: str, sessions: list[Session], name: str) -> str:
    """Return a sentence that was said in one of some sessions. Raises ValueError for any other."""
    if not any(sentence in prompt for session in sessions for prompt in session.prompts):
        raise ValueError(f"{name}: nobody had said {sentence[:60]!a}")
    return sentence
