"""Hold what one check of the doctor saw, and what to do where that is not as it should be."""

from collections import namedtuple

OK, WARNING, PROBLEM = "ok", "warning", "problem"

Finding = namedtuple("Finding", "check state seen do")


def ok(check: str, seen: str) -> Finding:
    """Say that all is well."""
    return Finding(check, OK, seen, "")


def warning(check: str, seen: str, do: str) -> Finding:
    """Say what is worth a look, though memory works."""
    return Finding(check, WARNING, seen, do)


def problem(check: str, seen: str, do: str) -> Finding:
    """Say what keeps memory from working, or from being safe."""
    return Finding(check, PROBLEM, seen, do)
