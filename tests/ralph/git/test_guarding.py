"""What an agent does to git is seen after its iteration, told in words, and ends the loop where the repository is gone."""

import pytest

from ralph_mem.ralph import record, runs, stop_reasons, stopping
from tests.ralph.loops import STEPS, git
from tests.ralph.snapshot.conftest import bytes_below, tree_of


def seen(loops, act):
    """Return what the loop says of git after an iteration that does this."""
    run = loops.start(act, limits={"iterations": 1})
    return [line.replace("git: ", "", 1) for line in run.iterations[0].tampered if line.startswith("git: ")]


ACTS = {
    "git commit -qam mine; git commit -qm more --allow-empty": ["2 commits made on branch main"],
    "git reset -q --hard HEAD~1": ["branch main moved from {main} to {side} (1 commit gone)"],
    "git branch -qD side": ["branch side ({side}) deleted"],
    "git tag -d v1": ["tag v1 ({main}) deleted"],
    "git stash drop -q": ["1 stash dropped"],
    "git stash clear": ["2 stashes dropped"],
    "git stash -q -u": ["1 stash made", "what is staged changed"],
    "git config core.hooksPath elsewhere": ["its config changed"],
    "echo exit 0 >.git/hooks/pre-commit": ["hook pre-commit added"],
    "echo /elsewhere >.git/objects/info/alternates": ["its objects/info/alternates added"],
    "echo right >one.txt; git add one.txt": ["what is staged changed"],
    "git reflog expire --expire=now --all": [
        "2 stashes dropped",
        "the reflog of HEAD was cut",
        "the reflog of branch main was cut",
    ],
    "rm -rf .git": [".git is gone"],
    "mv .git .git2; ln -s .git2 .git": [".git is gone"],
    "git status; touch first.txt; git update-index --refresh; true": [],
}


@pytest.mark.check
@pytest.mark.parametrize(("act", "told"), ACTS.items(), ids=[each[:24] for each in ACTS])
def test_what_changed_is_told_in_words(loops, act, told):
    ids = {name: git(loops.top, "rev-parse", "--short=7", name).decode().strip() for name in ("main", "side")}
    found = seen(loops, act)
    assert [line for line in found if "reflog of branch side" not in line] == [line.format(**ids) for line in told]


def test_without_a_repository_and_where_nothing_is_done_to_it_nothing_is_told(loops, tmp_path):
    assert seen(loops, STEPS[0]) == []


def test_the_loop_only_reads_the_repository(loops):
    before = bytes_below(loops.top / ".git")
    loops.start(*STEPS)
    assert bytes_below(loops.top / ".git") == before


def test_a_loop_whose_repository_goes_ends_with_a_reason_of_its_own(loops):
    run = loops.start("echo right >one.txt; rm -rf .git", *STEPS[1:])
    assert (run.reason, len(run.iterations), stop_reasons.exit_code(run.reason)) == ("repository_lost", 1, 25)
    assert "git: .git is gone" in run.why
    assert stopping.replay(record.read(runs.path_of(loops.project, run.id))) == []


def test_a_project_that_the_agent_deletes_as_a_whole_comes_back_with_its_repository(loops):
    before, files = bytes_below(loops.top / ".git"), tree_of(loops.top)
    run = loops.start(f"cd /; rm -rf '{loops.top}'")
    assert run.reason == "repository_lost" and "git: .git is gone" in run.why
    loops.top.mkdir()
    assert loops.back(git=True).kept == []
    assert tree_of(loops.top) == files and bytes_below(loops.top / ".git").keys() >= before.keys()


def test_success_is_none_without_the_repository(loops):
    run = loops.start("for each in one two three; do echo right >$each.txt; done; rm -rf .git")
    assert run.reason == "repository_lost"
