"""What setup offers outside of our folders: asked for first, nothing replaced, and taken away as if it had never been there."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from ralph_mem.core import paths, places
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.release import VERSION
from ralph_mem.hosts.claude_code import status_line
from ralph_mem.interfaces.hooks import session_start
from ralph_mem.maintenance import outside, shim, uninstall
from ralph_mem.memory import extras, opening
from tests.hook import REPOSITORY
from tests.sessions import Session

THEIRS = """jq -r '.model | "it'"'"'s " + .x'; printf "%s" "$HOME \\\\ `x`" # done"""
OTHER = {"model": "opus", "env": {"A": "ü"}, "permissions": {"allow": ["Bash(make:*)"]}}
GIVEN = '{"session_id": "x", "workspace": {"project_dir": "/nowhere"}}'


@pytest.fixture
def settings(a_home):
    """Write settings of the client, and read what they hold now."""
    file = a_home / ".claude" / "settings.json"
    file.parent.mkdir()

    def keep(values=None):
        if values is not None:
            file.write_text(json.dumps(values))
        return json.loads(file.read_text())

    keep.file = file
    return keep


@pytest.fixture
def on_path(a_home, the_environment):
    """Have `~/.local/bin` on PATH."""
    folder = a_home / ".local" / "bin"
    folder.mkdir(parents=True)
    the_environment(PATH=f"{folder}:/usr/bin:/bin")
    return folder / "ralph-mem"


def shows(settings, a_home):
    """Return what the client would show: its settings' command, started as it does."""
    command = settings()["statusLine"]["command"]
    environment = {"HOME": str(a_home), "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin"}
    done = subprocess.run(
        ["/bin/sh", "-c", command], input=GIVEN, capture_output=True, text=True, cwd=a_home, env=environment, timeout=60
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


# The status line


def test_what_could_be_done_is_shown_and_nothing_is_written(settings, on_path):
    settings(OTHER)
    first, second = outside.lines("/mem ")
    assert first.startswith(f"status line: none; /mem setup status-line writes one into {settings.file}: ")
    assert second == f"ralph-mem: not in your terminal; /mem setup shim writes {on_path}, which starts the plugin where it lies"
    assert settings() == OTHER and not on_path.exists() and not os.path.exists(paths.data_home())


def test_a_status_line_is_added_to_the_settings_and_shows_ours(settings, a_home):
    settings(OTHER)
    assert outside.add("status-line", "/mem ").startswith(f"Written: {settings.file}.")
    assert {name: value for name, value in settings().items() if name != "statusLine"} == OTHER
    assert shows(settings, a_home) == "mem 0\n"


def test_settings_that_are_not_there_yet_are_made(a_home, settings):
    outside.add("status-line", "/mem ")
    assert list(settings()) == ["statusLine"] and settings.file.stat().st_mode & 0o777 == 0o600


def test_one_that_is_there_is_never_replaced(settings):
    before = settings({**OTHER, "statusLine": {"type": "command", "command": THEIRS}})
    with pytest.raises(RalphMemError, match="there is a status line already, and it was left as it is"):
        outside.add("status-line", "/mem ")
    assert settings() == before and "--wrap runs it first and shows ours below it" in outside.lines("/mem ")[0]


def test_one_that_is_there_is_run_first_where_the_person_says_so(settings, a_home):
    theirs = {"type": "command", "command": "cat >given; printf 'theirs'", "padding": 2}
    settings({**OTHER, "statusLine": theirs})
    outside.add("status-line", "/mem ", wrap=True)
    assert shows(settings, a_home) == "theirs\nmem 0\n" and settings()["statusLine"]["padding"] == 2
    assert (a_home / "given").read_text() == GIVEN + "\n"


@pytest.mark.parametrize("command", [THEIRS, "", "true", "printf 'a\\nb\\n'; cat", "x'y\nz"])
def test_whatever_stood_there_is_put_back_as_it_was(settings, command):
    before = settings({"statusLine": {"type": "command", "command": command, "padding": 0}, **OTHER})
    outside.add("status-line", "/mem ", wrap=True)
    outside.add("status-line", "/mem ", wrap=True)  # a second time changes nothing
    assert status_line.state() == status_line.WRAPPED
    outside.take_away("status-line")
    assert settings() == before


def test_where_nothing_stood_there_nothing_is_left(settings):
    settings(OTHER)
    outside.add("status-line", "/mem ")
    assert outside.take_away("status-line") == f"Taken away from {settings.file}." and settings() == OTHER
    assert outside.take_away("status-line") == f"Nothing of ours was in {settings.file}."


@pytest.mark.parametrize("text", ["{}", '{"model": "opus"}', '{\n\t"env": {"A": "ü"},\r\n\t"model":"opus"\n}'])
@pytest.mark.parametrize("theirs", ["", '"statusLine": {"command": "echo ü", "type":"command"}'])
def test_settings_come_back_byte_for_byte(settings, text, theirs):
    before = text.replace("{", "{" + theirs + ("," if theirs and text != "{}" else ""), 1).encode()
    settings.file.write_bytes(before)
    outside.add("status-line", "/mem ", wrap=bool(theirs))
    assert status_line.state() in (status_line.OURS, status_line.WRAPPED)
    outside.take_away("status-line")
    assert settings.file.read_bytes() == before


def test_one_that_is_null_is_none(settings):
    settings({"statusLine": None, **OTHER})
    outside.add("status-line", "/mem ")
    outside.take_away("status-line")
    assert settings() == OTHER


def test_settings_that_hold_it_twice_are_left_as_they_are(settings):
    ours = json.dumps({"type": "command", "command": status_line._own()})
    settings.file.write_text(text := f'{{"statusLine": {{}}, "statusLine": {ours}}}')
    with pytest.raises(RalphMemError, match="has a key twice"):
        outside.take_away("status-line")
    assert settings.file.read_text() == text


def test_settings_that_hold_nothing_else_are_gone_with_it(a_home, settings):
    outside.add("status-line", "/mem ")
    outside.take_away("status-line")
    assert not settings.file.exists()


@pytest.mark.parametrize("text", ["{", "[]", "", '{"statusLine": "a text"}', '{"statusLine": {"type": "other", "command": "x"}}'])
def test_settings_that_are_none_are_left_as_they_are(settings, text):
    settings.file.write_text(text)
    for act in (lambda: outside.add("status-line", "/mem ", wrap=True), lambda: status_line.add(wrap=True)):
        with pytest.raises(RalphMemError):
            act()
    assert settings.file.read_text() == text


def test_a_link_to_the_settings_stays_one_and_their_mode_too(settings, tmp_path):
    kept = tmp_path / "dotfiles.json"
    kept.write_text("{}\n")
    kept.chmod(0o644)
    settings.file.symlink_to(kept)
    outside.add("status-line", "/mem ")
    assert settings.file.is_symlink() and "statusLine" in json.loads(kept.read_text()) and kept.stat().st_mode & 0o777 == 0o644
    outside.take_away("status-line")
    assert settings.file.is_symlink() and kept.read_text() == "{}\n"


def test_without_the_plugin_the_line_of_the_person_is_still_shown(settings, a_home):
    settings({"statusLine": {"type": "command", "command": "echo theirs"}})
    outside.add("status-line", "/mem ", wrap=True)
    Path(paths.data_home(), "plugin-folder").write_text("/nowhere\n")
    assert shows(settings, a_home) == "theirs\n"
    Path(paths.data_home(), "plugin-folder").unlink()
    assert shows(settings, a_home) == "theirs\n"


def test_after_an_update_the_line_is_that_of_the_new_plugin(a_session):
    kept = Path(paths.data_home(), "plugin-folder")
    another = Session(a_session.store, a_session.project, "another")
    session_start.afterwards(another.store, None, another.settings)
    assert not kept.exists()  # where nobody has set anything up, nothing is kept
    opening.remember_plugin("/older")
    session_start.afterwards(another.store, None, another.settings)
    assert kept.read_text() == f"{REPOSITORY}\n"


# The command


def test_the_command_is_written_where_it_is_found_and_starts_the_plugin(on_path, a_home, a_session):
    assert outside.add("shim", "/mem ").startswith(f"Written: {on_path}.")
    done = run(on_path, a_home, a_session.project.root, "status")
    assert done.returncode == 0 and done.stdout.startswith(f"{a_session.project.root}: recording since ")


def run(command, home, folder, *words, stdin=None, stdout=subprocess.PIPE, **environment):
    environment = {"HOME": str(home), "PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", **environment}
    return subprocess.run(
        [command, *words], stdin=stdin, stdout=stdout, stderr=subprocess.PIPE, text=True, cwd=folder, env=environment, timeout=60
    )


def without_packages(on_path, home, folder, *words, **environment):
    """Run it under an interpreter that has no packages."""
    outside.add("shim", "/mem ")
    bare = home / "bare"
    bare.mkdir(exist_ok=True)
    (bare / "python3").write_text(f'#!/bin/sh\nexec {sys.executable} -S "$@"\n')
    (bare / "python3").chmod(0o755)
    return run(on_path, home, folder, *words, PATH=f"{bare}:/usr/bin:/bin", **environment)


def test_where_the_packages_of_the_command_line_are_missing_the_verbs_work_all_the_same(on_path, a_home, a_session):
    noted = without_packages(on_path, a_home, a_session.project.root, "inject", "Releases go out with make ship.")
    assert noted.returncode == 0 and noted.stdout.endswith("ralph-mem undo takes it back.\n")
    found = without_packages(on_path, a_home, a_session.project.root, "search", "releases")
    assert "make ship" in found.stdout and "<ralph-mem" not in found.stdout
    other = without_packages(on_path, a_home, a_session.project.root, "ralph", "status")
    assert other.returncode == 2 and "there is no ralph" in other.stdout and "pip install" in other.stdout


def test_without_packages_an_uninstall_says_in_two_lines_what_to_type_instead(on_path, a_home, a_session):
    done = without_packages(on_path, a_home, a_session.project.root, "uninstall", "--memories")
    first, second = done.stdout.splitlines()
    steps = ("`ralph-mem setup status-line --off`", "`ralph-mem setup shim --off`", "/plugin uninstall", paths.data_home())
    assert [first.index(step) for step in steps] == sorted(first.index(step) for step in steps)
    assert done.returncode == 2 and second.startswith("All commands are there after: ")


def test_without_packages_a_word_that_is_no_command_of_ours_is_none(on_path, a_home, a_session):
    done = without_packages(on_path, a_home, a_session.project.root, "frob")
    assert done.returncode == 2 and done.stdout.startswith("ralph-mem: there is no frob\n")


def test_a_hint_to_pipx_begins_with_what_takes_the_command_out_of_its_way(on_path, monkeypatch):
    monkeypatch.setattr(extras, "_is_managed", lambda: True)
    outside.add("shim", "/mem ")
    assert extras.installation() == f"{on_path} setup shim --off && pipx install {REPOSITORY}"
    outside.take_away("shim")
    assert extras.installation() == f"pipx install {REPOSITORY}"


def test_a_command_that_an_earlier_release_wrote_is_ours(on_path):
    outside.add("shim", "/mem ")
    on_path.write_text(on_path.read_text().replace(shim.MARK, "# Written by /mem setup; `ralph-mem uninstall` takes it away."))
    assert outside.take_away("shim").startswith("Taken away") and not on_path.exists()


@pytest.mark.parametrize("word", ["help", "status"])
def test_without_packages_it_ends_quietly_where_nobody_reads_its_output(word, on_path, a_home, a_session):
    """As in `ralph-mem help | head -1`."""
    reads, writes = os.pipe()
    os.close(reads)
    with os.fdopen(writes) as closed:
        done = without_packages(on_path, a_home, a_session.project.root, word, stdout=closed)
    assert (done.returncode, done.stderr) == (0, "")


def test_without_packages_it_prints_its_version_too(on_path, a_home, a_session):
    done = without_packages(on_path, a_home, a_session.project.root, "--version")
    assert (done.returncode, done.stdout) == (0, f"ralph-mem {VERSION}\n")


def test_an_agent_changes_nothing_by_it(on_path, a_home, a_session):
    done = without_packages(on_path, a_home, a_session.project.root, "inject", "x y", CLAUDE_CODE_SESSION_ID="the-session")
    assert done.returncode == 1 and "only a person can type ralph-mem inject" in done.stderr


WHO = {
    "a person": ({}, "recording is true in "),
    "an agent": ({"CLAUDE_CODE_SESSION_ID": "the-session"}, "ralph-mem: only a person can type ralph-mem config"),
    "a script": ({}, "ralph-mem: recording would let more happen than now"),
}


@pytest.mark.parametrize("who", WHO)
def test_without_packages_only_a_person_at_a_terminal_lets_more_happen_by_it(who, on_path, a_home, a_session):
    Path(a_session.project.folder, "config.yaml").write_text("recording: off\n")
    (environment, told), (ours, theirs) = WHO[who], pty.openpty()
    stdin, words = subprocess.DEVNULL if who == "a script" else theirs, ("config", "set", "recording", "on")
    done = without_packages(on_path, a_home, a_session.project.root, *words, stdin=stdin, **environment)
    os.close(ours)
    os.close(theirs)
    assert (done.stdout + done.stderr).startswith(told)


def test_a_file_of_somebody_else_is_never_overwritten_or_removed(on_path):
    on_path.write_text("#!/bin/sh\necho mine\n")
    with pytest.raises(RalphMemError, match="is not ours, and was left as it is"):
        outside.add("shim", "/mem ")
    assert outside.take_away("shim").startswith("Nothing of ours") and "mine" in on_path.read_text()
    assert outside.lines("/mem ")[1] == f"ralph-mem: there already, {on_path}, not by this"


def test_a_folder_that_is_not_on_path_gets_no_command(a_home, the_environment):
    the_environment(PATH="/usr/bin:/bin")
    with pytest.raises(RalphMemError, match="is not on your PATH, so nothing was written"):
        outside.add("shim", "/mem ")
    assert not Path(shim.where()).exists() and "not offered" in outside.lines("/mem ")[1]


def test_a_command_without_its_plugin_says_so(on_path, a_home, tmp_path):
    outside.add("shim", "/mem ")
    Path(paths.data_home(), "plugin-folder").write_text("/nowhere\n")
    done = run(on_path, a_home, tmp_path, "status")
    assert done.returncode == 1 and "the plugin is gone" in done.stderr


# Both


def test_every_place_outside_is_offered_by_a_word_and_an_uninstall_takes_it_away(settings, on_path):
    assert list(outside.PLACES.values()) == places.OUTSIDE
    before = settings({**OTHER, "statusLine": {"type": "command", "command": THEIRS}})
    for word in outside.OFFERED:
        outside.add(word, "/mem ", wrap=True)
    meant = [*uninstall.of_home(memories=False)[0], *uninstall.outside()]
    assert {each.what for each in uninstall.outside()} == {place.meaning for place in places.OUTSIDE}
    removed = uninstall.remove(meant)
    assert {str(settings.file), str(on_path)} <= {each.path for each in removed}
    assert settings() == before and not on_path.exists() and uninstall.outside() == []
