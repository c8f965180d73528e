"""A Makefile's targets, read as text: make itself runs shell lines while it reads."""

import os
import re

from ralph_mem.ralph.criteria import BUILD_SUCCESS, LINT_CLEAN, TEST_PASS, TYPE_CHECK, configuration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.criteria.finding import Check, Place

# In make's own order.
NAMES = ("GNUmakefile", "makefile", "Makefile")
TARGETS = {
    TEST_PASS: ("test", "tests", "check"),
    BUILD_SUCCESS: ("build", "all"),
    LINT_CLEAN: ("lint",),
    TYPE_CHECK: ("typecheck", "type-check", "types"),
}
# `name other: needed`; no assignment such as `name := value`, and no line of a recipe.
RULE = re.compile(r"([^\s:=#][^:=#]{0,500}?)\s*::?(?![:=])([^=]*)$")


def is_one(place: "Place") -> bool:
    """Say whether a folder has a Makefile."""
    return place.has(*NAMES)


def checks(place: "Place", kind: str) -> "list[Check]":
    """Return the first target of a type that the Makefile has."""
    name, rules, _ = _rules(place)
    for target in TARGETS.get(kind, ()):
        if target in rules:
            return [place.check(f"make {target}", ("make", target), name, definition(place, target))]
    return []


def covers(place: "Place") -> bool:
    """Say that it covers what is below: Makefiles deeper down belong to the one above."""
    return place.has(*NAMES)


def read(text: str) -> "tuple[dict[str, list[str]], list[str]]":
    """Return the lines of each target, and the lines that belong to none, such as variables and includes."""
    rules: dict[str, list[str]] = {}
    rest: list[str] = []
    targets: list[str] = []
    for line in text.replace("\\\n", " ").splitlines():
        match = RULE.match(line)
        if line.startswith("\t"):
            for target in targets:
                rules[target].append(line)
        elif match:
            targets = match[1].split()
            for target in targets:
                rules.setdefault(target, []).append(line)
        elif line.strip() and not line.startswith("#"):
            rest.append(line)
            targets = [] if not line.startswith((" ", "ifdef", "ifeq", "ifn", "else", "endif")) else targets
    return rules, rest


def definition(place: "Place", target: str) -> str:
    """Return what decides what a target does: its rule, those it needs or calls, and every variable."""
    _, rules, rest = _rules(place)
    wanted, known = [target], set()
    while wanted:
        one = wanted.pop()
        if one in rules and one not in known:
            known.add(one)
            wanted += [word for line in rules[one] for word in re.findall(r"[\w./%-]+", line)]
    return "\n".join([*rest, *[line for one in sorted(known) for line in rules[one]]])


def _rules(place: "Place") -> "tuple[str, dict[str, list[str]], list[str]]":
    name = next((name for name in NAMES if place.has(name)), "")
    rules, rest = read(configuration.text(os.path.join(place.folder, name)) if name else "")
    return name, rules, rest
