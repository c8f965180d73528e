"""The three layers: what a row costs in each, that nothing of a text is lost, and what is worth the room."""

import random
import re
import statistics

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ralph_mem.core.project import Project
from ralph_mem.memory import notes_by_hand, opening, plain_values
from ralph_mem.memory.recall import layers, lookup
from ralph_mem.memory.rows import records
from tests.memory.recall import real_work
from tests.readers import LINES, around, ids, last, note, person_of, reader_of, search
from tests.sessions import DAY, Session, a_note

REPEATED = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
TEXTS = st.lists(st.sampled_from(LINES) | st.text("ab <\n.1é日🎉\t", max_size=90), max_size=12).map("\n".join)


def every_row(reader):
    """Return all rows of the first memory as they may leave."""
    rows = [row for table in (lookup.TURN, lookup.OBSERVATION) for row in reader.rows(reader.stores[0], table)]
    return reader.protected(rows)


def timeline(reader, row):
    """Return a row in layer 2."""
    return layers.timeline(around(reader, row), row)


# Prices of real work: an agent's questions, commands, edits and pages


@pytest.fixture(scope="module")
def real_rows(tmp_path_factory):
    """Have 150 turns with more than 1,000 rows of real work, read as a search reads them, each with its timeline."""
    folder = tmp_path_factory.mktemp("real") / "lamps"
    folder.mkdir()
    session = Session(opening.open_ready(Project(str(folder))), Project(str(folder)))
    session.starts()
    real_work.work(session, random.Random(5), folder, 150)
    reader = reader_of(session)
    rows = every_row(reader)
    assert len(rows) > 1000
    return list(zip(rows, lookup.timelines(reader, rows), strict=True))


def p95(prices):
    return sorted(prices)[len(prices) * 95 // 100]


@pytest.mark.check
def test_a_line_about_real_work_costs_50_to_100_tokens(real_rows):
    prices = [layers.price(layers.index(row)) for row, _ in real_rows]
    assert max(prices) <= 100 and p95(prices) >= 50


@pytest.mark.check
def test_what_happened_around_real_work_costs_200_to_300_tokens(real_rows):
    prices = [layers.price(layers.timeline(around, row)) for row, around in real_rows]
    assert max(prices) <= 300 and p95(prices) <= 300
    assert statistics.median(prices) >= 250
    # a timeline is only shorter where there is no more to tell
    short = [around for price, (_, around) in zip(prices, real_rows, strict=True) if price < 200]
    assert all(sum(layers.price(layers.whole(row)) for row in around) < 400 for around in short)


@pytest.mark.check
def test_a_real_text_costs_up_to_1000_tokens(real_rows):
    prices = [layers.price(layers.full(row)[0]) for row, _ in real_rows]
    assert max(prices) <= 1000 and sum(price > 500 for price in prices) > 20


# Prices of whatever may come


@pytest.mark.check
def test_a_line_of_layer_1_costs_at_most_100_tokens(a_thousand_rows):
    rows = every_row(reader_of(a_thousand_rows))
    assert len(rows) > 1000
    assert [(layers.price(line), line) for line in map(layers.index, rows) if layers.price(line) > 100] == []


@pytest.mark.check
def test_a_line_of_layer_1_with_every_mark_costs_at_most_100_tokens(a_thousand_rows, everywhere):
    a_thousand_rows.store.folder = everywhere.folder
    rows = every_row(reader_of(a_thousand_rows))
    for row in rows:
        row.pinned, row.misled, row.score, row.tokens = 1, 3, 1.69, 1000
        row.public_id = f"{row.public_id.partition('-')[0]}-2345678923"
    assert " global pinned marked wrong broke off  " in layers.index(rows[0])
    assert [(layers.price(line), line) for line in map(layers.index, rows) if layers.price(line) > 100] == []


@pytest.mark.check
def test_a_timeline_of_layer_2_costs_at_most_300_tokens(a_thousand_rows):
    reader = reader_of(a_thousand_rows)
    shown = [timeline(reader, row) for row in every_row(reader)[::4]]
    assert len(shown) > 250
    assert [(layers.price(text), text) for text in shown if layers.price(text) > 300] == []


def test_a_text_of_layer_3_costs_at_most_1000_tokens(a_thousand_rows):
    rows = every_row(reader_of(a_thousand_rows))
    shown = [layers.full(row)[0] for row in rows]
    assert max(map(len, map(layers.whole, rows))) > 4000
    assert [(layers.price(text), text) for text in shown if layers.price(text) > 1000] == []


def test_what_reading_a_row_costs_is_said_with_it(a_session, a_reader):
    a_session.has_a_turn("Where is the tungsten?", "In the cellar.")
    a_session.has_a_turn("Where is the zirconium?", "tung:sten:now " * 285)
    short, long = sorted(search(a_reader, "cellar zirconium"), key=lambda row: row.seq)
    assert layers.index(short).endswith(f"  [{short.tokens} tokens]") and short.tokens < 20
    assert layers.index(long).endswith("  [1000 tokens]") and long.tokens > 1000


@REPEATED
@given(TEXTS, st.integers(4, 900))
def test_a_cut_text_is_within_its_price_and_a_beginning(text, tokens):
    kept = layers.cut(text, tokens, mark="")
    assert text.startswith(kept) and layers.price(kept) <= tokens
    assert kept == text or layers.price(text) > tokens
    marked = layers.cut(text, tokens)
    assert layers.price(marked) <= tokens
    assert marked == text or text.startswith(marked.removesuffix("..."))


@REPEATED
@given(TEXTS.filter(lambda text: layers.price(text) > 40))
def test_a_cut_text_is_as_long_as_it_may_be_but_for_one_word(text):
    kept = layers.cut(text, 40, mark="")
    longer = re.match(r"\S*\s*", text[len(kept) :])[0]
    assert layers.price(kept + longer) > 40 or len(kept) * 2 > len(kept + longer)


# Layer 3, piece by piece


def read_on(row):
    """Read a row by layer 3 as a reader would, following its marks; returns what was shown of it, and in how many pieces."""
    text, start, pieces = "", 0, 0
    while True:
        shown, left = layers.full(row, start)
        _, _, piece = shown.partition("\n")
        pieces += 1
        if not left:
            return text + piece, pieces
        piece, mark, rest = piece.rpartition("\n[...] ")
        following = int(re.fullmatch(r"\d+ more tokens, from character (\d+)", rest)[1])
        assert mark and left == len(layers.whole(row)) - following
        # line ends at the end of a piece are not printed twice
        text += piece.ljust(following - start, "\n")
        start = following


@REPEATED
@given(TEXTS)
@example("word " * 4000)
@example("\n" * 3000 + "x")
@example("電球" * 1000 + "\n\n" + "🎉" * 500)
@example("\n[...] 7 more tokens, from character 3\n" * 90)
def test_the_pieces_of_a_text_are_the_whole_text(a_session, a_reader, text):
    row = lookup.find(a_reader, a_session.notes("The lantern"))
    row.said = text
    shown, pieces = read_on(row)
    assert shown == layers.whole(row).rstrip("\n")
    assert pieces <= 1 + layers.price(text) / 400


def test_from_a_character_behind_the_end_nothing_is_left(a_session, a_reader):
    row = lookup.find(a_reader, a_session.notes("The lantern"))
    assert layers.full(row, 5000)[1] == 0
    assert layers.LEFT_OUT not in layers.full(row, 5000)[0]


def test_the_whole_text_has_all_that_is_stored_of_a_turn(a_session, a_reader):
    a_session.asks("Mend the lantern")
    a_session.edits("src/lantern.py")
    a_session.edits("src/fuse.py")
    a_session.runs("make lantern", error="Exit code 2\nerror: no tungsten")
    a_session.is_answered("It is mended.")
    assert layers.whole(lookup.find(a_reader, last(a_session, "turns"))).splitlines() == [
        *("Mend the lantern", "It is mended.", "changed: src/lantern.py, src/fuse.py"),
        *("failed: make lantern", "error: no tungsten"),
    ]


def test_the_path_of_an_edit_is_not_said_twice(a_session, a_reader):
    a_session.asks("Mend the lantern")
    a_session.edits("src/lantern.py", "dark", "bright")
    assert layers.whole(lookup.find(a_reader, last(a_session))) == "src/lantern.py\n-dark\n+bright"


def test_the_transcript_is_pointed_at_while_it_is_there(a_session, a_reader, tmp_path):
    transcript = tmp_path / "session.jsonl"
    a_session.starts("resume", transcript_path=str(transcript))
    row = lookup.find(a_reader, a_session.has_a_turn("Where is the tungsten?", "In the cellar."))
    assert "transcript" not in layers.full(row)[0]
    transcript.touch()
    assert layers.full(row)[0].splitlines()[-1] == f"transcript: {transcript} (promptId the-session-1)"


# Layer 1


def test_a_turn_that_broke_off_says_so_in_every_layer_and_to_a_program(a_session, a_reader):
    a_session.asks("Where is the tungsten?")
    a_session.runs("make lantern")
    a_session.asks("And the lantern?")
    ((name,),) = a_session.rows("SELECT public_id FROM turns WHERE status = 'interrupted'")
    row = lookup.find(a_reader, name)
    assert layers.index(row).startswith(f"{name}  turn broke off  ")
    assert "  turn broke off: Where is the tungsten?" in layers.entry(row)
    assert layers.full(row)[0].startswith(f"{name}  turn broke off  ")
    assert plain_values.of_row(a_reader, row, 1)["broke_off"] is True


def gist_of(session, name):
    return layers.gist(lookup.find(reader_of(session), name), layers.LINE_TOKENS)


def test_the_line_of_a_slash_command_says_that_it_is_one(a_session, a_reader):
    a_session.asks("/mem-status")
    a_session.is_answered("")
    ((name,),) = a_session.rows("SELECT public_id FROM turns")
    assert layers.entry(lookup.find(a_reader, name)).endswith("  (a slash command)")


def test_of_a_turn_the_line_says_what_was_asked_and_answered(a_session):
    name = a_session.has_a_turn("Where is the\ttungsten?\nI need it.", "\n  In the cellar.\nBehind the ladder.")
    assert gist_of(a_session, name) == "Where is the tungsten? -> In the cellar."


def test_of_a_long_prompt_the_line_leaves_room_for_the_answer(a_session):
    name = a_session.has_a_turn("Where is the tungsten? " * 40, "In the cellar. " * 40)
    asked, said = gist_of(a_session, name).split(" -> ")
    assert asked.endswith("...") and said.startswith("In the cellar. In the cellar.") and said.endswith("...")


def test_of_a_failure_the_line_says_the_error_and_not_the_exit_code(a_session):
    a_session.asks("Mend the lantern")
    a_session.runs("make lantern", error="Exit code 2\ncannot go on\nFuseError: no tungsten")
    assert gist_of(a_session, last(a_session)) == "make lantern -> FuseError: no tungsten"


def test_of_a_note_the_line_says_its_first_words(a_session):
    assert (
        gist_of(a_session, note(a_session, "The tungsten is dear\nAsk before buying.")) == "The tungsten is dear Ask before buying."
    )


def test_of_a_turn_without_words_the_line_names_its_files(a_session):
    a_session.asks("/mem-search tungsten")
    a_session.edits("src/lantern.py")
    a_session.is_answered("")
    assert gist_of(a_session, last(a_session, "turns")) == "src/lantern.py"


def test_the_line_says_what_a_person_said_about_the_row(a_session, everywhere):
    own, shared = note(a_session, "The tungsten is dear"), note(a_session, "The zirconium is cheap", everywhere)
    reader = person_of(a_session)
    notes_by_hand.pin(lookup.find(reader, own))
    notes_by_hand.wrong(reader, lookup.find(reader, shared))
    assert "  note pinned  2" in layers.index(lookup.find(reader, own))
    assert "  note global marked wrong  2" in layers.index(lookup.find(reader, shared))


# Layer 2


def entries(text):
    """Return the ids of a timeline in order; the row itself with its pointer."""
    return re.findall(r"^(?:> |  )((?:turn|obs)-\w+)", text, re.MULTILINE)


def a_busy_turn(session, rows):
    """Have a turn with many dull rows, a failure and a success far from each other; returns its id and theirs."""
    session.asks("Mend the lantern")
    for number in range(rows):
        session.runs(f"./polish lantern {number} with a rather long line of arguments, so that it takes room in every timeline")
        if number == 2:
            session.runs("pytest lanterns", error="Exit code 1\nAssertionError: dark")
            failure = last(session)
        if number == rows - 3:
            session.runs("pytest lanterns --again", "1 passed")
            success = last(session)
    session.is_answered("It is mended.")
    return last(session, "turns"), failure, success


def test_when_room_is_short_failures_and_successes_come_before_other_rows(a_session, a_reader):
    turn, failure, success = a_busy_turn(a_session, 30)
    text = timeline(a_reader, lookup.find(a_reader, turn))
    assert {turn, failure, success} <= set(entries(text))
    assert f"  ({32 + 1 - len(entries(text))} more)" in text.splitlines()[-1]


def test_the_row_itself_is_always_in_its_timeline_and_pointed_at(a_session, a_reader):
    a_busy_turn(a_session, 30)
    for name in [name for (name,) in a_session.observations("public_id")] + [last(a_session, "turns")]:
        text = timeline(a_reader, lookup.find(a_reader, name))
        assert [line[2:].split()[0] for line in text.splitlines() if line.startswith(">")] == [name]


def test_a_timeline_shows_the_turns_before_and_after(a_session, a_reader):
    turns = [a_session.has_a_turn(f"Where is lantern {number}?", "There.") for number in range(5)]
    assert entries(timeline(a_reader, lookup.find(a_reader, turns[2]))) == turns[1:4]
    assert ids(around(a_reader, lookup.find(a_reader, turns[2]), before=2, after=0)) == turns[:3]


@pytest.mark.check
def test_a_timeline_is_in_the_order_of_what_happened(a_thousand_rows):
    reader = reader_of(a_thousand_rows)
    order = [name for name, _ in sorted(a_thousand_rows.rows(
        "SELECT public_id, seq FROM turns UNION ALL SELECT public_id, seq FROM observations"), key=lambda row: row[1])]  # fmt: skip
    for row in every_row(reader)[::20]:
        shown = entries(timeline(reader, row))
        assert shown == sorted(shown, key=order.index) and row.public_id in shown


def test_what_a_turn_did_after_the_next_one_began_stands_where_it_happened(a_session, a_reader):
    a_session.asks("Mend the lantern")
    a_session.asks("And the ladder")
    given = {"tool_name": "Bash", "tool_input": {"command": "make lantern"}, "tool_response": {"stdout": "at last"}}
    a_session.sends("post-tool-use", **given, tool_use_id="a-late-call", prompt_id="the-session-1")
    rows = around(a_reader, lookup.find(a_reader, a_session.turns("public_id")[0][0]))
    assert [row.asked for row in rows] == ["Mend the lantern", "And the ladder", "make lantern"]


def test_a_timeline_never_leaves_its_session(a_session, another_session, a_reader):
    first = a_session.has_a_turn("Where is the tungsten?", "Here.")
    other = another_session.has_a_turn("Where is the ladder?", "There.")
    another_session.runs("make ladder")
    second = a_session.has_a_turn("Where is the zirconium?", "Nowhere.")
    assert ids(around(a_reader, lookup.find(a_reader, first), 9, 9)) == [first, second]
    assert ids(around(a_reader, lookup.find(a_reader, other), 9, 9)) == [other, last(another_session)]


def test_a_timeline_never_leaves_its_project(a_session, everywhere):
    a_session.has_a_turn("Where is the tungsten?", "Here.")
    shared = note(a_session, "The zirconium is dear", everywhere)
    reader = person_of(a_session)
    assert ids(around(reader, lookup.find(reader, shared), 9, 9)) == [shared]


def test_a_note_from_a_terminal_has_the_notes_beside_it_for_no_neighbours(a_session):
    names = [note(a_session, f"Lantern {number}") for number in range(3)]
    reader = person_of(a_session)
    assert entries(timeline(reader, lookup.find(reader, names[1]))) == [names[1]]


def test_three_layers_of_the_same_row_go_from_a_line_to_everything(a_session, a_reader):
    name = a_session.has_a_turn("Where is the tungsten?", "In the cellar.\nBehind the ladder.")
    row = lookup.find(a_reader, name)
    one, two, three = (layers.shown(a_reader, [row], layer) for layer in (1, 2, 3))
    assert one == layers.index(row) and two.startswith("> " + name)
    assert "ladder" not in one and two.endswith("-> In the cellar.\n      Behind the ladder.")
    assert three.endswith("In the cellar.\nBehind the ladder.")
    assert layers.shown(a_reader, [row], 3, len("Where is the tungsten?\n")).endswith("\nIn the cellar.\nBehind the ladder.")


def test_what_happened_around_several_hits_is_told_once(a_session, a_reader):
    steps = [a_session.has_a_turn(f"Change step {number} of the deploy", "Done.") for number in range(5)]
    beside = a_session.has_a_turn("Feed the cat", "It is fed.")
    a_session.has_a_turn("Wash the car", "It shines.")
    text = layers.shown(a_reader, [lookup.find(a_reader, name) for name in steps], 2)
    assert [text.count(name) for name in (*steps, beside)] == [1] * 6
    assert [f"> {name}" in text for name in (*steps, beside)] == [True] * 5 + [False]


@pytest.mark.parametrize("layer", [1, 2, 3])
def test_rows_that_do_not_fit_are_counted(a_session, a_reader, layer):
    for number in range(9):
        a_session.has_a_turn(f"Where is lantern {number}?", "In the cellar.")
    rows = search(a_reader, "lantern")
    assert "do not fit" not in layers.shown(a_reader, rows, layer, most=9000)
    text = layers.shown(a_reader, rows, layer, most=600)
    shown = [
        row
        for row in rows
        if layers.full(row)[0] in text or f"\n{layers.index(row)}" in "\n" + text or f"> {row.public_id}" in text
    ]
    assert 0 < len(shown) < 9 and text.splitlines()[-1].startswith(f"({9 - len(shown)} more do not fit")
    assert len(text) < 600 + 100


@pytest.mark.parametrize("at", [0, DAY, 2**33 * 1000])
def test_a_row_of_any_time_can_be_shown(a_session, a_reader, at):
    a_session.store.begin()
    records.apply(a_session.store, a_note(Session(a_session.store, a_session.project, a_session.name, at), at=at, title="Lantern"))
    a_session.store.commit()
    assert "Lantern" in layers.index(lookup.find(a_reader, last(a_session)))
