"""The MCP server lives as long as its client: whatever becomes of the memory meanwhile, nothing is lost and nothing comes back."""

import shutil

import pytest

from tests.faults.test_homes import NAMES, a_pair, asides, works  # noqa: F401 - a_pair is a fixture
from tests.faults.test_viewers import RECLAIM, at_a_terminal, said_by
from tests.hook import MARK
from tests.interfaces.mcp.clients import NEWEST, OLDEST, Outside

CLI = ("-m", "ralph_mem.interfaces.cli")
# Before, between and after what is done to the memory, or at no time but the first.
BUSY, IDLE = "asked all the time", "idle"


class Beside:
    """A server beside a session; `is_asked` has it look into the memory and write into it."""

    def __init__(self, hook, how=BUSY, version=OLDEST):
        self.hook, self.how = hook, how
        self.client = Outside(hook, version, **{MARK: "a server"})
        self.client.begins()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.client.__exit__()

    def is_asked(self, number=0):
        if self.how == BUSY:
            self.client.result("search", query="where is the middle end")
            self.client.result("facts")
            self.client.result("remember", text=f"The lamp number {number} stands in hall {number}.")

    def finds(self, words):
        return self.client.result("search", query=words)["content"][0]["text"]


@pytest.mark.check
@pytest.mark.parametrize("order", [NAMES, NAMES[::-1]], ids=" first".join)
@pytest.mark.parametrize("how", [BUSY, IDLE])
@pytest.mark.parametrize("version", [OLDEST, NEWEST])
def test_two_homes_take_turns_beside_servers_of_both_and_keep_all_that_is_committed(a_pair, how, order, version):  # noqa: F811
    first, second = [a_pair[name] for name in order]
    works(first, "beginning")
    with Beside(first, how, version) as one, Beside(second, how, version) as other:
        for number in range(3):
            one.is_asked(number)
            works(second, f"other {number}")
            other.is_asked(number)
            one.is_asked(number)
            works(first, f"again {number}")
            other.is_asked(number)
        one.is_asked(9)
        works(first, "end")
        assert "Where is the end?" in one.finds("end") and "other" not in one.finds("other again end")
    words = ["beginning", "again 0", "again 1", "again 2", "end"]
    assert said_by(first)[0] == words and first.damage() == []
    works(second, "end")
    assert said_by(second)[0] == ["other 0", "other 1", "other 2", "end"] and second.damage() == []


@pytest.mark.check
def test_a_memory_that_lies_aside_is_no_business_of_a_server(a_pair):  # noqa: F811
    host, container = a_pair["host"], a_pair["container"]
    works(host, "beginning")
    with Beside(host) as server:
        assert "beginning" in server.finds("beginning")
        works(container, "other")
        refused = server.client.is_refused("search", query="other")
        assert "is not used (not known to be yours)" in refused
        works(host, "end")
        assert "beginning" in server.finds("beginning") and "other" not in server.finds("other beginning")
    assert len(asides(host)) == 1 and host.damage() == []


@pytest.mark.check
def test_a_memory_that_a_person_takes_back_beside_a_server_keeps_all(a_pair):  # noqa: F811
    host, container = a_pair["host"], a_pair["container"]
    works(host, "beginning")
    with Beside(host) as one, Beside(container) as other:
        one.is_asked(1)
        works(container, "other")
        other.is_asked(2)
        taken = host.memory / asides(host)[0]
        at_a_terminal(container, "-c", RECLAIM, str(host.project), str(taken))
        works(container, "end")
        assert "beginning" in other.finds("beginning end") and "end" in other.finds("beginning end")
    assert said_by(container)[0] == ["beginning", "end"] and container.damage() == []


@pytest.mark.check
def test_a_backup_that_takes_the_place_of_a_memory_is_what_a_server_answers_from(a_pair):  # noqa: F811
    host = a_pair["host"]
    works(host, "beginning")
    at_a_terminal(host, *CLI, "backup")
    with Beside(host) as server:
        works(host, "zeppelin")
        assert "zeppelin" in server.finds("zeppelin")
        at_a_terminal(host, *CLI, "restore", "--confirm")
        assert server.finds("zeppelin").startswith("Nothing that is remembered")
        works(host, "after")
        assert "after" in server.finds("where is the after") and "beginning" in server.finds("beginning")
    assert said_by(host)[0] == ["beginning", "after"] and host.damage() == []


@pytest.mark.check
def test_a_project_that_moves_is_found_again_once_a_session_has_begun_there(a_pair):  # noqa: F811
    host = a_pair["host"]
    works(host, "beginning")
    with Beside(host) as server:
        moved = host.project.with_name("moved")
        shutil.move(host.project, moved)
        assert "is not used (not known to be yours)" in server.client.is_refused("search", query="beginning")
        host.project = moved
        host.environment["CLAUDE_PROJECT_DIR"] = str(moved)
        works(host, "end")
        assert "Where is the beginning?" in server.finds("beginning")
    assert said_by(host)[0] == ["beginning", "end"] and host.damage() == []


@pytest.mark.check
def test_a_memory_that_is_deleted_is_gone_and_a_new_one_is_found(a_pair):  # noqa: F811
    host = a_pair["host"]
    works(host, "beginning")
    with Beside(host) as server:
        server.is_asked()
        shutil.rmtree(host.memory)
        assert server.finds("beginning") == "Nothing is remembered here yet."
        works(host, "end")
        assert "Where is the end?" in server.finds("end") and "beginning" not in server.finds("beginning end")
    assert said_by(host)[0] == ["end"] and host.damage() == []


@pytest.mark.check
def test_what_is_forgotten_while_a_server_lives_is_gone_everywhere(a_pair):  # noqa: F811
    host = a_pair["host"]
    works(host, "zeppelin")
    works(host, "lantern")
    with Beside(host) as server:
        assert "zeppelin" in server.finds("zeppelin")
        (name,) = host.values("SELECT public_id FROM turns WHERE prompt LIKE '%zeppelin%'")
        server.client.uses("show", ids=[name])
        at_a_terminal(host, "-c", FORGET, str(host.project), "zeppelin")
        server.client.is_idle()
        assert server.finds("zeppelin").startswith("Nothing that is remembered")
        assert "no memory has the id" in server.client.is_refused("show", ids=[name])
        assert "lantern" in server.finds("lantern")
        files = [path for folder in (host.memory, host.home) for path in folder.rglob("*") if path.is_file()]
        assert not [path for path in files if b"zeppelin" in path.read_bytes().lower()]
    assert host.damage() == []


FORGET = (
    "import sys; from ralph_mem import Memory; found = Memory(sys.argv[1]).forget(query=sys.argv[2]); "
    "sys.exit(str(found) if not (found['rows'] and found['clean']) else 0)"
)
