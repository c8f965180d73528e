"""Both packages in a repository as people leave theirs: dirty, half staged, with odd names, and another one inside."""

import subprocess

from tests.ralph.snapshot import conftest as snapshots

from . import broken_node, broken_python
from .messages_api import call, say

WINDOW = "window"  # the folder of the Node package
IGNORED = ".env\n__pycache__/\n.pytest_cache/\nnode_modules/\n*.log\n"
FIXES = [
    [*python, *((f"{WINDOW}/{path}", old, new) for path, old, new in node)]
    for python, node in zip(broken_python.FIXES, broken_node.FIXES, strict=True)
]
FAILING = [
    *("test_paging.py", "test_money.py", "test_tax.py", "test_customers.py", "test_days.py"),
    *("the dearest is found", "goods are sorted by price", "what is loaded is returned", "what was loaded is not loaded again"),
]


def make(top):
    """Make the repository in a folder."""
    files = {**broken_python.FILES, **{f"{WINDOW}/{path}": text for path, text in broken_node.FILES.items()}}
    for path, text in {**files, ".gitignore": IGNORED, "notes.md": "one\n"}.items():
        write(top, path, text)
    git(top, "init", "-q", "-b", "main")
    git(top, "add", "-A")
    git(top, "commit", "-qm", "The books and the window")
    leave(top)


def leave(top):
    """Leave the work tree in the middle of something."""
    write(top, "notes.md", "one\ntwo, staged\n")
    git(top, "add", "notes.md")
    write(top, "notes.md", "one\ntwo, staged\nthree, not staged\n")
    write(top, ".env", "TOKEN=mine and ignored\n")
    write(top, "drafts/a 'quoted' name\nof two lines", "untracked\n")
    write(top, "drafts/-leading dash", "untracked\n")
    (top / "drafts" / "windows.txt").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\n\x00\xff")
    (top / "run.sh").write_text("#!/bin/sh\nexit 0\n")
    (top / "run.sh").chmod(0o750)
    (top / "books").symlink_to("ledger")
    (top / "empty").mkdir()
    (top / "nested").mkdir()
    git(top / "nested", "init", "-q")
    write(top, "nested/inner.txt", "inner\n")


def tree_of(top):
    """Return an exact picture of the work tree, without the caches of the tools that the checks run, which git ignores."""
    found = snapshots.tree_of(top)
    return {path: told for path, told in found.items() if not {b"__pycache__", b".pytest_cache"} & set(path.split(b"/"))}


def write(top, path, text):
    path = top / path
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def git(folder, *words):
    identity = ("-c", "user.name=Shop", "-c", "user.email=shop@example.invalid")
    return subprocess.run(["git", *identity, *words], cwd=folder, check=True, capture_output=True, timeout=30).stdout


def replies(top, number):
    """Return what the model says in an iteration: it reads what it mends, mends it, and says so."""
    fixes = FIXES[number - 1]
    files = list(dict.fromkeys(path for path, _, _ in fixes))
    reads = call(*(("Read", {"file_path": str(top / path)}) for path in files))
    edits = call(*(("Edit", {"file_path": str(top / path), "old_string": old, "new_string": new}) for path, old, new in fixes))
    return [reads, edits, say(f"Mended what I found, round {number}.")]
