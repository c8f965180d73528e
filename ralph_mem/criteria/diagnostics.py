"""Diagnostics: how many findings linters, type checkers and compilers report."""

import re

# Sums that a tool prints itself; the number of the last group that matched counts.
SUMS = {
    "ruff": re.compile(r"Found (\d{1,9}) errors?(?: \(\d{1,9} fixed, (\d{1,9}) remaining\))?\.$|(All checks passed!)$"),
    "mypy": re.compile(r"Found (\d{1,9}) errors? in \d{1,9} files? \(|(Success: no issues found)"),
    "eslint": re.compile(r"✖ (\d{1,9}) problems? \(\d"),
}
PYRIGHT = re.compile(r"(\d{1,9}) errors?, (\d{1,9}) warnings?, \d{1,9} (?:informations?|notes?)")
# Findings of tools that print no sum, or more than one.
TSC = re.compile(r"\S.{0,1000}(?:\(\d+,\d+\): | - )error TS\d+: |error TS\d+: ")
MAVEN = re.compile(r"\[ERROR\] (\S.{0,1000}\.(?:java|kt|scala|groovy):\[\d+,\d+\] .*)$")
GO = re.compile(r"(?:vet: )?\S+\.go:\d+:\d+: ")
RUSTC = re.compile(r"error(?:\[E\d+\])?: (?!could not compile|aborting due to|test failed|\d+ targets? failed|build failed)")
RUSTC_PLACE = re.compile(r" *--> \S")
FLAKE8 = re.compile(r"\S.{0,1000}:\d+:\d+: [A-Z]{1,3}\d{3,4} ")
OTHER = re.compile(r"\S.{0,1000}:\d+:(?:\d+:)? (?:fatal )?error: ")


def count(lines: "list[str]") -> "int | None":
    """Return how many findings an output tells of, those of several tools added up; None where it is no such tool's."""
    found: dict[str, int] = {}
    for name, pattern in SUMS.items():
        for match in filter(None, map(pattern.match, lines)):
            last = match[match.lastindex or 0]
            found[name] = found.get(name, 0) + (int(last) if last.isdigit() else 0)
    for match in filter(None, map(PYRIGHT.match, lines)):
        found["pyright"] = int(match[1]) + int(match[2])
    found.update(_compilers(lines, found))
    return sum(found.values()) if found else None


def _compilers(lines: "list[str]", sums: "dict[str, int]") -> "dict[str, int]":
    """Count lines; what a tool counts by itself is not counted again."""
    found = {
        "tsc": sum(bool(TSC.match(line)) for line in lines),
        "maven": len({match[1] for match in map(MAVEN.match, lines) if match}),  # it prints them twice
        "go": sum(bool(GO.match(line)) for line in lines),
        "rustc": sum(bool(RUSTC.match(line)) for line in lines) if any(RUSTC_PLACE.match(line) for line in lines) else 0,
        "flake8": sum(bool(FLAKE8.match(line)) for line in lines) if "ruff" not in sums else 0,
        # gcc, clang, javac, kotlinc and whoever prints as they do
        "others": sum(bool(OTHER.match(line)) for line in lines) if "mypy" not in sums else 0,
    }
    return {name: number for name, number in found.items() if number}
