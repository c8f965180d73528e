"""Situations for the tests with the real client: a home nobody lives in, a project with a bug, a scripted API."""

import shutil
import subprocess
from pathlib import Path

import pytest

from .client import REPOSITORY, Client, NoClient, find_client
from .messages_api import MessagesApi

DISCOUNT_PY = '''\
"""Discounts in whole cents."""


def reduced(cents, percent):
    """Return a price after a discount."""
    return cents * (100 - percent) // 100
'''

BASKET_PY = '''\
"""Baskets of priced goods."""

from pricing.discount import reduced


def total(prices, percent):
    """Return what a basket costs after the discount."""
    return sum(reduced(cents, percent) for cents in prices)
'''

CHECK_PY = """\
import sys

sys.dont_write_bytecode = True
from pricing.basket import total

due = total([995, 995, 995], 15)
if due != 2537:
    sys.exit(f"LedgerMismatch: three lamps at 15 percent came to {due}, the ledger says 2537")
print("ledger agrees: 3 lamps, 2537 cents")
"""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Leave what starts the real client, or a terminal, to `make check`."""
    for item in items:
        if item.path.is_relative_to(Path(__file__).parent):
            item.add_marker(pytest.mark.check)


@pytest.fixture
def api():
    """Serve a Messages API with an empty script; `api.play` gives it one."""
    with MessagesApi() as server:
        yield server


@pytest.fixture
def a_project(tmp_path):
    """Make a git repository whose small package has a bug that `python3 check_prices.py` shows."""
    project = (tmp_path / "shop").resolve()
    (project / "pricing").mkdir(parents=True)
    (project / "pricing" / "__init__.py").write_text("")
    (project / "pricing" / "discount.py").write_text(DISCOUNT_PY)
    (project / "pricing" / "basket.py").write_text(BASKET_PY)
    (project / "check_prices.py").write_text(CHECK_PY)
    identity = ["-c", "user.name=Shop", "-c", "user.email=shop@example.invalid"]
    for order in (["init", "-q"], ["add", "."], [*identity, "commit", "-q", "-m", "Price baskets"]):
        subprocess.run(["git", *order], cwd=project, check=True, capture_output=True)
    return project


@pytest.fixture
def plugin():
    """Name the plugin under test: this repository."""
    return REPOSITORY


@pytest.fixture(scope="session")
def client_binary():
    """Return where the real client lies; in CI a test that skips for the want of it fails."""
    try:
        return find_client()
    except NoClient as missing:
        pytest.skip(str(missing))


@pytest.fixture
def client(tmp_path, a_project, api, client_binary):
    """Give the real client a home of its own, and no plugin; it must leave no process behind."""
    person = Client(client_binary, home=tmp_path / "home", project=a_project, api=api)
    yield person
    assert person.left_behind == []


@pytest.fixture
def terminal(client):
    """Open an interactive session of the client: `with terminal() as person`."""
    if not shutil.which("tmux"):
        pytest.skip("tmux is not installed")
    return client.terminal
