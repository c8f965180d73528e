"""What a user teaches again, and whether it had been told."""

import json
from pathlib import Path

import pytest

from ralph_mem.bench import taught
from ralph_mem.core.errors import RalphMemError

RULE, OTHER = "Always use `uv` here.", "Never edit `dist/` by hand."


def a_set(**changes):
    """Return a set of one user, who says a rule, goes on, and says it again; with some of it changed."""
    sessions = [
        {"id": "one", "at": "2026-03-01T09:00:00Z", "prompts": ["Mend the login.", RULE]},
        {"id": "two", "at": "2026-03-02T09:00:00Z", "prompts": [f"{OTHER} Go on."]},
        {"id": "three", "at": "2026-03-03T09:00:00Z", "prompts": ["Why pip? " + RULE]},
    ]
    user = {"id": "ada", "sessions": sessions, "useful": [RULE], "repeats": [{"session": "three", "text": RULE, "of": [RULE]}]}
    return {"name": "a set", "users": [{**user, **changes}]}


def read(tmp_path, value):
    file = tmp_path / "set.json"
    file.write_text(value if isinstance(value, str) else json.dumps(value))
    return taught.read(str(file))


def test_what_was_learned_from_an_earlier_session_had_been_told_and_turns_alone_may_not_tell_it(tmp_path):
    report = taught.run(read(tmp_path, a_set()), lambda *_: None)
    assert (report["repeats"], report["sessions"], report["users"]) == (1, 3, 1)
    assert report["learned"]["value"] == report["by_user"]["ada"]["learned"]["value"] == 1


def test_a_line_that_nobody_called_useful_is_useless(tmp_path):
    report = taught.run(read(tmp_path, a_set()), lambda *_: None)
    assert (report["lines"], report["useless"]["value"]) == (3, pytest.approx(1 / 3))  # twice the one, once the other


def test_what_is_taught_again_in_a_session_was_not_told_by_that_session(tmp_path):
    again = [{"session": "two", "text": OTHER, "of": [RULE]}]
    nothing = read(tmp_path, a_set(repeats=again, useful=[]))
    sessions = [each._replace(prompts=["Go on."]) if each.id == "one" else each for each in nothing.users[0].sessions]
    told, _, _ = taught.play(nothing.users[0]._replace(sessions=sessions), learns=True)
    assert told == [False]


@pytest.mark.parametrize(
    "broken",
    [
        "{", "[]", '{"name": "x"}', a_set(repeats=[]), a_set(useful=["nobody said this"]), a_set(useful=[7]),
        a_set(repeats=[{"session": "four", "text": RULE, "of": [RULE]}]),
        a_set(repeats=[{"session": "one", "text": RULE, "of": [RULE]}]),
        a_set(sessions=[{"id": "one", "at": "someday", "prompts": [RULE]}]),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_file_is_told(tmp_path, broken):
    with pytest.raises(RalphMemError, match=r"set\.json"):
        read(tmp_path, broken)


def test_the_set_that_comes_along_is_whole():
    given = taught.read(str(taught.OWN))
    assert [(user.id, len(user.sessions)) for user in given.users] == [("mira", 14), ("tobias", 14), ("jo", 14)]
    assert sum(len(user.repeats) for user in given.users) == 25


@pytest.mark.parametrize("name", ["taught_trades.json", "taught_kept.json"])
def test_the_sets_of_people_of_a_trade_are_whole(name):
    given = taught.read(str(Path(__file__).with_name(name)))
    assert (len(given.users), sum(len(user.repeats) for user in given.users)) == (10, 40)
