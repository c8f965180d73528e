"""The way out: a row that older rules let through is redacted by today's wherever it leaves."""

import random
from argparse import Namespace

import pytest

from ralph_mem.memory import reports
from ralph_mem.memory.recall import layers, lookup
from ralph_mem.memory.rows import rewrite, row
from tests.core.redaction import secret_corpus
from tests.readers import around, person_of, search
from tests.sessions import HOUR, Session

RNG = random.Random(20_261_122)
# What a row of an older release may say: a token whose shape was not known then, a password in an address.
LET_THROUGH = {
    "a token": "lin" + "_api_" + secret_corpus.some(RNG, secret_corpus.ALNUM, 40),
    "a key without a shape": "the Datadog API key " + secret_corpus.some(RNG, secret_corpus.HEX, 32),
    "a url": "postgres://app:" + secret_corpus.some(RNG, secret_corpus.ALNUM, 16) + "@db/x",
}


def secret_in(text):
    return text.partition("//app:")[2].partition("@")[0] or text.rpartition(" ")[2]


@pytest.fixture(params=LET_THROUGH)
def an_old_row(a_session, request):
    """Have a turn and a command behind it that say a secret which was let through."""
    return let_through(a_session, LET_THROUGH[request.param])


def let_through(session, secret):
    name = session.has_a_turn("Where is the tungsten of the lantern?", "It is in the cellar.")
    session.runs("make tungsten", "lit")
    with_it = f"The tungsten is in the cellar: {secret}"
    session.store.begin()
    rewrite.say(session.store, session.store.one("SELECT id FROM turns")[0], with_it)
    number = session.store.one("SELECT id FROM observations")[0]
    rewrite.texts_of(
        session.store, row.OBSERVATION, number, {"title": f"make tungsten # {secret}", "content": with_it, "lines": ""}
    )
    session.store.execute("UPDATE turns SET redaction_version = 0")
    session.store.execute("UPDATE observations SET redaction_version = 0")
    session.store.commit()
    return Namespace(session=session, turn=name, text=secret, secret=secret_in(secret))


def later(row):
    return Session(row.session.store, row.session.project, "another", row.session.now + HOUR)


def test_the_situation_is_one(an_old_row):
    rows = str(an_old_row.session.rows("SELECT response FROM turns UNION SELECT title FROM observations"))
    assert rows.count(an_old_row.secret) == 2


def test_a_session_is_not_told_it_at_its_start(an_old_row):
    text = later(an_old_row).starts()
    assert "tungsten" in text and an_old_row.secret not in text


def test_a_prompt_is_not_told_it(an_old_row):
    another = later(an_old_row)
    another.starts("resume")
    text = another.asks("Is there any tungsten left in the cellar?")
    assert "[REDACTED:" in text and an_old_row.secret not in text


def test_a_search_does_not_show_it_in_any_layer(an_old_row):
    reader = person_of(an_old_row.session)
    rows = search(reader, "tungsten")
    text = "\n".join(show(row) for row in rows for show in (layers.index, layers.whole))
    assert "[REDACTED:" in text and an_old_row.secret not in text


def test_neither_a_timeline_nor_a_row_by_its_id_shows_it(an_old_row):
    reader = person_of(an_old_row.session)
    row = lookup.find(reader, an_old_row.turn)
    text = layers.whole(row) + "".join(each.asked + each.said + each.lines for each in around(reader, row))
    assert "[REDACTED:" in text and an_old_row.secret not in text


def test_why_does_not_show_a_prompt_with_it(an_old_row):
    another = later(an_old_row)
    another.starts("resume")
    another.asks("Is there any tungsten left?")
    another.store.execute("UPDATE turns SET prompt = ? WHERE session_id = ?", (an_old_row.text, another.number))
    prompts = "".join(receipt.prompt for receipt in reports.receipts(person_of(an_old_row.session), 10))
    assert "[REDACTED:" in prompts and an_old_row.secret not in prompts
