"""A repository's own files run nothing: sixty and more that try, each through every entrance, with a canary that would sing."""

import json
import os
import sqlite3
from unittest import mock

import pytest

from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective, trust
from ralph_mem.interfaces.cli import app
from ralph_mem.maintenance import approve as approval
from ralph_mem.ralph import headless
from tests.faults.quick import QuickHook
from tests.hostile.terminal import in_the_home_of, said

SING = "touch {canary}"
CUSTOM = "custom={sing}"
APPROVED_BEFORE = "ralph:\n  agent: [sh, -c, 'true']\n"
ACTS = "ralph:\n  success_criteria: ['custom={}']\n  agent: [sh, -c, 'true']\n"
HARMLESS = ACTS.format("false")
NOBODY = 65534
LEAST = 60
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


def agreed(hook, capfd, text):
    """Let the person look at a config and agree to it, and to the checks that it names."""
    (hook.memory / "config.yaml").write_text(text)
    digits = json.loads(said(capfd, "trust", "--json")[1])["digits"]
    assert said(capfd, "trust", "--confirm", digits)[0] == 0


def give_away(path):
    if os.geteuid() != 0:
        pytest.skip("only root can give a file to somebody else")
    os.chown(path, NOBODY, -1)


def a_config_of_another_owner(hook, sing, capfd):
    agreed(hook, capfd, ACTS.format(sing))
    give_away(hook.memory / "config.yaml")


def a_folder_of_another_owner(hook, sing, capfd):
    agreed(hook, capfd, ACTS.format(sing))
    give_away(hook.memory)


def a_config_that_another_owner_shows(hook, sing, capfd):
    (hook.memory / "config.yaml").write_text(ACTS.format(sing))
    give_away(hook.memory / "config.yaml")
    digits = json.loads(said(capfd, "trust", "--json")[1])["digits"]
    assert said(capfd, "trust", "--confirm", digits)[0] == 1


def swapped_between_what_was_shown_and_the_word(hook, sing, capfd):
    (hook.memory / "config.yaml").write_text(HARMLESS)
    digits = json.loads(said(capfd, "trust", "--json")[1])["digits"]
    (hook.memory / "config.yaml").write_text(ACTS.format(sing))
    assert said(capfd, "trust", "--confirm", digits)[0] == 1


def swapped_while_the_word_is_kept(hook, sing, capfd):
    (hook.memory / "config.yaml").write_text(HARMLESS)
    digits = json.loads(said(capfd, "trust", "--json")[1])["digits"]
    with swapping(hook, sing, approval, "digest"):
        assert said(capfd, "trust", "--confirm", digits)[0] == 0
    assert effective.load(Project(str(hook.project)))["ralph.success_criteria"] == effective.DEFAULTS["ralph.success_criteria"]


def swapped_once_the_approval_was_looked_up(hook, sing, capfd):
    agreed(hook, capfd, HARMLESS)
    os.utime(hook.memory / "config.yaml")  # so that it is read again
    with swapping(hook, sing, trust, "is_approved"):
        assert effective.load(Project(str(hook.project)))["ralph.success_criteria"] == ["custom=false"]


def swapped_between_the_start_and_its_checks(hook, sing, capfd):
    agreed(hook, capfd, HARMLESS)
    with swapping(hook, sing, headless, "start"):
        assert "false failed" in said(capfd, "ralph", "start", "mend it", "--max-iterations", "1", "--no-snapshot")[1]


def a_script_that_is_swapped_once_it_was_accepted(hook, sing, capfd):
    script = hook.project / "check.sh"
    script.write_text("#!/bin/sh\nexit 1\n")
    script.chmod(0o755)
    agreed(hook, capfd, ACTS.format("./check.sh"))
    with swapping(hook, sing, headless, "start", script, f"#!/bin/sh\n{sing}\n"):
        assert said(capfd, "ralph", "start", "mend it", "--max-iterations", "1")[0] == 1


class swapping:  # noqa: N801 - reads as words
    """Exchange a file, mostly the config, for one that sings as a function is called, which has to be called."""

    def __init__(self, hook, sing, room, name, path=None, text=""):
        self.swapped, real = False, getattr(room, name)

        def swap(*given, **named):
            (path or hook.memory / "config.yaml").write_text(text or ACTS.format(sing))
            self.swapped = True
            return real(*given, **named)

        self.patch = mock.patch.object(room, name, swap)

    def __enter__(self):
        self.patch.start()

    def __exit__(self, *_):
        self.patch.stop()
        assert self.swapped


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


# These need a person who looked at something before.
LOOKED_AT = (
    *(a_config_of_another_owner, a_folder_of_another_owner, a_config_that_another_owner_shows),
    *(swapped_between_what_was_shown_and_the_word, swapped_while_the_word_is_kept, swapped_once_the_approval_was_looked_up),
    *(swapped_between_the_start_and_its_checks, a_script_that_is_swapped_once_it_was_accepted),
)
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
            *LOOKED_AT,
        )
    },
    "config: an empty one beside a Makefile": lambda hook, sing: (config("")(hook, sing), a_makefile(hook, sing)),
}


def test_there_are_sixty_of_them_and_more():
    print(f"{len(SITUATIONS)} hostile repositories")
    assert len(SITUATIONS) >= LEAST


@pytest.fixture(params=SITUATIONS)
def a_hostile_clone(request, a_clone, a_launcher, plugin):
    """Make a clone, and say what it is about to bring. What stands in a config takes no new interpreter to be read."""
    is_config = request.param.startswith("config")
    return QuickHook(a_clone.folder, plugin, a_launcher) if is_config else a_clone, SITUATIONS[request.param]


@pytest.mark.check
def test_what_a_repository_ships_runs_no_command(a_hostile_clone, capfd):
    a_clone, make = a_hostile_clone
    canary = a_clone.folder / "canary"
    sing = SING.format(canary=canary)
    if make in LOOKED_AT:
        with in_the_home_of(a_clone):
            make(a_clone, sing, capfd)
    else:
        make(a_clone, sing)
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
    with in_the_home_of(a_clone):
        (a_clone.memory / "config.yaml").write_text(ACTS.format(f"touch {canary}"))
        assert app._run(["trust", "--confirm", "0" * 12]) == 1
        agreed(a_clone, capfd, ACTS.format(f"touch {canary}"))
        app._run(["ralph", "start", "mend it", "--max-iterations", "1"])
    assert canary.exists(), capfd.readouterr()


def test_a_check_that_a_config_names_is_shown_with_that_config(a_clone, capfd):
    (a_clone.memory / "config.yaml").write_text(HARMLESS)
    with in_the_home_of(a_clone):
        text = said(capfd, "trust")[1]
    assert f"custom: false  (in {a_clone.project}, from .ralph-mem/config.yaml, at most 600 s)" in text
    assert "--criteria" not in text


def test_a_check_that_the_persons_own_config_names_is_shown_with_that(a_clone, capfd):
    own = a_clone.home / ".config" / "ralph-mem"
    own.mkdir(parents=True)
    (own / "config.yaml").write_text("ralph:\n  success_criteria: ['custom=false']\n")
    with in_the_home_of(a_clone):
        text = said(capfd, "trust")[1]
    assert f"from {own}/config.yaml, at most" in text and "--criteria" not in text


def test_a_config_of_another_owner_is_shown_with_what_keeps_it_from_being_approved(a_clone, capfd):
    (a_clone.memory / "config.yaml").write_text(HARMLESS)
    give_away(a_clone.memory / "config.yaml")
    with in_the_home_of(a_clone):
        assert f"while {a_clone.memory}/config.yaml belongs to another user" in said(capfd, "trust")[1]
