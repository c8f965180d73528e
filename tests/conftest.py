"""What every test starts from."""

import os
import posix

import pytest

from tests.home_guard import real_home_stays_out_of_reach
from tests.hook import FORKED, REPOSITORY, unchanged
from tests.tiers import (
    is_quick,
    pytest_collection_modifyitems,
    pytest_ignore_collect,
    pytest_make_collect_report,
    pytest_runtest_makereport,
)

pytest_plugins = ["pytester"]

__all__ = ["a_home", "real_home_stays_out_of_reach"]
__all__ += ["pytest_collection_modifyitems", "pytest_ignore_collect"]
__all__ += ["pytest_make_collect_report", "pytest_runtest_makereport"]


@pytest.fixture(scope="session", autouse=True)
def checks_of_projects_tidy_their_own(tmp_path_factory):
    """Let the pytest that checks of projects start keep its folders apart: it would remove old ones of ours, for minutes."""
    own = tmp_path_factory.getbasetemp() / "of-projects"
    own.mkdir(exist_ok=True)
    os.environ["PYTEST_DEBUG_TEMPROOT"] = str(own)


@pytest.fixture(scope="session", autouse=True)
def the_repository_is_a_plugin_that_nothing_changes(pytestconfig):
    """See once that no hook changed it, and in `make test` have its hooks be forks."""
    FORKED.update([REPOSITORY] if is_quick(pytestconfig) else [])
    with unchanged(REPOSITORY):
        yield


@pytest.fixture
def a_home(tmp_path, monkeypatch):
    """Make an empty home that of this process; hooks read `posix.environ`, which `os.environ` is a copy of."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setattr(posix, "environ", {b"HOME": os.fsencode(home)})
    return home
