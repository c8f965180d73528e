"""The bullets of a memory, which of them are archived, and what is told of that."""

import random

import pytest

from ralph_mem.memory.facts import playbook, strength
from ralph_mem.memory.recall import search
from ralph_mem.memory.rows import facts
from tests.sessions import DAY, NOON

LATER = NOON + 900 * DAY
NAMES = "lamp till cart tax bill price order sum user token colour font route mail cache queue index graph cell byte".split()


def said(name):
    """Return a rule that shares nothing with the others but its first word."""
    return f"Never {name} {name[::-1]} {name}x {name}y."


@pytest.fixture
def a_playbook(the_facts):
    """Make five rules, of which each has one more harmful outcome than the one before."""
    for number, name in enumerate(NAMES[:5]):
        the_facts.say(said(name))
        the_facts.change(facts.change, the_facts.called(said(name)).number, {"harmful": number})
    return the_facts


def texts(bullets):
    return [each.text.split()[1] for each in bullets]


def test_the_best_bullet_comes_first_and_facts_of_other_kinds_are_none(a_playbook):
    a_playbook.say("Releases go out on Mondays at noon.", kind=facts.FACT)
    assert texts(playbook.bullets(a_playbook.store, LATER)) == NAMES[:5]


def test_a_bullet_tells_a_program_all_that_is_known_of_it(a_playbook):
    a_playbook.say("Never deploy the cluster by hand.", aliases="k8s", expires_at=LATER + DAY)
    (found,) = [each.values() for each in playbook.bullets(a_playbook.store, LATER) if "deploy" in each.text]
    told = {
        name: found[name] for name in ("text", "kind", "class", "helpful", "harmful", "ignored", "also", "expires_at", "source")
    }
    assert told == {
        "text": "Never deploy the cluster by hand.", "kind": "rule", "class": "procedural", "helpful": 0, "harmful": 0,
        "ignored": 0, "also": ["k8s"], "expires_at": LATER + DAY, "source": "add",
    }  # fmt: skip
    assert {*strength.COMPONENTS, "touched_clock", "touched_at", "recorded_at", "id"} <= found.keys()


def test_one_bullet_too_many_archives_the_lowest_and_no_other(a_playbook):
    gone = a_playbook.change(playbook.prune, LATER, 4)
    assert texts(gone) == [NAMES[4]]
    assert texts(playbook.bullets(a_playbook.store, LATER)) == NAMES[:4]
    assert a_playbook.called(said(NAMES[4])).status == facts.RETIRED


def test_to_archive_twice_changes_nothing(a_playbook):
    a_playbook.change(playbook.prune, LATER, 4)
    assert a_playbook.change(playbook.prune, LATER + DAY, 4) == []


def test_what_comes_of_facts_is_counted_once_a_day(a_playbook):
    store, fact = a_playbook.store, a_playbook.called(said(NAMES[0]))
    store.execute("UPDATE observations SET pinned = 1 WHERE id = ?", (fact.number,))
    playbook.tend_daily(store, LATER)
    assert facts.of_id(store, fact.public_id).helpful == 2
    store.execute("UPDATE observations SET pinned = 0 WHERE id = ?", (fact.number,))
    playbook.tend_daily(store, LATER + 1)
    assert facts.of_id(store, fact.public_id).helpful == 2
    playbook.tend_daily(store, LATER + DAY)
    assert facts.of_id(store, fact.public_id).helpful == 0


def test_what_is_pinned_or_was_said_in_three_sessions_is_never_archived_for_want_of_room(a_playbook, monkeypatch):
    store = a_playbook.store
    store.execute("UPDATE observations SET pinned = 1 WHERE title = ?", (said(NAMES[4]),))
    often = a_playbook.called(said(NAMES[3])).public_id
    said_in = facts.sessions
    monkeypatch.setattr(facts, "sessions", lambda store, name: 3 if name == often else said_in(store, name))
    assert texts(a_playbook.change(playbook.prune, LATER, 2)) == [NAMES[2], NAMES[1], NAMES[0]]


def test_what_is_past_its_day_is_hidden_at_once_and_archived_later(a_playbook):
    fact = a_playbook.called(said(NAMES[0]))
    a_playbook.change(facts.change, fact.number, {"expires_at": NOON + 30 * DAY})
    assert NAMES[0] not in texts(playbook.bullets(a_playbook.store, LATER))
    assert texts(a_playbook.change(playbook.prune, LATER)) == [NAMES[0]]
    assert facts.of_id(a_playbook.store, fact.public_id).retired_why == facts.EXPIRED


def test_what_was_of_use_is_reinforced_in_the_trace_with_its_counts(a_playbook):
    number = a_playbook.called(said(NAMES[0])).number
    a_playbook.change(facts.change, number, {"helpful": 1, "touched_at": LATER})
    told = [each for each in playbook.events(a_playbook.store) if each["event"] == playbook.REINFORCED]
    assert [(each["text"], each["helpful"], each["harmful"], each["at"]) for each in told] == [(said(NAMES[0]), 1, 0, LATER)]


@pytest.mark.parametrize(("length", "shown"), [(120, "x" * 120), (121, "x" * 120 + "... (121 characters)")])
def test_a_preview_has_120_characters_and_then_the_length(length, shown):
    assert playbook.preview("x" * length) == shown


def test_the_log_has_a_line_for_each_with_the_beginning_of_its_text_and_the_number(a_playbook):
    a_playbook.say("Never " + "very " * 50 + "long.")
    lines = playbook.log(a_playbook.change(playbook.prune, LATER, 0))
    assert lines[-1] == "archived: 6 bullets" and len(lines) == 7
    (long,) = [line for line in lines if "Never very" in line]
    assert long.endswith("... (261 characters)") and "score 0.500, helped 0, harmed 0" in long
    assert playbook.log([]) == []


def test_words_are_looked_for_in_the_text_and_in_what_it_is_known_by(a_playbook):
    a_playbook.say("Never push the cluster by hand.", aliases="k8s")
    found = playbook.bullets(a_playbook.store, LATER)
    assert [texts(playbook.having(found, words)) for words in ("K8S cluster", "lamp never", "lamp k8s")] == [
        ["push"], [NAMES[0]], [],
    ]  # fmt: skip


def test_to_look_at_a_bullet_touches_nothing(a_playbook):
    before = a_playbook.store.execute("SELECT * FROM facts").fetchall()
    playbook.overview(playbook.bullets(a_playbook.store, LATER))
    playbook.events(a_playbook.store)
    assert search.hits(a_playbook.store, said(NAMES[0]), LATER)
    assert a_playbook.store.execute("SELECT * FROM facts").fetchall() == before


def test_archiving_listing_and_ranking_go_by_one_score(a_playbook, monkeypatch):
    monkeypatch.setattr(strength, "usefulness", lambda _helpful, harmful: harmful / 9)
    assert texts(playbook.bullets(a_playbook.store, LATER))[0] == NAMES[4]
    assert texts(a_playbook.change(playbook.prune, LATER, 4)) == [NAMES[0]]
    fact = a_playbook.called(said(NAMES[4]))
    assert strength.prominence(fact, strength.Clock(0, LATER)) == pytest.approx(strength.WEIGHT * 4 / 9)


def test_the_trace_tells_in_order_what_was_added_and_what_took_whose_place(the_facts):
    the_facts.say("Install packages with npm 10 in every folder.")
    the_facts.say("Install packages with pnpm 9 in every folder.")
    told = [(each["event"], each["id"]) for each in playbook.events(the_facts.store)]
    old, new = [the_facts.called(f"Install packages with {which} in every folder.").public_id for which in ("npm 10", "pnpm 9")]
    assert told == [("added", old), ("added", new), ("merged", new)]


def test_over_fifty_sessions_there_are_fewer_new_bullets_each_time_and_never_more_than_have_room(the_facts):
    dice, added = random.Random(1), []
    for session in range(50):
        before = len(the_facts.of(*facts.STATUSES))
        for name in dice.choices(NAMES, weights=[1 / (at + 1) for at in range(len(NAMES))], k=3):
            the_facts.say(said(name), parent=f"turn-{session:010}")
        added.append(len(the_facts.of(*facts.STATUSES)) - before)
        the_facts.change(playbook.prune, LATER, 15)
        assert len(the_facts.of(facts.ACTIVE)) <= 15
    assert sum(added[:10]) > 3 * sum(added[40:]) and sum(added) <= len(NAMES)
