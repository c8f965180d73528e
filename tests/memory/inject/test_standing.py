"""What holds, told at a session's start in the words that people said it in."""

from pathlib import Path

import pytest

from ralph_mem.core.errors import RalphMemError
from ralph_mem.maintenance import scrub
from ralph_mem.memory import access, notes_by_hand, undoing
from ralph_mem.memory.facts import by_hand, prepared, taking
from ralph_mem.memory.inject import briefing
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.rows import facts
from ralph_mem.memory.store import connection
from tests.readers import files_of, forget, holding, note, person_of, reader_of
from tests.sessions import DAY, HOUR, NOON, Session, receipts_of

NPM, PNPM = "Install packages with npm 10 in every folder.", "Install packages with pnpm 9 in every folder."

SEVEN = (
    "Releases go out with make ship.", "Never commit to the branch stable.", "The exporter writes UTF-16.",
    "Prices are cents, not floats.", "Staging listens on port 8443.", "Migrations are numbered by hand.", "Ask Maria.",
)  # fmt: skip


@pytest.fixture
def say(a_session):
    """Take statements into the memory of a session."""

    def taken(text, source=facts.ADD, kind=facts.RULE, at=NOON, parent="", strength=1.0):
        with_session = taking.Statement(text, kind, source, at, parent, strength=strength)
        a_session.store.begin()
        found = taking.take(a_session.store, with_session, at)
        a_session.store.commit()
        return found.public_id

    return taken


def standing(text):
    """Return the lines below the heading."""
    lines = text.splitlines()
    if briefing.STANDING not in lines:
        return []
    below = lines[lines.index(briefing.STANDING) + 1 :]
    return below[: next((at for at, line in enumerate(below) if not line.startswith("- ")), len(below))]


def test_a_fact_is_told_as_it_was_said(say, another_session):
    name = say("Releases go out with make ship.")
    assert standing(another_session.starts("clear")) == [f"- [{name}, 2026-01-01] Releases go out with make ship."]


def test_what_was_said_in_passing_is_quoted_with_its_day(say, another_session):
    say("just run using minsky, not bun run", facts.PROMPT)
    assert standing(another_session.starts("clear")) == ['- you said: "just run using minsky, not bun run" (2026-01-01)']


def test_of_what_was_said_in_passing_three_sentences_stand_in_a_line(say, another_session):
    for text in SEVEN[:4]:
        say(text, facts.PROMPT)
    lines = standing(another_session.starts("clear"))
    assert [line.count('" (2026-01-01)') for line in lines] == [3, 1]


@pytest.mark.parametrize(("strength", "days"), [(0.5, 31), (0.9, 121)])
def test_what_was_said_in_passing_long_ago_is_not_told(say, another_session, strength, days):
    say("Run the tests with make check.", facts.PROMPT, at=NOON - days * DAY, strength=strength)
    assert standing(another_session.starts("clear")) == []


def test_what_is_very_likely_of_use_is_told_longer_than_a_month(say, another_session):
    say("Run the tests with make check.", facts.PROMPT, at=NOON - 31 * DAY, strength=0.9)
    assert standing(another_session.starts("clear")) == ['- you said: "Run the tests with make check." (2025-12-01)']


def test_what_was_said_in_two_sessions_is_told_whenever_that_was(say, a_session, another_session):
    for session in (a_session, another_session):
        say("The exporter writes UTF-16.", facts.PROMPT, facts.FACT, NOON - 90 * DAY, session.has_a_turn("Fix it", "Done."))
    (line,) = standing(another_session.starts("clear"))
    assert 'you said: "The exporter writes UTF-16." (in 2 turns, last on 2025-10-03)' in line


def test_what_is_hardly_of_use_later_is_told_once_it_was_said_again(a_session, another_session):
    def says(session):
        turn = session.has_a_turn("Look at the worker", "Done.")
        statement = taking.Statement("The worker polls twice per tick.", facts.FACT, facts.PROMPT, NOON, turn, strength=0.3)
        with access.Change(session.store) as store:
            taking.take(store, statement, NOON)

    says(a_session)
    assert standing(another_session.starts("clear")) == []
    says(another_session)
    (line,) = standing(another_session.starts("clear"))
    assert 'you said: "The worker polls twice per tick." (in 2 turns' in line


def test_a_contradiction_is_told_in_one_line_the_newer_first(say, another_session):
    say(NPM, at=NOON - DAY)
    say(PNPM, facts.PROMPT)
    (line,) = [line for line in standing(another_session.starts("clear")) if "pnpm" in line]
    assert line.index(PNPM) < line.index(NPM)
    assert "(before that [" in line and "on 2025-12-31: " in line


def test_what_is_contradicted_later_is_told_behind_that_however_often_it_was_said(say, a_session, another_session):
    names = [say(text) for text in SEVEN[:3]]
    with access.Change(a_session.store) as store:
        facts.link(store, names[1], facts.CONFLICTS, names[0], facts.SURE, NOON)
        facts.link(store, names[2], facts.CONFLICTS, names[1], facts.SURE, NOON)
    for session in (a_session, another_session):
        say(SEVEN[0], parent=session.has_a_turn("Fix it", "Done."))
    (line,) = standing(another_session.starts("clear"))
    assert [line.count(text) for text in SEVEN[:3]] == [1, 1, 1]
    assert line.index(SEVEN[2]) < line.index(SEVEN[1]) < line.index(SEVEN[0])


def test_what_only_may_contradict_is_told_so(say, another_session):
    say("Timeouts are 30 seconds for the worker.", at=NOON - DAY)
    say("Timeouts are 10 seconds for the client.")
    (line,) = standing(another_session.starts("clear"))
    assert "client. (may contradict [" in line and 'on 2025-12-31: "Timeouts are 30 seconds for the worker.")' in line


def test_what_a_prompt_would_take_back_is_told_behind_it_in_one_line(say, another_session):
    say("Deploy with ./ship.sh.", at=NOON - DAY)
    say("We no longer deploy with ./ship.sh.", facts.PROMPT)
    (line,) = [line for line in standing(another_session.starts("clear")) if "ship" in line]
    assert line.startswith('- you said: "We no longer deploy') and "(before that [" in line


def test_what_was_replaced_is_told_no_more(say, another_session):
    say(NPM, at=NOON - DAY)
    say(PNPM)
    assert NPM not in another_session.starts("clear")


def test_a_turn_that_only_taught_what_is_quoted_takes_no_line_and_is_in_the_receipt(say, a_session, another_session):
    does = a_session.has_a_turn("Paint the shed green.", "I painted all of it, and the door too.")
    taught = a_session.has_a_turn("Always deploy with `make ship`.", "ok")
    say("Always deploy with `make ship`.", facts.PROMPT, parent=taught)
    text = another_session.starts("clear")
    assert text.count("make ship") == 1 and f"[{does}, 2026-01-01] user: Paint the shed green.\n  agent: I painted" in text
    assert taught in [line[4] for line in receipts_of(another_session.store, another_session.number)]


@pytest.mark.parametrize(("prompt", "is_told"), [
    ("please remember that deploys go through Jenkins.", False), ("Mend the page which says that deploys go through Jenkins", True),
])  # fmt: skip
def test_a_turn_that_only_asks_to_remember_a_note_that_is_told_is_not_told_beside_it(prompt, is_told, a_session):
    note(a_session, "deploys go through Jenkins")
    a_session.has_a_turn(prompt, "ok")
    told = told_next(a_session)
    assert (told.count("go through Jenkins"), prompt in told) == (1 + is_told, is_told)


def test_what_the_instructions_say_is_left_out_and_what_differs_is_marked(say, another_session, a_project):
    with open(f"{a_project.root}/CLAUDE.md", "w", encoding="utf-8") as file:
        file.write(f"# Rules\n\n- {NPM}\n- Releases go out with make ship.\n")
    say("Releases go out with make ship.")
    say(PNPM)
    (line,) = standing(another_session.starts("clear"))
    assert line.endswith(f"{PNPM} (differs from CLAUDE.md)")


def test_no_more_than_five_statements_and_300_tokens_are_told(say, another_session):
    for text in SEVEN:
        say(text)
    lines = standing(another_session.starts("clear"))
    assert len(lines) == 5


def test_commands_that_passed_are_one_line(say, another_session):
    say("test: `make test`", facts.RAN, facts.COMMAND)
    say("lint: `make lint`", facts.RAN, facts.COMMAND, NOON - DAY)
    assert standing(another_session.starts("clear")) == ["- commands that passed: test: `make test`; lint: `make lint`"]


ANDROID = (
    "test: `cd android && ./gradlew testDebugUnitTest`", "lint: `cd ios && swiftlint --strict`",
    "build: `cd android && ./gradlew assembleDebug`", "types: `cd web && npx tsc --noEmit`",
)  # fmt: skip


def test_four_commands_in_folders_on_four_days_have_room_and_for_what_another_one_is_is_told(say, another_session):
    for day, text in enumerate([*ANDROID, "format: `cd android && ./gradlew ktlintFormat`"]):
        say(f"{text} (passed 2026-01-{day + 10})", facts.RAN, facts.COMMAND, NOON - day * DAY)
    (line,) = standing(another_session.starts("clear"))
    assert all(text in line for text in ANDROID) and line.endswith("; no room for: format")


def test_what_was_told_at_the_start_is_in_the_receipt_and_not_told_again(say, another_session):
    say("Releases go out with make ship.")
    assert "make ship" in another_session.starts("clear")
    assert "make ship" not in another_session.starts("resume")


def test_a_fact_whose_file_is_gone_is_not_told(say, another_session, a_project):
    file = Path(a_project.root, "prices.md")
    file.write_text("cents")
    name = say("Prices are explained in `prices.md`.")
    assert standing(another_session.starts("clear")) == [f"- [{name}, 2026-01-01] Prices are explained in `prices.md`."]
    file.unlink()
    assert standing(another_session.starts("clear")) == []


def test_a_note_whose_file_is_gone_is_not_told_once_it_is_a_fact(a_session, a_project):
    file = Path(a_project.root, "prices.md")
    file.write_text("cents")
    for text in ("Prices are explained in `prices.md`.", "Releases go out with make ship."):
        note(a_session, text)
    with access.Change(a_session.store) as store:
        taking.take_notes(store, NOON)
    assert "prices.md" in told_next(a_session)
    file.unlink()
    told = told_next(a_session)
    assert "prices.md" not in told and "make ship" in told


def test_a_note_is_tied_to_the_file_that_was_there_when_it_was_typed(a_session, a_project):
    file = Path(a_project.root, "prices.md")
    file.write_text("cents")
    note(a_session, "Prices are explained in `prices.md`.")
    file.unlink()
    with access.Change(a_session.store) as store:
        taking.take_notes(store, NOON)
    assert "prices.md" not in told_next(a_session)


def test_what_nobody_here_said_is_called_a_proposal(say, a_session, another_session):
    for session in (a_session, another_session):
        say("The exporter writes UTF-16.", facts.PROPOSAL, facts.FACT, NOON, session.has_a_turn("Fix it", "Done."))
    (line,) = standing(another_session.starts("clear"))
    assert line == '- proposed: "The exporter writes UTF-16." (in 2 turns, last on 2026-01-01)'


def test_what_was_counted_in_the_log_is_a_hint_behind_the_statements(say, another_session):
    say("`make e2e` was left failing in 4 sessions", facts.RAN, facts.PATTERN)
    say("Releases go out with make ship.")
    first, second = standing(another_session.starts("clear"))
    assert "Releases" in first and "counted: `make e2e` was left failing in 4 sessions" in second


# What is kept ready for a start holds words of rows, and must not outlive them.


def told_next(session):
    """Return what the next session is told at its start."""
    session.now += HOUR
    return Session(session.store, session.project, f"session {session.now}", session.now).starts()


CHANGES = {
    "is marked wrong": lambda session, name: notes_by_hand.wrong(person_of(session), lookup.find(person_of(session), name)),
    "is retired": lambda session, name: by_hand.change(person_of(session), name, by_hand.retire),
    "is forgotten": lambda session, name: forget(person_of(session), name),
    "is corrected": lambda session, name: by_hand.edit(person_of(session), name, "Releases go out on Mondays."),
    "is scrubbed": lambda session, _: scrub.scrub(
        session.store, scrub.protector(session.project, {**session.settings, "privacy.redact_patterns": ["make ship"]})
    ),
}  # fmt: skip


@pytest.mark.check
@pytest.mark.parametrize("change", CHANGES)
def test_a_statement_is_neither_told_nor_in_the_memory_s_files_once_it(change, say, a_session):
    name = say("Releases go out with make ship.")
    say("Staging listens on port 8443.")
    assert "make ship" in told_next(a_session)
    CHANGES[change](a_session, name)
    assert "make ship" not in told_next(a_session)
    assert "make ship" not in (a_session.store.property(connection.STANDING) or "")


def test_a_forgotten_statement_leaves_no_byte_of_what_was_ready(say, a_session):
    name = say("Releases go out with make ship.")
    told_next(a_session)
    assert holding(files_of(a_session.project), "make ship")
    forget(reader_of(a_session), name)
    assert holding(files_of(a_session.project), "make ship") == []


def test_what_is_pinned_is_told_among_the_pins_alone(say, a_session):
    name = say("Releases go out with make ship.")
    told_next(a_session)
    notes_by_hand.pin(lookup.find(person_of(a_session), name))
    assert told_next(a_session).count("make ship") == 1


def test_a_correction_that_is_taken_back_is_told_no_more(say, a_session):
    name = say("Releases go out with make ship.")
    by_hand.edit(person_of(a_session), name, "Releases go out with make sail.")
    prepared.write(a_session.store, NOON)
    undoing.undo(person_of(a_session))
    told = told_next(a_session)
    assert "make ship" in told and "make sail" not in told


def test_a_fact_is_not_corrected_to_the_words_of_another_one(say, a_session):
    name, other = say("Releases go out with make ship."), say("Screenshots lie in docs/images.")
    with pytest.raises(RalphMemError, match=f"{other} says that already") as raised:
        by_hand.edit(person_of(a_session), name, "screenshots lie in docs/images")
    assert f"facts fold {name} {other}" in raised.value.hint
    assert facts.of_id(a_session.store, name).text == "Releases go out with make ship."


def test_a_change_drops_what_another_process_made_ready_meanwhile(say, a_session, a_project):
    name = say("Releases go out with make ship.")
    other = connection.connect(a_project.folder, 100)
    assert other.property(connection.STANDING) is None
    told_next(a_session)
    with access.Change(other):
        taking.retire(other, facts.of_id(other, name), "", NOON)
    other.close()
    a_session.store.properties.clear()
    assert a_session.store.property(connection.STANDING) is None
