"""What users of other loops suffer from, continued: what became of their files, of their repository, of other loops beside theirs.

A comment in front of each test names the row of the list of complaints that it answers.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ralph_mem.core.errors import LoopError, SnapshotError
from ralph_mem.core.project import Project
from ralph_mem.ralph import leftovers, rolling_back, runs
from ralph_mem.ralph.lock import Lock
from ralph_mem.ralph.snapshot import listing, store
from tests import clock
from tests.hook import REPOSITORY, install
from tests.ralph.clients import Session
from tests.ralph.loops import CHECK, STEPS, git, kept, names
from tests.ralph.snapshot.conftest import bytes_below, tree_of
from tests.ralph.test_watchdog import watchdogs

pytestmark = pytest.mark.check  # whole loops, hook by hook; what they are made of has tests of its own

ONE = {"iterations": 1}
LARGE = 3 * 1024**3


@pytest.fixture
def repository(loops):
    """A repository in the middle of somebody's work: an older stash, half of it staged, untracked and ignored files."""
    git(loops.top, "init", "-q", "-b", "main")
    loops.write(".gitignore", "*.log\nbuild/\n.env\n")
    git(loops.top, "add", "-A")
    git(loops.top, "commit", "-qm", "first")
    loops.write("one.txt", "stashed long ago\n")
    git(loops.top, "stash", "-q")
    loops.write("two.txt", "staged\n")
    git(loops.top, "add", "two.txt")
    loops.write("two.txt", "staged, then changed\n")
    for name in ("draft.md", "build/out.bin", "trace.log", ".env"):
        loops.write(name, f"mine: {name}\n")
    return loops


def until(there, for_s=15):
    clock.wait_for(there, for_s)


# row 5: rollback destroyed my work
def test_the_way_back_costs_nothing_of_what_lay_there_before(repository):
    before, git_before = tree_of(repository.top), bytes_below(repository.top / ".git")
    repository.start("echo right | tee one.txt two.txt three.txt >new.txt; rm draft.md; echo x >.env")
    report = repository.back()
    assert tree_of(repository.top) == before and report.kept == []
    assert bytes_below(repository.top / ".git") == git_before
    assert git(repository.top, "stash", "list").count(b"\n") == 1


# row 5: rollback destroyed my work
@pytest.mark.parametrize("rules", ["", "*\n", "!build/\n!*.log\n", None], ids=["none", "all", "other", "gone"])
def test_what_was_ignored_stays_whatever_became_of_the_rules(repository, rules):
    agent = "rm .gitignore" if rules is None else f"printf '{rules}' >.gitignore"
    repository.start(f"{agent}; echo right >one.txt", limits=ONE)
    before = {name: repository.text(name) for name in ("build/out.bin", "trace.log", ".env", "draft.md")}
    report = repository.back()
    assert {name: repository.text(name) for name in before} == before and report.kept == []
    assert repository.text(".gitignore") == "*.log\nbuild/\n.env\n"


# row 5: rollback destroyed my work
def test_what_the_person_did_since_is_kept_and_named_and_even_by_force_not_lost(repository):
    repository.start(*STEPS, limits={"iterations": 3})
    repository.write("one.txt", "mine\n")
    repository.write("mine.txt", "mine\n")
    (repository.top / "draft.md").unlink()
    assert kept(repository.back()) == {
        "one.txt": "changed by the loop, then by you", "mine.txt": "changed by you", "draft.md": "changed by you",
    }  # fmt: skip
    repository.back(force=True)
    assert repository.text("one.txt") == "wrong\n" and repository.text("mine.txt") == "mine\n"
    repository.back(rolling_back.UNDO)
    assert repository.text("one.txt") == "mine\n" and not (repository.top / "draft.md").exists()


# row 5: rollback destroyed my work
def test_a_link_in_the_place_of_the_project_leads_no_snapshot_and_no_rollback_to_what_it_points_at(loops, tmp_path):
    victim = tmp_path / "victim"
    victim.mkdir()
    for name in ("precious.txt", "one.txt"):
        (victim / name).write_text("somebody else's\n")
    run = loops.start("cd ..; mv project moved; ln -s victim project", limits=ONE)
    with pytest.raises(SnapshotError):
        loops.back(force=True)
    assert run.reason == "snapshot_failed" and "victim" in run.why
    assert {path.name: path.read_text() for path in victim.iterdir()} == dict.fromkeys(
        ("precious.txt", "one.txt"), "somebody else's\n"
    )


# row 5: rollback destroyed my work
def test_a_project_that_the_agent_deleted_comes_back_into_a_new_folder(loops):
    loops.write("deep/file.txt", "deep\n")
    before = tree_of(loops.top)
    run = loops.start("cd ..; rm -rf project")
    assert run.reason == "snapshot_failed" and "project is not a folder" in run.why
    loops.top.mkdir()
    loops.back(force=True)
    assert tree_of(loops.top) == before


# row 6: rollback silently restores nothing
def test_what_a_shell_did_comes_back_like_what_an_editor_did(loops):
    loops.write("deep/er/file.txt", "deep\n")
    before = tree_of(loops.top)
    run = loops.start(
        "sed -i s/wrong/right/ one.txt; mv two.txt moved.txt; chmod 600 check.sh; rm -r deep; ln -s /etc deep; >three.txt",
        limits=ONE,
    )
    changed = sorted([change[0] for change in run.iterations[0].changed])
    report = loops.back()
    assert tree_of(loops.top) == before
    touched = {"check.sh", "deep", "moved.txt", "one.txt", "three.txt", "two.txt"}
    assert touched <= {*names(report.restored), *names(report.deleted)} and touched <= set(changed)


# row 6: rollback silently restores nothing
def test_what_no_snapshot_holds_is_named_and_neither_overwritten_nor_called_restored(loops):
    with open(loops.top / "large.bin", "wb") as file:
        file.truncate(LARGE)
    loops.start("echo right >one.txt; printf x | dd of=large.bin conv=notrunc status=none; truncate -s 3G larger.bin", limits=ONE)
    report = loops.back()
    assert kept(report).keys() == {"large.bin", "larger.bin"} and names(report.restored) == ["one.txt"] and report.deleted == []
    with open(loops.top / "large.bin", "rb") as file:
        assert file.read(1) == b"x"


# row 6: rollback silently restores nothing
def test_what_the_checks_left_behind_goes_too_and_is_not_taken_for_the_persons_work(loops):
    loops.write("check.sh", f"{CHECK.replace('exit $wrong', 'date +%N >report.txt; exit $wrong')}")
    before = tree_of(loops.top)
    run = loops.start(*STEPS)
    report = loops.back()
    assert run.status == "success" and report.kept == [] and tree_of(loops.top) == before


# row 6: rollback silently restores nothing
def test_snapshots_that_are_gone_are_missed_and_not_taken_for_a_tree_without_changes(loops):
    loops.start(*STEPS)
    shutil.rmtree(store.folder_of(loops.project))
    with pytest.raises(SnapshotError, match="are gone: deleted"):
        rolling_back.preview_rollback(loops.project, loops.values(), loops.latest(), rolling_back.START)
    with pytest.raises(SnapshotError, match="are gone: deleted"):
        loops.back()


# row 6: rollback silently restores nothing
def test_an_agent_that_deletes_the_snapshots_does_not_go_on_without(loops):
    run = loops.start(f"echo right >one.txt; rm -r '{store.folder_of(loops.project)}'")
    assert (run.reason, len(loops.prompts())) == ("snapshot_failed", 1) and "are gone: deleted" in run.why


# thread: a time-out throws the work of the iteration away
def test_what_was_done_before_the_time_was_up_is_kept_judged_and_snapshotted(loops):
    run = loops.start("echo right >one.txt; sleep 20", limits={"duration_ms": 1200})
    (iteration,) = run.iterations
    assert (run.reason, iteration.kind, [*iteration.verdicts[0].failing]) == ("max_duration", "time", ["three", "two"])
    assert loops.text("one.txt") == "right\n" and iteration.snapshot and [*loops.back().restored] == [b"one.txt"]


# row 8: Windows. No test runs there: what can be proved here is that names and line ends of Windows survive, that no exec bit is
# needed, and that whatever the loop starts is Python.
def test_names_and_line_ends_of_windows_come_back_as_they_were(loops):
    (loops.top / "dir\\file.txt").write_bytes(b"one\r\ntwo\r\n\x1a")
    before = tree_of(loops.top)
    loops.start("printf 'one\\ntwo\\n' >'dir\\file.txt'; mkdir dir; echo >'dir/file.txt'; echo >'C:\\temp'", limits=ONE)
    loops.back()
    assert tree_of(loops.top) == before


# row 8: Windows
def test_a_copy_without_exec_bits_goes_on_at_a_stop(tmp_path):
    plugin = install(tmp_path / "plugin")
    for path in plugin.rglob("*"):
        path.chmod(0o755 if path.is_dir() else 0o644)
    session = Session(tmp_path)
    session.plugin = plugin
    session.begins()
    assert session.stop("Done.").keys() == {"hookSpecificOutput"}
    assert [path.name for path in (REPOSITORY / "ralph_mem").rglob("*.*sh")] == []


# row 15: snapshot eats the disk / is slow
def test_a_file_of_gigabytes_takes_no_room_and_no_place_in_the_prompt(loops):
    with open(loops.top / "large.bin", "wb") as file:
        file.truncate(LARGE)
    run = loops.start("echo right >one.txt; truncate -s 3G larger.bin", limits=ONE)
    folder = store.folder_of(loops.project)
    assert sum([path.stat().st_size for path in Path(folder).rglob("*")]) < 1_000_000
    assert run.iterations[0].snapshot and len(loops.prompts()[0]) < 10_000


# row 15: snapshot eats the disk / is slow
@pytest.mark.parametrize("bound", [{"most_paths": 200}, {"most_bytes": 100_000}], ids=["paths", "bytes"])
def test_a_tree_that_is_too_large_gets_no_loop_and_no_agent(loops, monkeypatch, bound):
    monkeypatch.setattr(listing, "DEFAULT", listing.DEFAULT._replace(**bound))
    for number in range(300):
        loops.write(f"data/{number}", "x" * 1000)
    with pytest.raises(SnapshotError, match="has more than"):
        loops.start(*STEPS)
    assert loops.prompts() == [] and runs.all(loops.project) == [] and runs.live(loops.project) is None
    assert loops.start(*STEPS, snapshot=False).status == "success"


# row 15: snapshot eats the disk / is slow
def test_a_huge_folder_that_the_agent_leaves_behind_ends_the_loop_and_can_still_be_taken_back(loops, monkeypatch):
    usual = listing.DEFAULT
    monkeypatch.setattr(listing, "DEFAULT", usual._replace(most_paths=200))
    run = loops.start("echo right >one.txt; mkdir many; cd many; seq 300 | xargs touch")
    assert (run.reason, run.start_snapshot > 0) == ("snapshot_failed", True) and "200 paths" in run.why
    monkeypatch.setattr(listing, "DEFAULT", usual)
    loops.back(force=True)
    assert loops.text("one.txt") == "wrong\n" and not (loops.top / "many").exists()


# row 16: nested repositories, submodules, monorepo
def test_files_of_repositories_inside_come_back_and_no_git_folder_is_touched(repository):
    inner = repository.top / "packages" / "inner"
    inner.mkdir(parents=True)
    git(inner, "init", "-q", "-b", "main")
    repository.write("packages/inner/kept.txt", "committed\n")
    git(inner, "add", "-A")
    git(inner, "commit", "-qm", "inner")
    git(repository.top, "-c", "protocol.file.allow=always", "submodule", "add", "-q", str(inner), "packages/linked")
    repository.write("packages/inner/kept.txt", "dirty\n")
    repository.write("packages/linked/new.txt", "untracked in a submodule\n")
    before, git_before = tree_of(repository.top), [bytes_below(top / ".git") for top in (repository.top, inner)]
    run = repository.start(
        "cd packages; echo x >inner/kept.txt; rm inner/.gitignore linked/kept.txt; echo y >linked/new.txt", limits=ONE
    )
    assert {"packages/inner/kept.txt", "packages/linked/kept.txt"} <= {change[0] for change in run.iterations[0].changed}
    repository.back()
    assert tree_of(repository.top) == before
    assert [bytes_below(top / ".git") for top in (repository.top, inner)] == git_before


# row 10: no-progress detector wrong both ways
# row 16: nested repositories, submodules, monorepo
def test_work_that_is_committed_or_lies_in_a_repository_inside_counts(repository):
    inner = repository.top / "inner"
    inner.mkdir()
    git(inner, "init", "-q", "-b", "main")
    commits = "git add -A && git -c user.name=a -c user.email=a@b commit -qm step"
    repository.write(
        "check.sh", '#!/bin/sh\nset -- $(ls inner/*.done 2>/dev/null)\necho "1..1"; [ $# -ge 3 ] && echo ok 1 || exit 1\n'
    )
    run = repository.start(*[f"cd inner; touch {name}.done; {commits}" for name in "abc"], limits={"no_progress": 3})
    assert run.status == "success" and [len(each.changed) for each in run.iterations] == [1, 1, 1]


# row 19: commits sweep in my edits
def test_a_loop_commits_nothing_stages_nothing_and_makes_no_branch(repository):
    before = bytes_below(repository.top / ".git")
    assert repository.start(*STEPS).status == "success"
    assert bytes_below(repository.top / ".git") == before
    assert git(repository.top, "diff", "--cached", "--name-only") == b"two.txt\n"


# row 20: parallel runs strand work; stale state; no notice
def test_of_two_loops_in_one_tree_the_second_is_refused_and_a_worktree_has_its_own(repository, tmp_path):
    git(repository.top, "worktree", "add", "-q", str(tmp_path / "beside"))
    with Lock(repository.project):
        with pytest.raises(LoopError, match="at work here already"):
            repository.start(*STEPS)
        with Lock(Project(str(tmp_path / "beside"), repository.project.root)):
            assert repository.prompts() == []


@pytest.fixture
def a_stray_agent(loops):
    """Kill a loop and what would have ended its agent, which works on. Returns the agent's process."""
    with loops.in_background('echo $$ >"$here/pid"; while :; do date +%N >stray; sleep 0.05; done') as killed:
        until((loops.top / "stray").exists)
        for watchdog in watchdogs(killed.pid):
            os.kill(watchdog, signal.SIGKILL)
        killed.send_signal(signal.SIGKILL)
    for prompt in loops.bench.glob("prompt-*"):
        prompt.unlink()
    pid = int((loops.bench / "pid").read_text())
    assert leftovers.is_running(pid)
    yield pid
    subprocess.run(["kill", "-9", str(pid)], check=False, capture_output=True)


# row 20: parallel runs strand work; stale state; no notice
def test_a_loop_that_was_killed_stands_in_nobodys_way_and_its_agent_does_not_work_on(loops, a_stray_agent):
    assert loops.latest().status == "interrupted" and runs.busy(loops.project) is None
    assert loops.start(f"rm -f stray; sleep 0.2; ls stray && exit 9; {'; '.join(STEPS)}").status == "success"
    assert not leftovers.is_running(a_stray_agent) and not (loops.top / "stray").exists()


# row 5: rollback destroyed my work
def test_nobody_writes_any_more_while_files_are_put_back(loops, a_stray_agent):
    loops.back(force=True)
    time.sleep(0.1)
    assert not leftovers.is_running(a_stray_agent) and not (loops.top / "stray").exists()


# row 20: parallel runs strand work; stale state; no notice
def test_a_session_that_is_gone_leaves_no_loop_behind(loops):
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    runs.create(loops.project, "loop-a", {"at": 1, "mode": "in_session", "owner": "gone"})
    runs.write_live(loops.project, runs.Live("loop-a", "in_session", "gone", gone.pid, 1))
    assert loops.latest().status == "interrupted"
    assert loops.start(*STEPS).status == "success"


# row 20: parallel runs strand work; stale state; no notice
def test_a_loop_whose_record_is_gone_is_told_of_once(tmp_path):
    session = Session(tmp_path)
    session.begins()
    Path(runs.path_of(session.loops.project, session.latest().id)).unlink()
    assert "there is no run" in session.stop("Done.")["systemMessage"]
    assert session.stop("Done.") == {} and runs.live(session.loops.project) is None


# row 20: parallel runs strand work; stale state; no notice
def test_whoever_asked_for_it_gets_notice_of_the_end_with_its_reason_and_cannot_hold_it_up(loops):
    told = loops.bench / "told"
    notify = ("/bin/sh", "-c", f"cat >'{told}'; exit 3")
    assert loops.start("date +%N >notes", limits=ONE, notify=notify).reason == "max_iterations"
    assert '"max_iterations"' in told.read_text()
