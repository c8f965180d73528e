"""`python -m tests.bench.pages [TURNS]`: what each view of the page costs in a memory of 100,000 turns, and how large it is.

Processor time of the server until the first byte, the second of two requests. The turns are in sessions of fifty but for one, which
has a tenth of them, each with a command; beside them are facts, relations, receipts, and texts of nothing but marks, each of which
takes five bytes in HTML. What the page takes from its start to its first view, with the file that leads there, is told as a ratio
to `import starlette` alone; and, where selenium drives a Chromium here, what a person waits for from the command to the first
picture in a browser that is running, by the clock on the wall, beside that import.
"""

import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from types import SimpleNamespace

import pytest

from ralph_mem.core.project import Project
from ralph_mem.interfaces.page import routes
from ralph_mem.memory import opening
from ralph_mem.memory.rows import facts, index_text, relations
from tests.bench.memory_of import Words, at_home
from tests.interfaces.page.test_process import Started, visits
from tests.interfaces.page.visitors import Person

TURNS, OF_A_SESSION = 100_000, 50
MOST_MS, MOST_BYTES = 300, 200_000
FACTS, RELATIONS, RECEIPTS, ITEMS = 2_000, 500, 20_000, 20
HOUR_MS = 3_600_000
PICTURES, MOST_S = 5, 2.0
# When the first picture of a view was drawn, in ms since 1970; the file that leads there draws none.
DRAWN = """
const [first] = performance.getEntriesByName("first-contentful-paint");
return location.protocol === "http:" && first ? performance.timeOrigin + first.startTime : 0;
"""
MARKS = '"'
SERVES = "from ralph_mem.interfaces.page import serving"
SESSION = """
INSERT OR IGNORE INTO sessions
    (id, public_id, client_session, project_path, source, agent, fence, context_since, started_at, ended_at)
VALUES (?1, 'sess-' || ?1, ?1, '/', 'startup', 'claude-code', 'f', 0, ?2, ?3)"""
TURN = """
INSERT INTO turns (id, public_id, event_id, session_id, seq, kind, status, origin, prompt, response, context, files, files_read,
    lines, tokens, checksum, redaction_version, scan_level, index_version, created_at, ended_at)
VALUES (?1, 'turn-' || ?1, ?1, ?2, ?1, 'prompt', 'stopped', 'user', ?3, ?4, '', ?5, '', '', 1, 1, 1, 1, 1, ?6, ?6 + 1000)"""
OBSERVATION = """
INSERT INTO observations (id, public_id, event_id, session_id, turn_id, seq, type, origin, title, content, files, lines, tokens,
    checksum, redaction_version, scan_level, index_version, created_at)
VALUES (?1, 'obs-' || ?1, 'o' || ?1, ?2, ?1, ?1, ?3, ?4, ?5, ?6, '', '', 1, 1, 1, 1, 0, ?7)"""
RECEIPT = """
INSERT INTO receipts SELECT ?1, session_id, id, ?1, 'UserPromptSubmit', 600, 300, created_at FROM turns WHERE id = ?2"""
ITEM = "INSERT INTO receipt_items VALUES (?, ?, 'turn-' || ?, ?, 0.5, 3, 10, NULL)"


def main() -> None:
    """Print a line for each view; leaves with 1 where one is too slow or too large."""
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else TURNS
    with tempfile.TemporaryDirectory(prefix="ralph-mem-bench-") as folder, at_home(Path(folder, "home")):
        place = Project(folder)
        fill(place, turns)
        person = Person(SimpleNamespace(project=place))
        missed = [view for view in views(turns) if not is_within(person, view)]
    bare = imported("import starlette.applications")
    print(f"import of the server: {imported(SERVES) / bare:.1f} times that of starlette; to the first view: {started() / bare:.1f}")
    sys.exit(bool(missed) or not is_seen_soon())


def fill(place: Project, turns: int) -> None:
    """Remember so many turns, the last hundred of nothing but marks, and what else there is beside them."""
    opened, words, now = opening.open_ready(place), Words(seed=3), time.time_ns() // 1_000_000
    opened.execute("PRAGMA synchronous = OFF")
    opened.begin()
    first = now - turns * HOUR_MS // 10
    for number in range(1, turns + 1):
        at = first + number * HOUR_MS // 10
        session = 1 + (0 if number <= turns // 10 else number // OF_A_SESSION)
        opened.execute(SESSION, (session, at, at + OF_A_SESSION * HOUR_MS // 10))
        is_last = number > turns - 100
        texts = (MARKS * 8_000, MARKS * 60_000) if is_last else (words.text(90), words.text(250))
        files = f"src/{MARKS * 200 if is_last else ''}{words.random.randrange(1200)}.py\n"
        opened.execute(TURN, (number, session, *texts, files, at))
        opened.execute("INSERT INTO memories (turn_id, created_at) VALUES (?, ?)", (number, at))
        title, body, indexed = [index_text.of(text) for text in (*texts, files)]
        opened.execute("INSERT INTO memory_fts VALUES (?, ?, '', ?, '')", (title, body, indexed))
        kind, origin = words.random.choice((("error", "test"), ("success", "test"), ("tool_use", "tool"), ("response", "outside")))
        opened.execute(OBSERVATION, (number, session, kind, origin, f"pytest {texts[0][:80]}", texts[1], at))
        if number % 20_000 == 0:
            opened.commit()
            opened.tidy()
            opened.begin()
            print(f"\r{number:,} turns", end="", file=sys.stderr, flush=True)
    beside(opened, turns, now)
    opened.commit()
    opened.close()
    print(file=sys.stderr)


def beside(opened, turns, now):
    """Add facts, a tenth of them waiting and a tenth in conflict, relations and receipts."""
    facts.make(opened)
    for number in range(turns + 1, turns + FACTS + 1):
        at, status = now - (number - turns) * HOUR_MS, "candidate" if number % 10 == 0 else "active"
        text = MARKS * 300 + f" {number}" if number < turns + 300 else f"The part {number} goes to Bonn."
        opened.execute(OBSERVATION.replace("?2, ?1, ?1, ?3", "?2, NULL, ?1, ?3"), (number, 1, "fact", "user", text, "", at))
        known = {"kind": "fact", "status": status, "source": "add", "text_key": str(number), "said_at": at}
        facts.add(opened, number, known)
        if number % 10 == 1 and number > turns + 1:
            facts.link(opened, f"obs-{number}", facts.CONFLICTS, f"obs-{number - 2}", 0.5, at)
    for number in range(RELATIONS):
        mark = MARKS * 100 if number < 250 else "part"
        relations.upsert(opened, (f"{mark} {number}", "module"), "owned_by", (f"{mark} of {number // 3}", "person"), now - number)
    for number in range(1, RECEIPTS + 1):
        turn = max(1, turns * number // RECEIPTS)
        opened.execute(RECEIPT, (number, turn))
        for at in range(ITEMS):
            opened.execute(ITEM, (number, at, max(1, turn - at), "missed" if at > 10 else "full"))


def views(turns: int):
    """Yield the addresses of all views, each with what it may be asked for."""
    yield from ((name, "") for name, view in routes.VIEWS.items() if view.listed)
    for depth in (1, 2, 3):
        yield "search", f"q=def+return+self&layer={depth}"
    yield from (("search", "q=src&since=1d&layer=3"), ("today", "prompt=why+does+it+fail"), ("today", "last=200"))
    yield from (("facts", "as_of=1d"), ("facts", "status=candidate"), ("playbook", "q=Bonn"), ("growth", "days=366"))
    for session in (1, 1 + turns // OF_A_SESSION):
        yield f"session/sess-{session}", ""
    yield "session/sess-1", "page=200"
    for name in (f"turn-{turns // 2}", f"turn-{turns}", f"obs-{turns}", f"obs-{turns + 1}"):
        yield f"memory/{name}", ""
    yield f"fact/obs-{turns + 1}", ""


def is_within(person, view) -> bool:
    """Print what a view costs; says whether that is within the limits."""
    for _ in range(2):
        answer, took = person.times(*view)
    size = len(answer.body.encode())
    fits = took <= MOST_MS and size <= MOST_BYTES and answer.status == 200
    name = view[0] + "?" * bool(view[1]) + view[1]
    print(f"{name:45} {took:8.0f} ms {size:10,} bytes" + ("" if fits else f"  too much ({answer.status})"), flush=True)
    return fits


def started():
    """Return the processor time of a page from its start until the first view has been sent, the least of three, in seconds."""
    with tempfile.TemporaryDirectory(prefix="ralph-mem-bench-") as folder:
        return min(_first_view(Path(folder), number) for number in range(3))


def _first_view(folder, number):
    home, project = folder / f"home-{number}", folder / f"shop-{number}"
    home.mkdir()
    project.mkdir()
    page = Started(home, project)
    try:
        address, cookie = visits(page.is_ready())
        request = urllib.request.Request(
            address.partition("/open")[0] + "/here/today", headers={"Cookie": cookie.partition(";")[0]}
        )
        with urllib.request.urlopen(request, timeout=60) as answer:
            assert answer.status == 200
        told = Path(f"/proc/{page.process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")
    finally:
        page.process.terminate()
        page.process.communicate()


def is_seen_soon() -> bool:
    """Print what passes until the first picture, and the load of the machine; says whether that is within the limit."""
    try:
        from tests.interfaces.page import test_browser  # here: it needs selenium, which not everybody has
    except pytest.skip.Exception as missing:
        print(f"to the first picture: not measured, {missing}")
        return True
    if not (test_browser.BROWSER and test_browser.DRIVER):
        print("to the first picture: not measured, no chromium with its driver is here")
        return True
    with tempfile.TemporaryDirectory(prefix="ralph-mem-bench-") as folder:
        driver = test_browser.driver_of(Path(folder, "browser"), scripts=True)
        try:
            rounds = [(_first_picture(driver, Path(folder), number), _waited_for_import()) for number in range(PICTURES)]
        finally:
            driver.quit()
    took, ratio = statistics.median([one for one, _ in rounds]), statistics.median([one / other for one, other in rounds])
    load, least = os.getloadavg()[0], min(rounds)[0]
    print(f"to the first picture: {ratio:.1f} times the import of starlette, {took:.2f} s, at best {least:.2f} s (load {load:.1f})")
    return least <= MOST_S or load > os.cpu_count()  # where others wait for a processor too, the clock says nothing


def _first_picture(driver, folder, number):
    """Return the seconds from a person's `ralph-mem page` until their browser has drawn the first view."""
    home, project = folder / f"home-{number}", folder / f"till-{number}"
    home.mkdir()
    project.mkdir()
    driver.get("about:blank")
    began = time.time()
    page = Started(home, project, "-m", "ralph_mem.interfaces.cli", "page", "--no-open")
    try:
        driver.get(f"file://{page.is_ready()}")
        while not (drawn := driver.execute_script(DRAWN)):
            time.sleep(0.01)
        return drawn / 1000 - began
    finally:
        page.process.terminate()
        page.process.communicate()


def _waited_for_import():
    began = time.time()
    subprocess.run([sys.executable, "-c", "import starlette.applications"], check=True)
    return time.time() - began


def imported(statement):
    """Return the processor time of an interpreter that runs a statement, the least of five, in seconds."""
    return min(_once(statement) for _ in range(5))


def _once(statement):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", statement], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
