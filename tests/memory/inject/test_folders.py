"""What a session is told first that works in one folder of a large project."""

import os

import pytest

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
