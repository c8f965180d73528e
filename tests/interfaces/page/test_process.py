"""The page as a process: started, found by one file, ended by idleness, a word or a signal, and nothing left of it but its log."""

import os
import re
import signal
import stat
import subprocess
import sys
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from tests.clock import wait_for
from tests.hook import HANGS_S, REPOSITORY

SOON_S = 10
PROGRAM = REPOSITORY / "ralph_mem" / "interfaces" / "page"
IDLE = "import sys; sys.path.insert(0, sys.argv[2])\nfrom ralph_mem.core.project import find\n"
IDLE += "from ralph_mem.interfaces.page import serving\nserving.serve(find(sys.argv[1]), opens=False, idle_s=0.3)"


class Started:
    """A page at work in a project, as `ralph-mem page --no-open` starts it."""

    def __init__(self, home, project, *order):
        self.home, self.project, self.files = home, project, home / ".local/share/ralph-mem/page-files"
        words = order or (str(PROGRAM), str(project), "serve", "--no-open")
        self.environment = {"HOME": str(home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        self.process = subprocess.Popen([sys.executable, "-I", *words], env=self.environment, cwd=project, **pipes)

    def is_ready(self):
        """Wait until the file is there that leads to it; returns that."""
        line = self.process.stdout.readline()
        assert ".html" in line, (line, self.process.stderr.read() if self.process.poll() else "")
        return Path(line.rpartition(" ")[2].strip())

    def ends(self):
        """Wait until it has ended; returns what it left in its folder."""
        self.process.communicate(timeout=HANGS_S)
        wait_for(lambda: not self.left(), SOON_S)
        return sorted(path.name for path in self.files.iterdir())

    def left(self):
        """Return the files that are there for a minute at most."""
        return list(self.files.glob("open-*"))

    def says(self, *words):
        order = [sys.executable, "-I", str(PROGRAM), str(self.project), *words]
        return subprocess.run(order, env=self.environment, capture_output=True, text=True, timeout=HANGS_S)


@pytest.fixture
def a_page(a_home, a_project):
    started = Started(a_home, Path(a_project.root))
    yield started
    started.process.kill()
    started.process.communicate()


def visits(file):
    """Go where a file leads to; returns the address, and what the browser would keep."""
    address = re.search(r"http://[^\"]+", file.read_text())[0]
    with urllib.request.urlopen(address, timeout=HANGS_S) as answer:
        return address, answer.headers["set-cookie"]


def test_only_its_owner_reads_the_way_in_which_is_gone_when_it_is_used_and_no_argument_tells_it(a_page):
    file = a_page.is_ready()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    address, cookie = visits(file)
    assert "HttpOnly" in cookie
    wait_for(lambda: not file.exists(), SOON_S)
    token = address.partition("token=")[2]
    with pytest.raises(urllib.error.HTTPError, match="401"):
        urllib.request.urlopen(address, timeout=HANGS_S)
    for told in (*Path(f"/proc/{a_page.process.pid}").glob("cmdline"), a_page.files / "log"):
        assert token not in told.read_text()


def test_only_this_machine_reaches_it(a_page):
    port = re.search(r":(\d+)/", a_page.is_ready().read_text())[1]
    listening = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()]
    assert [each[1] for each in listening if each[1].endswith(f":{int(port):04X}") and each[3] == "0A"] == [
        f"0100007F:{int(port):04X}"
    ]


def test_stop_ends_it_and_leaves_its_log(a_page):
    a_page.is_ready()
    assert a_page.says("stop").stdout == "Stopped: 1.\n"
    assert a_page.ends() == ["log"]
    assert a_page.says("stop").stdout == "No page is at work.\n"


@pytest.mark.check
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_a_signal_leaves_nothing_but_its_log(number, a_page):
    a_page.is_ready()
    a_page.process.send_signal(number)
    assert a_page.ends() == ["log"]
    assert a_page.says("stop").stdout == "No page is at work.\n"
    assert not processes_of(a_page)


def test_an_interrupt_ends_it_where_a_shell_has_them_ignored(tmp_path):
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as it is for what is started behind a shell
    try:
        started = Started(tmp_path, tmp_path)
    finally:
        signal.signal(signal.SIGINT, before)
    started.is_ready()
    started.process.send_signal(signal.SIGINT)
    assert started.ends() == ["log"]


def processes_of(page):
    """Return the processes that were started for a page, whoever is their parent by now."""
    found = []
    for each in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = each.read_bytes()
        except OSError:
            continue
        found += [each] if os.fsencode(page.project) in words and os.fsencode(PROGRAM) in words else []
    return found


def test_it_ends_when_nobody_asks_for_anything(tmp_path):
    started = Started(tmp_path, tmp_path, "-c", IDLE, str(tmp_path), str(REPOSITORY))
    started.is_ready()
    assert started.ends() == ["log"]
    assert started.process.returncode == 0


@pytest.mark.check
def test_for_a_session_it_goes_on_by_itself_and_the_browser_gets_the_file(a_page, tmp_path):
    a_page.is_ready()
    a_page.says("stop")
    a_page.ends()
    browser, seen = tmp_path / "browser", tmp_path / "seen"
    browser.write_text(f'#!/bin/sh\nprintf %s "$1" > {seen}.part; mv {seen}.part {seen}\n')
    browser.chmod(0o755)
    a_page.environment["BROWSER"] = f"{browser} %s"
    said = a_page.says("detached")
    assert said.stdout.startswith("The page opens in your browser")
    assert not re.search(r"[0-9a-f]{32}", said.stdout)
    wait_for(seen.exists, SOON_S)
    file = Path(seen.read_text().partition("://")[2])
    visits(file)
    assert a_page.says("stop").stdout == "Stopped: 1.\n"
    wait_for(lambda: not processes_of(a_page), SOON_S)
    assert sorted(path.name for path in a_page.files.iterdir()) == ["log"]


@pytest.mark.check
def test_a_port_that_is_taken_is_said(a_page):
    port = re.search(r":(\d+)/", a_page.is_ready().read_text())[1]
    said = a_page.says("serve", "--no-open", "--port", port)
    assert said.returncode == 1
    assert said.stderr.startswith(f"ralph-mem: port {port} cannot be used: ")


def test_without_its_packages_one_line_says_how_to_get_them(tmp_path):
    order = [sys.executable, "-I", "-S", str(PROGRAM), str(tmp_path), "serve"]
    ran = subprocess.run(order, env={"HOME": str(tmp_path)}, capture_output=True, text=True, timeout=HANGS_S)
    assert ran.returncode == 1
    first, second = ran.stderr.splitlines()
    assert first == "ralph-mem: the page needs starlette, jinja2, uvicorn"
    assert "[page]" in second
