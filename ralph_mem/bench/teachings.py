"""Read what users said and had to say again, as a labelled set, and check it.

{name, users: [{id, sessions: [{id, at, prompts: [text]}], useful: [text],
                repeats: [{session, text, of: [text]}]}]}
"""

from collections import namedtuple
from typing import Any

from ralph_mem.bench import labelled
from ralph_mem.bench.labelled import moment, text

Teachings = namedtuple("Teachings", "name users")
# `useful` are the sentences of a user that are worth telling in a later session, as they stand in the prompts.
User = namedtuple("User", "id sessions useful repeats")
Session = namedtuple("Session", "id at prompts")  # `at` in milliseconds; in the order of their times
# A sentence of a session that teaches again, and those of earlier sessions that had taught it.
Repeat = namedtuple("Repeat", "session text of")


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
