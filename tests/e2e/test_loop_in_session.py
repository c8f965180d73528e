"""The loop in a session of the real client: its Stop hook goes on until the checks pass, and holds nobody else up."""

import re
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from .broken_repository import FAILING, tree_of
from .client import REPOSITORY, Client, eventually
from .looping import GOAL, PATH, Keeper
from .messages_api import MessagesApi, call, say

CHECK = "--criteria 'custom=./run.sh => 1' --cooldown 0"


@pytest.fixture
def keeper(tmp_path, client_binary):
    """A person with a broken repository; nothing that the loop started may be left."""
    with MessagesApi() as api:
        person = Keeper(tmp_path, client_binary, api)
        yield person
        assert person.client.left_behind == []


def types(keeper, words, **more):
    """Type a command of ours into a session; returns the client's run."""
    return keeper.client.print_mode(f"/ralph-mem:ralph {words}", PATH=PATH, **more)


def accepted(keeper, options=""):
    """Return the options of a start that a person has accepted."""
    keeper.api.play({})
    shown = types(keeper, f"plan {options} {GOAL}").result
    return f"{options} --accept {re.search(r'--accept (.{12})', shown)[1]}"


def test_a_session_goes_on_until_the_checks_pass_and_everything_can_be_put_back(keeper):
    start = tree_of(keeper.project)
    options = accepted(keeper, "--cooldown 0")
    keeper.mends_all()
    run = types(keeper, f"start {options} {GOAL}")
    asked = [keeper.api.text_of(request) for request in keeper.api.requests("main")]
    assert run.returncode == 0 and len(asked) == 9
    assert all(name in asked[0] for name in FAILING) and GOAL in asked[0]
    assert "Iteration 2 of 10" in asked[3] and "Iteration 3 of 10" in asked[6]
    assert re.search(r"success after 3 iterations", run.stdout)

    assert "success" in keeper.cli("status").out
    assert keeper.cli("stop", "--rollback", "--confirm").code == 0 and tree_of(keeper.project) == start


def test_another_session_beside_it_is_not_held_up(keeper):
    options = accepted(keeper, CHECK)
    hello, answered = {"first_user": "Say hello", "turns": [say("Hello.")]}, threading.Event()
    keeper.api.play({"rules": [hello], "turns": [say("I tried.", until=answered), say("Once more.")]})
    beside = Client(keeper.client.binary, home=keeper.client.home, project=keeper.project, api=keeper.api, plugin=REPOSITORY)
    with ThreadPoolExecutor(1) as threads:
        owner = threads.submit(types, keeper, f"start {options} --max-iterations 2 {GOAL}")
        eventually(lambda: keeper.api.requests("main"))
        said, judged = beside.print_mode("Say hello", PATH=PATH).result, keeper.record("iteration")
        answered.set()
        owner.result()
    assert (said, judged) == ("Hello.", [])
    assert len(keeper.record("iteration")) == 2 and len(keeper.api.requests("main")) == 3
    assert keeper.record("start")[0]["owner"] == owner.result().session_id and beside.left_behind == []


def test_a_command_that_is_not_accepted_yet_shows_what_would_be_run_and_nothing_goes_on(keeper):
    shown = types(keeper, f"start {CHECK} {GOAL}").result
    assert keeper.api.requests("main") == [] and "./run.sh" in shown and "Nothing is begun yet." in shown
    assert "No loop has run here yet" in keeper.cli("status").out and not (keeper.project / "made").exists()


def test_rounds_that_use_a_tool_go_beyond_the_clients_cap(keeper):
    options = accepted(keeper, CHECK)
    notes = [("Write", {"file_path": str(keeper.project / f"note-{number}"), "content": "x"}) for number in range(10)]
    keeper.plays(*([call(note), say("Noted.")] for note in notes))
    types(keeper, f"start {options} --no-progress 99 {GOAL}")
    assert len(keeper.record("iteration")) == 10 and keeper.record("end")[0]["reason"] == "max_iterations"


def test_where_the_client_ends_the_turn_by_its_cap_the_loop_is_gone_with_the_session_and_can_be_resumed(keeper):
    options = accepted(keeper, CHECK)
    keeper.plays(*([say(f"I am thinking: {number}.")] for number in range(20)))
    types(keeper, f"start {options} --no-progress 99 --max-iterations 20 {GOAL}")
    (ended,) = eventually(lambda: keeper.record("end"))  # what guards the loop sees that its session is gone
    assert 8 <= len(keeper.record("iteration")) < 20 and ended["reason"] == "owner_lost"
    assert "resume" in keeper.cli("status").out


def test_while_work_is_in_the_background_the_loop_waits_for_it(keeper):
    options = accepted(keeper, CHECK)
    background = {"command": "sleep 2; echo later > later.txt", "run_in_background": True}
    keeper.plays([call(("Bash", background)), say("It runs.")], [say("It is there.")], [say("No more.")])
    types(keeper, f"start {options} --max-iterations 2 {GOAL}")
    first, second = keeper.record("iteration")
    assert first["message"] == "It is there." and [change[0] for change in first["changed"]] == ["later.txt"]
    assert second["changed"] == []


def test_esc_and_words_of_the_persons_own_take_over(keeper):
    if not shutil.which("tmux"):
        pytest.skip("tmux is not installed")
    options = accepted(keeper, CHECK)
    asks = {"last_user": "What does run.sh do?", "turns": [say("It exits with zero.")]}
    keeper.api.play({"rules": [asks], "turns": [say("I tried it."), say("Too slow.", delay_s=60)]})
    with keeper.client.terminal(PATH=PATH) as person:
        person.say(f"/ralph-mem:ralph start {options} mend run.sh")
        eventually(lambda: len(keeper.api.requests("main")) == 2)
        person.press("Escape")
        person.wait_for("Interrupted")
        person.say("What does run.sh do?")
        person.wait_for("It exits with zero.")
        person.leave()
    assert len(keeper.api.requests("main")) == 3 and len(keeper.record("iteration")) == 1
    assert keeper.record("end")[0]["reason"] == "owner_lost"
