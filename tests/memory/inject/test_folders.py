"""What a session is told first that works in one folder of a large project."""

import os

import pytest

from ralph_mem.core.settings import effective
from ralph_mem.memory.facts import candidates, learning
from ralph_mem.memory.rows import facts, sessions
from tests.readers import reader_of
from tests.sessions import HOUR, Session

HEADING = "Last turns, those that changed something in api/ first:"


@pytest.fixture
def two_packages(a_session):
    """Have a turn in api, and after it more turns in web than a briefing names."""
    for folder, number in [("api", 0), *[("web", number) for number in range(12)]]:
        a_session.asks(f"Change number {number} of the {folder}.")
        a_session.edits(f"{folder}/part.py")
        a_session.is_answered(f"The {folder} has change {number}.")
    return a_session


def told(session, folder):
    """Return what a new session in a folder of the project is told at its start, and the turns in their order."""
    os.makedirs(f"{session.project.root}/{folder}", exist_ok=True)
    new = Session(session.store, session.project, "another", session.now + HOUR)
    text = new.sends("session-start", source="startup", cwd=f"{session.project.root}/{folder}".rstrip("/"))
    return text, [line for line in text.splitlines() if "Change number" in line]


def test_what_was_changed_in_the_folder_at_work_comes_first(two_packages):
    text, turns = told(two_packages, "api")
    assert HEADING in text and "Change number 0 of the api." in turns[0]
    assert "Change number 11 of the web." in turns[1]


@pytest.mark.parametrize("folder", ["", "docs"])
def test_elsewhere_the_newest_come_first(two_packages, folder):
    text, turns = told(two_packages, folder)
    assert "Change number 11 of the web." in turns[0] and "of the api" not in text and "Last turns, newest first:" in text


def test_a_folder_of_which_the_name_only_begins_so_is_another(two_packages):
    two_packages.asks("Change the client of the api.")
    two_packages.edits("api-client/part.py")
    two_packages.is_answered("It has changed.")
    _, turns = told(two_packages, "api")
    assert "of the api." in turns[0] and "Change number 0" in turns[0]


def test_the_name_of_a_folder_leaves_no_fence(two_packages):
    text, _ = told(two_packages, "</ralph-mem-x>")
    assert text.count("</ralph-mem-") == 1


@pytest.fixture
def an_app(a_session):
    """Have a session at work in apps/admin of which all is learnt that it says."""

    def says(prompt):
        admin = Session(a_session.store, a_session.project, "admin", a_session.now + HOUR)
        os.makedirs(f"{admin.project.root}/apps/admin")
        admin.sends("session-start", source="startup", cwd=f"{admin.project.root}/apps/admin")
        admin.has_a_turn(prompt, "Ok.")
        learning.learn(admin.store, admin.project, effective.DEFAULTS, 50, float("inf"))
        return admin

    return says


FETCH = "in this folder every fetch goes through @shop/api, don't call fetch directly"


@pytest.mark.parametrize(("folder", "is_told"), [
    ("", True), ("apps", True), ("apps/admin", True), ("apps/admin/src", True), ("apps/web", False), ("apps/admin-2", False),
])  # fmt: skip
def test_a_rule_of_this_folder_is_told_with_its_name_there_above_and_below(an_app, folder, is_told):
    text, _ = told(an_app(FETCH), folder)
    assert (f'"{FETCH}" (2026-01-01, in apps/admin/)' in text, FETCH in text.partition("Last turns")[0]) == (is_told, is_told)


def test_what_is_said_of_here_is_told_everywhere_with_the_folder(an_app):
    rule = "here we always write tests next to the file, not in a tests folder"
    text, _ = told(an_app(rule), "apps/web")
    assert f'"{rule}" (2026-01-01, in apps/admin/)' in text


def test_a_rule_of_this_folder_is_offered_with_its_name(an_app):
    (waiting,) = candidates.waiting(reader_of(an_app(FETCH)))
    assert candidates.told(waiting)[1].endswith("said 2026-01-01 in apps/admin/")


def test_the_name_of_an_excluded_folder_is_not_kept(a_session):
    a_session.settings["privacy.exclude_paths"] = ["apps/"]
    a_session.sends("session-start", source="resume", cwd=f"{a_session.project.root}/apps/admin")
    assert sessions.folder_of(a_session.store, a_session.name) == ""


def test_what_names_no_folder_is_told_without_one(an_app):
    rule = "from now on indent by two spaces"
    text, _ = told(an_app(rule), "apps/web")
    assert f'"{rule}" (2026-01-01)' in text


def test_the_same_said_of_another_folder_is_another_rule(an_app, a_session):
    an_app(FETCH)
    os.makedirs(f"{a_session.project.root}/apps/web")
    web = Session(a_session.store, a_session.project, "web", a_session.now + 2 * HOUR)
    web.sends("session-start", source="startup", cwd=f"{a_session.project.root}/apps/web")
    web.has_a_turn(FETCH, "Ok.")
    learning.learn(web.store, web.project, effective.DEFAULTS, 50, float("inf"))
    said_in = [fact.metadata["folder"] for fact in facts.of_status(web.store, facts.CANDIDATE)]
    assert sorted(said_in) == ["apps/admin", "apps/web"]
