"""Rows of the fault matrix that no other room of the tests has: full disks, other owners, broken git, poor surroundings."""

import os
import shutil
import subprocess

import pytest

from tests import clock
from tests.faults.test_migrations import KILLED, a_person, an_earlier_memory, place, run, state
from tests.hook import PATIENCE, REPOSITORY, ordinary_owner

__all__ = ["a_person"]

STORED = "SELECT title FROM observations ORDER BY seq"


# 3: a full disk


def test_what_neither_database_nor_spool_could_take_is_told_at_the_next_start(a_session):
    a_session.wrap = ["/bin/sh", "-c", 'ulimit -f 0; "$0" "$@"']
    a_session.bash("make mast", "ok")
    a_session.wrap = []
    assert (a_session.values(STORED), a_session.spooled()) == ([], [])
    assert "was lost" in a_session.another().start()["systemMessage"]
    assert "systemMessage" not in a_session.another().start()


# 4: a full disk at the worst moments


@pytest.mark.nightly
@pytest.mark.parametrize("share", [0, 0.3, 0.6, 0.9])
def test_a_disk_that_is_full_during_a_checkpoint_costs_nothing(a_quick_session, share):
    hook = a_quick_session
    for number in range(120):
        hook.bash(f"make part {number}", f"part {number} is " + "made " * 700)
    hook.limits = {"RLIMIT_FSIZE": int(share * (hook.memory / "memory.db-wal").stat().st_size)}
    hook.stop("Is it full?")
    hook.limits = {}
    assert hook.values(STORED) == [f"make part {number}" for number in range(120)]
    hook.stop("It was.")
    assert hook.damage() == []


@pytest.mark.nightly
@pytest.mark.parametrize("kilobytes", [0, 4, 32, 100, 140, 200])
@pytest.mark.parametrize("version", [0, 1, 2])
def test_a_disk_that_is_full_during_a_migration_leaves_the_old_schema_or_the_new_one(a_person, version, kilobytes):
    earlier = an_earlier_memory(a_person, version)
    place(a_person, earlier)
    old = state(a_person)
    a_person.limits = {"RLIMIT_FSIZE": kilobytes * 1024}
    a_person.start()
    a_person.limits = {}
    now = state(a_person)
    assert now[0] in {old[0], 3} and (now[0] != old[0] or now == old)
    assert run(a_person, KILLED, str(a_person.project), 10_000).code == 0  # the next start
    assert state(a_person)[2] == (old[2] or [0, 0])
    assert a_person.damage() == []


# 3 and 5: a real file system without room, or without numbers for files


@pytest.fixture
def a_small_disk(a_project):
    """Give the person a disk of their own that only their hooks see; `fill(options)` mounts it, `room()` makes it large."""
    if os.geteuid() != 0 or not shutil.which("unshare") or not shutil.which("nsenter"):
        pytest.skip("only root, with unshare and nsenter, can mount a small disk")
    folder, holders = str(a_project.folder), []

    def inside(script):
        return subprocess.run(["nsenter", "-m", "-t", str(holders[0].pid), "sh", "-c", script], capture_output=True, text=True)

    def fill(options):
        script = f'mount -t tmpfs -o {options} tmpfs "$1" && mkdir -p "$1/home" "$1/project" && echo ready && exec cat'
        command = ["unshare", "-m", "sh", "-c", script, "sh", folder]
        holders.append(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE))
        if holders[0].stdout.readline() != b"ready\n":
            pytest.skip("nothing can be mounted here")
        a_project.wrap = ["nsenter", "-m", "-t", str(holders[0].pid), f"--wd={a_project.project}"]

    def room():
        assert inside(f"mount -o remount,size=20m,nr_inodes=2000 {folder}").returncode == 0

    def bring_out(into):
        assert inside(f"cp -r {folder}/. {into}").stderr == ""

    a_project.fill, a_project.room, a_project.bring_out = fill, room, bring_out
    yield a_project
    for holder in holders:
        holder.stdin.close()
        holder.wait()
        holder.stdout.close()


@pytest.mark.nightly
@pytest.mark.parametrize("options", ["size=600k", "size=20m,nr_inodes=14"])
def test_a_disk_without_room_or_numbers_loses_nothing_stored_and_goes_on_when_there_is_room(a_small_disk, tmp_path, options):
    hook = a_small_disk
    hook.fill(options)
    hook.start()
    for number in range(150):
        hook.bash(f"make part {number}", f"part {number} is " + "made " * 700)
    hook.room()
    hook.bash("make whole", "ok")
    told = hook.another().start().get("systemMessage", "")
    (tmp_path / "out").mkdir()
    hook.bring_out(tmp_path / "out")
    hook.project = tmp_path / "out" / "project"
    parts = hook.values("SELECT title FROM observations ORDER BY id")
    assert parts[-1] == "make whole" and len(parts) == len(set(parts))
    assert len(parts) == 151 or "lost" in told or "waits" in told
    assert hook.damage() == []


# 7: what is not ours


def test_a_memory_of_another_owner_is_told_and_left_as_it_is(a_session):
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    os.chown(a_session.memory, 12345, 12345)
    before = a_session.memory.stat()
    a_session.wrap = ordinary_owner()
    assert [a_session.bash("make mast", "ok"), a_session.prompt("Why?"), a_session.stop()] == [{}] * 3
    assert "ralph-mem: " in a_session.another().start()["systemMessage"]
    after = a_session.memory.stat()
    assert (after.st_uid, after.st_mode, after.st_mtime_ns) == (before.st_uid, before.st_mode, before.st_mtime_ns)


# 28: git

GITS = {
    "none": lambda git: None,
    "an empty folder": lambda git: git.mkdir(),
    "an empty file": lambda git: git.touch(),
    "junk": lambda git: git.write_bytes(bytes(range(256)) * 40),
    "a pointer to nowhere": lambda git: git.write_text("gitdir: /nowhere/at/all\n"),
    "a pointer to itself": lambda git: git.write_text(f"gitdir: {git}\n"),
    "a link to nowhere": lambda git: git.symlink_to("/nowhere"),
    "a link to itself": lambda git: git.symlink_to(git),
    "a FIFO": os.mkfifo,
    "a head that is junk": lambda git: (git.mkdir(), (git / "HEAD").write_bytes(b"\xff" * 5000)),
    "a head that is a folder": lambda git: (git.mkdir(), (git / "HEAD").mkdir()),
    "a head that is a FIFO": lambda git: (git.mkdir(), os.mkfifo(git / "HEAD")),
    "packed references of 30 MB": lambda git: (
        git.mkdir(), (git / "HEAD").write_text("ref: refs/heads/main\n"),
        (git / "packed-refs").write_text("".join(f"{number:040x} refs/heads/b{number}\n" for number in range(500_000))),
    ),
    "a bare repository": lambda git: subprocess.run(["git", "init", "--quiet", "--bare", git.parent], check=True),
}  # fmt: skip


@pytest.mark.check
@pytest.mark.parametrize("what", GITS)
def test_whatever_git_is_like_there_is_a_memory_and_no_wait(a_person, what):
    a_person.environment["PATH"] = str(a_person.home)  # no git to be found
    GITS[what](a_person.project / ".git")
    watch = clock.Watch()
    assert a_person.every_event()[1:] == [{}] * 10
    assert watch.free() < PATIENCE["PostToolUse"]
    assert a_person.values("SELECT prompt FROM turns") == ["Why does the zeppelin test fail?"]


# 39: a place without locks

NO_LOCKS = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
static int refuse(void) { errno = ENOLCK; return -1; }
#define LOCKS(name) int name(int file, int what, ...) { \\
    va_list rest; va_start(rest, what); void *given = va_arg(rest, void *); va_end(rest); \\
    if (what == F_SETLK || what == F_SETLKW || what == F_GETLK) return refuse(); \\
    return ((int (*)(int, int, ...)) dlsym(RTLD_NEXT, #name))(file, what, given); }
LOCKS(fcntl)
LOCKS(fcntl64)
int flock(int file, int what) { return refuse(); }
"""


@pytest.fixture(scope="module")
def no_locks(tmp_path_factory):
    """Build what makes every request for a lock fail, as on a network's file system without a lock service."""
    if not shutil.which("gcc"):
        pytest.skip("there is no gcc to build a file system without locks from")
    folder = tmp_path_factory.mktemp("locks")
    (folder / "no_locks.c").write_text(NO_LOCKS)
    subprocess.run(["gcc", "-shared", "-fPIC", "-o", folder / "no_locks.so", folder / "no_locks.c", "-ldl"], check=True)
    return folder / "no_locks.so"


@pytest.mark.nightly
def test_where_locks_are_not_supported_events_wait_and_come_in_where_they_are(a_session, no_locks):
    a_session.prompt("Where is the zeppelin?")
    a_session.environment["LD_PRELOAD"] = str(no_locks)
    a_session.bash("make mast", "ok")
    a_session.prompt("And now?")
    assert len(a_session.spooled()) == 2
    del a_session.environment["LD_PRELOAD"]
    a_session.stop("At the mast.")
    assert a_session.values("SELECT prompt FROM turns ORDER BY seq") == ["Where is the zeppelin?", "And now?"]
    assert a_session.values(STORED) == ["make mast"]
    assert a_session.damage() == []


# 42: a plugin that is gone


@pytest.mark.check
@pytest.mark.parametrize(
    "gone", ["hooks/run", "hooks/run.py", "hooks", "", "ralph_mem", "ralph_mem/memory/store/connection.py", "hooks/door.py"]
)
def test_a_plugin_that_was_taken_away_or_half_of_it_is_silent(tmp_path, a_project, gone):
    plugin = shutil.copytree(a_project.plugin, tmp_path / "plugin")
    a_project.start()
    whole, a_project.plugin = a_project.plugin, plugin
    shutil.rmtree(plugin / gone) if (plugin / gone).is_dir() else (plugin / gone).unlink()
    assert [a_project.bash("make"), a_project.prompt("Why?"), a_project.stop(), a_project.end()] == [{}] * 4
    a_project.plugin = whole
    a_project.bash("make mast", "ok")
    assert a_project.values(STORED)[-1:] == ["make mast"]


# 43: poor surroundings

# The person's folder, which lies below /tmp, is seen at /mnt.
HIDDEN = """
mount --bind "$1" /mnt && mount -t tmpfs -o ro t /tmp && cd /mnt/project && shift && mount -t tmpfs -o ro t /dev/shm
exec "$@" """
POOR = {
    "128 MB of memory": lambda _: ["/bin/sh", "-c", 'ulimit -v 131072; exec "$0" "$@"'],
    "64 open files": lambda _: ["/bin/sh", "-c", 'ulimit -n 64; exec "$0" "$@"'],
    "no /tmp and no /dev/shm": lambda hook: ["unshare", "-m", "sh", "-c", HIDDEN, "sh", str(hook.folder)],
}


@pytest.mark.nightly
@pytest.mark.parametrize("what", POOR)
def test_poor_surroundings_do_not_disturb_a_session(a_project, what):
    hook = a_project
    if what.startswith("no"):
        if os.geteuid() != 0 or not shutil.which("unshare"):
            pytest.skip("only root, with unshare, can take /tmp away")
        if REPOSITORY.is_relative_to("/tmp"):
            pytest.skip("the plugin would be gone with /tmp")
        hook.plugin = REPOSITORY
        hook = hook.another(HOME="/mnt/home", CLAUDE_PROJECT_DIR="/mnt/project", TMPDIR=None)
    hook.wrap = POOR[what](hook)
    assert hook.every_event() == [{}] * 11
    assert hook.rows("SELECT prompt, response FROM turns") == [("Why does the zeppelin test fail?", "It flies.")]
    assert hook.damage() == []
