"""The page in a real browser: what a person does there, without script, and what hostile texts can do to them."""

import json
import os
import re
import shutil
import time
from pathlib import Path
from urllib.parse import quote

import pytest

from ralph_mem.interfaces.page import routes
from ralph_mem.memory import access
from ralph_mem.memory.facts import by_hand, core, relations
from tests.clock import wait_for
from tests.interfaces.page import hostile_memory
from tests.interfaces.page.hostile_texts import SCRIPTS, TEXTS
from tests.interfaces.page.test_hostile_texts import ANSWERS
from tests.interfaces.page.test_process import Started
from tests.readers import note

NO_SELENIUM = "selenium is not installed, which drives the browser"
webdriver = pytest.importorskip("selenium.webdriver", reason=NO_SELENIUM)
WebDriverException = pytest.importorskip("selenium.common", reason=NO_SELENIUM).WebDriverException
BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(not (BROWSER and DRIVER), reason="no chromium with its driver is here, which shows the page"),
]
FLAGS = (
    "--headless=new --no-sandbox --disable-gpu --disable-dev-shm-usage --disable-background-networking --disable-component-update"
)
NO_NETWORK = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
LOADS_S = 20  # a page, on a machine with nothing else to do
LISTED = [name for name, view in routes.VIEWS.items() if view.listed]
# Where axe-core lies, from `npm install axe-core`, and where pictures go that somebody wants to look at.
AXE, PICTURES = os.environ.get("RALPH_MEM_TEST_AXE", ""), os.environ.get("RALPH_MEM_TEST_PICTURES", "")


def driver_of(folder, scripts=False, dark=False, width=1280):
    """Start a browser with a profile in a folder."""
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for flag in (*FLAGS.split(), NO_NETWORK, f"--user-data-dir={folder}", f"--window-size={width},1600"):
        options.add_argument(flag)
    if dark:
        options.add_argument("--force-dark-mode")
    if not scripts:
        options.add_experimental_option("prefs", {"profile.managed_default_content_settings.javascript": 2})
    os.environ["SE_OFFLINE"] = "true"
    return webdriver.Chrome(options=options, service=webdriver.ChromeService(DRIVER))


class Browser:
    """A browser that has a page open."""

    def __init__(self, page, folder, scripts=False, dark=False, width=1280):
        self.driver = driver_of(folder, scripts, dark, width)
        if dark:
            feature = [{"name": "prefers-color-scheme", "value": "dark"}]
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": feature})
        self.driver.get(f"file://{page.is_ready()}")
        self.waits_for("/here/today")
        self.base = self.driver.current_url.rpartition("/here/")[0]

    def is_as_wide_as(self, width):
        """Show a page as a window of so many CSS pixels does, which may be narrower than a window of a desktop can be."""
        told = {"width": width, "height": 1600, "deviceScaleFactor": 1, "mobile": False}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", told)

    def waits_for(self, part):
        end = time.monotonic() + 30
        while part not in self.driver.current_url:
            assert time.monotonic() < end, (self.driver.current_url, self.driver.page_source[:400])
            time.sleep(0.05)

    def goes(self, view, rest=""):
        self.driver.get(f"{self.base}/here/{view}{rest}")
        return self.driver.page_source

    def one(self, css):
        return self.driver.find_element("css selector", css)

    def presses(self, words):
        """Press a button by its first words, once the page is there that has it."""
        wait_for(lambda: self._buttons(words), LOADS_S, lambda: f"{words}: {self.driver.page_source[-2000:]}")[0].click()

    def _buttons(self, words):
        try:
            return [each for each in self.driver.find_elements("css selector", "button") if each.text.startswith(words)]
        except WebDriverException:  # of a page that is about to go
            return []

    def said(self):
        return self.one(".said").text

    def does(self, verb, having="", **fields):
        """Fill in a form and send it by its button, as somebody does who sees it; returns what is said then."""
        form = next(each for each in self.driver.find_elements("css selector", f"form[action$='/do/{verb}']")
                    if having in each.get_attribute("outerHTML"))  # fmt: skip
        for folded in form.find_elements("xpath", "ancestor::details[not(@open)]/summary"):
            folded.click()
        for name, text in fields.items():
            field = form.find_element("css selector", f"[name='{name}']")
            if field.get_attribute("type") not in ("radio", "checkbox"):
                field.clear()
                field.send_keys(text)
            else:
                field.click()
        before = self.driver.current_url, self.driver.page_source
        form.find_element("css selector", "button").click()
        wait_for(lambda: (self.driver.current_url, self.driver.page_source) != before and self._said(), LOADS_S, lambda: verb)
        return self._said()

    def _said(self):
        try:
            return self.said()
        except WebDriverException:  # of a page that is about to go
            return ""

    def picture(self, name):
        if PICTURES:
            self.driver.save_screenshot(str(Path(PICTURES, name + ".png")))


@pytest.fixture
def a_browser(a_home, a_project, tmp_path):
    """Return what opens a browser on the page of the project."""
    opened = []

    def begin(**wanted):
        page = Started(a_home, Path(a_project.root))
        browser = Browser(page, tmp_path / f"browser-{len(opened)}", **wanted)
        opened.append((browser, page))
        return browser

    yield begin
    for browser, page in opened:
        browser.driver.quit()
        page.process.kill()
        page.process.communicate()


@pytest.fixture
def a_week(a_session):
    """Have some work behind: answers, failures, a note, facts of which two contradict, a key, a relation, what waits."""
    session = a_session
    session.has_a_turn("Where is the zeppelin lamp?", "In the hangar, behind the zinc gate.")
    session.asks("Why does the cart show negative totals?")
    session.runs("pytest tests/test_cart.py", error="Exit code 1\nFAILED tests/test_cart.py::test_totals - assert -3 == 3")
    session.edits("shop/cart.py", "return -total", "return total")
    session.runs("pytest tests/test_cart.py", "2 passed in 0.10s")
    session.is_answered("The sign was wrong in shop/cart.py; the totals are right now.")
    session.asks("Where is the zeppelin lamp now?")
    session.is_answered("Still in the hangar.")
    for text in ("Ada owns the cart service.", "Always run make lint before a commit.", "Deploys go to Bonn."):
        by_hand.keep(session.project, session.project, session.settings, text)
    core.put(session.project, session.project, session.settings, "port", "8080")
    with access.Change(session.store) as store:
        relations.learn(store)
    session.note_id = note(session, "Releases go out with make ship.")
    hostile_memory.a_project_that_is_gone(session.project, "till")
    hostile_memory.loop(session.project, [f"the totals of cart {number} are right" for number in range(20)])
    session.store.checkpoint()
    return session


def test_a_person_finds_corrects_pins_and_forgets_with_scripts_off(a_browser, a_week):
    browser = a_browser()
    browser.picture("today")
    assert "zeppelin lamp" in browser.driver.page_source  # the receipt of the last prompt: why
    browser.one("nav a[href$='/search']").click()
    browser.one("input[name=q]").send_keys("releases")
    browser.presses("Search")
    browser.picture("search")
    browser.one(f"a[href$='/memory/{a_week.note_id}']").click()
    field = browser.one("textarea[name=text]")
    assert field.get_attribute("value") == "Releases go out with make ship."
    field.clear()
    field.send_keys("Releases go out with make release.")
    browser.presses("Save")
    assert "is corrected" in browser.said()
    browser.presses("Pin")
    assert "is pinned" in browser.said()
    browser.picture("memory")
    assert a_week.rows("SELECT title, pinned FROM observations WHERE public_id = ?", a_week.note_id) == [
        ("Releases go out with make release.", 1)
    ]
    browser.presses("Forget ...")
    browser.picture("forget")
    browser.presses("Delete exactly this")
    wait_for(lambda: "/do/forget" in browser.driver.current_url and "Out of reach" in browser.driver.page_source, LOADS_S)
    assert a_week.rows("SELECT count(*) FROM observations WHERE public_id = ?", a_week.note_id) == [(0,)]


def test_every_form_does_its_work_with_scripts_off(a_browser, a_week):
    names = {text: name for name, text in a_week.rows("SELECT public_id, title FROM observations WHERE type IN ('fact', 'note')")}
    ada, lint, bonn = [
        names[text] for text in ("Ada owns the cart service.", "Always run make lint before a commit.", "Deploys go to Bonn.")
    ]
    waiting = [by_hand.keep(a_week.project, a_week.project, a_week.settings, text).public_id
               for text in ("The till is closed on Sundays.", "Lamps come from the north.")]  # fmt: skip
    for name in waiting:
        sql = "UPDATE facts SET status = 'candidate' WHERE id = (SELECT id FROM observations WHERE public_id = ?)"
        a_week.store.execute(sql, (name,))
    (relation,) = a_week.rows("SELECT public_id FROM relations LIMIT 1")[0]
    steps = [
        ("today", "note", {"text": "Ships leave on Mondays."}, "Remembered as"), ("today", "undo", {}, "Taken back: the note"),
        (f"memory/{a_week.note_id}", "edit", {"text": "Releases go out with make release."}, "is corrected"),
        (f"memory/{a_week.note_id}", "pin", {}, "is pinned"), (f"memory/{a_week.note_id}", "wrong", {}, "is marked wrong"),
        ("facts", "fact-add", {"text": "Grace owns the till."}, "Kept as"),
        (f"fact/{ada}", "fact-edit", {"text": "Ada owns the whole cart service."}, "is corrected"),
        (f"fact/{ada}", "fact-promote", {}, "Kept as"), (f"fact/{ada}", "fact-fold", {"into": lint}, "is folded into"),
        (f"fact/{ada}", "fact-undo", {}, "Taken back"), (f"fact/{bonn}", "fact-retire", {}, "holds no longer"),
        ("facts", "key-set", {"key": "tracker", "value": "tracker.example"}, "Kept as"),
        ("facts", "key-delete", {}, "is told no more"),
        (f"relation/{relation}", "relation-edit", {"object": "Team Till", "confidence": "0.5"}, "is corrected"),
        (f"relation/{relation}", "relation-remove", {}, "is gone"),
        ("review", "fact-accept", {}, "holds"), ("review", "fact-reject", {}, "is not proposed again"),
        ("settings", "set", {"value": "100"}, "memory.inject_tokens_prompt is 100"),
        (f"memory/{a_week.note_id}", "forget", {}, "Nothing is deleted yet"),
    ]  # fmt: skip
    having = {
        "key-set": 'name="key" required',
        "set": "memory.inject_tokens_prompt",
        "fact-accept": waiting[1],
        "fact-reject": waiting[0],
    }
    browser, wrong = a_browser(), []
    for view, verb, fields, words in steps:
        browser.goes(view)
        found = browser.does(verb, having.get(verb, ""), **fields)
        wrong += [] if words in found else [(verb, found)]
    assert not wrong
    assert {verb for _, verb, *_ in steps} == set(routes.FORMS)
    assert a_week.rows("SELECT count(*) FROM facts WHERE status = 'candidate'") == [(0,)]


def test_everything_goes_in_the_browser_once_the_word_is_typed(a_browser, a_week):
    browser = a_browser()
    browser.goes("forget")
    browser.one("section.danger button").click()
    browser.picture("forget-all")
    browser.one("input[name=typed]").send_keys("forget")
    browser.presses("Delete exactly this")
    wait_for(lambda: "Out of reach" in browser.driver.page_source, LOADS_S)
    assert a_week.rows("SELECT count(*) FROM observations") == [(0,)]


def test_a_page_on_another_port_gets_no_cookie_of_ours(a_browser, a_week):
    import http.server
    import threading

    heard = []

    class Listener(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            heard.append(self.headers.get("Cookie"))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    listener = http.server.HTTPServer(("127.0.0.1", 0), Listener)
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    browser = a_browser()
    browser.driver.get(f"http://127.0.0.1:{listener.server_port}/here/today")
    listener.shutdown()
    listener.server_close()
    assert heard
    assert set(heard) == {None}


def views_of(browser):
    """Yield the address of every view, and of the first thing of each kind that they lead to."""
    yield from ((name, "") for name in LISTED)
    pages = "".join(browser.goes(view) for view in ("sessions", "facts", "relations", "loops", "projects"))
    pages += browser.goes("search", "?q=zeppelin+releases+owned")
    for kind in ("session", "memory", "fact", "relation", "loop", "gone"):
        found = re.search(rf"/here/{kind}/([\w-]+)", pages)
        if found:
            yield kind, "/" + found[1]


def shows_everything(browser):
    """Yield the name of each view once it is shown, then that of each answer, the last of which has deleted a memory."""
    for view, rest in views_of(browser):
        browser.goes(view, rest)
        yield view
    browser.goes("memory", "/obs-nothing22")
    yield "failed"
    browser.goes("forget")
    browser.does("forget", 'name="query"', query="hangar")
    yield "forget_preview"
    browser.presses("Delete exactly this")
    wait_for(lambda: "Out of reach" in browser.driver.page_source, LOADS_S)
    yield "forgotten"


# What lies beside the window and is cut off or scrolled by nothing around it, and if the frame stays above the content.
OUT_OF_ITS_BOX = """
const out = [];
for (const each of document.querySelectorAll("body *:not(.skip)")) {
  const box = each.getBoundingClientRect();
  let around = each.parentElement;
  while (around && around !== document.body && getComputedStyle(around).overflowX === "visible") around = around.parentElement;
  const isFree = !around || around === document.body;
  if (box.width && isFree && (box.right > innerWidth + 1 || box.left < -1)) out.push(each.outerHTML.slice(0, 120));
}
const [header, main] = ["header", "main"].map((name) => document.querySelector(name).getBoundingClientRect());
if (header.bottom > main.top + 1) out.push("the header covers the content");
return out;
"""


def test_two_hundred_hostile_texts_run_no_script_and_stay_in_their_boxes(a_browser, a_session):
    assert len(TEXTS) == 200
    hostile_memory.fill(a_session, TEXTS)
    browser, seen, wrong = a_browser(scripts=True), 0, {}
    names = [name for (name,) in a_session.rows("SELECT public_id FROM observations UNION SELECT public_id FROM turns")]
    relations_of = [name for (name,) in a_session.rows("SELECT public_id FROM relations")]
    facts_of = [name for (name,) in a_session.rows("SELECT o.public_id FROM facts AS f JOIN observations AS o ON o.id = f.id")]
    views = [
        *views_of(browser),
        *[("memory", "/" + name) for name in names[::9]],
        *[("fact", "/" + name) for name in facts_of[::9]],
    ]
    views += [("relation", "/" + name) for name in relations_of[::6]]
    views += [("search", f"?q=zeppelin&layer={layer}") for layer in (2, 3)] + [("facts", "?page=2"), ("facts", "?status=candidate")]
    views += [
        ("search", f"?q={quote(SCRIPTS[0])}"),
        ("today", f"?page=2&prompt={quote(SCRIPTS[9])}"),
        ("facts", f"?as_of={quote(SCRIPTS[4])}"),
    ]
    views += [
        ("session", f"/{quote(SCRIPTS[8], safe='')}"),
        ("relations", f"?subject={quote(SCRIPTS[4])}"),
        ("loop", f"/{hostile_memory.LOOP}?diff=1"),
    ]
    for view, rest in views:
        browser.goes(view, rest)
        ran = browser.driver.execute_script("return window.owned")
        foreign = browser.driver.execute_script(
            "return document.querySelectorAll('main script, iframe, img, [onerror], [onload]').length"
        )
        out = browser.driver.execute_script(OUT_OF_ITS_BOX)
        if ran is not None or foreign or out:
            wrong[view + rest] = ran, foreign, out[:2]
        seen += 1
    browser.goes("forget")
    browser.does("forget", 'name="query"', query=SCRIPTS[0])
    assert browser.driver.execute_script("return window.owned") is None
    assert not wrong, json.dumps(wrong, indent=1)[:3000]
    assert {view for view, _ in views} == set(routes.VIEWS)
    assert seen > 120


@pytest.mark.skipif(not AXE, reason="RALPH_MEM_TEST_AXE does not say where axe-core lies")
@pytest.mark.parametrize("dark", [False, True])
def test_no_view_has_a_serious_finding_of_axe(dark, a_browser, a_week):
    a_week.store.execute("UPDATE facts SET status = 'candidate' WHERE id = (SELECT max(id) FROM facts)")
    browser, seen, serious = a_browser(scripts=True, dark=dark), set(), {}
    for view in shows_everything(browser):
        seen.add(view)
        browser.picture(f"{view}-{'dark' if dark else 'light'}")
        browser.driver.execute_script(Path(AXE).read_text())
        found = browser.driver.execute_async_script("axe.run().then(arguments[0])")
        serious |= {
            (view, each["id"]): [node["html"][:200] for node in each["nodes"][:3]]
            for each in found["violations"]
            if each["impact"] in ("serious", "critical")
        }
    assert not serious, json.dumps({str(key): value for key, value in serious.items()}, indent=1)
    assert seen == {*routes.VIEWS, *ANSWERS}


NARROW, PAPER = 360, 794  # CSS pixels: a small phone; A4


@pytest.mark.parametrize("dark", [False, True])
def test_a_narrow_window_cuts_nothing_off(dark, a_browser, a_week):
    browser, wrong = a_browser(dark=dark), {}
    browser.is_as_wide_as(NARROW)
    for view in shows_everything(browser):
        browser.picture(f"{view}-narrow-{'dark' if dark else 'light'}")
        wrong |= {view: out} if (out := browser.driver.execute_script(OUT_OF_ITS_BOX)) else {}
    assert not wrong, json.dumps(wrong, indent=1)


# What is seen on paper and is of no use there, or is light on white.
NOT_FOR_PAPER = """
const out = [...document.querySelectorAll("nav, form, button, .skip, .switch")].filter((each) => each.getClientRects().length);
return out.map((each) => each.outerHTML.slice(0, 120));
"""


def test_paper_has_what_is_remembered_and_nothing_to_press(a_browser, a_week):
    browser, wrong = a_browser(scripts=True), {}
    browser.is_as_wide_as(PAPER)
    browser.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    for view, rest in views_of(browser):
        browser.goes(view, rest)
        browser.picture(f"{view}-print")
        out = browser.driver.execute_script(OUT_OF_ITS_BOX) + browser.driver.execute_script(NOT_FOR_PAPER)
        wrong |= {view: out} if out else {}
    assert not wrong, json.dumps(wrong, indent=1)


FOCUS = """
const at = document.activeElement, box = at.getBoundingClientRect(), style = getComputedStyle(at);
return {words: (at.innerText || at.name || at.tagName).trim(), address: at.getAttribute("href") || "", name: at.name || "",
  seen: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 && box.width > 0
    && box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth, main: at.id === "main"};
"""


class Keys:
    """Somebody who has no mouse: what they press, and what has the focus then."""

    def __init__(self, browser):
        self.browser, self.unseen = browser, []

    def presses(self, *keys):
        webdriver.ActionChains(self.browser.driver).send_keys(*keys).perform()
        return self.browser.driver.execute_script(FOCUS)

    def tabs_to(self, is_it, most=80):
        """Press Tab until the focus is on what is wanted, and note where it was not to be seen."""
        for _ in range(most):
            focus = self.presses(webdriver.Keys.TAB)
            self.unseen += [] if focus["seen"] else [focus]
            if is_it(focus):
                return focus
        raise AssertionError(f"Tab never came to it on {self.browser.driver.current_url}")


def test_a_keyboard_alone_finds_pins_corrects_and_forgets_and_its_focus_is_always_seen(a_browser, a_week):
    browser, key = a_browser(), webdriver.Keys
    person = Keys(browser)
    assert person.presses(key.TAB)["words"] == "Skip to the content"
    assert person.presses(key.ENTER)["main"]
    browser.goes("today")
    person.tabs_to(lambda focus: focus["address"].endswith("/search"))
    person.presses(key.ENTER)
    browser.waits_for("/here/search")
    person.tabs_to(lambda focus: focus["name"] == "q")
    person.presses("releases", key.ENTER)
    wait_for(lambda: a_week.note_id in browser.driver.page_source, LOADS_S)
    person.tabs_to(lambda focus: focus["address"].endswith(a_week.note_id))
    person.presses(key.ENTER)
    browser.waits_for("/memory/")
    person.tabs_to(lambda focus: focus["name"] == "text")
    person.presses(key.CONTROL, "a", key.NULL, "Releases go out with make release.")
    person.tabs_to(lambda focus: focus["words"].startswith("Save"))
    person.presses(key.SPACE)
    wait_for(lambda: "is corrected" in browser.driver.page_source, LOADS_S)
    person.tabs_to(lambda focus: focus["words"] == "Pin")
    person.presses(key.SPACE)
    wait_for(lambda: "is pinned" in browser.driver.page_source, LOADS_S)
    person.tabs_to(lambda focus: focus["words"].startswith("Forget ..."))
    person.presses(key.ENTER)
    wait_for(lambda: "Nothing is deleted yet" in browser.driver.page_source, LOADS_S)
    person.tabs_to(lambda focus: focus["words"].startswith("Delete exactly this"))
    person.presses(key.ENTER)
    wait_for(lambda: "Out of reach" in browser.driver.page_source, LOADS_S)
    assert a_week.rows("SELECT count(*) FROM observations WHERE public_id = ?", a_week.note_id) == [(0,)]
    assert not person.unseen, person.unseen
