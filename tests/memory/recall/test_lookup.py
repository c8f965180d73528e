"""Recall: what a search finds, in which order, whatever is typed; and opening one row by its id."""

import time

import pytest

from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory import notes_by_hand
from ralph_mem.memory.recall import lookup, ranking
from tests.readers import around, ids, last, note, person_of, search
from tests.sessions import DAY, HOUR, NOON

ASKED, SAID = "Where is the tungsten of the lantern?", "In the cellar, behind the ladder."


@pytest.fixture
def a_turn(a_session):
    """Have a turn behind it that failed, mended and passed; returns its id."""
    a_session.asks(ASKED)
    a_session.runs("./polish --quartz", "shiny as basalt")
    a_session.runs("make lantern", error="Exit code 2\nerror: no zirconium")
    a_session.edits("src/lantern.py", "dark", "bright as magnesium")
    a_session.runs("pytest lanterns", "1 passed")
    a_session.is_answered(SAID)
    return last(a_session, "turns")


# Whatever somebody types


@pytest.mark.check
@pytest.mark.parametrize(
    "query",
    [
        *("AND", "tungsten AND", "OR tungsten", "NOT tungsten", "NEAR(tungsten ladder, 2)", "NEAR(", "tungsten*", '"tungsten'),
        *('tungsten"ladder', "title:tungsten", "prompt : x", "-tungsten", "^tungsten", "{title} : tungsten", "(tungsten"),
        *("tungsten) OR (1=1", "tungsten; DROP TABLE turns", "%s %d {0}", "tungsten\0ladder", "\ud800tungsten\udfff", "'tungsten'"),
        *("tungsten " * 11_000, "x" * 100_000, "電球" * 30_000, "a " * 50_000, "\u200btungsten", "ﬁ ² ß İ 𝔱𝔲𝔫𝔤", "🎉 tungsten"),
    ],
    ids=lambda query: ascii(query[:24]),
)
def test_a_query_is_words_and_never_syntax(a_turn, a_reader, query):
    found = search(a_reader, query)
    assert ids(found) == ([a_turn] if "tungsten" in query or "ladder" in query else [])


@pytest.mark.parametrize("query", ["", " ", "--", '""', "?!", "* \" ' : - ^ { } ( )", "\0", "\ud800", "\n\t", "🎉", "—"])
def test_a_query_without_a_word_says_what_to_give(a_turn, a_reader, query):
    with pytest.raises(RalphMemError) as error:
        search(a_reader, query)
    assert error.value.hint


@pytest.mark.parametrize("query", ["the", "what is this", "go on", "x", "7 8", "der die das"])
def test_a_query_of_words_that_say_little_is_still_looked_up(a_turn, a_reader, query):
    assert search(a_reader, query) == []


def test_a_letter_is_looked_up_where_there_is_nothing_better(a_session, a_reader):
    turn = a_session.has_a_turn("Which plan is it?", "Plan x, version 1.2.3.")
    assert ids(search(a_reader, "x")) == ids(search(a_reader, "1.2.3")) == [turn]


@pytest.mark.parametrize("query", ["交換", "電球", "電球の交換", "人間は", "の交"])
def test_a_word_inside_a_run_of_cjk_is_found(a_session, a_reader, query):
    a_session.has_a_turn("Where is the ladder?", "梯子はここ")
    turn = a_session.has_a_turn("電球の交換をする人間は梯子に登る", "はい")
    assert ids(search(a_reader, query)) == [turn]


@pytest.mark.parametrize(
    "query",
    ["expiry", "tokenExpiry", "HTTP", "server", "session.py", "auth/session.py", "src/auth", "2.17.1", "v2.17.1-rc", "RÉSUMÉ"],
)
def test_parts_of_names_paths_and_versions_are_found(a_session, a_reader, query):
    a_session.has_a_turn("Where is the ladder?", "In the cellar.")
    a_session.asks("Why does the tokenExpiry of HTTPServer jump with v2.17.1-rc? See the resume.")
    a_session.edits("src/auth/session.py")
    a_session.is_answered("Mended.")
    assert ids(search(a_reader, query)) == [last(a_session, "turns")]


@pytest.mark.parametrize(
    ("query", "said"),
    [("dependencies", "the dependency"), ("migration", "migrate it"), ("branches", "a branch"), ("classes", "a class")],
)
def test_another_form_of_a_word_counts_as_the_word(a_session, a_reader, query, said):
    turn = a_session.has_a_turn(f"Look at {said}", "Looked at.")
    for number in range(3):  # newer ones, which have the first as what came before them
        a_session.has_a_turn(f"And lamp {number}?", "Lit.")
    first, *others = search(a_reader, query)
    assert first.public_id == turn and all(first.score > 1 + other.score / 2 for other in others)


# Which rows


def test_a_raw_row_is_found_where_its_turn_says_nothing_of_it(a_turn, a_session, a_reader):
    (row,) = search(a_reader, "basalt")
    assert (row.type, row.asked, row.said) == ("tool_use", "./polish --quartz", "shiny as basalt")


def test_a_raw_row_is_not_found_beside_its_turn(a_turn, a_reader):
    assert ids(search(a_reader, "quartz")) == ids(search(a_reader, "zirconium")) == [a_turn]
    assert ids(search(a_reader, "quartz basalt magnesium")) == [a_turn]


def test_with_a_type_a_raw_row_is_found_in_any_case(a_turn, a_session, a_reader):
    assert [row.asked for row in search(a_reader, "zirconium lantern", types=["error"])] == ["make lantern"]
    assert {row.type for row in search(a_reader, "zirconium lantern", types=["error", "turn"])} == {"error", "turn"}


@pytest.mark.parametrize(
    ("kind", "found"),
    [("turn", 1), ("error", 1), ("success", 1), ("tool_use", 2), ("note", 1), ("summary", 1), ("response", 1), ("decision", 0)],
)
def test_a_type_lets_only_its_rows_through(a_turn, a_session, a_reader, kind, found):
    a_session.sends("post-compact", compact_summary="The lantern is mended.")
    a_session.sends("subagent-stop", agent_id="a", agent_type="explorer", last_assistant_message="Looked at the lantern.")
    a_session.notes("The lantern is dear")
    rows = search(a_reader, "lantern polish", types=[kind])
    assert [row.type for row in rows] == [kind] * found


def test_an_unknown_type_is_named():
    with pytest.raises(RalphMemError, match="no type errors") as error:
        lookup.Wanted(types=["error", "errors"])
    assert "error" in error.value.hint and "turn" in error.value.hint


def test_since_and_until_limit_turns_notes_and_raw_rows(a_session, a_reader):
    for _ in range(3):
        a_session.asks("Where is the tungsten?")
        a_session.runs("./polish", "shiny as basalt")
        a_session.is_answered("Here.")
        a_session.notes("The tungsten is dear")
        a_session.now += DAY
    middle = {"since": NOON + DAY, "until": NOON + 2 * DAY}
    assert sorted(row.type for row in search(a_reader, "tungsten", **middle)) == ["note", "turn"]
    assert [row.type for row in search(a_reader, "basalt", **middle)] == ["tool_use"]
    assert all(
        NOON + DAY <= row.at <= NOON + 2 * DAY for query in ("tungsten", "basalt") for row in search(a_reader, query, **middle)
    )


def test_until_means_before_as_it_does_when_forgetting(a_turn, a_reader):
    at = lookup.find(a_reader, a_turn).at
    assert ids(search(a_reader, "tungsten", since=at, until=at + 1)) == [a_turn]
    assert search(a_reader, "tungsten", until=at) == []


def test_no_more_rows_come_than_are_wanted(a_session, a_reader):
    for number in range(30):
        a_session.has_a_turn(f"Where is lantern {number}?", "There.")
    assert [len(search(a_reader, "lantern", limit=limit)) for limit in (1, 7, 10, 100)] == [1, 7, 10, 30]


def test_a_word_that_is_everywhere_is_found_in_any_time(a_session, a_reader):
    for number in range(520):
        a_session.now = NOON + number * HOUR
        a_session.notes(f"Lantern {number}")
    assert search(a_reader, "lantern", a_session.now)[0].asked == "Lantern 519"
    assert [row.asked for row in search(a_reader, "lantern", NOON, until=NOON + 2 * HOUR)] == ["Lantern 1", "Lantern 0"]
    assert search(a_reader, "lantern 7", NOON, until=NOON + 8 * HOUR)[0].asked == "Lantern 7"


# The order


def test_the_row_that_holds_the_rarer_words_comes_first(a_session, a_reader):
    for number in range(20):
        a_session.has_a_turn(f"Polish lantern {number}", "Done.")
    turn = a_session.has_a_turn("Where is the tungsten?", "In the lantern.")
    assert ids(search(a_reader, "lantern tungsten", limit=3))[0] == turn
    assert search(a_reader, "lantern tungsten")[0].score > search(a_reader, "lantern tungsten")[1].score


def test_of_equal_texts_the_newest_comes_first(a_session, a_reader):
    notes = []
    for _ in range(3):
        notes.append(a_session.notes("The tungsten is dear"))
        a_session.now += 3 * DAY
    assert ids(search(a_reader, "tungsten", a_session.now)) == notes[::-1]


def test_a_question_that_nobody_answered_comes_behind(a_session, a_reader):
    turn = a_session.has_a_turn("Where is the tungsten?", "Here.")
    a_session.asks("Where is the tungsten?")
    a_session.asks("/mem-search tungsten")
    found = search(a_reader, "tungsten")
    assert found[0].public_id == turn and found[1].said == "" and found[1].score < found[0].score


def test_a_pinned_row_comes_before_an_equal_one(a_session, a_reader):
    first, second = [a_session.notes("The tungsten is dear") for _ in range(2)]
    assert ids(search(a_reader, "tungsten")) == [second, first]
    notes_by_hand.pin(lookup.find(a_reader, first))
    assert ids(search(a_reader, "tungsten")) == [first, second]
    notes_by_hand.pin(lookup.find(a_reader, first), pinned=False)
    assert ids(search(a_reader, "tungsten")) == [second, first]


def test_a_row_that_misled_comes_behind_worse_ones(a_session, a_reader):
    wrong = a_session.has_a_turn("Where is the tungsten?", "The tungsten is here.")
    a_session.now += DAY
    other = a_session.has_a_turn("Where is the ladder?", "Next to all the other things that we keep, and to the tungsten.")
    assert ids(search(a_reader, "tungsten")) == [wrong, other]
    notes_by_hand.wrong(a_reader, lookup.find(a_reader, wrong))
    found = search(a_reader, "tungsten")
    assert ids(found) == [other, wrong] and found[1].score == pytest.approx(
        ranking.MISLED * (1 + ranking.RECENCY / (1 + 1 / ranking.RECENCY_MEMORIES)),
        abs=1e-3,  # one memory came since
    )


# A time alone


@pytest.fixture
def three_days(a_session):
    """Have a turn on each of three days, and a note on the second."""
    names = []
    for said in ("The fuse is mended.", "The ladder is found.", "It is dark."):
        names.append(a_session.has_a_turn("And the lamp?", said))
        a_session.now += DAY
    a_session.now = NOON + DAY + HOUR
    return [*names, a_session.notes("Lamps are dear")]


def day_of(days):
    return time.strftime("%Y-%m-%d", time.localtime((NOON + days * DAY) / 1000))


@pytest.mark.parametrize("query", ["yesterday", "what did we do yesterday?", day_of(1)])
def test_a_search_for_a_time_alone_lists_what_was_done_then_newest_first(three_days, a_reader, query):
    assert ids(search(a_reader, query, NOON + 2 * DAY)) == [three_days[3], three_days[1]]
    assert ids(search(a_reader, query, NOON + 2 * DAY, limit=1)) == [three_days[3]]


def test_what_names_the_day_itself_stands_behind_what_was_done_then(a_session, a_reader):
    a_session.has_a_turn("When?", "In 2026.")
    names = a_session.has_a_turn("Which release?", f"That of {day_of(1)}, and not an older one.")
    a_session.now += DAY
    assert ids(search(a_reader, day_of(1), NOON + 3 * DAY)) == [names]
    done = a_session.has_a_turn("And now?", "Dark.")
    assert ids(search(a_reader, day_of(1), NOON + 3 * DAY)) == [done, names]


def test_a_time_alone_keeps_to_the_types_that_are_wanted(a_turn, a_reader):
    tomorrow = NOON + DAY
    assert [row.asked for row in search(a_reader, "yesterday", tomorrow, types=["error"])] == ["make lantern"]
    assert search(a_reader, "yesterday", tomorrow, types=["fact"]) == search(a_reader, "2 days ago", tomorrow) == []
    assert lookup.nothing("2 days ago", lookup.Wanted()) == [lookup.NOTHING_THEN]
    assert lookup.nothing("2 days ago", lookup.Wanted(types=("fact",))) == [lookup.NOTHING_THEN]


# The memory of all projects


def test_a_note_for_all_projects_is_found_and_marked(a_turn, a_session, everywhere):
    shared = note(a_session, "Buy tungsten at the market", everywhere)
    found = {row.public_id: lookup.is_global(row) for row in search(person_of(a_session), "tungsten")}
    assert found == {a_turn: False, shared: True}


@pytest.mark.check
@pytest.mark.parametrize(
    ("limit", "own", "shared", "expected"),
    [
        *[(10, 12, 12, (5, 5)), (10, 2, 12, (2, 8)), (10, 12, 2, (8, 2))],
        *[(1, 3, 3, (1, 0)), (5, 9, 9, (3, 2)), (4, 0, 9, (0, 4))],
    ],
)
def test_the_memory_of_all_projects_is_at_most_half(a_session, everywhere, limit, own, shared, expected):
    for number in range(own):
        a_session.has_a_turn(f"Where is tungsten {number}?", "Here.")
    for number in range(shared):
        note(a_session, f"Buy tungsten {number}", everywhere)
    found = [lookup.is_global(row) for row in search(person_of(a_session), "tungsten", limit=limit)]
    assert (found.count(False), found.count(True)) == expected


def test_a_project_without_a_memory_is_searched_in_that_of_all_projects(a_session, another_project, everywhere):
    shared = note(a_session, "Buy tungsten at the market", everywhere)
    a_session.project = another_project
    assert ids(search(person_of(a_session), "tungsten", NOON)) == [shared]


def test_another_projects_notes_are_not_found(a_turn, a_session, another_project):
    note(a_session, "Buy tungsten at the market", another_project)
    assert ids(search(person_of(a_session), "tungsten")) == [a_turn]


# A turn that has not ended


def test_a_turn_that_has_not_ended_is_named_where_it_holds_a_word_until_a_search_finds_it(a_session, a_reader):
    a_session.asks("And now the tungsten too.")
    name = last(a_session, "turns")
    assert search(a_reader, "tungsten") == []
    everything = lookup.Wanted()
    assert lookup.not_ended(a_reader, "Tungsten?", everything).endswith(f"though it holds one of these words: {name}")
    assert lookup.not_ended(a_reader, "zirconium and now", everything) == ""
    a_session.is_answered("Done.")
    assert (ids(search(a_reader, "tungsten")), lookup.not_ended(a_reader, "tungsten", everything)) == ([name], "")


@pytest.mark.parametrize("limits", [{"types": ["error"]}, {"since": NOON + DAY}, {"until": NOON - DAY}])
def test_a_turn_that_has_not_ended_is_not_named_where_no_such_turn_is_wanted(a_session, a_reader, limits):
    a_session.asks("And now the tungsten too.")
    assert lookup.not_ended(a_reader, "tungsten", lookup.Wanted(**limits)) == ""


# What is said where nothing is found


@pytest.mark.parametrize("limits", [{"types": ["error"]}, {"since": NOON}, {"until": NOON}])
def test_of_a_time_or_a_type_it_is_not_said_that_nothing_else_holds_the_words(limits):
    assert lookup.nothing("tungsten", lookup.Wanted(**limits)) == [lookup.NOTHING_THERE]
    assert lookup.nothing("tungsten", lookup.Wanted()) == [lookup.NOTHING]


@pytest.mark.parametrize("query", ["hello", "ok done", "x", "\u91d1"])
def test_of_words_that_are_left_out_of_the_index_it_is_not_said_that_nothing_holds_them(query):
    assert lookup.nothing(query, lookup.Wanted()) == [lookup.ONLY_COMMON]
    assert lookup.nothing(query, lookup.Wanted(types=["error"])) == [lookup.NOTHING_THERE, lookup.ONLY_COMMON]
    assert lookup.nothing(f"{query} zirconium", lookup.Wanted()) == [lookup.NOTHING, lookup.COMMON_TOO]


# One row by its id


def test_the_id_of_a_session_is_said_to_be_none_of_a_memory(a_reader):
    with pytest.raises(RalphMemError, match=r"sess-k3w9x2mfqa is no memory but a session"):
        lookup.find(a_reader, "sess-k3w9x2mfqa")


def test_a_row_is_found_by_its_id_in_either_memory(a_turn, a_session, everywhere):
    shared = note(a_session, "Buy tungsten at the market", everywhere)
    reader = person_of(a_session)
    assert lookup.find(reader, a_turn).asked == ASKED
    assert lookup.find(reader, last(a_session)).asked == "pytest lanterns"
    assert lookup.find(reader, shared).asked == "Buy tungsten at the market"


@pytest.mark.parametrize("name", ["turn-aaaaaaaaaa", "", "obs-", "x' OR 1=1 --", "turn-\0", "\udcff", "x" * 5000])
def test_an_unknown_id_is_named(a_turn, a_reader, name):
    with pytest.raises(RalphMemError, match="no memory has the id") as error:
        lookup.find(a_reader, name)
    assert error.value.hint and len(str(error.value)) < 100


def test_the_facts_of_a_row_are_there(a_turn, a_session, a_reader):
    row = lookup.find(a_reader, a_turn)
    assert (row.type, row.at, row.origin, row.state, row.tainted) == ("turn", NOON + 2000, "user", "stopped", 0)
    assert row.files == "src/lantern.py\n" and row.tokens > 10 and row.number == row.turn == 1
    row = lookup.find(a_reader, last(a_session))
    assert (row.type, row.origin, row.state, row.turn) == ("success", "test", "Bash", 1)


def test_reading_changes_nothing(a_turn, a_session, a_reader):
    before = a_session.rows("SELECT total_changes()")
    search(a_reader, "tungsten quartz", now=NOON + HOUR)
    around(a_reader, lookup.find(a_reader, a_turn))
    assert a_session.rows("SELECT total_changes()") == before
