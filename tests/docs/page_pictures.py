"""`python -m tests.docs.page_pictures` draws four views of the page for docs/, of a made-up project, in a real browser."""

import os
import posix
import sys
import tempfile
from pathlib import Path

from ralph_mem.core.project import Project
from ralph_mem.memory import access, opening
from ralph_mem.memory.facts import by_hand, core, relations
from tests.docs import ROOT
from tests.interfaces.page.test_browser import Browser
from tests.interfaces.page.test_process import Started
from tests.readers import note
from tests.sessions import Session

VIEWS = ("today", "search?q=timezone+login", "facts", "relations")
STATEMENTS = (
    "Ada owns the cart service.", "The price list lives in `shop/prices.py`.", "Always run make lint before a commit.",
    "Grace owns the till.", "Deploys go to Bonn.", "requests was replaced by httpx.",
)  # fmt: skip


def main():
    """Draw the pictures; leaves with 0."""
    with tempfile.TemporaryDirectory(prefix="ralph-mem-pictures-") as folder:
        home, project = Path(folder, "ada"), Path(folder, "shop")
        for each in (home, project):
            each.mkdir()
        posix.environ[b"HOME"] = os.fsencode(home)
        fill(Project(str(project)))
        page = Started(home, project)
        browser = Browser(page, Path(folder, "browser"), width=1100)
        try:
            for view in VIEWS:
                browser.driver.set_window_size(1100, 900)
                browser.goes(view)
                browser.driver.save_screenshot(str(ROOT / "docs" / f"page-{view.partition('?')[0]}.png"))
        finally:
            browser.driver.quit()
            page.process.terminate()
            page.process.communicate()
    return 0


def fill(place):
    """Remember some days of a made-up project."""
    session = Session(opening.open_ready(place), place)
    session.has_a_turn(
        "People are thrown out right after signing in since the upgrade. Find out why and mend it.",
        "Logins failed since auth/tokens.py stored naive expiry times; both sides know the timezone now.",
    )
    session.asks("Why does the cart show negative totals?")
    session.runs("pytest tests/test_cart.py", error="Exit code 1\nFAILED tests/test_cart.py::test_totals - assert -3 == 3")
    session.edits("shop/cart.py", "return -total", "return total")
    session.runs("pytest tests/test_cart.py", "2 passed in 0.10s")
    session.is_answered("The sign was wrong in shop/cart.py; the totals are right now.")
    session.has_a_turn("Name the release", "It is called Kestrel.")
    session.has_a_turn("Rename the price list", "It is prices.py now.")
    session.asks("the timezone bug with the login expiry seems to be back, what did we do about it?")
    session.is_answered("auth/tokens.py again: one more place stored a naive time.")
    for text in STATEMENTS:
        by_hand.keep(place, place, session.settings, text)
    core.put(place, place, session.settings, "issue tracker", "tracker.example/shop")
    note(session, "Releases go out with make ship, never by hand.")
    with access.Change(session.store) as store:
        relations.learn(store)
    session.store.checkpoint()
    session.store.close()


if __name__ == "__main__":
    sys.exit(main())
