"""A shop whose total forgets a price, for who mends it and for who cheats."""

import pytest

from tests.ralph.judges.shops import Shop


@pytest.fixture
def shop(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    return Shop(tmp_path)
