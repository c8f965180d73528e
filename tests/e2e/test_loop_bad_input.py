"""What the world does to a loop of the real client: odd goals, nothing to judge by, people who edit, agents that destroy."""

import re
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest

from .broken_repository import git, tree_of, write
from .client import eventually
from .looping import PATH, Keeper
from .messages_api import MessagesApi, call, say

CHECK = ("--criteria", "custom=./run.sh => 1", "--cooldown", "0", "--max-iterations", "1")


@pytest.fixture
def keeper(tmp_path, client_binary):
    """A person with a broken repository; nothing that the loop started may be left."""
    with MessagesApi() as api:
        person = Keeper(tmp_path, client_binary, api)
        yield person
        eventually(lambda: not person.client.survivors(), 3, otherwise=lambda: f"left behind: {person.client.survivors()}")


def bash(command, **more):
    return call(("Bash", {"command": command}), **more)


GOALS = {
    "quotes": "it's \"quoted\", 'twice' and ``` fenced; touch made",
    "shell": "$(touch made) `touch made` && touch made | tee made > made; ! touch made",
    "lines": "first\n\n  second; touch made\n</goal>\n# a heading\n--confirm third",
    "options": "-- --max-iterations=99 --agent 'touch made' $ARGUMENTS ${HOME} @/etc/passwd /ralph stop",
}


@pytest.mark.parametrize("goal", GOALS.values(), ids=GOALS.keys())
def test_a_goal_at_the_terminal_reaches_the_model_as_it_was_typed(keeper, goal):
    keeper.api.play({"turns": [say("I see.")]})
    shown = keeper.cli("start", *CHECK, "--", goal)
    said = keeper.cli("start", *CHECK, "--accept", re.search(r"--accept (\w{12})", shown.err)[1], "--", goal)
    assert said.code == 10 and goal in keeper.api.heard() and not (keeper.project / "made").exists()


@pytest.mark.parametrize("goal", [GOALS["quotes"], GOALS["shell"]], ids=["quotes", "shell"])
def test_a_goal_typed_in_a_session_reaches_the_model_as_it_was_typed(keeper, goal):
    words = "start --criteria 'custom=./run.sh => 1' --cooldown 0 --max-iterations 1"
    shown = keeper.client.print_mode(f"/ralph-mem:ralph {words} {goal}", PATH=PATH).result
    code = re.search(r"/ralph yes (\w{4})", shown)[1]
    keeper.api.play({"turns": [say("I see.")]})
    keeper.client.print_mode(f"/ralph-mem:ralph yes {code}", PATH=PATH)
    (begun,) = keeper.record("start")
    assert begun["goal"] == goal and goal in keeper.api.heard() and not (keeper.project / "made").exists()


def test_a_project_without_any_check_begins_nothing(keeper):
    for path in ("tests", "ledger", "window", "pyproject.toml"):
        (keeper.project / path).rename(keeper.client.home / path)
    said = keeper.cli("start", "make it right")
    assert said.code == 1 and said.err.startswith("ralph-mem: ") and "test_pass" in said.err
    assert keeper.api.requests() == [] and "No loop has run here yet" in keeper.cli("status").out


def test_what_the_person_edits_during_the_loop_or_after_it_is_kept_and_named(keeper):
    start, edited = tree_of(keeper.project), Event()
    keeper.api.play(
        {"turns": [call(("Write", {"file_path": str(keeper.project / "new.txt"), "content": "x"})), say("ok", until=edited)]}
    )
    with ThreadPoolExecutor(1) as threads:
        loop = threads.submit(keeper.begin, *CHECK)
        eventually((keeper.project / "new.txt").exists, 30)
        write(keeper.project, "ledger/tax.py", "mine, during\n")
        edited.set()
        assert loop.result().code == 10
    write(keeper.project, "new.txt", "mine, afterwards\n")
    write(keeper.project, "notes.md", "mine, afterwards\n")

    said = keeper.cli("rollback", "--confirm").out
    assert all(f"kept     {name}" in said for name in ("new.txt", "notes.md", "ledger/tax.py")) and "0 restored" in said
    now = tree_of(keeper.project)
    differs = {path for path in now.keys() | start.keys() if now.get(path) != start.get(path)}
    assert differs == {b"new.txt", b"notes.md", b"ledger/tax.py"}
    assert (keeper.project / "ledger" / "tax.py").read_text() == "mine, during\n"


def test_an_agent_that_destroys_everything_costs_nothing(keeper):
    git(keeper.project, "checkout", "-q", "--detach")
    start = tree_of(keeper.project)
    # past the client's own guard of .git
    gone = "python3 -c \"import shutil; [shutil.rmtree(name) for name in ('.git', '.ralph-mem', 'ledger')]\""
    keeper.plays([bash("git clean -ffdxq"), bash("git reset -q --hard"), bash(gone), say("All is clean.")])
    said = keeper.begin(*CHECK, "--allow", "Bash")
    assert said.code == 25 and not (keeper.project / ".git").exists() and tree_of(keeper.project) != start
    assert keeper.cli("rollback", "--confirm").code == 0
    assert tree_of(keeper.project) == start


def test_an_agent_that_stashes_the_persons_work_costs_nothing_and_the_stash_is_left_where_it_is(keeper):
    start = tree_of(keeper.project)
    keeper.plays([bash("git stash -q -u && git commit -q --allow-empty -m mine"), say("Stashed.")])
    keeper.begin(*CHECK, "--allow", "Bash")
    stash, head = git(keeper.project, "stash", "list"), git(keeper.project, "rev-parse", "HEAD")
    assert tree_of(keeper.project) != start and keeper.cli("rollback", "--confirm").code == 0
    assert tree_of(keeper.project) == start
    assert (git(keeper.project, "stash", "list"), git(keeper.project, "rev-parse", "HEAD")) == (stash, head)
