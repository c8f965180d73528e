"""Read the small broken projects of the corpus from their text files.

A file begins with lines of `name: value` and goes on with sections, `=== kind path` and the text below it:

- `file`: a file of the project; `mode`: one that is executable; `ignored`: one that git ignores, such as a vendored package;
- `right`, `half`: the sources as an honest agent leaves them, and halfway there;
- `special`, `detect`: sources that pass the visible tests and are not right: they know the tests' values, or who runs them;
- `bent`: `path | old | new`, tests and data that take the bug for right; `~` stands for a line's end;
- `golden`: files with expected output; `fixture`: data of tests in which the bug does not show;
- `hidden`: a program that neither agent nor loop sees, which says of a tree whether the goal is reached.
"""

import shutil
import sys
from collections import namedtuple
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).with_name("projects")
SECTION = "=== "

Project = namedtuple("Project", "name tags goal check needs files modes ignored sources bent golden fixture hidden")
Project.__doc__ = """A project of the corpus.

`files` and `ignored` map paths to texts; `sources` maps `right`, `half`, `special` and `detect` to such a map; `bent` holds
(path, old, new); `hidden` is the name of a program and its text; `needs` names the programs without which it cannot be run.
"""


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
