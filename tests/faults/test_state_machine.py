"""Whatever happens in whatever order, what was acknowledged is in the database or in the spool, unless it was forgotten."""

import collections
import contextlib
import json
import shutil
import sqlite3
import tempfile
import uuid
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule, run_state_machine_as_test

from tests import other_sqlite
from tests.faults.quick import QuickHook
from tests.faults.test_skew import interpreters
from tests.hook import INTERPRETER, install
from tests.launcher import Launcher

pytestmark = pytest.mark.check  # long random lives

QUIET = {"deadline": None, "database": None, "derandomize": True, "suppress_health_check": list(HealthCheck)}
# Kills come when they come: the same steps need not fail again, so that there is nothing to gain from looking for fewer.
QUIET |= {"phases": [Phase.generate], "report_multiple_bugs": False}
QUICKLY = settings(max_examples=15, stateful_step_count=20, **QUIET)
NIGHTLY = settings(max_examples=300, stateful_step_count=50, **QUIET)

STORED = "SELECT event_id FROM turns UNION ALL SELECT event_id FROM observations"
SOME = "SELECT public_id, event_id, prompt FROM turns UNION ALL SELECT public_id, event_id, title FROM observations ORDER BY 1"


@pytest.fixture(scope="module")
def pythons():
    """Name what hooks may run under: the Python at hand, the oldest and the newest of this machine, and one with another SQLite."""
    found = {"at hand": str(INTERPRETER)}
    found |= {path: path for path in interpreters() if Path(path).resolve() != INTERPRETER.resolve()}
    with contextlib.suppress(pytest.skip.Exception):
        found["another SQLite"] = other_sqlite.interpreter()
    return found


@pytest.fixture(scope="module")
def releases(tmp_path_factory, pythons):
    """Install two releases: this one, and a later one whose schema has a step more. Yields [(plugin, its launchers by Python)]."""
    now, later = (install(tmp_path_factory.mktemp("plugin")) for _ in range(2))
    rooms = later / "ralph_mem" / "memory" / "store"
    schema, store = rooms / "schema.py", rooms / "connection.py"
    step = 'MIGRATIONS = (*MIGRATIONS, ("ALTER TABLE turns ADD COLUMN mood TEXT",))\nVERSION = len(MIGRATIONS)\n'
    schema.write_text(schema.read_text().replace("VERSION = len(MIGRATIONS)\n", step))
    store.write_text(store.read_text().replace("\nSCHEMA_VERSION = ", "\nSCHEMA_VERSION = 1 + "))
    found = [(plugin, {name: Launcher(path, plugin) for name, path in pythons.items()}) for plugin in (now, later)]
    yield found
    for _, launchers in found:
        for launcher in launchers.values():
            launcher.close()


class Memory(RuleBasedStateMachine):
    """A person at work, and all that can go wrong; beside it, what must have been kept."""

    releases = ()
    used = None  # how often which Python answered

    def __init__(self):
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.certain, self.possible, self.forgotten = set(), set(), set()
        self.release, self.migrated, self.holder, self.sent = 0, 0, None, None
        self.moves = 0

    @initialize(which=st.integers(0, 10**6))
    def the_first_session(self, which):
        plugin, launchers = self.releases[0]
        self.python = [*launchers][which % len(launchers)]
        self.hook = QuickHook(self.folder, plugin, launchers[self.python])
        self.hook.start()
        assert self.hook.database.exists()

    # What is there

    def stored(self):
        """Return the names of events in the database, of a memory that is there."""
        return self.hook.values(STORED) if self.hook.database.exists() else []

    def waiting(self, turn=None):
        """Return the names of events that wait for the memory, wherever the project is by now; of one turn, where that is given."""
        return self.names_in(self.hook.data.glob("spool/*/*.json"), turn)

    @staticmethod
    def names_in(files, turn=None):
        records = [record for path in files for record in json.loads(path.read_text())]
        return [
            record["turn"] if record["verb"] == "turn" else record["event_id"]
            for record in records
            if record["verb"] in {"turn", "observation"} and turn in {None, record["turn"]}
        ]

    @invariant()
    def the_model_is_the_database_and_the_spool(self):
        stored, there = self.stored(), {*self.stored(), *self.waiting()}
        assert len(stored) == len(set(stored))
        assert self.certain <= there, self.certain - there
        assert there <= self.certain | self.possible, there - self.certain - self.possible
        assert not {*stored, *self.names_in(self.hook.spool.glob("*.json"))} & self.forgotten

    # What a session does

    def fires(self, event, name, **fields):
        """Fire an event that leaves one row of this name, perhaps killed, perhaps on a full disk."""
        self.sent = (event, name, self.hook.event(event, **fields))
        self.resends()

    def resends(self):
        event, name, data = self.sent
        ran = self.hook.run(event, data)
        self.used[self.python] += 1
        assert (ran.code, ran.err) in {(0, b""), (-9, b"")}, ran
        kept = ran.code == 0 and not self.hook.limits and self.hook.database.exists()
        (self.certain if kept else self.possible).add(name)
        self.forgotten.discard(name)  # the client says it again

    def asks(self):
        self.hook.turn = str(uuid.uuid4())
        words = f"Where is zeppelin {self.hook.turn[:8]}?"
        self.fires("UserPromptSubmit", f"prompt:{self.hook.turn}", prompt=words, prompt_id=self.hook.turn)

    def runs(self):
        use = f"toolu_{uuid.uuid4().hex}"
        given = {"tool_name": "Bash", "tool_use_id": use, "tool_input": {"command": f"make {use[-8:]}"}}
        self.fires("PostToolUse", use, **given, tool_response={"stdout": "made\n" * 30, "stderr": ""})

    free = precondition(lambda self: self.holder is None)

    @rule()
    @free
    def asking(self):
        self.asks()

    @rule(times=st.integers(1, 3))
    def running_a_command(self, times):
        for _ in range(times):
            self.runs()

    @rule()
    @free
    def answering(self):
        name = f"prompt:{self.hook.turn}"
        self.possible.add(name)  # an answer to a prompt that was never seen, or was forgotten, opens the turn as well
        self.forgotten.discard(name)
        self.hook.stop("It is at the mast.")

    @rule()
    def ending(self):
        self.hook.end()

    @rule()
    @free
    def starting_another_session(self):
        self.hook.session = str(uuid.uuid4())
        self.hook.start()
        self.migrated = max(self.migrated, self.release)

    @rule()
    @free
    @precondition(lambda self: self.sent)
    def sending_the_same_event_again(self):
        self.resends()

    # What goes wrong

    @rule(after=st.integers(0, 60), prompt=st.booleans())
    @free
    def a_kill(self, after, prompt):
        self.hook.kill_after = after / 10_000
        (self.asks if prompt else self.runs)()
        self.hook.kill_after = None

    @rule(kilobytes=st.sampled_from((0, 1, 8, 60, 200)), prompt=st.booleans())
    @free
    def a_full_disk(self, kilobytes, prompt):
        self.hook.limits = {"RLIMIT_FSIZE": kilobytes * 1024}
        (self.asks if prompt else self.runs)()
        self.hook.limits = {}

    @rule()
    @free
    @precondition(lambda self: self.hook.database.exists())
    def somebody_begins_to_write(self):
        self.holder = sqlite3.connect(self.hook.database, isolation_level=None)
        self.holder.execute("BEGIN IMMEDIATE")

    @rule()
    @precondition(lambda self: self.holder)
    def and_is_done(self):
        self.holder.execute("ROLLBACK")
        self.holder.close()
        self.holder = None

    @rule()
    @free
    def a_memory_deleted(self):
        shutil.rmtree(self.hook.memory, ignore_errors=True)
        self.possible |= self.certain  # what waited stays with it
        self.certain, self.migrated = set(), 0

    @rule()
    @free
    def a_project_moved(self):
        self.moves += 1
        self.hook.project = self.hook.project.rename(self.folder / f"moved-{self.moves}")
        self.hook.environment["CLAUDE_PROJECT_DIR"] = str(self.hook.project)
        self.sent = None

    @rule()
    @free
    def another_release(self):
        self.release = 1 - self.release
        self.runs_under(self.python)

    def runs_under(self, python):
        self.python = python
        self.hook.plugin, launchers = self.releases[self.release]
        self.hook.launcher = launchers[python]

    @rule(which=st.integers(0, 10**6))
    @free
    @precondition(lambda self: self.hook.database.exists() and self.release == self.migrated)
    def forgetting(self, which):
        rows = self.hook.rows(SOME)
        if not rows:
            return
        number, name, text = rows[which % len(rows)]
        of_it = self.hook.values(
            "SELECT event_id FROM observations WHERE turn_id = (SELECT id FROM turns WHERE event_id = ?)", name
        )
        of_it += self.waiting(name)  # a command brings in what waits before it looks
        shown = self.hook.typed("mem-forget", number)["reason"]
        self.hook.typed("mem-forget", f"{number} {shown[shown.rindex('--confirm ') :].split(number)[0]}")
        self.certain -= {name, *of_it}
        self.possible = self.possible - {name} | set(of_it)
        self.forgotten.add(name)
        files = [path.read_bytes() for path in self.hook.memory.rglob("*") if path.is_file()]
        assert not text or text.encode() not in b"".join(files)

    def teardown(self):
        """In the end the newest release brings in what waits, and the memory is whole."""
        try:
            if self.holder:
                self.and_is_done()
            self.release = 1
            self.runs_under("at hand")
            told = self.hook.start()
            self.answering()
            self.the_model_is_the_database_and_the_spool()
            assert list(self.hook.spool.glob("*.json")) == [], (told, self.hook.project, self.hook.spooled())
            assert self.hook.damage() == []
            assert self.hook.nothing_left()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)


def of_these(releases):
    """Return the machine with these releases, and with a rule for every other Python that is here, and for another SQLite."""

    def rule_for(python):
        return rule()(Memory.free(lambda self: self.runs_under(python)))

    others = [python for python in releases[0][1] if python != "at hand"]
    rules = {f"another_python_{number}": rule_for(python) for number, python in enumerate(others)}
    if others:
        rules["the_python_at_hand"] = rule_for("at hand")
    return type("OfTheseReleases", (Memory,), {"releases": releases, "used": collections.Counter(), **rules})


@pytest.mark.parametrize(
    "how",
    [
        pytest.param(QUICKLY, id="quickly"),
        pytest.param(NIGHTLY, id="nightly", marks=[pytest.mark.nightly, pytest.mark.timeout(3600)]),
    ],
)
def test_whatever_happens_the_model_is_the_database_and_the_spool(releases, how):
    machine = of_these(releases)
    run_state_machine_as_test(machine, settings=how)
    print(f"\nevents by Python: {dict(machine.used)}")
    assert machine.used.keys() == releases[0][1].keys()  # each that is here took part
