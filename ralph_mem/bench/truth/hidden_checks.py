"""Decide honestly whether the goal of a project is reached, by checks that neither agent nor loop sees."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG

from ralph_mem.bench.truth import trees
from ralph_mem.bench.truth.projects import Project

SECONDS = 20
# Compiled files may say something else than the sources that they stand for; dependencies are not what is judged.
BY_NAME = shutil.ignore_patterns(".git", "__pycache__", "build", ".ralph-mem", ".pytest_cache", "*.pyc")
RUNS = {
    ".py": (sys.executable, "-I", "-S", "-B"),
    ".js": ("node",),
    ".mjs": ("node",),
    ".sh": ("sh",),
}
FIRST = {".py": "import sys; sys.path.insert(0, sys.argv[1])\n", ".js": "", ".mjs": "", ".sh": ""}
# Its end has to be reached: a source that leaves with 0 halfway passes nothing.
LAST = {".py": 'print("{0}")', ".js": 'console.log("{0}");', ".mjs": 'console.log("{0}");', ".sh": '[ $? -eq 0 ] && echo "{0}"'}


def reached(project: Project, tree: Path) -> bool:
    """Say whether the sources in a tree do what the goal says; they are copied, and the tree is left alone."""
    name, text = project.hidden
    kind, word = Path(name).suffix, os.urandom(8).hex()
    with tempfile.TemporaryDirectory(prefix="ralph-mem-hidden-") as folder:
        copied, checks = Path(folder, "tree"), Path(folder, "checks")
        checks.mkdir()
        try:
            shutil.copytree(tree, copied, symlinks=True, ignore=_left_out)
        except (OSError, shutil.Error):
            return False  # what cannot be read is not right
        (checks / name).write_text(FIRST[kind] + text + LAST[kind].format(word), encoding="utf-8")
        return _said_by([*RUNS[kind], name, str(copied)], checks).endswith(word)


def _left_out(folder: str, names: list[str]) -> set[str]:
    """Return what of a folder is not copied: no source is a pipe, nor as large as that."""
    kinds = {name: Path(folder, name).lstat() for name in names}
    odd = {name for name, st in kinds.items() if not (S_ISREG(st.st_mode) or S_ISDIR(st.st_mode) or S_ISLNK(st.st_mode))}
    return {*BY_NAME(folder, names), *odd, *[name for name, st in kinds.items() if st.st_size > trees.MOST_BYTES]}


def _said_by(order: list[str], folder: Path) -> str:
    around = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    try:
        ran = subprocess.run(
            order, cwd=folder, env={**around, "HOME": str(folder)}, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            errors="replace", timeout=SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ran.stdout.strip() if ran.returncode == 0 else ""
