"""`/mem page` in the real client: a person opens it, nothing that leads in is shown or told to a model, and a word ends it."""

import re
from pathlib import Path

from tests.interfaces.page.test_process import Started, visits

from .client import REPOSITORY, eventually


def browser_of(folder):
    """Make a browser that only writes down which file it was to open; returns what starts it, and where that is written."""
    program, seen = folder / "browser", folder / "seen"
    program.write_text(f'#!/bin/sh\nprintf %s "$1" > {seen}.part; mv {seen}.part {seen}\n')
    program.chmod(0o755)
    return f"{program} %s", seen


def test_a_person_opens_the_page_and_ends_it_and_nothing_that_leads_in_is_shown(terminal, client, api, tmp_path):
    client.plugin = REPOSITORY
    program, seen = browser_of(tmp_path)
    once = Started(client.home, client.project)  # in a terminal, so that it is known which Python has what a page needs
    once.is_ready()
    once.says("stop")
    once.ends()
    with terminal(BROWSER=program) as person:
        person.say("/mem page")
        shown = person.wait_for("opens in your browser")
        eventually(seen.exists)
        address, cookie = visits(Path(seen.read_text().partition("://")[2]))
        assert "HttpOnly" in cookie
        person.say("/mem page --stop")
        shown += person.wait_for("Stopped: 1.")
        person.leave()
    port, token = re.search(r":(\d+)/", address)[1], address.rpartition("=")[2]
    for way_in in (token, f"127.0.0.1:{port}", "/open-"):
        assert way_in not in shown
        assert way_in not in api.heard()
    files = client.home / ".local/share/ralph-mem/page-files"
    eventually(lambda: [path.name for path in files.iterdir()] == ["log"])
