"""`python -m tests.docs.page_pictures` draws four views of the page for docs/, of a made-up project, in a real browser."""

import os
import posix
import sys
import tempfile
import time
from pathlib import Path
from unittest import mock

from ralph_mem.core.project import Project
from ralph_mem.memory import access, opening
from ralph_mem.memory.facts import by_hand, core, relations
from tests.docs import ROOT
from tests.interfaces.page.test_browser import Browser
from tests.interfaces.page.test_process import Started
from tests.readers import note
from tests.sessions import DAY, HOUR, Session

VIEWS = {"today": "", "search": "?q=timezone+login", "facts": "", "relations": ""}
STATEMENTS = (
    "Ada owns the cart service.", "The price list lives in `shop/prices.py`.", "Always run make lint before a commit.",
    "Grace owns the till.", "The cart service lives in `shop/cart.py`.", "Deploys go to Bonn.", "requests was replaced by httpx.",
)  # fmt: skip
WIDTH, HEIGHT = 1180, 860


def main(folder=None):
    """Draw the pictures into a folder, that of the documentation by default; leaves with 0."""
    target = Path(folder or ROOT / "docs")
    with tempfile.TemporaryDirectory(prefix="ralph-mem-pictures-") as top:
        home, project = Path(top, "home"), Path("/tmp/shop")  # a short name for the picture
        home.mkdir()
        project.mkdir()
        try:
            posix.environ[b"HOME"] = os.fsencode(home)
            fill(Project(str(project)))
            draw(Started(home, project), Path(top, "browser"), target)
        finally:
            for path in sorted(project.rglob("*"), reverse=True):
                path.rmdir() if path.is_dir() else path.unlink()
            project.rmdir()
    return 0


def draw(page, folder, target):
    """Open the page in a browser and take a picture of each view."""
    browser = Browser(page, folder, scripts=True, width=WIDTH)
    try:
        browser.driver.set_window_size(WIDTH, HEIGHT)
        for view, rest in VIEWS.items():
            browser.goes(view, rest)
            browser.driver.save_screenshot(str(target / f"page-{view}.png"))
    finally:
        browser.driver.quit()
        page.process.terminate()
        page.process.communicate()


def fill(place):
    """Remember some days of a made-up project."""
    opened, now = opening.open_ready(place), time.time_ns() // 1_000_000
    first = Session(opened, place, "monday", now - 3 * DAY)
    first.starts()
    first.has_a_turn(
        "People are thrown out right after signing in since the upgrade. Find out why and mend it.",
        "Logins failed since auth/tokens.py stored naive expiry times; both sides know the timezone now.",
    )
    first.asks("Why does the cart show negative totals?")
    first.runs("pytest tests/test_cart.py", error="Exit code 1\nFAILED tests/test_cart.py::test_totals - assert -3 == 3")
    first.edits("shop/cart.py", "return -total", "return total")
    first.runs("pytest tests/test_cart.py", "2 passed in 0.10s")
    first.is_answered("The sign was wrong in shop/cart.py; the totals are right now.")
    for number, text in enumerate(STATEMENTS):
        with mock.patch("time.time_ns", lambda days=20 - 3 * number: (now - days * DAY) * 1_000_000):
            by_hand.keep(place, place, first.settings, text)
    core.put(place, place, first.settings, "issue tracker", "tracker.example/shop")
    note(first, "Releases go out with make ship, never by hand.")
    second = Session(opened, place, "today", now - HOUR)
    second.starts()
    second.asks("the timezone bug with the login expiry seems to be back, what did we do about it?")
    second.is_answered("auth/tokens.py again: one more place stored a naive time.")
    second.has_a_turn("Which command ships a release?", "make ship, as the note says.")
    with access.Change(opened) as store:
        relations.learn(store)
    opened.checkpoint()
    opened.close()


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
