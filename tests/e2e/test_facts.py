"""What a person teaches in the real client: found, quoted with its date, decided by a word, and a fact from then on."""

import contextlib
import sqlite3

import pytest

from .client import eventually
from .messages_api import say

TAUGHT = "The build is green. Always run the tests with `make check`, never with bare pytest."
RULE = "Always run the tests with `make check`, never with bare pytest."
JOINED = "SELECT o.title, f.status FROM facts AS f JOIN observations AS o ON o.id = f.id"


@pytest.fixture
def statuses(client, plugin, a_project):
    """Return what reads the facts of the project: by their texts, what they are."""
    client.plugin = plugin

    def read():
        with contextlib.closing(sqlite3.connect(f"file:{a_project}/.ralph-mem/memory.db?mode=ro", uri=True)) as db:
            there = db.execute("SELECT 1 FROM sqlite_master WHERE name = 'facts'").fetchall()
            return dict(db.execute(JOINED).fetchall()) if there else {}

    return read


def test_what_is_taught_is_quoted_at_the_next_start_and_a_word_of_the_person_makes_it_a_fact(terminal, client, api, statuses):
    api.play({"turns": [say("Understood."), say("Good morning.")]})
    with terminal(RALPH_MEM_MEMORY_WORKER="true") as person:
        person.say(TAUGHT)
        person.wait_for("Understood.")
        eventually(lambda: statuses() == {RULE: "candidate"}, 30, statuses)
        person.leave()
    client.print_mode("Good morning")
    assert "you said: " in api.text_of(api.requests("main")[-1]) and RULE in api.text_of(api.requests("main")[-1])
    with terminal(RALPH_MEM_MEMORY_WORKER="true") as person:
        person.say("/mem learn")
        person.wait_for("Type /mem learn yes 1")
        person.say("/mem learn yes 1")
        person.wait_for("Holds from now on")  # what is typed while an answer is on its way is joined to what stood there
        assert statuses() == {RULE: "active"}
        person.say("/mem facts")
        person.wait_for("rule: Always run the tests")
    assert len(api.requests("main")) == 2, "what a person decides costs no request"
