"""`hosts`: our hooks get into the files of other clients beside what is there, and out of them again without a trace."""

import json
import os
import posix
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ralph_mem.core import paths
from ralph_mem.hosts import known
from ralph_mem.maintenance import wiring
from tests.hook import REPOSITORY

THEIRS = """{
    "theme": "caf\\u00e9",
    "hooks": {"Stop": [{"matcher": "x", "hooks": [{"type": "command", "command": "true"}]}], "Z": []},
    "b": 1
}"""
LINES = REPOSITORY / "tests" / "fixtures" / "hook-lines.json"
ENTRIES = REPOSITORY / "tests" / "fixtures" / "codex" / "hook-entries" / "hooks.json"


@pytest.fixture
def wired(a_home, monkeypatch):
    """Return what makes the file of a host in a home of its own."""
    monkeypatch.chdir(a_home)
    return wiring.Wired


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


def added(wired, host, project=""):
    found = wired(host, project)
    found.add()
    found.write()
    return found.path


def removed(wired, host, project=""):
    found = wired(host, project)
    found.remove()
    found.write()


def text_of(path):
    with open(path) as file:
        return file.read()


MERGED = [host for host in known.OTHERS if host not in ("copilot", "opencode")]  # which have a file for hooks of their own


@pytest.mark.parametrize("host", known.OTHERS)
def test_where_no_file_was_none_is_left(wired, host):
    path = added(wired, host)
    assert wired(host).is_there()
    removed(wired, host)
    assert not os.path.exists(path) and not wired(host).is_there()


@pytest.mark.parametrize("host", known.OTHERS)
def test_the_folders_that_were_made_for_a_file_go_with_it_and_no_others(wired, a_home, host):
    (a_home / "mine").mkdir()
    added(wired, host)
    added(wired, host, str(a_home / "mine" / "shop"))
    for project in ("", str(a_home / "mine" / "shop")):
        removed(wired, host, project)
    assert {path.name for path in a_home.iterdir()} == {"mine", ".local"} and not any((a_home / "mine").iterdir())
    path = Path(wired(host).path)
    path.parent.mkdir(parents=True)
    added(wired, host)
    removed(wired, host)
    assert path.parent.exists()


def test_a_folder_that_was_made_stays_with_what_somebody_put_there(wired):
    path = Path(added(wired, "copilot"))
    write(f"{path.parent.parent}/mine", "x")
    removed(wired, "copilot")
    assert [each.name for each in path.parent.parent.iterdir()] == ["mine"]


def test_a_file_that_went_is_not_said_to_be_written(a_newcomer):
    a_newcomer.reads("hosts", "add", "qwen")
    assert a_newcomer.reads("hosts", "remove", "qwen").startswith(f"Removed: {a_newcomer.home}/.qwen/settings.json; ")


@pytest.mark.parametrize(
    ("variable", "host", "file"),
    [
        ("CODEX_HOME", "codex", "hooks.json"),
        ("COPILOT_HOME", "copilot", "hooks/ralph-mem.json"),
        ("GEMINI_CLI_HOME", "gemini", ".gemini/settings.json"),
        ("QWEN_HOME", "qwen", "settings.json"),
        ("XDG_CONFIG_HOME", "opencode", "opencode/plugins/ralph-mem.js"),
    ],
)
def test_hooks_are_written_where_the_client_was_told_to_read(wired, a_home, variable, host, file):
    posix.environ[variable.encode()] = os.fsencode(a_home / "mine")
    assert added(wired, host) == f"{a_home}/mine/{file}"


@pytest.mark.parametrize("host", MERGED)
def test_what_is_there_stays_in_its_order_and_comes_back_byte_for_byte(wired, host):
    path = wired(host).path
    write(path, THEIRS)
    added(wired, host)
    now, before = json.loads(text_of(path)), json.loads(THEIRS)
    assert list(now) == list(before) and list(now["hooks"])[:2] == ["Stop", "Z"]
    assert now["hooks"]["Stop"][0] == before["hooks"]["Stop"][0]
    removed(wired, host)
    assert text_of(path) == THEIRS


@pytest.mark.parametrize("host", MERGED)
def test_where_something_else_changed_meanwhile_only_ours_goes(wired, host):
    path = wired(host).path
    write(path, THEIRS)
    added(wired, host)
    values = json.loads(text_of(path))
    values["new"] = True
    write(path, json.dumps(values, indent=4))
    removed(wired, host)
    hooks = {**json.loads(THEIRS)["hooks"]}
    assert json.loads(text_of(path)) == {**json.loads(THEIRS), "hooks": hooks, "new": True}


@pytest.mark.parametrize(
    "theirs", ["{}", '{"a": 1}', '{\n  "hooks": {\n  }\n}\n', '{"hooks":{"Stop":[ ],"SessionStart":[\n]}}', "{\r\n\t}\r\n"]
)
def test_a_file_comes_back_byte_for_byte_however_it_is_written(wired, theirs):
    path = wired("qwen").path
    Path(path).parent.mkdir()
    Path(path).write_bytes(theirs.encode())
    added(wired, "qwen")
    removed(wired, "qwen")
    assert Path(path).read_bytes() == theirs.encode()


def test_the_ends_of_its_lines_stay_and_a_difference_is_ours_alone(wired):
    path = wired("qwen").path
    Path(path).parent.mkdir()
    Path(path).write_bytes(THEIRS.replace("\n", "\r\n").encode())
    found = wired("qwen")
    found.add()
    gone = [line for line in found.changes()[2:] if line[:1] == "-"]
    assert [line.strip("- ") for line in gone] == [THEIRS.split("\n")[2].strip()]  # to which a list of theirs gets ours
    found.write()
    assert b"\n" not in Path(path).read_bytes().replace(b"\r\n", b"")


def test_an_entry_of_ours_that_was_put_among_theirs_goes_alone(wired):
    path = wired("qwen").path
    theirs = {"hooks": {"Stop": [{"matcher": "x", "hooks": [{"type": "command", "command": "true"}]}]}}
    ours = {"type": "command", "command": wiring.LINE.format(ours=wiring.OURS, event="stop", host="qwen")}
    mixed = json.loads(json.dumps(theirs))
    mixed["hooks"]["Stop"][0]["hooks"] += [ours, ours]
    write(path, json.dumps(mixed))
    removed(wired, "qwen")
    assert text_of(path) == json.dumps(theirs)


def test_nothing_that_else_stands_in_the_file_is_kept_elsewhere(wired):
    path = wired("qwen").path
    write(path, '{"env": {"TOKEN": "hunter2-of-mine"}}')
    added(wired, "qwen")
    assert [json.loads(copy.read_text()) for copy in copies()] == [{"path": path, "made": ""}]


def test_after_that_nothing_of_ours_comes_back_and_no_copy_of_the_file_stays(wired):
    path = added(wired, "qwen")
    write(path, text_of(path).replace("{", '{"new": true,', 1))
    for _ in range(2):
        removed(wired, "qwen")
        assert json.loads(text_of(path)) == {"new": True} and list(copies()) == []


def test_a_file_that_cannot_be_given_back_now_comes_back_byte_for_byte_later(wired, monkeypatch):
    path = wired("qwen").path
    write(path, THEIRS)
    added(wired, "qwen")
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", fail)
        with pytest.raises(wiring.RalphMemError, match="cannot write"):
            removed(wired, "qwen")
    removed(wired, "qwen")
    assert text_of(path) == THEIRS


def fail(*_):
    raise OSError(28, "No space left on device")


def copies():
    return Path(paths.data_home(), paths.WIRED).iterdir()


@pytest.mark.parametrize("host", known.OTHERS)
def test_to_add_twice_changes_nothing(wired, host):
    before = text_of(added(wired, host))
    again = wired(host)
    again.add()
    assert again.changes() == [] and text_of(again.path) == before


@pytest.mark.parametrize("text", ["{", "[]", '{"hooks": []}', '{"a": 1, "a": 2}', '{"hooks": {"Stop": {}}}', "// a note\n{}"])
def test_a_file_that_would_not_be_written_back_as_it_is_is_refused(wired, text):
    path = wired("qwen").path
    write(path, text)
    found = wired("qwen")
    with pytest.raises(wiring.RalphMemError):
        found.add()
    assert text_of(path) == text


def test_a_newer_format_is_refused(wired):
    write(wired("copilot").path, '{"version": 2, "hooks": {}}')
    with pytest.raises(wiring.RalphMemError, match="newer format"):
        wired("copilot").add()


def test_a_file_that_changes_between_is_not_written_over(wired):
    found = wired("qwen")
    found.add()
    write(found.path, '{"mine": 1}')
    with pytest.raises(wiring.RalphMemError, match="changed meanwhile"):
        found.write()
    assert text_of(found.path) == '{"mine": 1}'


def test_nothing_is_written_through_a_link_beside_a_file_nor_over_a_file_of_that_name(wired, a_home):
    for beside in (".gemini", ".qwen"):
        write(f"{a_home}/shop/{beside}/settings.json", "{}")
    write(f"{a_home}/victim", "precious")
    os.symlink("../../victim", f"{a_home}/shop/.gemini/settings.json.ralph-mem")
    write(f"{a_home}/shop/.qwen/settings.json.ralph-mem", "mine")
    for host, beside in (("gemini", "precious"), ("qwen", "mine")):
        path = added(wired, host, f"{a_home}/shop")
        assert not os.path.islink(path) and text_of(f"{path}.ralph-mem") == beside
        assert len(os.listdir(os.path.dirname(path))) == 2


@pytest.mark.parametrize("link", [".gemini", ".gemini/settings.json"])
def test_a_link_of_a_project_that_leads_out_of_it_is_not_followed(wired, a_home, link):
    write(f"{a_home}/mine/settings.json", "{}")
    os.makedirs(f"{a_home}/shop/{os.path.dirname(link)}")
    os.symlink(f"{a_home}/mine/{'settings.json' if '/' in link else ''}", f"{a_home}/shop/{link}")
    with pytest.raises(wiring.RalphMemError, match="leads out of the project"):
        wired("gemini", f"{a_home}/shop")


@pytest.mark.parametrize("host", known.OTHERS)
def test_what_a_project_gets_names_no_path_of_this_machine(wired, host, a_home):
    path = added(wired, host, str(a_home / "shop"))
    assert path.startswith(f"{a_home}/shop/.")
    assert str(a_home) not in text_of(path) and str(REPOSITORY) not in text_of(path)


@pytest.mark.parametrize("host", [each for each in known.OTHERS if each != "opencode"])
def test_where_ralph_mem_is_absent_its_lines_are_silent(wired, host, a_home):
    for line in lines_of(text_of(added(wired, host))):
        ran = subprocess.run(["sh", "-c", line], env={"HOME": str(a_home)}, input=b"{}", capture_output=True, check=False)
        assert (ran.returncode, ran.stdout, ran.stderr) == (0, b"", b"")


def lines_of(text):
    rows = [row for rows in json.loads(text)["hooks"].values() for row in rows]
    return [each.get("command") or each.get("bash") for row in rows for each in row.get("hooks", [row])]


def test_the_lines_of_hooks_are_those_of_earlier_releases(wired):
    """Codex asks a person for their trust again whenever one changes: whoever changes this file does that to all of them."""
    now = {host: lines_of(text_of(added(wired, host))) for host in known.OTHERS if host != "opencode"}
    own = json.loads((REPOSITORY / "hooks" / "hooks.json").read_text())["hooks"]
    now["plugin"] = [row["hooks"][0]["command"] for (row,) in own.values()]
    assert now == json.loads(LINES.read_text())


def test_codex_trusts_an_entry_by_all_of_it_and_none_of_ours_has_changed(wired):
    """Its grant is a hash of the whole entry: how long it waits counts too."""
    assert json.loads(text_of(added(wired, "codex"))) == json.loads(ENTRIES.read_text())


def test_who_adds_codex_is_told_that_its_hooks_wait_for_a_grant(a_newcomer):
    assert "trust them when it asks" in a_newcomer.reads("hosts", "add", "codex")
    assert "trust them when it asks" in a_newcomer.reads("hosts")


def test_geminis_extension_has_the_same_lines(wired):
    theirs = (REPOSITORY / "integrations" / "gemini" / "hooks" / "hooks.json").read_text()
    assert lines_of(theirs) == lines_of(text_of(added(wired, "gemini")))


def test_what_opencode_gets_is_short_and_no_other_file_is_written_over(wired):
    path = added(wired, "opencode")
    assert len(text_of(path).splitlines()) <= 120
    write(path, "export const Mine = async () => ({})")
    with pytest.raises(wiring.RalphMemError, match="not ours"):
        wired("opencode").add()


# The commands


def test_a_dry_run_shows_the_difference_and_changes_nothing(a_newcomer):
    shown = a_newcomer.reads("hosts", "add", "gemini", "--dry-run")
    assert "+" in shown and "session-start gemini" in shown
    assert not (a_newcomer.home / ".gemini").exists()


def test_hosts_lists_them_with_where_our_hooks_are(a_newcomer):
    a_newcomer.reads("hosts", "add", "qwen", "--project")
    rows = {row["host"]: row for row in json.loads(a_newcomer.reads("hosts", "--json"))}
    assert list(rows) == list(known.OTHERS)
    assert rows["qwen"]["hooks"] == "this project" and rows["gemini"]["hooks"] == "no"
    a_newcomer.reads("hosts", "remove", "qwen", "--project")
    assert not (a_newcomer.project / ".qwen" / "settings.json").exists()


@pytest.mark.parametrize(
    ("host", "folder", "word"),
    [
        ("codex", ".codex/plugins/cache/ralph-mem/ralph-mem/0.1.0", "plugin"),
        ("copilot", ".copilot/installed-plugins/ralph-mem/ralph-mem", "plugin"),
        ("gemini", ".gemini/extensions/ralph-mem", "extension"),
    ],
)
def test_a_client_that_has_the_plugin_itself_is_said_to_be_recorded_by_it(a_newcomer, host, folder, word):
    (a_newcomer.home / folder).mkdir(parents=True)
    assert {row["host"]: row["hooks"] for row in a_newcomer.json("hosts")} == dict.fromkeys(known.OTHERS, "no") | {host: word}
    assert f"is still recorded by the {word} in {a_newcomer.home / folder}; " in a_newcomer.reads("hosts", "remove", host)


def test_an_odd_file_of_one_client_is_told_and_the_others_are_listed(a_newcomer):
    a_newcomer.reads("hosts", "add", "gemini", "--project")
    odd = a_newcomer.home / ".gemini" / "settings.json"
    odd.parent.mkdir()
    os.mkfifo(odd)
    (a_newcomer.home / ".qwen" / "settings.json").mkdir(parents=True)
    rows = {row["host"]: row for row in a_newcomer.json("hosts")}
    assert list(rows) == list(known.OTHERS) and rows["codex"]["trouble"] == ""
    assert rows["gemini"]["hooks"] == "this project" and rows["qwen"]["hooks"] == "not known"
    assert f"Gemini CLI: {odd} is no file of settings." in a_newcomer.reads("hosts")
    assert "Gemini CLI is no longer recorded." in a_newcomer.reads("hosts", "remove", "gemini", "--project")


@pytest.mark.parametrize(("removed", "other", "where"), [([], ["--project"], "this project"), (["--project"], [], "all projects")])
def test_a_client_that_its_other_file_still_records_is_said_to_be_recorded(a_newcomer, removed, other, where):
    a_newcomer.reads("hosts", "add", "qwen")
    a_newcomer.reads("hosts", "add", "qwen", "--project")
    said = a_newcomer.reads("hosts", "remove", "qwen", *removed)
    ends = " ".join(["ralph-mem hosts remove qwen", *other])
    assert f"Qwen Code is still recorded in {where}; `{ends}` ends that too." in " ".join(said.split())
    assert "Qwen Code is no longer recorded." in " ".join(a_newcomer.reads("hosts", "remove", "qwen", *other).split())


def test_hosts_lists_them_where_the_memory_is_somebody_elses(a_person):
    shutil.rmtree(a_person.data)  # with the key by which it is known to be theirs
    assert "is not used" in a_person.fails("search", "thrown")
    assert [row["last"] for row in json.loads(a_person.reads("hosts", "--json"))] == [0] * len(known.OTHERS)


# Where the package alone is installed


@pytest.fixture
def a_package(a_newcomer, tmp_path):
    """Install the package without the plugin's folder, as pip does; returns what a person types, and where it came from."""
    shutil.copytree(REPOSITORY / "ralph_mem", tmp_path / "site" / "ralph_mem", ignore=shutil.ignore_patterns("__pycache__"))
    info = tmp_path / "site" / "ralph_mem-0.1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ralph-mem\nVersion: 0.1.0\n")
    shell = {"PYTHONPATH": str(tmp_path / "site"), "PATH": f"{a_newcomer.home}/.local/bin:{os.environ['PATH']}"}
    return lambda *words: a_newcomer.cli(*words, **shell), info / "direct_url.json"


def test_an_installed_package_writes_hooks_that_run_what_it_was_installed_from(a_package, a_newcomer):
    types, origin = a_package
    origin.write_text(json.dumps({"dir_info": {}, "url": REPOSITORY.as_uri()}))
    assert types("hosts", "add", "opencode").out.startswith("Written: ")
    assert Path(a_newcomer.data, "plugin-folder").read_text() == f"{REPOSITORY}\n"


@pytest.mark.parametrize("words", ["hosts add qwen", "setup status-line", "setup shim"])
def test_an_installed_package_writes_what_runs_the_plugin_that_is_known(words, a_package, a_newcomer):
    types, _ = a_package
    a_newcomer.data.mkdir(parents=True, exist_ok=True)
    (a_newcomer.data / "plugin-folder").write_text(f"{REPOSITORY}\n")
    assert types(*words.split()).out.startswith("Written: ")
    assert (a_newcomer.data / "plugin-folder").read_text() == f"{REPOSITORY}\n"


@pytest.mark.parametrize("words", ["hosts add opencode", "setup shim"])
def test_an_installed_package_that_knows_of_no_plugin_says_what_to_type_where(words, a_package, a_newcomer):
    said = a_package[0](*words.split())
    assert said.code == 1 and f"type the same with `{sys.executable} -m ralph_mem.interfaces.cli` in place of" in said.err
    assert not list(a_newcomer.home.rglob("*ralph-mem.js")) and not (a_newcomer.data / "plugin-folder").exists()
