"""What the real client shows of ours beside the conversation: status line, rounds of a loop, the menu, and what that costs."""

import json
import re
import time
import urllib.request
from pathlib import Path

import pytest

from tests.interfaces.page.test_process import Started
from tests.ralph.loops import CHECK, STEPS

from .client import eventually
from .messages_api import call, say

LISTED = re.compile(r"^- ralph-mem:.*$", re.MULTILINE)
MOST_LISTED = 150  # tokens, at four characters each
OF_THE_MENU = ("/mem-inject", "/mem-search", "/mem-status", "/mem-forget")


def flat(screen):
    """Return a screen without the line breaks of the client's frame."""
    return " ".join(screen.split())


@pytest.fixture
def at_the_client(terminal, client, plugin):
    """Open a session with `~/.local/bin` on PATH."""
    client.plugin = plugin
    folder = client.home / ".local" / "bin"
    folder.mkdir(parents=True)
    return lambda **extra: terminal(PATH=f"{folder}:/usr/local/bin:/usr/bin:/bin", **extra)


def test_setup_offers_a_status_line_that_is_seen_from_then_on_and_costs_no_request(at_the_client, client, api):
    api.play({"turns": [say("The cleat was mounted upside down.")]})
    with at_the_client() as person:
        person.say("/mem setup")
        person.wait_for("/mem setup status-line writes one into")
        assert not (client.home / ".claude" / "settings.json").exists() or "statusLine" not in settings_of(client)
        person.say("/mem setup status-line")
        person.wait_for("Written:")
        assert api.requests("main") == []
        person.say("Why does the halyard slip under load?")
        person.wait_for("  mem 1")
        person.say("/mem pause session")
        person.wait_for("Paused: nothing of this session is recorded")
        person.leave()
    assert "hooks/run" in settings_of(client)["statusLine"]["command"]


def test_sessions_from_before_the_plugin_are_offered_and_come_in(at_the_client, client, api, plugin):
    client.plugin = None
    api.play({"turns": [say("The cleat was mounted upside down.")]})
    client.print_mode("Why does the halyard slip under load?")
    client.plugin = plugin
    with at_the_client() as person:
        person.wait_for("1 earlier session of this project is on this machine: /mem import")
        person.say("/mem import")
        person.wait_for("imported: 1 session, 1 turn")
    assert len(api.requests("main")) == 1  # that of the session before


def settings_of(client):
    return json.loads((client.home / ".claude" / "settings.json").read_text())


def test_the_menu_shows_what_is_used_most_and_what_deletes_for_good_last(at_the_client, api):
    api.play({})
    with at_the_client() as person:
        person.type("/mem")
        first = person.wait_for("mem-status")
        person.type("-")
        time.sleep(0.3)
        every = person.wait_for("mem-forget")
    places = [first.find(f"({name[1:]})") for name in OF_THE_MENU]
    assert 0 < places[0] < places[1] < places[2] and places[3] == -1
    found = [every.find(f"({name[1:]})") for name in OF_THE_MENU]
    assert found == sorted(found) and found[0] > 0


def test_what_the_model_is_told_of_our_skills_costs_a_session_little(client, api, plugin):
    client.plugin = plugin
    api.play({"turns": [say("Hello.")]})
    client.print_mode("Say hello")
    listed = LISTED.findall(api.text_of(api.requests("main")[0]))
    assert len(listed) == 3 and len("\n".join(listed)) / 4 <= MOST_LISTED


def test_a_loop_says_how_each_round_went_and_a_short_code_begins_it(at_the_client, client, api):
    (client.project / "check.sh").write_text(CHECK)
    (client.project / "check.sh").chmod(0o755)
    for name in ("one", "two", "three"):
        (client.project / f"{name}.txt").write_text("wrong\n")
    api.play({"turns": [turn for step in STEPS for turn in (call(("Bash", {"command": step})), say("I did a step."))]})
    with at_the_client() as person:
        person.say('/ralph start --criteria custom=./check.sh --cooldown 0 "Mend all three"')
        code = re.search(r"/ralph yes (\w{4})", person.wait_for("/ralph yes"))[1]
        assert api.requests("main") == []
        person.say(f"/ralph yes {code}")
        screen = flat(person.wait_for("success after 3 iterations", timeout=60))
    assert "Stop says: ralph-mem: loop 1/10: 2 of 3 failing, was 3" in screen
    assert "Stop says: ralph-mem: loop 2/10: 1 of 3 failing, was 2" in screen
    assert len(api.requests("main")) == 6


def test_a_page_is_opened_and_ended_by_typed_commands_that_cost_no_request(at_the_client, client, api, tmp_path):
    pytest.importorskip("starlette", reason="starlette is not installed, which the page is made with")
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {seen}.part; mv {seen}.part {seen}\n')
    browser.chmod(0o755)
    in_a_terminal = Started(client.home, client.project)  # by an interpreter that has the packages; that of the hooks may have none
    in_a_terminal.is_ready()
    in_a_terminal.says("stop")
    in_a_terminal.ends()
    with at_the_client(BROWSER=f"{browser} %s") as person:
        person.say("/mem page")
        person.wait_for("The page opens in your browser")
        eventually(seen.exists)
        assert not re.search(r"[0-9a-f]{32}", person.screen())
        address = re.search(r"http://[^\"]+", Path(seen.read_text().partition("://")[2]).read_text())[0]
        with urllib.request.urlopen(address, timeout=60) as answer:
            assert "HttpOnly" in answer.headers["set-cookie"]
        person.say("/mem page --stop")
        person.wait_for("Stopped: 1.")
        person.leave()
    assert api.requests("main") == []
    assert sorted(path.name for path in (client.home / ".local/share/ralph-mem/page-files").iterdir()) == ["log"]
