"""Two pages and a session at work in one memory at once: nothing is lost, and a conflict is shown."""

import re
import subprocess
import threading
import urllib.error
import urllib.request
from functools import partial
from urllib.parse import urlencode

import pytest

from tests.hook import HANGS_S, Hook
from tests.interfaces.page.test_process import Started, visits
from tests.interfaces.page.visitors import Person
from tests.readers import note

ROUNDS = 5


def at_once(*acts):
    """Run acts that wait for each other first; returns what each returned."""
    together, found = threading.Barrier(len(acts)), {}

    def run(number, act):
        together.wait()
        found[number] = act()

    threads = [threading.Thread(target=run, args=each) for each in enumerate(acts)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return [found[number] for number in range(len(acts))]


def status_of(person, verb, **fields):
    address = f"{person.keys.base}/here/do/{verb}"
    return person.browser.post(
        address, data={"form": person.keys.form, **fields}, headers={"origin": person.keys.origin}
    ).status_code


def test_of_two_edits_of_what_both_pages_show_one_is_done_and_the_other_is_told(a_person):
    other, name = Person(a_person.session).comes_in(), note(a_person.session, "Releases go out with make ship.")
    for number in range(ROUNDS):
        shown = a_person.hidden(a_person.sees("memory", name), "as_shown")
        texts = [f"{who} says {number}" for who in ("one", "other")]
        acts = [partial(status_of, who, "edit", id=name, text=text, as_shown=shown)
                for who, text in zip((a_person, other), texts, strict=True)]  # fmt: skip
        said = at_once(*acts)
        assert sorted(said) == [200, 409]
        assert a_person.session.rows("SELECT title FROM observations WHERE public_id = ?", name) == [(texts[said.index(200)],)]


def test_what_two_pages_keep_while_a_session_records_is_all_there(a_person):
    session, other = a_person.session, Person(a_person.session).comes_in()
    writers = [
        lambda who=who, word=word: [status_of(who, "note", text=f"{word} note {number}") for number in range(ROUNDS)]
        for who, word in ((a_person, "first"), (other, "second"))
    ]
    threads = [threading.Thread(target=writer) for writer in writers]
    for thread in threads:
        thread.start()
    for number in range(ROUNDS):
        session.has_a_turn(f"prompt {number}", f"answer {number}")
    for thread in threads:
        thread.join()
    notes = {title for (title,) in session.rows("SELECT title FROM observations WHERE type = 'note'")}
    assert notes == {f"{word} note {number}" for word in ("first", "second") for number in range(ROUNDS)}
    answers = {answer for (answer,) in session.rows("SELECT response FROM turns")}
    assert {f"answer {number}" for number in range(ROUNDS)} < answers


# The same between processes: pages as they are started, and sessions by the hooks that the client runs


class Window:
    """A page at work, and what a browser would send it."""

    def __init__(self, hook):
        self.page = Started(hook.home, hook.project)
        address, cookie = visits(self.page.is_ready())
        self.base, self.cookie = address.partition("/open")[0], cookie.partition(";")[0]
        self.form = self.hidden(self.sees("today"), "form")

    def asks(self, address, fields=None):
        """Send a request; returns the status, and what is shown in the end."""
        headers = {"Cookie": self.cookie, "Origin": self.base[: self.base.index("/", 8)], "Sec-Fetch-Site": "same-origin"}
        data = urlencode({"form": self.form, **fields}).encode() if fields else None
        try:
            with urllib.request.urlopen(urllib.request.Request(self.base + address, data, headers), timeout=HANGS_S) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read().decode()

    def sees(self, view):
        return self.asks(f"/here/{view}")[1]

    def hidden(self, html, name):
        return re.search(rf'name="{name}" value="([^"]*)"', html)[1]

    def shown(self, memory):
        """Return the digits of a memory as this page shows it now."""
        return self.hidden(self.sees(f"memory/{memory}"), "as_shown")

    def does(self, verb, **fields):
        return self.asks(f"/here/do/{verb}", fields)


def fires(hook, name, **fields):
    """Have a hook run as the client has it run, whatever else runs at the same time."""
    process = hook.open(name, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    said, wrong = process.communicate(hook.event(name, **fields), timeout=HANGS_S)
    assert (process.returncode, wrong) == (0, b"")
    return said


@pytest.fixture
def two_windows(tmp_path):
    """Have a session with a note behind it, and two pages open on its project."""
    hook = Hook(tmp_path)
    fires(hook, "SessionStart", source="startup")
    windows = []
    try:
        windows += [Window(hook), Window(hook)]
        windows[0].does("note", text="Releases go out with make ship.")
        hook.note = hook.values("SELECT public_id FROM observations WHERE type = 'note'")[0]
        yield hook, *windows
    finally:
        for window in windows:
            window.page.process.kill()
            window.page.process.communicate()


def works(hook, name):
    """Have a session go through some turns."""
    fires(hook, "SessionStart", source="startup")
    for number in range(ROUNDS):
        hook.turn = f"{name}-{number}"
        fires(hook, "UserPromptSubmit", prompt=f"{name} prompt {number}", permission_mode="default")
        fires(hook, "Stop", last_assistant_message=f"{name} answer {number}", stop_hook_active=False, background_tasks=[])


@pytest.mark.check
def test_two_pages_and_two_sessions_in_processes_of_their_own_lose_nothing_and_each_conflict_is_shown(two_windows):
    hook, *windows = two_windows
    at_work = [threading.Thread(target=works, args=(hook.another(), name)) for name in ("red", "blue")]
    for each in at_work:
        each.start()
    for number in range(ROUNDS):
        shown = windows[0].shown(hook.note)
        acts = [partial(window.does, "edit", id=hook.note, text=f"page {at} says {number}", as_shown=shown)
                for at, window in enumerate(windows)]  # fmt: skip
        said = at_once(*acts, *[partial(window.does, "note", text=f"note {at} {number}") for at, window in enumerate(windows)])
        assert sorted([status for status, _ in said]) == [200, 200, 200, 409], said
        (lost,) = [at for at, (status, _) in enumerate(said) if status == 409]
        assert "has changed since it was shown" in said[lost][1]
        assert f"page {lost} says {number}" in said[lost][1]
        assert hook.values("SELECT title FROM observations WHERE public_id = ?", hook.note) == [f"page {1 - lost} says {number}"]
    for each in at_work:
        each.join()
    rounds, names = range(ROUNDS), ("red", "blue")
    assert set(hook.values("SELECT title FROM observations WHERE title LIKE 'note %'")) == {
        f"note {at} {number}" for at in (0, 1) for number in rounds
    }
    assert set(hook.rows("SELECT prompt, response FROM turns WHERE prompt LIKE '% prompt %'")) == {
        (f"{name} prompt {number}", f"{name} answer {number}") for name in names for number in rounds
    }
    assert hook.damage() == []


@pytest.mark.check
def test_what_a_session_has_changed_since_a_page_showed_it_is_left_as_the_session_has_it(two_windows):
    hook, window, _ = two_windows
    fires(hook, "UserPromptSubmit", prompt="Where is the zeppelin lamp?", permission_mode="default")
    ((turn,),) = hook.rows("SELECT public_id FROM turns WHERE prompt LIKE '%zeppelin%'")
    shown = window.shown(turn)
    fires(hook, "Stop", last_assistant_message="In the hangar.", stop_hook_active=False, background_tasks=[])
    for verb, fields in {"edit": {"text": "It was I who typed this."}, "wrong": {}, "pin": {}}.items():
        status, page = window.does(verb, id=turn, as_shown=shown, **fields)
        assert status == 409
        assert "has changed since it was shown" in page
        assert fields.get("text", "") in page
    assert hook.rows("SELECT response, pinned, misled FROM turns WHERE public_id = ?", turn) == [("In the hangar.", 0, 0)]
