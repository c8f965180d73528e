"""A repository's own files run nothing: sixty that try, each through every entrance, with a canary that would sing."""

import json
import os
import posix
import sqlite3
from pathlib import Path

import pytest

from ralph_mem.cli import app, trusting
from ralph_mem.core import trust
from ralph_mem.core.project import Project

SING = "touch {canary}"
CUSTOM = "custom={sing}"
APPROVED_BEFORE = "ralph:\n  agent: [sh, -c, 'true']\n"
# What the config of the repository says.
CONFIGS = {
    "a check": "ralph:\n  success_criteria: ['custom={sing}']\n",
    "a check, dotted": "ralph.success_criteria: ['custom={sing}']\n",
    "a check by its kind": "ralph:\n  success_criteria: ['test_pass={sing}']\n",
    "a build by its kind": "ralph:\n  success_criteria: ['build_success={sing}']\n",
    "a linter by its kind": "ralph:\n  success_criteria: ['lint_clean={sing}']\n",
    "types by their kind": "ralph:\n  success_criteria: ['type_check={sing}']\n",
    "blanks around the sign": "ralph:\n  success_criteria: ['custom = {sing}']\n",
    "one among good ones": "ralph:\n  success_criteria: [test_pass, 'custom={sing}', lint_clean]\n",
    "a list of lines": "ralph:\n  success_criteria:\n    - custom={sing}\n",
    "no list": "ralph:\n  success_criteria: custom={sing}\n",
    "a kind in capitals": "ralph:\n  success_criteria: ['CUSTOM={sing}']\n",
    "an agent": "ralph:\n  agent: [sh, -c, '{sing}']\n",
    "an agent, dotted": "ralph.agent: [sh, -c, '{sing}']\n",
    "an agent as a text": "ralph:\n  agent: '{sing}'\n",
    "an agent of lines": "ralph:\n  agent:\n    - sh\n    - -c\n    - {sing}\n",
    "a notice": "ralph:\n  notify: [sh, -c, '{sing}']\n",
    "a notice, dotted": "ralph.notify: [sh, -c, '{sing}']\n",
    "a permission": "ralph:\n  allow: ['Bash(*)']\n  agent: [sh, -c, '{sing}']\n",
    "all of them": "ralph:\n  success_criteria: ['custom={sing}']\n  agent: [sh, -c, '{sing}']\n  notify: [sh, -c, '{sing}']\n",
    "a twin of a key": "ralph:\n  notify: []\n  notify: [sh, -c, '{sing}']\n",
    "a twin of a section": "ralph:\n  memory: true\nralph:\n  agent: [sh, -c, '{sing}']\n",
    "a key in two ways": "ralph.agent: []\nralph:\n  agent: [sh, -c, '{sing}']\n",
    "an anchor": "a: &a [sh, -c, '{sing}']\nralph:\n  agent: *a\n",
    "a merge": "a: &a\n  agent: [sh, -c, '{sing}']\nralph:\n  <<: *a\n",
    "a tag": "ralph:\n  agent: !!python/object/apply:os.system ['{sing}']\n",
    "a tag of a name": "a: !!python/name:os.system\nralph.agent: [sh, -c, '{sing}']\n",
    "an include": "include: other.yaml\nralph:\n  agent: !include other.yaml\n",
    "a second document": "recording: on\n---\nralph:\n  agent: [sh, -c, '{sing}']\n",
    "a directive": "%YAML 1.1\n---\nralph:\n  agent: [sh, -c, '{sing}']\n",
    "a byte order mark": "\ufeffralph:\n  agent: [sh, -c, '{sing}']\n",
    "a Cyrillic key": "r\u0430lph:\n  agent: [sh, -c, '{sing}']\n",
    "a key in capitals": "Ralph:\n  Agent: [sh, -c, '{sing}']\n",
    "a wide key": "\uff52alph:\n  agent: [sh, -c, '{sing}']\n",
    "an invisible letter": "ral\u200bph:\n  agent: [sh, -c, '{sing}']\n",
    "a variable": "ralph:\n  agent: [$SHELL, -c, '{sing}']\n",
    "a variable in braces": "ralph:\n  success_criteria: ['custom=${SHELL} -c \"{sing}\"']\n",
    "another command inside": "ralph:\n  success_criteria: ['test_pass=$({sing})']\n",
    "a pipe": "ralph:\n  success_criteria: ['custom=true; {sing}']\n",
    "a trust store of its own": "trust:\n  path: .ralph-mem/trust\nralph.agent: [sh, -c, '{sing}']\n",
    "a home of its own": "env:\n  XDG_DATA_HOME: .\nralph.agent: [sh, -c, '{sing}']\n",
    "lines of another system": "ralph:\r\n  agent: [sh, -c, '{sing}']\r\n",
    "a broken end": "ralph:\n  agent: [sh, -c, '{sing}']\n\tx: 1\n",
    "a value that is out of range": "ralph:\n  agent: [sh, -c, '{sing}']\n  timeout_s: 0\n",
    "the last word": "ralph.agent: []\n" + "#" * 60_000 + "\nralph.notify: [sh, -c, '{sing}']\n",
}


def config(text):
    def make(hook, sing):
        (hook.memory / "config.yaml").write_text(text.replace("{sing}", sing), encoding="utf-8")

    return make


def wide(hook, sing):
    (hook.memory / "config.yaml").write_text(f"ralph:\n  agent: [sh, -c, '{sing}']\n")


def approve(hook, text):
    """Let the person approve a config of the project, in the data home of the hook."""
    with in_the_home_of(hook):
        trust.approve(Project(str(hook.project)), trust.CONFIG, text, [])


def changed_after_approval(hook, sing):
    approve(hook, APPROVED_BEFORE)
    wide(hook, sing)


def approved_elsewhere(hook, sing):
    with in_the_home_of(hook):
        (hook.folder / "other").mkdir()
        trust.approve(Project(str(hook.folder / "other")), trust.CONFIG, f"ralph:\n  agent: [sh, -c, '{sing}']\n", [])
    wide(hook, sing)


def approved_and_taken_back(hook, sing):
    approve(hook, f"ralph:\n  agent: [sh, -c, '{sing}']\n")
    with in_the_home_of(hook):
        trust.revoke(Project(str(hook.project)))
    wide(hook, sing)


def a_link_to_a_config(hook, sing):
    (hook.project / "evil.yaml").write_text(f"ralph:\n  agent: [sh, -c, '{sing}']\n")
    (hook.memory / "config.yaml").symlink_to("../evil.yaml")


def a_link_to_the_folder(hook, sing):
    hook.memory.rmdir()
    (hook.project / "shipped").mkdir()
    (hook.project / "shipped" / "config.yaml").write_text(f"ralph:\n  agent: [sh, -c, '{sing}']\n")
    hook.memory.symlink_to("shipped")


def approvals_in_the_repository(hook, sing):
    wide(hook, sing)
    for folder in (hook.memory / "trust", hook.project / ".local" / "share" / "ralph-mem" / "trust"):
        folder.mkdir(parents=True)
        (folder / "approved-x.json").write_text(json.dumps({"x": {"at": 1, "kind": "config", "lines": []}}))


def a_home_in_the_repository(hook, sing):
    wide(hook, sing)
    hook.environment["XDG_DATA_HOME"] = str(hook.memory / "data")
    hook.environment["XDG_CONFIG_HOME"] = str(hook.home / ".config")


def settings_ready_made(hook, sing):
    wide(hook, sing)
    (hook.memory / "settings").mkdir()
    (hook.memory / "settings" / "cache.json").write_text(json.dumps({"values": [{}, {"ralph.agent": ["sh", "-c", sing]}]}))


def python_files(hook, sing):
    for name in ("sitecustomize", "usercustomize", "json", "sqlite3", "posix", "ralph_mem", "yaml", "_sqlite3"):
        (hook.project / f"{name}.py").write_text(f"import os; os.system({sing!r})\n")
    (hook.project / "x.pth").write_text(f"import os; os.system({sing!r})\n")
    hook.environment["PYTHONPATH"] = hook.environment["PYTHONHOME_"] = str(hook.project)


def git_config(hook, sing):
    (hook.project / ".git").mkdir()
    (hook.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    (hook.project / ".git" / "config").write_text(f"[core]\n\tfsmonitor = {sing}\n\tpager = {sing}\n\tsshCommand = {sing}\n")
    (hook.project / ".git" / "hooks").mkdir()
    for name in ("post-checkout", "pre-commit", "post-index-change"):
        (hook.project / ".git" / "hooks" / name).write_text(f"#!/bin/sh\n{sing}\n")
        (hook.project / ".git" / "hooks" / name).chmod(0o755)


def a_suite_that_sings(hook, sing):
    (hook.project / "test_x.py").write_text(f"import os\nos.system({sing!r})\n")
    (hook.project / "conftest.py").write_text(f"import os\nos.system({sing!r})\n")
    (hook.project / "pytest.ini").write_text("[pytest]\n")


def scripts_of_a_package(hook, sing):
    scripts = dict.fromkeys(("test", "build", "lint", "typecheck", "pretest", "prebuild"), sing)
    (hook.project / "package.json").write_text(json.dumps({"name": "x", "scripts": scripts}))


def a_makefile(hook, sing):
    (hook.project / "Makefile").write_text(f"X := $(shell {sing})\ntest build lint check:\n\t{sing}\n")


def programs_on_the_way(hook, sing):
    for name in ("git", "python3", "claude", "sh", "pytest", "npm"):
        (hook.project / name).write_text(f"#!/bin/sh\n{sing}\n")
        (hook.project / name).chmod(0o755)


def a_database_with_a_trigger(hook, sing):
    wide(hook, sing)
    with sqlite3.connect(hook.database) as db:
        db.execute("CREATE TABLE sessions (id)")
        db.execute("CREATE TRIGGER t AFTER INSERT ON sessions BEGIN SELECT load_extension('./evil.so'); END")


SITUATIONS = {
    **{f"config: {name}": config(text) for name, text in CONFIGS.items()},
    **{
        make.__name__.replace("_", " "): make
        for make in (
            *(changed_after_approval, approved_elsewhere, approved_and_taken_back, a_link_to_a_config, a_link_to_the_folder),
            *(
                approvals_in_the_repository,
                a_home_in_the_repository,
                settings_ready_made,
                python_files,
                git_config,
                a_suite_that_sings,
            ),
            *(scripts_of_a_package, a_makefile, programs_on_the_way, a_database_with_a_trigger),
        )
    },
    "config: an empty one beside a Makefile": lambda hook, sing: (config("")(hook, sing), a_makefile(hook, sing)),
}


class in_the_home_of:  # noqa: N801 - reads as words
    """Run what follows in this process as the person of a hook, in the project."""

    def __init__(self, hook):
        self.hook = hook

    def __enter__(self):
        self.kept, self.before = posix.environ, Path.cwd()
        posix.environ = {os.fsencode(name): os.fsencode(value) for name, value in self.hook.environment.items()}
        os.chdir(self.hook.project)

    def __exit__(self, *_):
        posix.environ = self.kept
        os.chdir(self.before)


def test_there_are_sixty_of_them():
    print(f"{len(SITUATIONS)} hostile repositories")
    assert len(SITUATIONS) == 60


@pytest.mark.parametrize("make", SITUATIONS.values(), ids=SITUATIONS)
def test_what_a_repository_ships_runs_no_command(a_clone, make, capfd):
    canary = a_clone.folder / "canary"
    make(a_clone, SING.format(canary=canary))
    a_clone.start()
    a_clone.bash("make", "ok")
    a_clone.typed("ralph", 'start "mend it" --max-iterations 1')
    a_clone.stop("done")
    with in_the_home_of(a_clone):
        for words in (
            ["plan", "mend it"],
            ["start", "mend it", "--max-iterations", "1"],
            ["start", "mend it", "--accept", "0" * 12],
        ):
            assert app._run(["ralph", *words]) in (0, 1, 2), capfd.readouterr()
    assert not canary.exists()


def test_the_canary_sings_once_a_person_has_agreed(a_clone, capfd):
    canary = a_clone.folder / "canary"
    text = f"ralph:\n  success_criteria: ['custom=touch {canary}']\n  agent: [sh, -c, 'true']\n"
    (a_clone.memory / "config.yaml").write_text(text)
    if not any(group.typer_instance is trusting.commands for group in app.app.registered_groups):
        app.app.add_typer(trusting.commands)
    with in_the_home_of(a_clone):
        app._run(["trust", "--json"])
        digits = json.loads(capfd.readouterr().out)["digits"]
        assert app._run(["trust", "--confirm", "0" * 12]) == 1
        assert app._run(["trust", "--confirm", digits]) == 0
        app._run(["ralph", "start", "mend it", "--max-iterations", "1"])
    assert canary.exists(), capfd.readouterr()
