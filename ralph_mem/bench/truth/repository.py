"""Read what a git repository holds, and say what is not there any more."""

import subprocess
from collections import namedtuple
from pathlib import Path

SECONDS = 20
STASH = "refs/stash"

Held = namedtuple("Held", "head refs stash objects staged")
Held.__doc__ = """What a repository holds.

`head` is what HEAD says, `refs` maps names to hashes, `stash` is the hashes of its entries, `objects` all that can be reached from
refs, reflogs and the stash, `staged` the index as paths with hashes. All are empty where there is no repository.
"""


def git(top: Path, *words: str, given: str = "") -> str:
    """Run git without the person's configuration; returns what it prints, nothing where it fails."""
    ran = subprocess.run(
        ["git", *words], cwd=top, input=given, capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False
    )
    return ran.stdout.strip() if ran.returncode == 0 else ""


def read(top: Path) -> Held:
    """Return what the repository of a folder holds."""
    if not (top / ".git").is_dir():
        return Held("", {}, [], set(), {})
    refs = dict(line.split(" ", 1) for line in git(top, "for-each-ref", "--format=%(refname) %(objectname)").splitlines())
    objects = {line.split(" ", 1)[0] for line in git(top, "rev-list", "--objects", "--all", "--reflog").splitlines()}
    staged = {line.partition("\t")[2]: line.partition("\t")[0] for line in git(top, "ls-files", "-s").splitlines()}
    stash = git(top, "stash", "list", "--format=%H").splitlines()
    return Held(git(top, "symbolic-ref", "-q", "HEAD"), refs, stash, objects, staged)


def lost(top: Path, before: Held) -> dict[str, int]:
    """Return how many refs, stash entries and objects of before are gone for good, and whether HEAD names another branch.

    A branch that moved on to commits that stand on its old one is not lost, nor an entry of the stash that got another number.
    """
    now = read(top)
    branches = {name: old for name, old in before.refs.items() if name != STASH}
    return {
        "refs": sum(not _stands(top, old, now.refs.get(name)) for name, old in branches.items()),
        "stash": sum(entry not in now.stash for entry in before.stash),
        "objects": len(_missing(top, before.objects)),
        "head": int(now.head != before.head),
    }


def _stands(top: Path, old: str, new: str | None) -> bool:
    return new == old or bool(new and git(top, "merge-base", old, new) == old)


def _missing(top: Path, objects: set[str]) -> set[str]:
    if not (top / ".git").is_dir():
        return objects
    told = git(top, "cat-file", "--batch-check", given="\n".join(sorted(objects)) + "\n")
    there = {line.split(" ", 1)[0] for line in told.splitlines() if not line.endswith("missing")}
    return objects - there
