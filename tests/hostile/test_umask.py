"""Whatever the umask of the person, nobody else can look into what we write."""

import os
import shutil
import stat
import subprocess
import tempfile
from pathlib import Path

import pytest

from ralph_mem.core import notices, paths, spool
from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective, trust
from ralph_mem.maintenance import config_file
from ralph_mem.maintenance.recovery import backups
from ralph_mem.memory import opening
from ralph_mem.memory.ownership import foreign, seals
from ralph_mem.memory.rows import records, shingles
from ralph_mem.ralph.snapshot import store, taking
from tests.hostile.test_databases import FILES, a_home

__all__ = ["a_home"]
SOMEBODY_ELSE = "12345"
UMASKS = (0o000, 0o022, 0o077)


def begin(project):
    opened = opening.begin(project, 1000)
    opening.notice(opened, project)
    opened.close()


def the_memory(project):
    begin(project)


def its_log(project):
    opened = opening.open_ready(project)
    opened.set_property("a", "b")
    assert os.path.exists(project.folder + "/memory.db-wal")


def the_key(project):
    assert seals.key()


def an_approval(project):
    assert trust.approve(project, trust.CONFIG, "recording: on\n", ["recording: on"])


def a_setting(project):
    config_file.change(project, "memory.retention_days", "60")
    assert effective.load(project)["memory.retention_days"] == 60


def a_memory_set_aside(project):
    begin(project)
    os.rename(project.folder + "/memory.db", project.folder + "/away")
    FILES["an endless view"](Path(project.folder, "memory.db"))
    os.unlink(project.folder + "/away")
    begin(project)
    assert foreign.aside(project)


def an_event_that_waits(project):
    begin(project)
    assert spool.put(project.root, [{"verb": "session"}])


def a_line_of_trouble(project):
    begin(project)
    notices.note(project.root, "something")


def a_verdict(project):
    begin(project)
    assert os.listdir(os.path.join(paths.data_home(), "known"))


def a_backup(project):
    opened = opening.open_ready(project)
    assert Path(backups.make(opened, 1)).is_file()
    opened.close()


def a_snapshot(project):
    begin(project)
    for name, size in (("large", 2_000_000), ("small", 10)):  # one lies beside the database of the snapshots
        Path(project.root, name).write_bytes(os.urandom(size))
        Path(project.root, name).chmod(0o600)  # the project's own
    with store.open_store(project) as snapshots:
        taking.take(snapshots, "start", "run-1")
    assert sum(len(names) for *_, names in os.walk(store.folder_of(project))) >= 2


def what_was_heard(project):
    opened = opening.open_ready(project)
    shingles.keep(opened, records.heard("a session", 1, "event", ("00" * 8, ""), ""))
    assert os.listdir(f"{project.folder}/{paths.HEARD}")
    opened.close()


ARTEFACTS = (
    *(the_memory, its_log, the_key, an_approval, a_setting),
    *(a_memory_set_aside, an_event_that_waits, a_line_of_trouble, a_verdict),
    *(a_backup, a_snapshot, what_was_heard),
)


@pytest.fixture
def a_project(a_home, tmp_path):
    (tmp_path / "shop").mkdir()
    return Project(str(tmp_path / "shop"))


def test_there_are_thirty_six_cases():
    print(f"{len(UMASKS) * len(ARTEFACTS)} cases")
    assert len(UMASKS) * len(ARTEFACTS) == 36


@pytest.mark.parametrize("artefact", ARTEFACTS, ids=lambda each: each.__name__)
@pytest.mark.parametrize("umask", UMASKS, ids=oct)
def test_what_is_made_is_for_the_owner_alone(a_project, a_home, umask, artefact):
    before = os.umask(umask)
    try:
        artefact(a_project)
    finally:
        os.umask(before)
    found = {}
    for top in (a_project.folder, str(a_home / ".local" / "share" / "ralph-mem"), str(a_home / ".config" / "ralph-mem")):
        for folder, _, names in os.walk(top):
            found |= {path: stat.S_IMODE(os.lstat(path).st_mode) for path in (folder, *[f"{folder}/{name}" for name in names])}
    assert len(found) >= 2
    assert {path: oct(mode) for path, mode in found.items() if mode & 0o077} == {}


@pytest.fixture
def a_shared_machine(monkeypatch):
    """Have a home and a project where everybody can look, and be root, who can be somebody else."""
    import posix

    if os.geteuid() != 0 or not shutil.which("setpriv"):
        pytest.skip("only root, with setpriv, can be somebody else")
    top = Path(tempfile.mkdtemp(dir="/tmp"))
    for folder in (top, top / "home", top / "shop"):
        folder.mkdir(exist_ok=True)
        folder.chmod(0o755)
    monkeypatch.setattr(posix, "environ", {b"HOME": os.fsencode(top / "home"), b"PATH": os.environb[b"PATH"]})
    yield top
    shutil.rmtree(top)


def read_by_somebody_else(top):
    """Return the files below a folder that another person of the machine can read."""
    order = [
        "setpriv",
        f"--reuid={SOMEBODY_ELSE}",
        f"--regid={SOMEBODY_ELSE}",
        "--clear-groups",
        "find",
        top,
        "-type",
        "f",
        "-readable",
    ]
    return sorted(Path(line).name for line in subprocess.run(order, capture_output=True, text=True).stdout.splitlines())


def test_another_person_of_the_machine_can_read_none_of_it(a_shared_machine):
    before = os.umask(0)
    try:
        for number, artefact in enumerate(ARTEFACTS):
            (a_shared_machine / "shop" / str(number)).mkdir()
            artefact(Project(str(a_shared_machine / "shop" / str(number))))
        (a_shared_machine / "home" / "everybody's").touch()
    finally:
        os.umask(before)
    assert len([*a_shared_machine.rglob("memory.db")]) >= len(ARTEFACTS) - 3
    assert read_by_somebody_else(a_shared_machine) == ["everybody's"]
