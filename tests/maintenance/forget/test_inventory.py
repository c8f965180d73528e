"""Artefacts: 200 texts in each of 12 kinds of artefact, and not a byte of them left; what holds other things stays.

The same where SQLite is a newer library, which does not clear what it frees unless it is told to, and where two libraries share
the work.
"""

import json
import os
import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ralph_mem.core import notices, paths, spool
from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective as switches
from ralph_mem.maintenance.forget import erase
from ralph_mem.maintenance.forget import pending as erasure_report
from ralph_mem.maintenance.forget import select as selections
from ralph_mem.memory import opening
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.store import schema
from ralph_mem.ralph import runs
from ralph_mem.ralph.snapshot import listing, store, taking
from tests import other_sqlite
from tests.readers import in_order
from tests.sessions import DAY, NOON, Session

LETTERS = "bcdfghjklmnpqrstvwxz"
FILLER = "lamp fuse attic ladder "
# Where in a row a needle stands: at its beginning, in its middle, beyond the first page; in letters of other kinds.
SHAPES = ("start", "middle", "overflow", "CJK", "emoji")
# What is meant by: one row, a session, days, an origin, the whole project, a text.
BY = {"id": 40, "session": 32, "date": 32, "origin": 32, "project": 32, "text": 32}
KINDS = (
    *("rows", "log", "index of memories", "index of rows", "vectors", "spool", "set aside", "backup", "backup of an older release"),
    *("quarantine", "record of a loop", "tables of loops"),
)
BESIDE = ("snapshot in a row", "snapshot in a file", "trouble", "settings", "crash", "flaky", "trust", "receipts")


def a_needle(drawn, shape):
    """Return a text that nothing else has, of one kind of letters."""
    if shape == "CJK":
        return "".join([chr(drawn.randint(0x4E00, 0x9000)) for _ in range(14)])
    if shape == "emoji":
        return "".join([chr(drawn.randint(0x1F400, 0x1F4FF)) for _ in range(9)])
    return "".join(drawn.choices(LETTERS, k=26))


def a_text(needle, shape):
    before = {"middle": 40, "overflow": 300}.get(shape, 0)
    return f"{FILLER * before}{needle} {FILLER * (before or 20)}"


class Life:
    """A project with as many texts as are to go, in every kind of artefact, and one that stays in each.

    Made from the same words it knows the same texts, whoever has put them there: `begin` and `fill` do, `forget` takes them away.
    """

    def __init__(self, folder, how):
        self.how, self.drawn, count = how, random.Random(f"{how} 6A"), BY[how]
        Path(folder).mkdir(parents=True, exist_ok=True)
        self.project, self.opened = Project(str(folder)), None
        self.shapes = [SHAPES[number % len(SHAPES)] for number in range(count)]
        self.needles = [self._marked(shape) for shape in self.shapes]
        self.texts = [a_text(needle, shape) for needle, shape in zip(self.needles, self.shapes, strict=True)]

    def _marked(self, shape):
        """For a query all of them have a word in common; each has a beginning of its own."""
        return a_needle(self.drawn, shape) + (" quetzalcoatlus" if self.how == "text" else "")

    def open(self):
        """Open the memory, with whatever library there is."""
        self.opened = opening.open_ready(self.project)
        return self

    def begin(self):
        """Record every text in a memory that is open."""
        kept = Session(self.opened, self.project, f"kept of {self.how}", NOON)
        kept.starts()
        kept.has_a_turn("Where is the basalt?", "The basalt is in the attic, where it always was.")
        self.session = Session(self.opened, self.project, f"going of {self.how}", NOON + 9 * DAY)
        self.session.starts("resume")
        for number, (needle, text) in enumerate(zip(self.needles, self.texts, strict=True)):
            if self.how == "origin":
                self.session.uses("WebFetch", {"result": text[:3000]}, url="https://lamps.example/" + str(number), prompt=needle)
                self.session.uses("mcp__wiki__page", {"content": text[-2500:]}, page=needle)
            elif number % 2:
                self.session.has_a_turn(f"{needle} and where?", text[:3900])
            else:
                self.session.asks(f"Mend {needle}")
                self.session.runs(f"make {needle}", error=f"Exit code 1\nerror: {text[-1500:]}")
                self.session.notes(f"Note {needle}", text)
                self.session.is_answered(text[:3900])
            if number == len(self.needles) // 2:
                self.opened.tidy()
                self.opened.checkpoint()
        return self

    def forget(self):
        """Forget all the texts; returns the report."""
        reader = lookup.Reader([self.opened], self.project, dict(switches.DEFAULTS), outside=True)
        return erase.forget(reader, selections.plan(reader, self.selection()), snapshots=True)

    def selection(self):
        """Return what selects all the texts and nothing of what stays."""
        if self.how == "id":
            names = self.opened.execute("SELECT public_id FROM turns WHERE session_id = 2 UNION ALL "
                                        "SELECT public_id FROM observations WHERE session_id = 2 AND type = 'note'")  # fmt: skip
            return selections.Selection([name for (name,) in names])
        if self.how == "session":
            (name,) = self.opened.one("SELECT public_id FROM sessions WHERE id = 2")
            return selections.Selection(session=name)
        return {
            "date": selections.Selection(since=NOON + DAY),
            "origin": selections.Selection(origin="outside"),
            "project": selections.Selection(everything=True),
            "text": selections.Selection(query="quetzalcoatlus"),
        }[self.how]

    def fill(self):
        """Put every text into every kind of artefact beside the memory as well."""
        home, key = Path(paths.data_home()), paths.key_of(self.project.root)
        number = self.opened.property("project_id")
        schema.make(self.opened, "vectors")
        going = [row for (row,) in self.opened.execute("SELECT id FROM memories WHERE id > 1")]
        self.opened.db.executemany(
            "INSERT INTO vectors VALUES (?, 'm', 1, CAST(? AS BLOB), NULL, 0, 0)", [*zip(going, self.texts * 2, strict=False)]
        )
        self._loop()
        self._snapshots()
        self._waits()
        for path in (home / "backups" / f"{number}-2026.db", home / "backups" / number / "2026-01-02.db",
                     Path(self.project.folder) / "quarantine" / "memory.db"):  # fmt: skip
            path.parent.mkdir(parents=True, exist_ok=True)
            self.opened.execute("VACUUM INTO ?", (str(path),))
        older = home / "backups" / f"{number}-schema-1.db"
        self.opened.execute("VACUUM INTO ?", (str(older),))
        with closing(sqlite3.connect(older)) as db:
            db.execute("PRAGMA user_version = 1")
        every = "\n".join(self.texts)
        notices.note(self.project.root, every)
        for name in (f"trouble/{key}", f"settings/{key}.json", f"flaky/{key}.json", f"trust/criteria-{key}.json", "crash.txt"):
            (home / name).parent.mkdir(parents=True, exist_ok=True)
            (home / name).write_text(every)

    def _waits(self):
        turn = {"verb": "turn", "session": "s", "turn": "prompt:x", "at": NOON, "prompt": "\n".join(self.texts)}
        assert spool.put(self.project.root, [turn, {**turn, "prompt": "Where is the basalt?"}])
        (path,) = spool.pending(self.project.root)
        Path(path + ".unreadable").write_text("[" + json.dumps(self.texts))
        # what waited for a memory that was here before, and what came with the project
        for folder in (f"{spool.folders(self.project.root)[0]}.project-before", spool.beside(self.project.root)):
            os.mkdir(folder)
            shutil.copy(path, f"{folder}/1-1.json")

    def _loop(self):
        runs.make_folder(self.project)
        lines = [{"what": "start", "goal": "keep the basalt dry"}, *[{"what": "iteration", "said": [each]} for each in self.texts]]
        Path(runs.path_of(self.project, "loop-1")).write_text("".join([json.dumps(line) + "\n" for line in lines]))
        self.opened.execute(
            "INSERT INTO loop_runs (public_id, session_id, goal, status, started_at) VALUES ('loop-1', 1, ?, 'failed', 1)",
            ("\n".join(self.texts),),
        )
        self.opened.execute(
            "INSERT INTO iterations (loop_run_id, number, verdicts, started_at) VALUES (1, 1, ?, 1)", (json.dumps(self.texts),)
        )

    def _snapshots(self):
        root = Path(self.project.root)
        (root / "small.txt").write_text("\n".join(self.texts))
        (root / "large.bin").write_bytes(os.urandom(1_500_000) + "\n".join(self.texts).encode())
        with store.open_store(self.project) as snapshots:
            taking.take(snapshots, "start", run="loop-1", scope=listing.DEFAULT)
        (root / "small.txt").unlink()
        (root / "large.bin").unlink()


def bytes_of(life):
    """Return every file of the two places as it is, and unpacked where it is a blob of a snapshot."""
    folders = [life.project.folder, paths.data_home()]
    return {str(path): path.read_bytes() for folder in folders for path in Path(folder).rglob("*") if path.is_file()}


def left(files, needles):
    """Return which files hold which needles, in three forms; the product's own checker is not asked."""
    found = []
    for path, data in files.items():
        small = data.lower()
        for needle in needles:
            forms = (needle.encode().lower(), json.dumps(needle)[1:-1].encode().lower(), needle[4:12].encode().lower())
            found += [(path, needle) for form in forms if form in small]
    return found


def holds_all(life):
    """Every text is there, in files of every kind but the compressed snapshots."""
    found = left(bytes_of(life), life.needles)
    assert {needle for _, needle in found} == set(life.needles)
    assert len({path.replace(paths.data_home(), "") for path, _ in found}) > 12


def holds_nothing(life):
    """No text is left, what stays is in order, and no blob of a snapshot is there."""
    assert left(bytes_of(life), life.needles) == []
    assert [*Path(store.folder_of(life.project)).rglob("blobs/*/*")] == []
    in_order(life.opened)


@pytest.mark.check
@pytest.mark.parametrize("how", BY)
def test_not_a_byte_is_left_in_any_kind_of_artefact(tmp_path, how):
    life = Life(tmp_path / how, how).open().begin()
    life.fill()
    holds_all(life)
    report = life.forget()
    assert report.is_clean(), erasure_report.lines_of_report(report)
    holds_nothing(life)
    assert len(life.needles) == BY[how]
    if how != "project":
        assert {Path(path).name for path in report.changed["copies rewritten"]} >= {"2026-01-02.db", "memory.db"}
        assert [Path(path).name.rpartition("-schema")[2] for path in report.changed["copies deleted"]] == ["-1.db"]
        assert life.opened.one("SELECT response FROM turns WHERE prompt = 'Where is the basalt?'")
        (start, *rest) = Path(runs.path_of(life.project, "loop-1")).read_text().splitlines()
        assert json.loads(start)["goal"] == "keep the basalt dry"
        assert {json.loads(line)["said"][0] for line in rest} == {"[forgotten]"}
        (waiting,) = spool.pending(life.project.root)
        assert [record["prompt"] for record in json.loads(Path(waiting).read_text())] == ["Where is the basalt?"]


# Two SQLite libraries

MAKES = "import sys; from tests.maintenance.forget.test_inventory import Life; Life(*sys.argv[1:]).open().begin().fill()"
FORGETS = """
import sys
from ralph_mem.maintenance.forget import pending
from tests.maintenance.forget.test_inventory import Life
said = Life(*sys.argv[1:]).open().forget()
print("clean" if said.is_clean() else pending.lines_of_report(said))
"""
# Who makes a memory and who forgets in it; which of the selections runs every time.
SHARED = {("newer", "newer"): "session", ("older", "newer"): "origin", ("newer", "older"): "origin"}
SHARES = [
    pytest.param(*both, how, id=f"made by the {both[0]}, forgotten by the {both[1]}, by {how}",
                 marks=() if how == SHARED[both] else pytest.mark.nightly)
    for both in SHARED for how in BY
]  # fmt: skip


@pytest.mark.check
@pytest.mark.parametrize(("made", "forgotten", "how"), SHARES)
def test_not_a_byte_is_left_whichever_sqlite_made_the_memory_and_whichever_forgets(tmp_path, a_home, made, forgotten, how):
    life, home = Life(tmp_path / how, how), {"HOME": str(a_home)}
    other_sqlite.run(MAKES, life.project.root, how, environment=home, newer=made == "newer")
    holds_all(life)
    said = other_sqlite.run(FORGETS, life.project.root, how, environment=home, newer=forgotten == "newer")
    assert said == "clean\n"
    holds_nothing(life.open())  # by the older library
    if how != "project":
        assert life.opened.one("SELECT response FROM turns WHERE prompt = 'Where is the basalt?'")


def test_each_share_of_two_libraries_has_all_200_texts():
    assert {both: sum(BY[share.values[2]] for share in SHARES if share.values[:2] == both) for both in SHARED} == dict.fromkeys(
        SHARED, 200
    )
