"""What a person does with git while a loop works in their tree is theirs: no damage, and kept by a rollback."""

import signal
import subprocess
import time

import pytest

from ralph_mem.core import project as projects
from ralph_mem.ralph import headless
from ralph_mem.ralph.attribution import listening, writes
from ralph_mem.ralph.git import way_back
from tests.ralph.git.conftest import asked, known
from tests.ralph.loops import STEPS, git
from tests.ralph.test_stopping import until

pytestmark = pytest.mark.skipif(not listening.is_possible(), reason="the calls of this machine are not known")


def both(loops, agent, person):
    """Let a person do something with git in the middle of what an agent does, each a list of commands; returns the run."""
    first, then = agent
    done = loops.bench / "done"

    def act():
        while not (loops.bench / "first").exists():
            pass
        for words in person:
            git(loops.top, *words)
        done.touch()

    thread = loops.meanwhile(act)
    wait = f"touch {loops.bench}/first; while [ ! -e {done} ]; do sleep 0.02; done"
    run = loops.start(f"{first}; {wait}; {then}", limits={"iterations": 1})
    thread.join()
    return run


def lines(run):
    return [line for line in run.iterations[0].tampered if line.startswith("git: ")]


COMMIT = ("commit", "-qm", "mine", "--allow-empty")
ACTS = {
    "commit": [COMMIT],
    "commit of what was staged": [("commit", "-qm", "mine")],
    "branch": [("branch", "mine"), ("tag", "mine")],
    "stash": [("stash", "-q")],
    "stash dropped": [("stash", "drop", "-q")],
    "branch begun": [("checkout", "-qb", "mine"), COMMIT],
    "branch deleted": [("branch", "-qD", "side")],
    "packed": [("pack-refs", "--all"), COMMIT],
    "settings": [("config", "a.b", "c")],
    "reflog": [("reflog", "expire", "--expire=now", "--all")],
    "merge begun": [("checkout", "-qb", "mine", "HEAD~1"), COMMIT, ("merge", "--no-commit", "--no-ff", "-q", "main")],
}


@pytest.mark.check
@pytest.mark.parametrize("person", ACTS.values(), ids=ACTS.keys())
def test_what_only_the_person_did_is_no_damage_and_stays(loops, person):
    run = both(loops, ("git status -s >/dev/null", STEPS[0]), person)
    before = known(loops.top)
    report = loops.back(git=True)
    assert lines(run) == [] and not [line for verb, line in report.git if verb == "git"]
    assert known(loops.top) == before


def test_a_commit_of_the_agents_behind_the_persons_is_kept_with_it_and_named(loops):
    run = both(loops, ("true", "git commit -qm agent --allow-empty"), [COMMIT])
    report = loops.back(git=True)
    assert asked(loops.top, "log", "-2", "--format=%s").split() == ["agent", "mine"]
    assert ("keep", "git: branch main: changed by the loop, then by you") in report.git
    assert lines(run) == ["git: 2 commits made on branch main", "git: branch main: you changed it meanwhile too"]


def test_a_commit_of_the_persons_behind_the_agents_stays(loops):
    both(loops, ("git commit -qm agent --allow-empty", "true"), [COMMIT])
    loops.back(git=True)
    assert asked(loops.top, "log", "-2", "--format=%s").split() == ["mine", "agent"]


def test_beside_what_the_person_did_what_the_agent_did_comes_back(loops):
    before = known(loops.top)
    stashes = before["stashes"].splitlines()
    run = both(loops, ("git branch -qD side; git tag -d v1", "git stash drop -q; git config a.b c"), [("branch", "mine")])
    loops.back(git=True)
    after = known(loops.top)
    assert [line for line in after["refs"].splitlines() if not line.endswith("/mine")] == before["refs"].splitlines()
    assert after["stashes"].splitlines() == stashes and "a.b" not in after["config"]
    assert "refs/heads/mine" in after["refs"] and not [line for line in lines(run) if "mine" in line]


def test_with_refs_that_the_agent_packed_a_commit_of_the_persons_is_still_theirs(loops):
    both(loops, ("git gc -q --prune=now", "git pack-refs --all"), [COMMIT, ("pack-refs", "--all"), ("branch", "mine")])
    report = loops.back(git=True)
    assert asked(loops.top, "log", "-1", "--format=%s").strip() == "mine" and "mine" in asked(loops.top, "branch")
    assert not [line for verb, line in report.git if verb == "git"]


def test_a_stash_of_the_persons_is_not_called_the_loops(loops):
    run = both(loops, ("true", "echo agent >first.txt; git stash -q"), [("stash", "-q")])
    assert [line for line in lines(run) if "stash" in line] == ["git: 1 stash made"]
    assert any("1 stash that the loop made" in line for _, line in loops.back(git=True).git)


def test_with_force_what_both_moved_goes_back(loops):
    before = asked(loops.top, "rev-parse", "main")
    both(loops, ("true", "git commit -qm agent --allow-empty"), [COMMIT])
    loops.back(git=True, force=True)
    assert asked(loops.top, "rev-parse", "main") == before


def test_where_nothing_tells_who_did_it_all_of_it_counts_as_the_loops(loops, monkeypatch):
    from ralph_mem.ralph.attribution import system_calls

    monkeypatch.setattr(system_calls, "filter_of", lambda: b"\0" * 8)
    run = both(loops, ("true", STEPS[0]), [COMMIT])
    assert lines(run) == ["git: 1 commit made on branch main"]


def test_what_the_person_commits_while_the_loop_works_in_a_room_is_there_once_its_result_is_applied(loops):
    person = f"(cd {loops.top} && git commit -qm mine && git branch meanwhile && echo x >first.txt && git stash -q)"
    for name in ("user.name", "user.email"):
        git(loops.top, "config", name, "me@example.org")
    loops.project = projects.find(str(loops.top))
    run = loops.start(f"{person}; git commit -qm agent --allow-empty; {'; '.join(STEPS)}", here=False, commit=True)
    assert (run.status, loops.text("one.txt"), lines(run)) == ("success", "right\n", ["git: 1 commit made on branch main"])
    assert asked(loops.top, "log", "-1", "--format=%s").strip() == "mine" and "meanwhile" in asked(loops.top, "branch")
    assert len(asked(loops.top, "stash", "list").splitlines()) == 3
    assert subprocess.run(["git", "fsck", "--strict"], cwd=loops.top, capture_output=True).returncode == 0


# A loop that was killed, or interrupted


DAMAGE = "git commit -qam agent; git branch -qD side; git stash drop -q; git checkout -q --detach"


@pytest.fixture(params=[signal.SIGKILL, signal.SIGINT], ids=["kill -9", "Ctrl-C"])
def broken_off(loops, request):
    """A loop that was ended while its agent was at work, which had done damage."""
    loops.before = known(loops.top)
    with loops.in_background(f"{DAMAGE}; touch ../go; sleep 60") as supervisor:
        until((loops.folder / "go").exists)
        supervisor.send_signal(request.param)
    return loops


def test_what_its_agent_did_to_git_is_taken_back(broken_off):
    report = broken_off.back(git=True)
    now = known(broken_off.top)
    same = ("HEAD", "refs", "stashes", "staged")
    assert [now[name] for name in same] == [broken_off.before[name] for name in same]
    assert [line for verb, line in report.git if verb == "keep"] == []


@pytest.mark.check
@pytest.mark.parametrize("goes_on", [False, True], ids=["at once", "after it went on"])
def test_what_the_person_did_to_git_afterwards_is_theirs(broken_off, goes_on):
    time.sleep(writes.SLACK_NS / 1_000_000_000)
    for words in (("checkout", "-q", "main"), ("branch", "mine"), ("config", "a.b", "c"), COMMIT):
        git(broken_off.top, *words)
    mine = asked(broken_off.top, "rev-parse", "HEAD")
    if goes_on:
        broken_off.agent("; ".join(STEPS))
        headless.resume(broken_off.project, broken_off.values(), broken_off.latest())
    report = broken_off.back(git=True)
    told = {line for verb, line in report.git if verb == "keep"}
    assert {"git: branch mine: changed by you", "git: branch main: changed by the loop, then by you"} <= told
    assert asked(broken_off.top, "rev-parse", "main") == mine and "side" in asked(broken_off.top, "branch")


@pytest.mark.check
def test_where_nobody_hears_who_writes_it_may_be_either_and_force_takes_it_back(loops):
    before = known(loops.top)
    with loops.in_background(f"{DAMAGE}; touch ../go; sleep 60", attribution=False) as supervisor:
        until((loops.folder / "go").exists)
        supervisor.kill()
    told = {line for verb, line in loops.back(git=True).git if verb == "keep"}
    assert {f"git: {what}: {way_back.BY_EITHER}" for what in ("HEAD", "branch side", "1 stash dropped")} <= told
    loops.back(git=True, force=True)
    assert all([known(loops.top)[name] == before[name] for name in ("HEAD", "refs", "stashes", "staged")])
