"""Why: the receipts of what was told, with the memories as they are now, and a preview of what would be told."""

from pathlib import Path

import pytest

from ralph_mem.core import project as projects
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.settings import effective
from ralph_mem.hosts.claude_code import event
from ralph_mem.memory import access, notes_by_hand, reports
from ralph_mem.memory.inject import block
from ralph_mem.memory.recall import layers, lookup, reasons
from tests.hook import Hook, said_to_model
from tests.readers import files_of, forget, last, note, person_of, reader_of
from tests.sessions import HOUR, NOON, Session


@pytest.fixture
def a_history(a_session):
    """Have three turns behind it, told to nobody."""
    for stone in ("tungsten", "zirconium", "basalt"):
        a_session.has_a_turn(f"Where is the {stone}?", f"The {stone} is in the cellar, behind the ladder.")
    return a_session


def the_next(session, name="next"):
    return Session(session.store, session.project, name, session.now + HOUR)


# Receipts


def test_receipts_come_newest_first_with_what_was_asked(a_history):
    following = the_next(a_history)
    following.starts()
    following.asks("Is the tungsten gone?")
    prompted, started = reports.receipts(reader_of(a_history), 9)
    assert (started.event, started.prompt, started.budget) == ("SessionStart", "", 1500)
    assert (prompted.event, prompted.prompt, prompted.budget) == ("UserPromptSubmit", "Is the tungsten gone?", 600)
    assert prompted.at > started.at and [line.outcome for line in started.lines] == ["full", "line", "line"]
    told = [line for line in prompted.lines if line.outcome == "full"]
    assert prompted.tokens == sum(line.tokens for line in told) and told[0].row.asked == "Where is the tungsten?"


def test_no_more_receipts_come_than_are_wanted(a_history):
    for number in range(5):
        the_next(a_history, f"next-{number}").starts()
    assert [len(reports.receipts(reader_of(a_history), limit)) for limit in (1, 3, 9)] == [1, 3, 5]


def test_the_receipts_of_one_session_and_of_one_memory(a_history):
    first, second = the_next(a_history, "first"), the_next(a_history, "second")
    first.starts()
    second.starts("resume")
    second.asks("Is the tungsten gone?")
    sessions = dict(a_history.rows("SELECT client_session, public_id FROM sessions"))
    turns = [name for (name,) in a_history.turns("public_id")]
    reader = reader_of(a_history)
    assert [receipt.session for receipt in reports.receipts(reader, 9, sessions["second"])] == [sessions["second"]]
    assert len(reports.receipts(reader, 9, memory=turns[0])) == 2
    assert [receipt.session for receipt in reports.receipts(reader, 9, sessions["first"], turns[0])] == [sessions["first"]]
    for unknown in ({"session": "sess-aaaaaaaaaa"}, {"memory": "turn-aaaaaaaaaa"}):
        with pytest.raises(RalphMemError, match="no memory has the id"):
            reports.receipts(reader, 9, **unknown)


def test_a_line_says_what_it_cost_what_spoke_for_it_and_whether_it_misled(a_history):
    the_next(a_history).asks("Is the tungsten gone?")
    reader = reader_of(a_history)
    line = reports.receipts(reader, 1)[0].lines[0]
    assert (line.outcome, line.misled_at) == ("full", None) and line.tokens > 0 and 0 < line.score < 1
    assert reasons.words(line.evidence).startswith("fits")
    notes_by_hand.wrong(reader, line.row)
    assert reports.receipts(reader, 1)[0].lines[0].misled_at > NOON


def test_a_forgotten_memory_is_named_nowhere_and_the_receipt_stays(a_history):
    the_next(a_history).starts()
    turn = a_history.turns("public_id")[0][0]
    forget(reader_of(a_history), turn)
    (receipt,) = reports.receipts(reader_of(a_history), 9)
    assert len(receipt.lines) == 2 and turn not in [line.memory for line in receipt.lines]


def test_a_memory_that_is_gone_is_shown_without_text(a_history):
    the_next(a_history).starts()
    turn = a_history.turns("public_id")[0][0]
    a_history.rows("DELETE FROM turns WHERE public_id = ?", turn)
    (line,) = [line for line in reports.receipts(reader_of(a_history), 9)[0].lines if line.memory == turn]
    assert line.row is None and line.tokens > 0


def test_a_prompt_that_was_forgotten_leaves_its_receipt_without_it(a_history):
    following = the_next(a_history)
    following.starts("resume")
    following.asks("Is the tungsten gone?")
    forget(reader_of(a_history), last(a_history, "turns"))
    assert reports.receipts(reader_of(a_history), 1)[0].prompt == ""


def test_the_prompt_of_a_receipt_is_redacted_by_todays_rules(a_history):
    the_next(a_history).asks("Is the tungsten of XK-7731 gone?")
    (receipt,) = reports.receipts(reader_of(a_history, privacy_redact_patterns=[r"XK-\d+"]), 1)
    assert receipt.prompt == "Is the tungsten of [REDACTED:pattern] gone?"


def test_the_lines_of_a_global_note_show_it(a_session, everywhere):
    note(a_session, "The tungsten\nis dear", everywhere)
    the_next(a_session).asks("tungsten?")
    assert reports.receipts(person_of(a_session), 1)[0].lines[0].row.asked == "The tungsten"


def test_without_a_memory_of_its_own_a_project_has_no_receipts(a_session, another_project, everywhere):
    note(a_session, "The tungsten is dear", everywhere)
    assert reports.receipts(person_of(Session(a_session.store, another_project)), 9) == []


# Preview


def previewed(session, prompt="", stores=(), **changed):
    return [
        shown.text
        for shown in reports.preview(reader_of(session, stores=stores, **changed), prompt, session.now, event.instructions())
    ]


def without_tag(text):
    """Return what is told without the tag of the fence, which is another one in each session."""
    tag = text.partition("<ralph-mem-")[2].partition(">")[0]
    return text.replace(f"ralph-mem-{tag}>", "ralph-mem-TAG>")


PROMPTS = [
    *("Is the tungsten gone?", "tungsten zirconium basalt?", "hi", "continue", "/mem-search tungsten", "the ferret?", "ladder"),
    *("<task-notification>tungsten</task-notification>", "<ralph-mem-1>tungsten</ralph-mem-1> zirconium?", "tungs\0ten tungsten?"),
]


@pytest.mark.parametrize("prompt", PROMPTS, ids=ascii)
def test_a_preview_says_what_the_hooks_then_tell(a_history, prompt):
    start, said = previewed(a_history, prompt)
    following = the_next(a_history)
    following.now = a_history.now
    assert without_tag(following.starts()) == start and "tungsten" in start
    assert without_tag(following.asks(prompt)) == said


@pytest.mark.parametrize("budget", [0, 80, 130, 150, 200, 300, 600])
def test_a_preview_keeps_to_the_budget_as_the_hooks_do(a_history, budget):
    a_history.settings["memory.inject_tokens_prompt"] = budget
    start, said = previewed(a_history, "tungsten zirconium basalt?")
    following = the_next(a_history)
    following.settings, following.now = a_history.settings, a_history.now
    assert without_tag(following.starts()) == start
    assert without_tag(following.asks("tungsten zirconium basalt?")) == said


def test_a_preview_tells_pinned_misled_and_failing_things_as_the_hooks_do(a_history):
    turns = [name for (name,) in a_history.turns("public_id")]
    reader = reader_of(a_history)
    notes_by_hand.pin(lookup.find(reader, turns[0]))
    notes_by_hand.wrong(reader, lookup.find(reader, turns[1]))
    a_history.runs("make lantern", error="Exit code 2\nerror: no fuse")
    start, said = previewed(a_history, "zirconium cellar ladder?")
    following = the_next(a_history)
    assert without_tag(following.starts()) == start and "still failing: make lantern" in start
    assert without_tag(following.asks("zirconium cellar ladder?")) == said


@pytest.mark.parametrize(("budget", "where"), [(1500, 0), (0, 1)])
def test_a_preview_tells_notes_for_all_projects_as_the_hooks_do(a_session, everywhere, budget, where):
    a_session.has_a_turn("Where is the quartz?", "Here.")
    note(a_session, "The tungsten is dear\nAsk before buying.", everywhere)
    a_session.settings["memory.inject_tokens_start"] = budget
    found = previewed(a_session, "the tungsten?", stores=access.to_read(a_session.project)[1:])
    following = the_next(a_session)
    following.settings = a_session.settings
    assert [without_tag(following.starts()), without_tag(following.asks("the tungsten?"))] == found
    assert "tungsten" in found[where] and not found[1 - where].count("tungsten")


def test_a_preview_says_what_real_hooks_tell_in_processes_of_their_own(tmp_path, monkeypatch):
    client = Hook(tmp_path / "person")
    client.start()
    client.prompt("Where is the tungsten of the lantern?")
    client.bash_failed("make lantern", "Exit code 2\nerror: no zirconium")
    client.stop("The tungsten is in the cellar, behind the ladder.")
    client.prompt("Where is the ladder?")
    client.stop("In the cellar.")
    client.end()
    monkeypatch.setattr("posix.environ", {name.encode(): value.encode() for name, value in client.environment.items()})
    project = projects.find(str(client.project))
    reader = lookup.Reader(access.to_read(project), project, effective.load(project))
    start, said = reports.preview(reader, "Is the tungsten gone?", NOON, event.instructions())
    following = client.another()
    assert without_tag(said_to_model(following.start())) == start.text != ""
    assert without_tag(said_to_model(following.prompt("Is the tungsten gone?"))) == said.text != ""


def test_a_preview_writes_nothing(a_history, everywhere):
    note(a_history, "The tungsten is dear", everywhere)
    stores = access.to_read(a_history.project)[1:]
    a_history.store.checkpoint()
    before = files_of(a_history.project)
    assert all(previewed(a_history, "Is the tungsten gone?", stores=stores))
    assert files_of(a_history.project) == before


def test_a_preview_is_silent_where_nothing_is_told(a_history):
    assert previewed(a_history, "tungsten?", memory_auto_inject=False) == ["", ""]
    assert [
        shown.lines
        for shown in reports.preview(reader_of(a_history, memory_auto_inject=False), "tungsten?", NOON, event.instructions())
    ] == [[], []]


def test_a_preview_is_silent_where_recording_is_off(a_history):
    Path(a_history.project.folder, "off").touch()
    assert previewed(a_history, "tungsten?") == ["", ""]


def test_the_lines_of_a_preview_are_those_of_the_receipt(a_history):
    shown = reports.preview(reader_of(a_history), "Is the tungsten gone?", a_history.now, event.instructions())
    following = the_next(a_history)
    following.now = a_history.now
    following.starts()
    following.asks("Is the tungsten gone?")
    for preview, receipt in zip(shown, reversed(reports.receipts(reader_of(a_history), 2)), strict=True):
        assert (preview.event, preview.budget, preview.tokens) == (receipt.event, receipt.budget, receipt.tokens)
        assert facts(preview.lines) == facts(receipt.lines)


def facts(lines):
    return [(line.memory, line.outcome, line.evidence, line.tokens, round(line.score, 2), layers.whole(line.row)) for line in lines]


def test_a_preview_without_a_prompt_is_of_the_start_alone(a_history):
    (shown,) = reports.preview(reader_of(a_history), "", a_history.now, event.instructions())
    assert (shown.event, shown.budget) == ("SessionStart", 1500) and block.OPENING in shown.text


def test_without_a_memory_of_its_own_a_project_has_no_preview(a_session, another_project, everywhere):
    note(a_session, "The tungsten is dear", everywhere)
    with pytest.raises(RalphMemError, match="nothing is remembered") as error:
        reports.preview(person_of(Session(a_session.store, another_project)), "tungsten?", NOON, event.instructions())
    assert error.value.hint
