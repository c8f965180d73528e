"""Files of a repository that bear the name of what a hook imports or runs: none of them is run, twenty times over."""

import shutil

import pytest

from ralph_mem.core import project as projects
from ralph_mem.ralph.snapshot import listing, taking
from ralph_mem.ralph.snapshot import store as snapshots
from tests.hostile.test_repositories import in_the_home_of

CANARY = "import os\nos.close(os.open({canary!r}, os.O_CREAT | os.O_WRONLY))\n"
SHELL = "#!/bin/sh\ntouch '{canary}'\n"
# What `import` would find in the folder of the session, were it looked at.
MODULES = (
    *("sitecustomize", "usercustomize", "site", "json", "sqlite3", "_sqlite3", "posix", "marshal", "zlib", "fcntl"),
    *("_thread", "encodings", "ralph_mem", "door", "events"),
)
# What the variables of an interpreter, or of a shell, could name; a session in a folder with a `.envrc` has them.
VARIABLES = {
    "PYTHONPATH": lambda hook: str(hook.project),
    "PYTHONSTARTUP": lambda hook: str(hook.project / "json.py"),
    "PYTHONHOME": lambda hook: str(hook.project),
    "ENV": lambda hook: str(hook.project / "shell"),
    "BASH_ENV": lambda hook: str(hook.project / "shell"),
}


def a_module(name):
    def put(hook, canary):
        (hook.project / f"{name}.py").write_text(CANARY.format(canary=canary))
        package = hook.project / "hooks" / name
        package.mkdir(parents=True)
        (package / "__init__.py").write_text(CANARY.format(canary=canary))

    return put


def a_variable(name):
    def put(hook, canary):
        for module in ("json", "sitecustomize", "encodings", "site"):
            (hook.project / f"{module}.py").write_text(CANARY.format(canary=canary))
        (hook.project / "shell").write_text(SHELL.format(canary=canary))
        hook.environment[name] = VARIABLES[name](hook)

    return put


SHADOWS = {**{f"{name}.py": a_module(name) for name in MODULES}, **{name: a_variable(name) for name in VARIABLES}}


@pytest.fixture
def a_canary(a_clone):
    return a_clone.folder / "canary"


def test_there_are_twenty_of_them():
    print(f"{len(SHADOWS)} shadows")
    assert len(SHADOWS) == 20


@pytest.mark.check
@pytest.mark.parametrize("what", SHADOWS)
def test_no_file_of_a_repository_is_imported_or_run_by_a_hook(a_clone, a_canary, what):
    SHADOWS[what](a_clone, str(a_canary))
    a_clone.every_event()
    assert not a_canary.exists()
    assert a_clone.values("SELECT prompt FROM turns") == ["Why does the zeppelin test fail?"]


@pytest.mark.parametrize("what", ["json.py", "PYTHONPATH"])
def test_an_interpreter_that_is_not_isolated_would_run_them(a_clone, a_canary, what):
    """If nobody could be taken in by these files, the test above would prove nothing."""
    SHADOWS[what](a_clone, str(a_canary))
    a_clone.wrap = [shutil.which("python3", path=a_clone.environment["PATH"]), "-c", "import json"]
    a_clone.run("Stop")
    assert a_canary.exists()


# What git would run for a repository's own config

GITS = {
    "core.fsmonitor": "core.fsmonitor",
    "a pager": "core.pager",
    "ssh": "core.sshCommand",
    "an editor": "core.editor",
    "an alias": "alias.status",
    "an external diff": "diff.external",
    "a filter": "filter.x.clean",
    "a folder of hooks": "core.hooksPath",
}


def test_there_are_eight_of_them():
    print(f"{len(GITS)} tricks of a git config")
    assert len(GITS) == 8


@pytest.mark.check
@pytest.mark.parametrize("what", GITS)
def test_nothing_that_a_git_config_names_is_run(a_clone, a_canary, git, what):
    git(a_clone.project, "init", "-q")
    folder = a_clone.project / "programs"
    folder.mkdir()
    for name in ("trick", "pre-commit", "post-checkout", "post-index-change", "reference-transaction"):
        (folder / name).write_text(SHELL.format(canary=a_canary))
        (folder / name).chmod(0o755)
    (a_clone.project / ".gitattributes").write_text("* filter=x diff=x\n")
    (a_clone.project / "a.py").write_text("a = 1\n")
    value = str(folder) if what == "a folder of hooks" else ("!" * (what == "an alias")) + str(folder / "trick")
    git(a_clone.project, "config", GITS[what], value)
    a_clone.every_event()
    with in_the_home_of(a_clone), snapshots.open_store(projects.find(str(a_clone.project))) as store:
        taking.take(store, "start", run="loop-1", scope=listing.DEFAULT)
        assert store.taken("loop-1")
    assert not a_canary.exists()
    if what == "core.fsmonitor":
        git(a_clone.project, "status")
        assert a_canary.exists(), "if git itself ran nothing, this would prove nothing"
