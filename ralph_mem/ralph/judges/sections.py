"""Take from the settings of a project what it is made of.

These are pyproject.toml, setup.cfg and Cargo.toml. How tools are set is that of the start.
"""

import re

HEADING = re.compile(r"^\s*\[{1,2}\s*([^\[\]]+?)\s*\]{1,2}\s*([#;].*)?$")
# Sections that say what a package is made of, in the order of pyproject.toml, setup.cfg, Cargo.toml.
OF_A_PROJECT = re.compile(
    r"(build-system|project(\..*)?|dependency-groups|tool\.(poetry|uv|pdm|flit|setuptools|setuptools_scm|hatch\.(build|version|metadata)"
    r"|cibuildwheel|commitizen|bumpversion|semantic_release)(\..*)?"
    r"|metadata|options(\..*)?|bdist_wheel|sdist|egg_info|build_ext"
    r"|dependencies(\..*)?|dev-dependencies(\..*)?|build-dependencies(\..*)?|target\..*dependencies|features|lib|badges"
    r"|workspace\.dependencies)$"
)
# Of these a plugin of a test runner is made, which then loads by itself.
LOADS_ITSELF = re.compile(r"pytest11|entry[-_]points|tool\.(poetry|pdm)\.(plugins|scripts)|tool\.uv\.sources|project\.scripts")
# TOML knows a heading behind blanks, where other lines may look like one; a value in brackets is quoted or a number.
INDENTED = re.compile(
    r"^[ \t]+\[{1,2}[ \t]*(?:[\"']tool[\"']|(?![\"'][^\"']*[\"'][ \t]*\]|[-+\d])[^\],]*)[ \t]*\]{1,2}[ \t]*(#.*)?$", re.MULTILINE
)
# Of a library of Rust whether and how its tests are run.
RUNS_TESTS = re.compile(r"^\s*[\"']?(test|doctest|bench|harness)[\"']?\s*=.*\n?", re.MULTILINE)
NEEDED = re.compile(r"(?:^|\.)((?:dev-|build-)?dependencies)(?:\.(.+))?$")
KEY = re.compile(r"^\s*[\"']?([\w-]+)[\"']?\s*[.=]")
ELSEWHERE = re.compile(r"\b(path|git|package|registry)[\"']?\s*=")


def merged(start: str, now: str) -> str:
    """Return the sections of the start in which tools are set, and the others of now."""
    old, new = _parts(start), _parts(now)
    kept = [part for part in new if _is_of_a_project(part[0])]
    settings = [part for part in old if not _is_of_a_project(part[0])]
    if [part for part in new if part not in kept] == settings and _is_told_apart(now):
        return now
    opening = [text for name, text in old if not name]
    found = "".join([*opening, *_texts([part for part in kept if part[0]]), *_texts([part for part in settings if part[0]])])
    return found if _is_told_apart(now) else start


def merged_cargo(start: str, now: str) -> str:
    """Return the sections as `merged` does; what was needed before is not taken from elsewhere, and no tests are left out."""
    before = {name: text for name, text in _parts(start) if name == "lib"}
    needed = _needed(start)
    parts = [(name, _of_cargo(name, text, before.get("lib", ""), needed)) for name, text in _parts(now)]
    return merged(start, "".join([text for _, text in parts]))


def _of_cargo(name: str, text: str, library: str, needed: "dict[str, str]") -> str:
    if name == "lib":
        return RUNS_TESTS.sub("", text).rstrip("\n") + "\n" + "".join([found[0] for found in RUNS_TESTS.finditer(library)])
    section = NEEDED.search(name)
    if not section:
        return text
    if section[2]:
        return needed[section[2]] if _leads_elsewhere(text, needed.get(section[2])) else text
    lines = []
    for line in text.splitlines(keepends=True):
        key = KEY.match(line)
        lines.append(needed[key[1]] if key and _leads_elsewhere(line, needed.get(key[1])) else line)
    return "".join(lines)


def _needed(text: str) -> "dict[str, str]":
    """Return the lines or the sections that say what is needed, by its name."""
    found = {}
    for name, body in _parts(text):
        section = NEEDED.search(name)
        if section and section[2]:
            found[section[2]] = body
        elif section:
            found.update({key[1]: line for line in body.splitlines(keepends=True) if (key := KEY.match(line))})
    return found


def _leads_elsewhere(now: str, before: "str | None") -> bool:
    return before is not None and before != now and bool(ELSEWHERE.search(now))


def _texts(parts: "list[tuple[str, str]]") -> "list[str]":
    return [text if text.endswith("\n") else text + "\n" for _, text in parts]


def _parts(text: str) -> "list[tuple[str, str]]":
    """Return a text in its sections, each with its name and its heading; what stands before the first has no name."""
    found: list[tuple[str, list[str]]] = [("", [])]
    for line in text.splitlines(keepends=True):
        heading = HEADING.match(line.rstrip("\n"))
        if heading and not line.startswith((" ", "\t")):
            found.append((re.sub(r"[\s\"']", "", heading[1]), []))
        found[-1][1].append(line)
    return [(name, "".join(lines)) for name, lines in found]


def _is_of_a_project(name: str) -> bool:
    return bool(OF_A_PROJECT.match(name)) and not LOADS_ITSELF.search(name)


def _is_told_apart(text: str) -> bool:
    """Say whether headings are where they seem: none in a text of several lines, no setting of a tool in a section of a project."""
    quoted = re.findall(r'"""|\'\'\'', text) or INDENTED.search(text)
    inside = "".join([body for name, body in _parts(text) if _is_of_a_project(name) or not name])
    return not quoted and not re.search(r"^\s*[\"']?(tool|entry-points|scripts)[\"']?\s*[.=]", inside, re.MULTILINE)
