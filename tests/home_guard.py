"""The guard around the suite: no test reads or writes the home of the person who runs it."""

import os
import posix
import tempfile
from pathlib import Path

import pytest

OURS = "ralph-mem"
VARIABLES = {
    "HOME": "",
    "XDG_CONFIG_HOME": ".config",
    "XDG_DATA_HOME": ".local/share",
    "XDG_CACHE_HOME": ".cache",
    "XDG_STATE_HOME": ".local/state",
    "CLAUDE_CONFIG_DIR": ".claude",
}
GIT = {
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A Tester",
    "GIT_AUTHOR_EMAIL": "tester@example.invalid",
    "GIT_COMMITTER_NAME": "A Tester",
    "GIT_COMMITTER_EMAIL": "tester@example.invalid",
}


@pytest.fixture(autouse=True, scope="session")
def real_home_stays_out_of_reach():
    """Point everything that knows the home elsewhere, and compare the real one afterwards."""
    watched = folders(os.environ)
    before = snapshot(watched)
    with tempfile.TemporaryDirectory(prefix="ralph-mem-home-") as home, pytest.MonkeyPatch.context() as patch:
        for name, below in VARIABLES.items():
            patch.setenv(name, str(Path(home, below)))
        for name, value in GIT.items():
            patch.setenv(name, value)
        # hooks read this one, of which os.environ was made a copy when the interpreter started
        patch.setattr(posix, "environ", dict(os.environb))
        for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "CLAUDE_PLUGIN_ROOT", "CLAUDE_PROJECT_DIR"):
            patch.delenv(name, raising=False)
        yield
    changed = differences(before, snapshot(watched))
    assert not changed, "the tests have changed the real home: " + ", ".join(changed)


def folders(environment):
    """Return the real home and the folders in which ralph-mem would keep something of the person's."""
    home = Path(environment.get("HOME") or Path.home())
    config = environment.get("XDG_CONFIG_HOME") or home / ".config"
    data = environment.get("XDG_DATA_HOME") or home / ".local" / "share"
    return home, [Path(config, OURS), Path(data, OURS), home / ".ralph-mem"]


def snapshot(watched):
    """Return what lies at the top of the home, and every file of ours below it with size and time of change."""
    home, ours = watched
    found = {str(path): None for path in home.glob("*")}
    for folder in ours:
        for path in folder.rglob("*"):
            state = path.lstat()
            found[str(path)] = (state.st_size, state.st_mtime_ns)
    return found


def differences(before, after):
    """Name what has come, gone or changed."""
    return sorted(path for path in before.keys() | after.keys() if before.get(path, ()) != after.get(path, ()))
