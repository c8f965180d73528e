"""A viewer of databases has the memory open, as `sqlite3` or a browser of databases does: nothing that was committed is lost."""

import shutil
import subprocess
import sys

import pytest

from tests.faults.test_homes import NAMES, RAN, SAID, a_pair, asides, works  # noqa: F401 - a_pair is a fixture
from tests.hook import REPOSITORY

PYTHON = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
for line in sys.stdin:
    print(db.execute(line).fetchone() or "", flush=True)
db.close()
"""
RECLAIM = (
    "import sys; from ralph_mem.maintenance import registry; from ralph_mem.memory import adopt_foreign; "
    "adopt_foreign.reclaim(registry.choose(sys.argv[1]), sys.argv[2])"
)
READS = "SELECT count(*) FROM sqlite_master;"
BEGINS = "BEGIN;"


class Viewer:
    """A process of its own that has a database open; its end closes it, or it is killed."""

    def __init__(self, path, program="cli", *orders):
        if program == "cli" and not shutil.which("sqlite3"):
            pytest.skip("the sqlite3 program is not installed")
        order = ["sqlite3", "-batch", str(path)] if program == "cli" else [sys.executable, "-u", "-c", PYTHON, str(path)]
        self.process = subprocess.Popen(order, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
        for each in orders or (READS,):
            self.does(each)

    def does(self, order):
        self.process.stdin.write(order + "\n")
        if order.startswith("SELECT") or self.process.args[0] != "sqlite3":
            assert self.process.stdout.readline()

    def ends(self, how="closed"):
        if how == "killed":
            self.process.kill()
        self.process.communicate(timeout=20)


VIEWERS = {
    "the program, idle": ("cli", READS),
    "the program, in a read transaction": ("cli", BEGINS, READS),
    "python, idle": ("python", READS),
    "python, in a read transaction": ("python", BEGINS, READS),
}


def at_a_terminal(hook, *order):
    subprocess.run([sys.executable, *order], env={**hook.environment, "PYTHONPATH": str(REPOSITORY)}, cwd=hook.project, check=True)


def said_by(hook):
    """Return of whom a memory holds what: the words of its prompts and of its commands."""
    return [line[len("Where is the ") : -1] for line in hook.values(SAID)], [line[len("make ") :] for line in hook.values(RAN)]


@pytest.mark.check
@pytest.mark.parametrize("order", [NAMES, NAMES[::-1]], ids=" first".join)
@pytest.mark.parametrize("how", ["closed", "killed"])
@pytest.mark.parametrize("kind", VIEWERS.values(), ids=VIEWERS)
def test_a_memory_that_comes_back_under_a_viewer_keeps_all_that_is_committed(a_pair, kind, how, order):  # noqa: F811
    first, second = [a_pair[name] for name in order]
    works(first, "beginning")
    viewer = Viewer(first.database, *kind)
    works(first, "middle")  # which a viewer in a transaction keeps in the log
    for number in range(2):
        works(second, f"other {number}")
        works(first, f"again {number}")
    viewer.ends(how)
    works(first, "end")
    words = ["beginning", "middle", "again 0", "again 1", "end"]
    assert said_by(first) == (words, words) and first.damage() == []
    works(second, "end")
    assert said_by(second) == (["other 0", "other 1", "end"],) * 2 and second.damage() == []


@pytest.mark.check
def test_a_viewer_that_opens_a_memory_where_it_lies_aside_takes_nothing_with_it(a_pair):  # noqa: F811
    host, container = a_pair["host"], a_pair["container"]
    works(host, "beginning")
    works(container, "other")
    viewers = [Viewer(host.memory / asides(host)[0], *kind) for kind in VIEWERS.values()]
    works(host, "middle")
    for viewer in viewers:
        viewer.ends()
    works(host, "end")
    assert said_by(host) == (["beginning", "middle", "end"],) * 2 and host.damage() == []


@pytest.mark.check
def test_it_is_told_that_a_viewer_shows_what_was_there_before_and_nothing_of_it_stays(a_pair):  # noqa: F811
    host, container = a_pair["host"], a_pair["container"]
    works(host, "beginning")
    viewer = Viewer(host.database, "python")
    works(container, "other")
    assert "another program has the former file open" in works(host, "middle")
    viewer.ends()
    works(container, "other")
    told = works(host, "end")
    assert "yours is back" in told and "another program" not in told
    assert len(asides(host)) == 1 and list(host.memory.glob("*copy*")) == []


@pytest.mark.check
def test_a_memory_that_a_person_takes_back_under_a_viewer_keeps_all_that_is_committed(a_pair):  # noqa: F811
    host, container = a_pair["host"], a_pair["container"]
    works(host, "beginning")
    viewers = [Viewer(host.database), Viewer(host.database, "python", BEGINS, READS)]
    works(host, "middle")
    works(container, "other")
    taken = host.memory / asides(host)[0]
    at_a_terminal(container, "-c", RECLAIM, str(host.project), str(taken))
    works(container, "end")
    for viewer in viewers:
        viewer.ends()
    works(container, "last")
    assert said_by(container) == (["beginning", "middle", "end", "last"],) * 2 and container.damage() == []


@pytest.mark.check
@pytest.mark.parametrize("how", ["closed", "killed"])
def test_a_backup_that_takes_the_place_of_a_memory_under_a_viewer_keeps_what_comes_after_it(a_pair, how):  # noqa: F811
    host = a_pair["host"]
    works(host, "beginning")
    at_a_terminal(host, "-m", "ralph_mem.interfaces.cli", "backup")
    works(host, "middle")
    viewers = [Viewer(host.database), Viewer(host.database, "python", BEGINS, READS)]
    works(host, "lost")
    at_a_terminal(host, "-m", "ralph_mem.interfaces.cli", "restore", "--confirm")
    works(host, "after")
    for viewer in viewers:
        viewer.ends(how)
    works(host, "end")
    assert said_by(host) == (["beginning", "after", "end"],) * 2 and host.damage() == []


@pytest.mark.check
def test_a_log_that_git_tracks_and_a_viewer_has_open_takes_nothing_with_it_that_comes_after_it(a_pair):  # noqa: F811
    host = a_pair["host"]
    works(host, "beginning")
    viewer = Viewer(host.database)
    for order in (["init", "-q"], ["add", "-f", ".ralph-mem/memory.db-wal"]):
        subprocess.run(["git", "-C", str(host.project), *order], check=True)
    works(host, "middle")
    viewer.ends()
    works(host, "end")
    assert host.values(SAID)[-2:] == ["Where is the middle?", "Where is the end?"] and host.damage() == []
