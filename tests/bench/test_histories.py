import copy
import json

import pytest
from hypothesis import given, strategies

from ralph_mem.bench import histories
from ralph_mem.core.errors import RalphMemError
from tests.bench.conftest import a_memory, a_query, a_set, notes

GOOD = a_set(a_query("lantern", "m0", "m3"))
GONE = object()
WRONG = {
    "no unit": (("unit",), GONE, "set.json: unit: it is missing"),
    "an unknown unit": (("unit",), "page", "set.json: unit: page is none of observation, session"),
    "no projects": (("projects",), [], "set.json: projects: it is empty"),
    "a project that is text": (("projects", 0), "pier", "set.json: projects[0]: not a mapping but text"),
    "no memories": (("projects", 0, "memories"), [], "set.json: projects[0].memories: it is empty"),
    "no queries at all": (("projects", 0, "queries"), [], "set.json has no queries"),
    "a memory without a time": (("projects", 0, "memories", 2, "at"), GONE, "projects[0].memories[2].at: it is missing"),
    "a time that is none": (("projects", 0, "queries", 0, "at"), "soon", "projects[0].queries[0].at: soon is no time"),
    "a time that is a number": (("projects", 0, "queries", 0, "at"), 7, "projects[0].queries[0].at: not text but a number"),
    "a file that is a number": (("projects", 0, "memories", 0, "files"), [7], "memories[0].files: not text but a number is among"),
    "files that are text": (("projects", 0, "memories", 0, "files"), "a.py", "memories[0].files: not a list but text"),
    "an id that comes twice": (("projects", 0, "memories", 1, "id"), "m0", "projects[0].memories: the id m0 stands there twice"),
    "nothing relevant": (("projects", 0, "queries", 0, "relevant"), [], "queries[0].relevant: it names nothing"),
    "an unknown relevant id": (
        ("projects", 0, "queries", 0, "relevant"),
        ["m9"],
        "queries[0].relevant: there is no m9 in its project",
    ),
    "a before that is a number": (("projects", 0, "queries", 0, "before"), 3, "queries[0].before: not text but a number"),
}


@pytest.mark.parametrize(("path", "value", "wanted"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_told_with_its_place(read, path, value, wanted):
    broken = copy.deepcopy(GOOD)
    *way, last = path
    inner = broken
    for step in way:
        inner = inner[step]
    inner[last] = value
    if value is GONE:
        del inner[last]
    with pytest.raises(RalphMemError, match=r"set\.json") as told:
        read(broken)
    assert wanted in str(told.value) and told.value.hint


@pytest.mark.parametrize("text", ["", "{", "[1,", "\x00", "NaN,", "[" * 100_000])
def test_a_file_that_is_not_json_is_told_by_its_name(read, text):
    with pytest.raises(RalphMemError, match=r"^set\.json is not JSON: [^\n]+$"):
        read(text)


keys = strategies.sampled_from("id at text unit memories queries relevant before".split())
values = strategies.recursive(
    strategies.none() | strategies.booleans() | strategies.integers() | strategies.text(max_size=5),
    lambda inner: strategies.lists(inner, max_size=3) | strategies.dictionaries(keys, inner, max_size=4),
    max_leaves=8,
)


@pytest.mark.check
@given(values)
def test_no_value_anywhere_is_a_bug(tmp_path_factory, value):
    path = tmp_path_factory.getbasetemp() / "any.json"
    project = GOOD["projects"][0]
    query = {**project["queries"][0], "at": value}
    for broken in (value, {**GOOD, "projects": value}, {**project, "memories": value}, {**project, "queries": [query]}):
        path.write_text(json.dumps(broken if broken is value or "unit" in broken else {**GOOD, "projects": [broken]}))
        with pytest.raises(RalphMemError, match=r"^any\.json"):
            histories.read(str(path))


@pytest.mark.parametrize(
    ("word", "milliseconds"),
    [
        ("2026-01-01T12:00:00", 1_767_268_800_000),
        ("2026-01-01T12:00:00Z", 1_767_268_800_000),
        ("2026-01-01T14:00:00+02:00", 1_767_268_800_000),
        ("2026-01-01", 1_767_225_600_000),
    ],
)
def test_a_time_is_read_in_its_zone_and_in_utc_without_one(read, word, milliseconds):
    (query,) = read(a_set({**a_query("lantern", "m0"), "at": word})).projects[0].queries
    assert query.at == milliseconds


@pytest.mark.parametrize(
    ("limits", "known"),
    [
        ({}, 4),
        ({"before": "m2"}, 2),
        ({"before": "m0"}, 0),
        ({"before_session": "s2"}, 2),
        ({"before_session": "s1"}, 0),
        ({"before": "m3", "before_session": "s2"}, 2),
        ({"before": None}, 4),
    ],
)
def test_a_query_knows_what_comes_before_it(read, limits, known):
    memories = [*notes("a", "b"), a_memory(2, "c", "s2"), a_memory(3, "d", "s2")]
    found = read(a_set(a_query("x", "m0", **limits), memories=memories))
    assert found.projects[0].queries[0].known == known and not found.notes


def test_what_was_left_out_of_a_history_is_placed_by_its_time_and_told(read):
    found = read(a_set(a_query("lantern", "m0", day="03", before="m9")))
    assert found.projects[0].queries[0].known == 2  # the third of the month begins at midnight, the third memory at noon
    assert found.notes == ["set.json: projects[0].queries[0].before: no m9 in its project; the 2 memories before its time count"]


def test_relevant_sessions_are_named_by_the_session(read):
    assert read(a_set(a_query("lantern", "s1"), unit="session")).projects[0].queries[0].relevant == ("s1",)
    with pytest.raises(RalphMemError, match="there is no m0"):
        read(a_set(a_query("lantern", "m0"), unit="session"))


def test_a_hidden_history_has_files_and_lines_alone(read):
    coded = a_memory(0, "done", title="fix it", files=["a.py"], reads=["b.py"], lines=["make"])
    turn, note = histories.hidden(read(a_set(a_query("x", "m0"), memories=[coded, a_memory(1, "a note")]))).projects[0].memories
    assert (turn.title, turn.text, turn.files, turn.reads, turn.lines) == ("", "", ["a.py"], ["b.py"], ["make"])
    assert (note.title, note.text) == (None, "")


def test_half_of_a_character_is_replaced(read):
    found = read(json.dumps(a_set(a_query("x", "m0"))).replace('"x"', r'"\ud83d!"'))
    assert found.projects[0].queries[0].text == "\ufffd!"
