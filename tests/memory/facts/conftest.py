"""Statements of a person, taken into the facts of a memory."""

import pytest

from ralph_mem.memory.facts import taking
from ralph_mem.memory.rows import facts
from tests.sessions import DAY, NOON


class Facts:
    """The facts of a memory, as a test speaks of them: by their texts. Each statement is said a day after the one before."""

    def __init__(self, store):
        self.store, self.day = store, 0

    def say(self, text, source=facts.ADD, kind=facts.RULE, parent="", **more):
        """Take a statement in; returns what became of it."""
        self.day += 1
        at = NOON + self.day * DAY
        self.store.begin()
        taken = taking.take(self.store, taking.Statement(text, kind, source, at, parent, **more), at)
        self.store.commit()
        return taken

    def of(self, *statuses):
        """Return the texts of the facts of some statuses, newest first."""
        return [fact.text for fact in facts.of_status(self.store, *statuses)]

    def called(self, text):
        """Return the fact with a text."""
        return next(fact for fact in facts.read(self.store) if fact.text == text)

    def change(self, what, *given):
        """Do something of `taking` in a transaction."""
        self.store.begin()
        done = what(self.store, *given)
        self.store.commit()
        return done


@pytest.fixture
def the_facts(a_store):
    """Make a memory without facts."""
    return Facts(a_store)
