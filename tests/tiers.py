"""What runs when: fewer examples and no file for `make check` alone in `make test`, and in CI no test that skips unseen."""

import os
from fnmatch import fnmatchcase
from pathlib import Path

import hypothesis
import pytest

EXCUSED = Path(__file__).with_name("may_skip.txt")
QUICK = "quick"
# What shows most mistakes; `make check` runs as many as each test asks for.
FEW = 25

# The same examples in every run: a test that fails on one machine fails on all of them.
hypothesis.settings.register_profile("house", derandomize=True, database=None, deadline=None)
hypothesis.settings.load_profile("house")
hypothesis.settings.register_profile(QUICK, max_examples=FEW)


def is_quick(config):
    """Say whether this is `make test`."""
    return config.getoption("--hypothesis-profile", None) == QUICK


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Let no test try more examples than the profile `quick` does, where that is the one."""
    if not is_quick(config):
        return
    for item in items:
        asked_for = getattr(getattr(item, "obj", None), "_hypothesis_internal_use_settings", None)
        if asked_for and asked_for.max_examples > FEW:
            item.obj._hypothesis_internal_use_settings = hypothesis.settings(asked_for, max_examples=FEW)


def pytest_ignore_collect(collection_path, config):
    """Leave out a file of which no test is to run: to read them all brings torch, half a minute for each worker."""
    unwanted = [mark for mark in ("check", "nightly") if f"not {mark}" in config.option.markexpr]
    if unwanted and collection_path.suffix == ".py":
        marks = collection_path.read_text(encoding="utf-8").partition("\npytestmark = ")[2].partition("\n\n")[0]
        return any([f"mark.{mark}" in marks for mark in unwanted]) or None
    return None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport():
    """Have a test fail that skips in continuous integration for a reason that is not excused."""
    return _unless_excused((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report():
    """The same for a whole file."""
    return _unless_excused((yield))


def _unless_excused(report):
    if report.skipped and not hasattr(report, "wasxfail") and os.environ.get("CI") == "true":
        reason = report.longrepr[2].removeprefix("Skipped: ")
        if not is_excused(reason):
            report.outcome = "failed"
            report.longrepr = f"it may not skip where CI=true ({EXCUSED.name} does not excuse it): {reason}"
    return report


def is_excused(reason):
    """Say whether a test may skip for this reason in continuous integration."""
    lines = EXCUSED.read_text(encoding="utf-8").splitlines()
    return any(fnmatchcase(reason, line) for line in lines if line and not line.startswith("#"))
