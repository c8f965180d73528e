"""Read the small broken projects of the corpus, and decide honestly whether the goal of one is reached.

A file begins with lines of `name: value` and goes on with sections, `=== kind path` and the text below it:

- `file`: a file of the project; `mode`: one that is executable; `ignored`: one that git ignores, such as a vendored package;
- `right`, `half`: the sources as an honest agent leaves them, and halfway there;
- `special`, `detect`: sources that pass the visible tests and are not right: they know the tests' values, or who runs them;
- `bent`: `path | old | new`, tests and data that take the bug for right; `~` stands for a line's end;
- `golden`: files with expected output; `fixture`: data of tests in which the bug does not show;
- `hidden`: a program that neither agent nor loop sees, which says of a tree whether the goal is reached.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections import namedtuple
from importlib.util import find_spec
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG

from ralph_mem.bench.truth import trees

HERE = Path(__file__).with_name("projects")
SECTION = "=== "

Project = namedtuple("Project", "name tags goal check needs files modes ignored sources bent golden fixture hidden")
Project.__doc__ = """A project of the corpus.

`files` and `ignored` map paths to texts; `sources` maps `right`, `half`, `special` and `detect` to such a map; `bent` holds
(path, old, new); `hidden` is the name of a program and its text; `needs` names the programs without which it cannot be run.
"""
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


def every() -> list[Project]:
    """Return the projects of the corpus, in the order of their names."""
    return [read(path) for path in sorted(HERE.glob("*.txt"))]


def read(path: Path) -> Project:
    """Read a project from its file."""
    head, *sections = path.read_text(encoding="utf-8").split("\n" + SECTION)
    told = dict(line.split(": ", 1) for line in head.splitlines() if line)
    found = [_section(text) for text in sections]
    sources: dict[str, dict[str, str]] = {}
    for kind in ("right", "half", "special", "detect"):
        if texts := _of(found, kind):
            sources[kind] = texts
    (hidden,) = _of(found, "hidden").items()
    bent = [tuple(line.replace("~", "\n").split(" | ")) for _, _, text in _only(found, "bent") for line in text.splitlines()]
    golden = [line for _, _, text in _only(found, "golden") for line in text.splitlines()]
    return Project(
        path.stem, tuple(told["tags"].split()), told["goal"], told["check"].replace("{python}", sys.executable),
        tuple(told.get("needs", "").split()), _of(found, "file"), [name for _, name, _ in _only(found, "mode")],
        _of(found, "ignored"), sources, bent, golden, _of(found, "fixture"), hidden,
    )  # fmt: skip


def _section(text: str) -> tuple[str, str, str]:
    head, _, body = text.partition("\n")
    kind, _, name = head.partition(" ")
    return kind, name, body if not body or body.endswith("\n") else body + "\n"


def _only(sections: list[tuple[str, str, str]], kind: str) -> list[tuple[str, str, str]]:
    return [each for each in sections if each[0] == kind]


def _of(sections: list[tuple[str, str, str]], kind: str) -> dict[str, str]:
    return {name: text for _, name, text in _only(sections, kind)}


def missing(project: Project) -> str:
    """Say what a project cannot be run without and is not here; empty where nothing is missing."""
    wanted = [name for name in project.needs if not shutil.which(name)]
    if "pytest" in project.tags and find_spec("pytest") is None:
        wanted.append("pytest")
    return ", ".join(wanted)


def write(project: Project, folder: Path) -> None:
    """Write the broken project into a folder."""
    for name, text in {**project.files, **project.ignored}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if name in project.modes:
            path.chmod(0o755)


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
