"""The headless loop with the real client in a room: the person's files and their git are left alone until all is mended."""

from pathlib import Path

import pytest

from ralph_mem.ralph.room import walls
from tests.ralph.snapshot.conftest import bytes_below

from .broken_repository import replies, tree_of
from .client import eventually
from .looping import Keeper
from .messages_api import MessagesApi

AT_ONCE = ("--cooldown", "0")


@pytest.fixture
def keeper(tmp_path, client_binary):
    with MessagesApi() as api:
        person = Keeper(tmp_path, client_binary, api)
        person.where = ()
        yield person
        eventually(lambda: not person.client.survivors(), 3, otherwise=lambda: f"left behind: {person.client.survivors()}")


@pytest.mark.parametrize("walls_too", [False, True], ids=["a room", "walls too"])
def test_both_packages_are_mended_in_a_room_and_come_into_the_persons_files(keeper, walls_too):
    if walls_too and walls.why_not():
        pytest.skip(f"bubblewrap cannot be used here: {walls.why_not()}")
    git, start = bytes_below(keeper.project / ".git"), tree_of(keeper.project)
    keeper.plays(*(replies(Path(), number) for number in (1, 2, 3)))  # as seen from where the agent works
    said = keeper.begin(*AT_ONCE, *(["--sandbox"] if walls_too else []))
    assert said.code == 0, said.out
    assert "works in a room of its own" in said.out and "Your files have iteration 3" in said.out
    assert bytes_below(keeper.project / ".git") == git
    rooms = [path for path in keeper.client.home.glob(".local/share/ralph-mem/rooms/*/*") if path.is_dir()]
    assert rooms == []
    paths = {row[0] for row in keeper.rows("SELECT files FROM observations WHERE tool_name = 'Edit'")}
    assert paths and not any(path.startswith("/") for path in paths)
    undone = keeper.cli("apply", "--undo", "--confirm")
    assert (undone.code, tree_of(keeper.project)) == (0, start)
