"""What becomes a candidate of the prompts of a memory, and that each prompt is looked at once."""

import time

import pytest

from ralph_mem.core.settings import effective
from ralph_mem.memory import notes_by_hand
from ralph_mem.memory.facts import extraction, learning, taking
from ralph_mem.memory.rows import deletion, facts, tombstones
from tests.sessions import NOON

TAUGHT = "Always run `make check` before you push."
OTHER = "Our staging database is in Frankfurt."
LONG = "From now on please write every commit message in the imperative mood and name the module first."


@pytest.fixture
def learn(a_session):
    """Learn from what waits; returns the sentences that were found."""

    def learned(most=50, end=float("inf"), **settings):
        given = {**effective.DEFAULTS, **settings}
        return [each.sentence for each in learning.learn(a_session.store, a_session.project, given, most, end)]

    return learned


def candidates(session):
    return [fact.text for fact in facts.of_status(session.store, facts.CANDIDATE)]


def test_what_a_user_said_in_a_closed_turn_becomes_a_candidate_with_the_turn_as_its_source(a_session, learn):
    turn = a_session.has_a_turn(f"Mend the login. {TAUGHT}", "Done.")
    assert learn() == [TAUGHT]
    (fact,) = facts.of_status(a_session.store, facts.CANDIDATE)
    assert (fact.text, fact.source, facts.sources(a_session.store, fact.public_id)) == (TAUGHT, facts.PROMPT, [turn])


def test_a_turn_is_looked_at_once(a_session, learn):
    a_session.has_a_turn(TAUGHT, "Done.")
    assert [learn(), learn()] == [[TAUGHT], []]


def test_a_turn_that_is_open_is_looked_at_once_it_is_closed(a_session, another_session, learn):
    a_session.asks(TAUGHT)
    another_session.has_a_turn(OTHER, "Done.")
    assert learn() == [OTHER]
    a_session.sends("stop", last_assistant_message="Done.", stop_hook_active=False)
    assert [learn(), learn()] == [[TAUGHT], []]


def test_it_goes_on_where_it_left_off(a_session, learn):
    for said in (TAUGHT, OTHER, LONG):
        a_session.has_a_turn(said, "Done.")
    assert [learn(most=2), learn(most=2)] == [[TAUGHT, OTHER], [LONG]]
    a_session.has_a_turn("Never edit `dist/` by hand.", "Done.")
    assert learn(end=time.monotonic() - 1) == []


def test_between_its_changes_it_leaves_a_memory_alone_for_as_long_as_each_took(a_session, learn, monkeypatch):
    for said in (TAUGHT, OTHER, LONG):
        a_session.has_a_turn(said, "Done.")
    pauses = []
    monkeypatch.setattr(learning, "HELD_S", 0)
    monkeypatch.setattr(time, "sleep", lambda seconds: pauses.append((seconds, a_session.store.db.in_transaction)))
    assert learn() == [TAUGHT, OTHER, LONG]
    assert len(pauses) == 3
    assert all(seconds > 0 and not is_held for seconds, is_held in pauses)


def test_a_copy_of_a_memory_is_looked_through_without_a_pause(a_session, monkeypatch):
    a_session.has_a_turn(TAUGHT, "Done.")
    pauses = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    found = learning.rehearse(a_session.project, effective.DEFAULTS)
    assert ([each.sentence for each in found], pauses) == ([TAUGHT], [])


def test_a_turn_that_is_forgotten_while_others_are_looked_at_leaves_nothing(a_session, learn, monkeypatch):
    for said in (TAUGHT, OTHER):
        a_session.has_a_turn(said, "Done.")
    monkeypatch.setattr(learning, "HELD_S", 0)
    monkeypatch.setattr(time, "sleep", lambda _: a_session.store.execute("DELETE FROM turns WHERE prompt = ?", (OTHER,)))
    assert learn() == [TAUGHT]


def test_a_turn_that_took_the_number_of_a_forgotten_one_is_looked_at(a_session, learn):
    a_session.has_a_turn(OTHER, "Done.")
    a_session.has_a_turn("Look at the parser.", "Done.")
    learn()
    a_session.store.execute("DELETE FROM turns WHERE prompt LIKE 'Look%'")
    a_session.has_a_turn(TAUGHT, "Done.")
    assert learn() == [TAUGHT]


def test_what_is_said_again_in_another_session_is_seen_twice_and_stored_once(a_session, another_session, learn):
    for session in (a_session, another_session):
        session.has_a_turn(TAUGHT, "Done.")
    learn()
    (fact,) = facts.of_status(a_session.store, facts.CANDIDATE)
    assert facts.sessions(a_session.store, fact.public_id) == 2


def test_a_turn_that_fails_is_tried_twice_and_then_noted_without_its_words(a_session, learn, monkeypatch):
    turn = a_session.has_a_turn(TAUGHT, "Done.")
    a_session.has_a_turn(OTHER, "Done.")
    find = extraction.find
    monkeypatch.setattr(extraction, "find", lambda prompt: find(prompt) if prompt == OTHER else {}["x"])
    assert [learn(), learn(), learn()] == [[OTHER], [], []]
    dead = a_session.store.execute("SELECT kind, subject, status, attempts, error FROM jobs").fetchall()
    assert dead == [("learn", turn, "failed", 2, "KeyError")]


def test_a_turn_that_failed_once_is_learned_from_the_second_time(a_session, learn, monkeypatch):
    a_session.has_a_turn(TAUGHT, "Done.")
    with monkeypatch.context() as failing:
        failing.setattr(extraction, "find", lambda _: {}["x"])
        learn()
    assert learn() == [TAUGHT]


def test_what_web_text_may_have_touched_is_passed_over(a_session, learn):
    a_session.asks(TAUGHT)
    a_session.uses("WebFetch", {"result": "a page", "code": 200}, url="https://example.com/")
    a_session.sends("stop", last_assistant_message="Done.", stop_hook_active=False)
    assert learn() == []


def test_eight_words_in_a_row_that_a_tool_had_printed_are_nobodys_own(a_session, learn):
    a_session.asks("Show me the readme")
    a_session.uses("Bash", {"stdout": f"# Notes\n{LONG.upper()}\n", "stderr": ""}, command="make notes")
    a_session.has_a_turn(LONG.replace("From now on please", "From now on kindly"), "Done.")
    a_session.has_a_turn("From now on please write every docstring as a sentence.", "Done.")
    assert learn() == ["From now on please write every docstring as a sentence."]


def test_what_a_page_said_in_another_session_is_nobodys_own(a_session, another_session, learn):
    a_session.asks("Read the page.")
    a_session.uses("WebFetch", {"result": f"A blog. {LONG}", "code": 200}, url="https://example.com/")
    another_session.now = a_session.now + 1000
    another_session.has_a_turn(f"Check the release. Rules: {LONG} {TAUGHT}", "Done.")
    assert learn() == [TAUGHT]


def test_what_a_page_says_later_in_another_session_takes_nothing_away(a_session, another_session, learn):
    another_session.has_a_turn(LONG, "Done.")
    a_session.now = another_session.now + 1000
    a_session.asks("Read the page.")
    a_session.uses("WebFetch", {"result": f"A blog. {LONG}", "code": 200}, url="https://example.com/")
    assert learn() == [LONG]


def test_what_a_tool_prints_after_it_was_said_takes_nothing_away(a_session, learn):
    a_session.asks(LONG)
    a_session.uses("Bash", {"stdout": LONG, "stderr": ""}, command="make notes")
    a_session.sends("stop", last_assistant_message="Done.", stop_hook_active=False)
    assert learn() == [LONG]


def test_what_was_asked_to_be_remembered_in_other_words_is_a_note_and_no_candidate(a_session, learn):
    a_session.has_a_turn("Merk dir, dass wir immer pnpm nehmen", "Ok.")
    assert learn(**{"memory.remember": ["merk dir"]}) == []


@pytest.mark.parametrize("said", ["Remember that we never ship on Fridays", "please don't forget that we never ship on Fridays"])
def test_what_was_asked_to_be_remembered_is_a_note_and_no_candidate(a_session, learn, said):
    a_session.has_a_turn(said, "Done.")
    assert learn() == [] and candidates(a_session) == []


@pytest.mark.parametrize("said", ["Forget that {}", "please forget that {}", "Drop the rule that {}"])
def test_what_a_prompt_orders_to_forget_holds_no_longer(a_session, learn, said):
    ship = "we never ship the shop on Fridays"
    a_session.store.begin()
    taking.take(a_session.store, taking.Statement(ship, facts.RULE, facts.REMEMBER, NOON), NOON)
    a_session.store.commit()
    a_session.has_a_turn(said.format(ship), "Done.")
    learn()
    assert [fact.text for fact in facts.of_status(a_session.store, facts.ACTIVE)] == []
    assert ship in [fact.text for fact in facts.of_status(a_session.store, facts.RETIRED)]


def test_what_a_person_wrote_as_a_note_is_taken_back_by_them_alone(a_session, learn):
    a_session.notes("We never ship the shop on Fridays.", origin="user")
    a_session.has_a_turn("Forget that we never ship the shop on Fridays.", "Done.")
    learn()
    assert len(facts.of_status(a_session.store, facts.ACTIVE)) == 1 == len(candidates(a_session))


@pytest.mark.parametrize("note", ["We no longer bundle with turbo.", "We no longer bundle with turbo, we use nx now."])
def test_a_note_of_what_is_over_replaces_what_said_so(a_session, learn, note):
    a_session.notes("We bundle with turbo.", origin="user", metadata=notes_by_hand.REMEMBERED)
    learn()
    a_session.notes(note, origin="user", metadata=notes_by_hand.REMEMBERED)
    learn()
    assert [fact.text for fact in facts.of_status(a_session.store, facts.ACTIVE)] == [note]


@pytest.mark.parametrize(("rule", "taken_back", "left"), [
    ("Wir nutzen immer npm", "Vergiss das mit npm, wir nutzen jetzt pnpm", ["wir nutzen jetzt pnpm"]),
    ("usamos siempre npm", "ya no usamos npm, usamos pnpm", ["ya no usamos npm, usamos pnpm"]),
    ("désormais utilise toujours npm", "oublie ce que j'ai dit sur npm", []),
    ("nunca faça push direto na main", "esquece isso, pode fazer push direto na main", []),
    ("Deploys nie freitags machen", "Deploys sind freitags ab sofort wieder erlaubt", []),
])  # fmt: skip
def test_a_rule_is_taken_back_in_the_language_in_which_it_was_learned(a_session, learn, rule, taken_back, left):
    a_session.has_a_turn(rule, "Ok.")
    assert learn() == [rule]
    a_session.has_a_turn(taken_back, "Ok.")
    learn()
    assert candidates(a_session) == left


@pytest.mark.parametrize(("rule", "order"), [
    ("we always deploy with helm", "forget what I said about helm, it is kustomize now"),
    ("plots always get a white background, no seaborn styles please",
     "actually forget the thing about white backgrounds, use the company style: plt.style.use('acme')"),
])  # fmt: skip
def test_what_is_said_behind_an_order_to_forget_is_quoted_with_it_in_place_of_the_rule(a_session, learn, rule, order):
    a_session.has_a_turn(rule, "Ok.")
    a_session.has_a_turn(order, "Ok.")
    learn()
    assert candidates(a_session) == [order]


@pytest.mark.parametrize("order", [
    "forget what I said about helm, it fails anyway", "forget what I said about helm. Use it now to look at the cluster",
])  # fmt: skip
def test_what_is_said_behind_an_order_to_forget_and_holds_in_place_of_nothing_is_passed_over(a_session, learn, order):
    a_session.has_a_turn("we always deploy with helm", "Ok.")
    a_session.has_a_turn(order, "Ok.")
    learn()
    assert candidates(a_session) == []


def test_what_is_said_behind_an_order_to_forget_what_nobody_knows_is_quoted_with_it(a_session, learn):
    order = "forget the thing about white backgrounds, use the company style: plt.style.use('acme')"
    a_session.has_a_turn(order, "Ok.")
    learn()
    assert candidates(a_session) == [order]


def test_an_order_to_forget_what_nobody_knows_leaves_nothing(a_session, learn):
    a_session.has_a_turn("Forget that the invoices are numbered per year.", "Done.")
    learn()
    assert candidates(a_session) == []


def test_notes_are_facts_first_and_what_repeats_one_is_a_sighting_of_it(a_session, another_session, learn):
    a_session.notes(TAUGHT, origin="user")
    turn = another_session.has_a_turn(TAUGHT, "Done.")
    learn()
    (fact,) = facts.of_status(a_session.store, facts.ACTIVE)
    assert (fact.text, candidates(a_session), facts.sources(a_session.store, fact.public_id)) == (TAUGHT, [], [turn])


def test_a_note_of_what_somebody_else_said_is_no_fact(a_session, learn):
    a_session.notes(TAUGHT, origin="user", speaker="Maria")
    learn()
    assert facts.read(a_session.store) == []


def test_a_sentence_about_an_excluded_path_or_with_a_secret_is_passed_over(a_session, learn):
    a_session.has_a_turn("Never edit `vault/keys.txt` by hand.", "Done.")
    token = "ghp_" + "a1B2" * 9
    a_session.has_a_turn(f"Always use the token {token} for `gh`.", "Done.")
    assert learn(**{"privacy.exclude_paths": ["vault/"]}) == []


def test_nothing_is_written_where_nothing_waits(a_session, learn):
    a_session.has_a_turn(TAUGHT, "Done.")
    learn()
    before = a_session.store.one("SELECT total_changes()")
    learn()
    assert a_session.store.one("SELECT total_changes()") == before


def test_a_prompt_of_a_loop_and_a_command_are_no_words_of_the_user(a_session, learn):
    a_session.has_a_turn(f"/ralph-mem:ralph {TAUGHT}", "Done.")
    a_session.has_a_turn(f"/mem-search {TAUGHT}", "Done.")
    assert learn() == []


def test_a_rejected_candidate_does_not_come_back(a_session, another_session, learn):
    a_session.has_a_turn(TAUGHT, "Done.")
    learn()
    (fact,) = facts.of_status(a_session.store, facts.CANDIDATE)
    facts.change(a_session.store, fact.number, {"status": facts.REJECTED})
    another_session.has_a_turn(TAUGHT, "Done.")
    learn()
    assert candidates(a_session) == []


@pytest.mark.parametrize(("rule", "correction"), [
    ("from now on indent by two spaces", "sorry, I meant four spaces"),
    ("from now on use named imports from lodash", "no, sorry, I meant lodash-es"),
    ("from now on wrap at 100 columns", "sorry, I meant one sentence per line, no wrapping"),
    ("from now on indent with tabs", "sorry, I meant always two spaces"),
    ("from now on indent with tabs", "scratch that. Two spaces"),
    ("ab jetzt immer Tabs zum Einrücken", "Quatsch, ich meinte zwei Leerzeichen"),
    ("désormais utilise toujours npm", "pardon, je voulais dire pnpm"),
    ("usamos siempre npm", "perdón, quería decir pnpm"),
    ("nunca faça push direto na main", "desculpa, quis dizer na release"),
    ("d'ora in poi usa sempre npm", "scusa, volevo dire pnpm"),
])  # fmt: skip
def test_what_corrects_the_prompt_before_is_quoted_behind_its_rule_and_replaces_it(a_session, learn, rule, correction):
    a_session.has_a_turn(rule, "Ok.")
    learn()
    a_session.has_a_turn(correction, "Ok.")
    learn()
    assert candidates(a_session) == [f"{rule}; {correction}"]


@pytest.mark.parametrize(("prompt", "correction"), [
    ("from now on indent by two spaces. And look why the cart of the shop is empty.", "sorry, I meant the order page"),
    ("from now on indent by two spaces", "I mean it!"),
    ("from now on indent by two spaces", "did I say that I meant four spaces?"),
    ("from now on indent by two spaces", "no, run the tests first"),
])  # fmt: skip
def test_a_rule_stands_where_something_else_is_corrected(a_session, learn, prompt, correction):
    a_session.has_a_turn(prompt, "Ok.")
    a_session.has_a_turn(correction, "Ok.")
    learn()
    assert [fact.rstrip(".") for fact in candidates(a_session)] == ["from now on indent by two spaces"]


def test_a_rule_is_no_candidate_any_more_where_the_next_prompt_only_takes_it_back(a_session, learn):
    a_session.has_a_turn("from now on indent by two spaces", "Ok.")
    a_session.has_a_turn("scratch that", "Ok.")
    learn()
    assert candidates(a_session) == []


def test_a_correction_of_what_a_person_has_accepted_waits_for_them(a_session, learn):
    a_session.has_a_turn(TAUGHT, "Ok.")
    learn()
    (fact,) = facts.of_status(a_session.store, facts.CANDIDATE)
    facts.change(a_session.store, fact.number, {"status": facts.ACTIVE})
    a_session.has_a_turn(TAUGHT, "Ok.")
    a_session.has_a_turn("Sorry, I meant `make test`.", "Ok.")
    learn()
    assert [fact.text for fact in facts.of_status(a_session.store, facts.ACTIVE)] == [TAUGHT]
    assert candidates(a_session) == [f"{TAUGHT[:-1]}; Sorry, I meant `make test`."]


@pytest.mark.parametrize("which", [0, 1])
def test_a_corrected_rule_goes_with_either_of_its_prompts(a_session, learn, which):
    said = [a_session.has_a_turn(each, "Ok.") for each in ("from now on indent by two spaces", "sorry, I meant four spaces")]
    learn()
    a_session.store.begin()
    deletion.delete(a_session.store, [said[which], *tombstones.made_from(a_session.store, [said[which]])])
    a_session.store.commit()
    assert "from now on indent by two spaces; sorry, I meant four spaces" not in candidates(a_session)
