"""The other clients as they are published: what their agents do is recorded without a secret, and told in each other."""

import json
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from .client import REPOSITORY, copy_of
from .models_api import ModelsApi
from .other_clients import KNOWN, NoClient, Person, folder

pytestmark = pytest.mark.nightly  # five clients of a gigabyte and more

SECRET = "ghp_" + "aB3dE6gH9" * 4
SAID = "The zeppelin exporter writes UTF-16 and needs a byte order mark."
ASKED = "Why does the zeppelin exporter fail?"
DESCRIBED = {"description": "d", "is_background": False}
PAIRS = (("codex", "gemini"), ("gemini", "copilot"), ("copilot", "opencode"), ("opencode", "qwen"), ("qwen", "codex"))


@pytest.fixture(scope="module")
def clients():
    try:
        return folder()
    except NoClient as missing:
        pytest.skip(str(missing))


@pytest.fixture
def api():
    with ModelsApi() as found:
        yield found


@pytest.fixture
def person(tmp_path, api, clients):
    """Return what makes somebody with one of the clients, of one home and one project."""
    home, project = tmp_path / "home", tmp_path / "shop"
    home.mkdir()
    project.mkdir()
    subprocess.run(["git", "init", "-q"], cwd=project, check=True)

    def with_client(host, *, hooked=True):
        found = Person(host, home=home, project=project, port=api.server_port)
        if hooked:
            ours(found, "hosts", "add", host)
        return found

    return with_client


def ours(client, *words):
    """Run our command line as its person, and return what it says."""
    order = [sys.executable, "-m", "ralph_mem.interfaces.cli", *words]
    return subprocess.run(order, cwd=REPOSITORY, env=client.environment(), check=True, capture_output=True, text=True).stdout


def call(host, line):
    name, key = KNOWN[host].tools["run"][:2]
    return [(name, {key: line, **({} if host == "codex" else DESCRIBED)})]


def works(api, client, host):
    api.play(call(host, f"make zeppelin && echo token={SECRET}"), call(host, "python3 -c 'raise SystemExit(3)'"), SAID)
    assert client.ask(ASKED).returncode == 0


def rows(client, sql):
    with closing(sqlite3.connect(client.project / ".ralph-mem" / "memory.db")) as db:
        return db.execute(sql).fetchall()


def holding(client, words):
    ours = (client.project / ".ralph-mem", client.home / ".local/share/ralph-mem")
    files = [path for place in ours for path in place.rglob("*") if path.is_file()]
    return [path for path in files if words.encode() in path.read_bytes()]


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_one_client_records_with_outcomes_and_without_secrets_and_another_is_told(person, api, first, second):
    client = person(first)
    works(api, client, first)
    assert rows(client, "SELECT agent FROM sessions") == [(first,)]
    assert [prompt.strip('"') for (prompt,) in rows(client, "SELECT prompt FROM turns")] == [ASKED]
    assert rows(client, "SELECT type, metadata LIKE '%\"exit\": 3%' FROM observations WHERE title LIKE 'python3%'") == [
        ("error", 1)
    ]
    assert holding(client, SECRET) == []
    other = person(second)
    api.play("I remember.")
    assert other.ask("What was wrong with the zeppelin exporter?").returncode == 0
    assert "byte order mark" in api.heard()
    assert rows(client, "SELECT response FROM turns ORDER BY id LIMIT 1") == [(SAID,)]
    assert rows(client, "SELECT DISTINCT agent FROM sessions ORDER BY id") == [(first,), (second,)]


@pytest.mark.parametrize("host", KNOWN)
def test_a_client_is_told_at_a_prompt_what_it_is_about(person, api, host):
    client = person(host)
    works(api, client, host)
    for number in range(6):  # so that the start of a session has other things to tell
        api.play(f"The button {number} of the settings page has its new name.")
        assert client.ask(f"Rename the button number {number} of the settings page").returncode == 0
    api.play("I remember.")
    assert client.ask("The zeppelin exporter fails again, what was it?").returncode == 0
    assert "byte order mark" in api.heard()
    assert ("UserPromptSubmit",) in rows(client, "SELECT event FROM receipts")


def imported(client, host):
    return json.loads(ours(client, "import", "--from", host, "--project", str(client.project), "--json"))


@pytest.mark.parametrize("host", KNOWN)
def test_what_hooks_recorded_does_not_come_in_again_from_what_the_client_kept_and_a_resumed_session_goes_on(person, api, host):
    client = person(host)
    works(api, client, host)
    api.play("It writes UTF-16.")
    assert client.goes_on("And what else about it?").returncode == 0
    assert [prompt.strip('"') for (prompt,) in rows(client, "SELECT prompt FROM turns")] == [ASKED, "And what else about it?"]
    assert rows(client, "SELECT agent, source FROM sessions") == [(host, "startup")]
    before = rows(client, "SELECT event_id FROM turns UNION ALL SELECT event_id FROM observations")
    told = imported(client, host)
    assert (told["sessions"], told["turns"], told["observations"]) == (0, 0, 0) and told["passed_over"][0]["sessions"] == 1
    assert rows(client, "SELECT event_id FROM turns UNION ALL SELECT event_id FROM observations") == before


@pytest.mark.parametrize("host", KNOWN)
def test_what_a_client_kept_without_hooks_comes_in_with_outcomes_and_without_secrets_and_once(person, api, host):
    client = person(host, hooked=False)
    works(api, client, host)
    told = imported(client, host)
    assert (told["sessions"], told["turns"], told["observations"]) == (1, 1, 2)
    assert [(prompt.strip('"'), said) for prompt, said in rows(client, "SELECT prompt, response FROM turns")] == [(ASKED, SAID)]
    assert rows(client, "SELECT type, metadata LIKE '%\"exit\": 3%' FROM observations WHERE title LIKE 'python3%'") == [
        ("error", 1)
    ]
    assert holding(client, SECRET) == [] and imported(client, host)["turns"] == 0


INSTALLING = {
    "codex": (("plugin", "marketplace", "add", "{}"), ("plugin", "add", "ralph-mem@ralph-mem")),
    "copilot": (("plugin", "marketplace", "add", "{}"), ("plugin", "install", "ralph-mem@ralph-mem")),
    "gemini": (("extensions", "link", "{}/integrations/gemini", "--consent"),),
}


@pytest.mark.parametrize("host", INSTALLING)
def test_the_plugin_as_it_is_published_and_lines_of_our_own_are_together_told_once(person, api, tmp_path, host):
    published = copy_of(REPOSITORY, tmp_path / "published")
    client = person(host)
    for words in INSTALLING[host]:
        assert client.command(*[word.format(published) for word in words]).returncode == 0
    works(api, client, host)
    assert rows(client, "SELECT count(*) FROM turns") == [(1,)] and rows(client, "SELECT agent FROM sessions") == [(host,)]
    assert rows(client, "SELECT count(*) FROM observations") == [(2,)]
    api.play("I remember.")
    assert client.ask("What was wrong with the zeppelin exporter?").returncode == 0
    first = api.heard().partition("\n")[0] if host != "gemini" else api.heard()
    assert "byte order mark" in first and rows(client, "SELECT count(*) FROM receipts WHERE event = 'SessionStart'") == [(1,)]
