"""A repository as people leave them, and all that git knows of one."""

import subprocess

import pytest

from tests.ralph.loops import Loops, git


@pytest.fixture
def loops(tmp_path):
    """A project that is a repository of two commits on main, with a branch, tags, two stashes, a hook and something staged."""
    made = Loops(tmp_path)
    fill(made)
    return made


def fill(made, *options):
    git(made.top, "init", "-q", "-b", "main", *options)
    for name, text in (("first.txt", "one"), ("second.txt", "two")):
        made.write(name, text)
        git(made.top, "add", "-A")
        git(made.top, "commit", "-qm", f"add {name}")
    git(made.top, "branch", "side", "HEAD~1")
    git(made.top, "tag", "v1")
    git(made.top, "tag", "-a", "v2", "-m", "annotated")
    for text in ("stashed", "stashed later"):
        made.write("first.txt", text)
        git(made.top, "stash")
    made.write(".git/hooks/post-commit", "#!/bin/sh\nexit 0\n").chmod(0o755)
    made.write("staged.txt", "staged")
    git(made.top, "add", "staged.txt")


def known(top):
    """Return what git knows: HEAD, refs, stashes, reflogs, what is staged, settings and hooks."""
    said = {name: asked(top, *words) for name, words in ASKED.items()}
    hooks = {path.name: (path.read_bytes(), path.stat().st_mode) for path in common(top).glob("hooks/*")}
    return {**said, "hooks": hooks}


ASKED = {
    "HEAD": ("rev-parse", "--symbolic-full-name", "HEAD"),
    "refs": ("for-each-ref",),
    "stashes": ("stash", "list", "--format=%H %gs"),
    "staged": ("ls-files", "--stage"),
    "config": ("config", "--list", "--local"),
    "log": ("log", "-g", "--format=%H %gs", "main"),
}


def asked(top, *words):
    return subprocess.run(["git", *words], cwd=top, capture_output=True, timeout=30).stdout.decode()


def common(top):
    return (top / asked(top, "rev-parse", "--git-common-dir").strip()).resolve()


def objects(top):
    """Return the ids of all objects, whatever leads to them."""
    return set(asked(top, "cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split())
