"""Routes: by whatever way a stranger's sentence came into a session, the next one is not told it as ours."""

import json
import shutil
from collections import Counter
from pathlib import Path

import pytest

from ralph_mem.core import project as projects
from ralph_mem.memory import opening
from tests.hook import install
from tests.interfaces.cli.situations import LOADED, Person
from tests.memory import routes
from tests.sessions import Session

# By decision (docs/privacy-and-trust.md): what a person pastes is theirs to answer for, and is told as pasted.
DECIDED = {"a person's paste": routes.QUOTED}
# Likewise what a person brings in with `!`, of which no hook is told, and what an agent has written into a file of the project.
DECIDED_LATER = {
    "a line that a person typed behind !": routes.OURS,
    "a file that repeats a page, read in a later session": routes.OURS,
}


@pytest.fixture(scope="module")
def try_all(tmp_path_factory):
    """Return what tries out routes, each by a person with a home and a repository of their own."""
    plugin, repository = install(tmp_path_factory.mktemp("plugin")), routes.a_repository(tmp_path_factory.mktemp("repository"))
    LOADED.add(plugin)

    def act(wanted):
        found = []
        for number, route in enumerate(wanted):
            person = routes.settle(Person(tmp_path_factory.mktemp("person"), plugin), repository)
            found.append(routes.try_out(person, route, number))
        return found

    return act


@pytest.mark.check  # some hundred processes
def test_no_route_that_is_listed_is_told_but_by_decision(try_all):
    assert_not_told(try_all(routes.LISTED), DECIDED)
    assert len(routes.LISTED) >= 45


@pytest.mark.check
def test_no_route_that_was_held_back_is_told(try_all):
    assert_not_told(try_all(routes.HELD_BACK), {})
    assert len(routes.HELD_BACK) >= 20


@pytest.mark.check
def test_what_comes_from_here_is_told_as_ever(try_all):
    found = try_all(routes.OWN)
    assert [each.name for each in found if each.how != routes.OURS] == []


@pytest.fixture
def try_quickly(tmp_path, a_home):
    """Return what tries out routes in this process, each in a project of its own."""
    repository = routes.a_repository(tmp_path / "repository")

    def act(number, route, template=""):
        shutil.copytree(repository, tmp_path / f"project{number}")
        place = projects.find(str(tmp_path / f"project{number}"))
        opened = opening.open_ready(place)
        outcome = routes.try_out(routes.Quick(Session(opened, place, f"s{number}"), a_home), route, number, template)
        opened.close()
        return outcome

    return act


@pytest.mark.check
def test_of_every_fifth_route_nothing_is_told(try_quickly):
    wanted = routes.in_process([*routes.LISTED, *routes.HELD_BACK])[::5]
    assert_not_told([try_quickly(number, route) for number, route in enumerate(wanted)], {})
    own = routes.in_process(routes.OWN)[::3]
    assert {try_quickly(100 + number, route).how for number, route in enumerate(own)} == {routes.OURS}


@pytest.mark.check  # some eight seconds
def test_no_route_of_the_second_lot_is_told_but_by_decision(try_quickly):
    assert_not_told([try_quickly(number, route) for number, route in enumerate(routes.HELD_BACK_LATER)], DECIDED_LATER)
    assert len(routes.HELD_BACK_LATER) >= 45


@pytest.mark.check
def test_no_route_that_a_walk_found_is_told(try_quickly):
    assert_not_told([try_quickly(number, route) for number, route in enumerate(routes.WALKED)], {})


# Orders to the reader of a memory, as strangers would write them: each opening with each act.
ORDERS = [
    (language, opening.format(act))
    for language, said in json.loads(Path(__file__).with_name("injections.json").read_text(encoding="utf-8")).items()
    for opening in said["openings"]
    for act in said["acts"]
]
# Routes with a text of their own, or with another form of it, carry no other.
WITH_ITS_OWN = ("a short page", "decomposed letters", "a translation in the turn that read it", "beyond 131,072 bytes")


@pytest.mark.check
def test_of_three_hundred_orders_in_ten_languages_none_is_told_as_ours(try_quickly):
    wanted = [route for route in routes.in_process([*routes.LISTED, *routes.HELD_BACK]) if route.name not in WITH_ITS_OWN]
    counts = Counter()
    for number, (language, text) in enumerate(ORDERS):
        route = wanted[number % len(wanted)]
        outcome = try_quickly(number, route, text)
        counts[language, outcome.how] += 1
        assert outcome.how == DECIDED.get(route.name, routes.NOT_TOLD), (route.name, text, outcome.told)
    print(
        {
            how: sum(count for (_, found), count in counts.items() if found == how)
            for how in (routes.OURS, routes.QUOTED, routes.NOT_TOLD)
        }
    )
    assert len(ORDERS) == 300 and len({language for language, _ in counts}) == 10


def assert_not_told(found, decided):
    print(dict(Counter(each.how for each in found)), "of", len(found))
    assert {each.name: each.how for each in found if each.how != routes.NOT_TOLD} == decided
