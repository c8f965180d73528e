"""What a loop took from git or moved in it comes back by a confirmed rollback, and nothing that the person did since goes."""

import pytest

from ralph_mem.ralph import rolling_back
from tests.ralph.git.conftest import asked, known, objects
from tests.ralph.loops import git
from tests.ralph.snapshot.conftest import tree_of

# What an agent does to a repository; after a rollback git knows what it knew before.
VANDALS = {
    "commit": "git commit -qam mine; git commit -qm more --allow-empty",
    "amend": "git commit -q --amend -m other",
    "reset": "git reset -q --hard HEAD~1",
    "delete branch": "git branch -qD side",
    "delete tag": "git tag -d v1 v2",
    "stash dropped": "git stash drop -q",
    "stash of the middle dropped": "git stash drop -q stash@{1}",
    "stashes cleared and pruned": "git stash clear; git gc -q --prune=now",
    "branch switched": "git checkout -q side",
    "checkout -f": "git checkout -qf side; git branch -qf main side",
    "detached": "git checkout -q --detach; git commit -qm x --allow-empty",
    "rebase": "git stash -q; git checkout -q side; git commit -qm z --allow-empty; git checkout -q main; git rebase -q side;"
    " git stash pop -q",
    "add": "echo right >one.txt; git add -A",
    "unstage": "git reset -q",
    "rm --cached": "git rm -q -r --cached .",
    "config": "git config core.hooksPath /elsewhere; git config user.email agent@example.com",
    "broken config": "echo '[core' >.git/config",
    "hooks": "echo 'exit 1' >.git/hooks/post-commit; echo 'exit 1' >.git/hooks/pre-commit; chmod +x .git/hooks/pre-commit",
    "alternates": "echo /elsewhere >.git/objects/info/alternates",
    "orphan, expire, gc": "git checkout -q --orphan clean; git add -A; git commit -qm clean; git branch -qD main side;"
    " git tag -d v1 v2; git stash clear; git reflog expire --expire=now --all; git gc -q --prune=now",
    "refs by hand": "rm -rf .git/refs/heads .git/refs/tags .git/packed-refs .git/logs; mkdir -p .git/refs/heads",
    "everything packed": "git gc -q --prune=now",
    "index gone": "rm .git/index",
    "git is gone": "rm -rf .git",
    "objects gone": "rm -rf .git/objects",
    "git is a link": "mv .git .git2; ln -s .git2 .git",
    "objects are a link": "mv .git/objects objects; ln -s ../objects .git/objects",
    "another repository": "rm -rf .git; git init -q; git add -A; git commit -qm fresh",
    "HEAD gone": "rm .git/HEAD",
    "HEAD empty": ": >.git/HEAD",
    "HEAD of rubbish": "echo rubbish >.git/HEAD",
}  # fmt: skip
KEPT_REFS = {"orphan, expire, gc": "clean", "another repository": "master"}


@pytest.mark.check
@pytest.mark.parametrize("act", VANDALS.values(), ids=VANDALS.keys())
def test_git_knows_again_what_it_knew_and_every_object_is_there(loops, act):
    before, there = known(loops.top), objects(loops.top)
    loops.start(act, limits={"iterations": 1})
    loops.back(git=True)
    after = known(loops.top)
    made = [line for line in after["refs"].splitlines() if line.endswith(("heads/clean", "heads/master"))]
    after["refs"] = "".join(f"{line}\n" for line in after["refs"].splitlines() if line not in made)
    after["log"] = without_ours(after["log"])
    assert after == before
    assert there <= objects(loops.top)
    assert asked(loops.top, "fsck", "--strict", "--no-dangling") == ""


def without_ours(log):
    """Return a reflog without what came after the loop's start: it tells what happened, and is not cut."""
    lines = log.splitlines()
    first = next(at for at, line in enumerate(lines) if line.endswith("reset: moving to HEAD") or "commit: add second" in line)
    return "".join(f"{line}\n" for line in lines[first:])


@pytest.mark.parametrize("is_taken", [True, False], ids=["with another in its former place", "with nothing there"])
def test_a_project_that_was_moved_is_rolled_back_where_it_lies_and_nothing_is_done_elsewhere(loops, is_taken):
    before, place = known(loops.top), loops.top
    loops.start("git branch -qD side; git stash drop -q; echo new >new.txt", limits={"iterations": 1})
    loops.move("store")
    if is_taken:
        git(loops.folder, "clone", "-q", str(loops.top), str(place))
    another = place.exists() and tree_of(place)
    report = loops.back(git=True)
    assert (report.deleted, known(loops.top)["stashes"]) == ([b"new.txt"], before["stashes"])
    assert "side" in asked(loops.top, "branch") and (place.exists() and tree_of(place)) == another


# The person's own


def test_what_the_person_changed_since_is_kept_and_named(loops):
    loops.start("git branch -qD side; git tag -d v1; git config a.b c", limits={"iterations": 1})
    git(loops.top, "branch", "side", "main")
    git(loops.top, "branch", "mine")
    git(loops.top, "config", "user.name", "me")
    report = loops.back(git=True)
    told = {line: verb for verb, line in report.git}
    assert told["git: branch side: changed by the loop, then by you"] == told["git: branch mine: changed by you"] == "keep"
    assert told["git: config: changed by the loop, then by you"] == "keep" and "tag v1" in asked(loops.top, "tag").join(
        ["tag ", ""]
    )
    assert asked(loops.top, "rev-parse", "side") == asked(loops.top, "rev-parse", "main") and "mine" in asked(loops.top, "branch")


def test_a_commit_that_the_person_made_afterwards_stays_checked_out(loops):
    loops.start("git commit -qam agent", limits={"iterations": 1})
    git(loops.top, "commit", "-qm", "mine", "--allow-empty")
    mine = asked(loops.top, "rev-parse", "HEAD")
    loops.back(git=True)
    assert asked(loops.top, "rev-parse", "HEAD") == mine


def test_what_the_person_commits_between_two_iterations_stays(loops):
    commit = f"git -C {loops.top} commit -qm mine --allow-empty"
    run = loops.start("git commit -qam agent", "true", limits={"iterations": 2}, notify=())
    assert run.iterations[1].tampered == []
    git(loops.top, *commit.split()[3:])
    loops.back(git=True)
    assert asked(loops.top, "log", "-1", "--format=%s").strip() == "mine"


def test_a_stash_that_the_loop_made_holds_what_was_written_and_stays(loops):
    before = asked(loops.top, "stash", "list").splitlines()
    loops.write("one.txt", "mine, and not committed\n")
    loops.start("git stash -q -u", limits={"iterations": 1})
    report = loops.back(git=True)
    assert len(asked(loops.top, "stash", "list").splitlines()) == len(before) + 1
    assert any("1 stash that the loop made" in line for verb, line in report.git if verb == "keep")
    assert loops.text("one.txt") == "mine, and not committed\n"


def test_a_worktree_that_the_loop_made_is_named_with_its_branch_and_the_commands_drop_both(loops):
    run = loops.start(f"git worktree add -q {loops.folder}/wt", limits={"iterations": 1})
    kept = [line for verb, line in loops.back(git=True).git if verb == "keep"]
    assert "git: worktree wt added" in run.iterations[0].tampered
    remove, drop = f"worktree remove {loops.folder}/wt", "branch -D wt"
    assert kept == [
        f"git: worktree wt: made by the loop; `git {remove}` removes it",
        f"git: branch wt: made by the loop; `git {drop}` drops it",
    ]
    for command in (remove, drop):
        git(loops.top, *command.split())


def test_the_head_of_another_worktree_that_the_loop_moved_is_named_with_the_way_back(loops):
    wt = loops.folder / "wt"
    git(loops.top, "worktree", "add", "-q", str(wt), "side")
    loops.start(f"git -C {wt} checkout -q --detach", limits={"iterations": 1})
    moved = f"moved its HEAD from side to {asked(wt, 'rev-parse', 'HEAD')[:7]}; `git -C {wt} switch side` leads back"
    assert ("keep", f"git: worktree wt: the loop {moved}") in loops.back(git=True).git


def test_with_force_what_the_person_changed_goes_back_too(loops):
    before = asked(loops.top, "rev-parse", "side")
    loops.start("git branch -qD side", limits={"iterations": 1})
    git(loops.top, "branch", "side", "main")
    loops.back(git=True, force=True)
    assert asked(loops.top, "rev-parse", "side") == before


# There and back again


@pytest.mark.check
@pytest.mark.parametrize("act", ["commit", "reset", "delete branch", "orphan, expire, gc", "stashes cleared and pruned", "config"])
def test_a_rollback_of_git_is_undone_and_done_again(loops, act):
    before = known(loops.top)
    loops.start(VANDALS[act], limits={"iterations": 1})
    fixed = known(loops.top)
    loops.back(git=True)
    loops.back(rolling_back.UNDO, git=True)
    assert {**known(loops.top), "log": ""} == {**fixed, "log": ""}
    loops.back(git=True)
    assert {**known(loops.top), "log": "", "refs": ""} == {**before, "log": "", "refs": ""}


def test_to_an_iteration_what_later_ones_did_goes(loops):
    loops.start("git commit -qam first", "git commit -qm second --allow-empty; git branch -qD side", limits={"iterations": 2})
    loops.back("1", git=True)
    assert asked(loops.top, "log", "-1", "--format=%s").strip() == "first" and "side" in asked(loops.top, "branch")


def test_a_preview_changes_nothing_and_says_what_would_be_done(loops):
    run = loops.start("git branch -qD side; rm one.txt", limits={"iterations": 1})
    before = known(loops.top)
    _, plan = rolling_back.preview_rollback(loops.project, loops.values(), run, rolling_back.START)
    assert known(loops.top) == before
    assert plan.git == loops.back(git=True).git and {verb for verb, _ in plan.git} == {"git"}


def test_a_rollback_that_was_cut_off_is_finished_by_the_next(loops, monkeypatch):
    before = known(loops.top)
    loops.start("git branch -qD side; git tag -d v1 v2; git stash clear", limits={"iterations": 1})
    from ralph_mem.ralph.git import putting_back

    calls = []

    def dies(place, really=putting_back.DOES["ref"]):
        calls.append(place)
        if len(calls) > 1:
            raise KeyboardInterrupt
        return really(place)

    with monkeypatch.context() as patched:
        patched.setitem(putting_back.DOES, "ref", dies)
        with pytest.raises(KeyboardInterrupt):
            loops.back(git=True)
    loops.back(git=True)
    assert known(loops.top) == before
