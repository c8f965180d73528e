"""What the page shows: what the commands of a terminal tell with `--json`."""

import html
import json
import os
import re
import shutil
from types import SimpleNamespace
from urllib.parse import urlencode

import pytest

from ralph_mem.core.project import Project
from ralph_mem.interfaces.page import routes
from ralph_mem.interfaces.page.asking import Asked
from ralph_mem.memory import access, opening
from ralph_mem.memory.facts import by_hand
from ralph_mem.memory.rows import facts
from tests.command_line import says
from tests.interfaces.page.visitors import Person
from tests.odd_words import ODD
from tests.readers import note, person_of
from tests.sessions import Session

ALL = [name for name, view in routes.VIEWS.items() if view.listed]


@pytest.fixture
def a_full_memory(a_person):
    """Have a note, a fact that contradicts another, a relation, a receipt and a failed command beside the turn."""
    session = a_person.session
    a_person.note = note(session, "Releases go out with make ship.")
    by_hand.keep(session.project, session.project, session.settings, "Ada owns the cart service.")
    by_hand.keep(session.project, session.project, session.settings, "Always run make lint.", kind="rule")
    session.asks("Where is the zeppelin lamp now?")
    session.runs("make lamp", error="Exit code 2\nerror: no zirconium")
    session.is_answered("Still in the hangar.")
    Session(session.store, session.project, "a-later-session", session.now).asks("Where is the zeppelin lamp?")
    return a_person


def text_of(page):
    """Return the words of a page."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


@pytest.mark.check
@pytest.mark.parametrize("view", ALL)
def test_every_view_is_shown_of_a_full_and_of_an_empty_memory(view, a_full_memory):
    assert f"<h1>{routes.VIEWS[view].title}" in a_full_memory.sees(view)
    a_full_memory.session.store.execute("DELETE FROM facts")
    assert f"<h1>{routes.VIEWS[view].title}" in a_full_memory.sees(view)


def test_today_tells_what_was_told_at_which_price_and_for_which_prompt(a_full_memory):
    page = text_of(a_full_memory.sees("today"))
    prompt, tokens = a_full_memory.session.rows(
        "SELECT t.prompt, r.tokens FROM receipts AS r JOIN turns AS t ON t.id = r.turn_id ORDER BY r.id DESC LIMIT 1"
    )[0]
    assert prompt in page
    assert f"{tokens} of" in page


def test_a_project_without_a_memory_says_so_and_takes_a_first_note(a_project):
    person = Person(SimpleNamespace(project=a_project)).comes_in()
    assert "not yet: " in text_of(person.sees("today"))
    assert "Remembered as" in text_of(person.sends("note", text="Deploys go to Bonn."))


def test_today_previews_a_prompt_and_writes_nothing(a_full_memory):
    before = a_full_memory.remembers()
    page = text_of(a_full_memory.sees("today", prompt="where is the zeppelin lamp?"))
    assert "behind the zinc gate" in page
    assert a_full_memory.remembers() == before


def test_a_session_is_listed_and_paged_through(a_full_memory):
    (name,) = a_full_memory.session.rows("SELECT public_id FROM sessions WHERE agent <> 'ralph-mem'")[0]
    assert name in a_full_memory.sees("sessions")
    page = text_of(a_full_memory.sees("session", name))
    assert "make lamp" in page
    assert "Where is the zeppelin lamp?" in page


@pytest.mark.parametrize("layer", [1, 2, 3])
def test_a_search_finds_at_each_depth(layer, a_full_memory):
    page = text_of(a_full_memory.sees("search", q="zeppelin", layer=layer))
    assert "zeppelin lamp" in page


def test_a_memory_tells_its_text_where_it_was_told_and_what_was_made_of_it(a_full_memory):
    (turn,) = a_full_memory.session.rows("SELECT public_id FROM turns ORDER BY id LIMIT 1")[0]
    page = text_of(a_full_memory.sees("memory", turn))
    assert "In the hangar, behind the zinc gate." in page
    assert "When it was told" in page


def test_text_from_outside_is_withheld_until_it_is_asked_for(a_person):
    session = a_person.session
    session.asks("Where is the tungsten?")
    session.uses("WebFetch", {"result": "basalt is the word"}, url="https://lamps.example", prompt="tungsten")
    session.is_answered("The page says basalt.")
    (name,) = session.rows("SELECT public_id FROM observations WHERE tainted ORDER BY id DESC LIMIT 1")[0]
    assert "basalt is the word" not in a_person.sees("memory", name)
    assert "basalt is the word" in a_person.sees("memory", name, outside="yes")


def test_facts_of_another_time_are_those_of_that_time(a_full_memory):
    assert "Ada owns the cart service." in a_full_memory.sees("facts")
    assert "Ada owns the cart service." not in a_full_memory.sees("facts", as_of="2020-01-01")


# A command, the view that shows the same, and what of each row is looked for there.
SAME = [
    ("facts", "facts", ("id", "text", "kind")),
    ("playbook search lint", "playbook", ("id", "text")),
    ("sessions", "sessions", ("id", "request", "state")),
    ("config show", "settings", ("key", "meaning")),
    ("review", "review", ("id", "gist")),
]


@pytest.mark.parametrize(("words", "view", "keys"), SAME)
def test_what_the_terminal_tells_with_json_stands_in_the_view(words, view, keys, a_full_memory, a_home):
    environment = {"HOME": str(a_home), "PATH": os.environ["PATH"], "LANG": "C.UTF-8"}
    told = says(*words.split(), "--json", env=environment, cwd=a_full_memory.session.project.root)
    assert told.returncode == 0, told.stderr
    found = json.loads(told.stdout)
    rows, page = found["rows"] if isinstance(found, dict) else found, text_of(a_full_memory.sees(view))
    assert rows
    assert not [(words, row[key]) for row in rows for key in keys if " ".join(str(row[key]).split()) not in page]


def test_the_project_of_another_folder_is_reached_by_its_id_alone(a_full_memory, another_session):
    found = re.search(r"/(project-[a-z2-9]{10})/today", a_full_memory.sees("projects"))
    assert "recording since" in text_of(a_full_memory.sees("today", where=found[1]))
    a_full_memory.sees("today", where="project-zzzzzzzzzz", status=400)


def test_the_slider_shows_what_was_known_at_the_end_of_a_day(a_full_memory):
    page = a_full_memory.sees("facts")
    last = int(re.search(r'type="range" name="day" min="\d+" max="(\d+)"', page)[1])
    a_full_memory.session.store.execute("UPDATE facts SET recorded_at = recorded_at - 5 * 86400000 WHERE kind = 'rule'")
    page = text_of(a_full_memory.sees("facts", day=last - 3))
    assert "Always run make lint." in page
    assert "Ada owns the cart service." not in page


def test_what_contradicts_each_other_stands_side_by_side_where_facts_are_listed_and_reviewed(a_full_memory):
    session = a_full_memory.session
    taken = by_hand.keep(session.project, session.project, session.settings, "Grace owns the cart service.")
    with access.Change(session.store) as store:
        names = [each.public_id for each in by_hand.listed(person_of(session), ("active",)) if "cart" in each.text]
        facts.hold(store, facts.of_id(store, names[-1]).number)
        facts.link(store, taken.public_id, facts.CONFLICTS, names[-1] if names[-1] != taken.public_id else names[0], 0.5, 1)
    for view in ("facts", "review"):
        pair = re.search(r'class="pair">(.*?)</div>\s*</section>', a_full_memory.sees(view), re.DOTALL)[1]
        assert pair.count("This one holds no longer") == 2


def test_what_was_counted_in_the_log_is_noticed_as_far_as_it_is_believed(a_full_memory):
    session = a_full_memory.session
    by_hand.keep(session.project, session.project, session.settings, "`make e2e` was left failing in 4 sessions")
    session.store.execute("UPDATE facts SET kind = 'pattern' WHERE id = (SELECT max(id) FROM facts)")
    assert "What was noticed `" not in a_full_memory.sees("today")
    assert "make e2e" in re.search(r'id="noticed".*?</section>', a_full_memory.sees("today"), re.DOTALL)[0]
    session.store.execute("UPDATE facts SET said_at = said_at - 90 * 86400000 WHERE kind = 'pattern'")
    assert 'id="noticed"' not in a_full_memory.sees("today")


def test_every_project_is_in_the_switcher_and_one_that_is_gone_shows_what_is_left(a_full_memory, a_home, tmp_path):
    gone = tmp_path / "tower"
    gone.mkdir()
    Session(opening.open_ready(Project(str(gone))), Project(str(gone)), "gone").starts()
    shutil.rmtree(gone)
    page = a_full_memory.sees("today")
    (number,) = re.findall(r'<option value="(project-[a-z2-9]+)">tower \(gone\)', page)
    answer = a_full_memory.browser.get(a_full_memory.keys.base + "/", params={"where": number})
    assert answer.url.path.endswith(f"/gone/{number}")
    assert str(gone) in answer.text
    assert "ralph-mem projects clean" in answer.text


def test_the_memory_of_all_projects_has_its_own_place(a_person, a_global_session):
    note(a_global_session, "Ada prefers small commits.", place=a_global_session.project)
    assert "small commits" in a_person.sees("search", where="global", q="commits")


def test_of_the_memory_of_all_projects_it_is_not_said_whether_it_records_sessions(a_person):
    a_person.sends("note", text="Ada prefers small commits.", **{"global": "yes"})
    page = a_person.sees("today", where="global")
    assert "1 note" in page and "no session was heard" not in page


FIELDS = ("q", "prompt", "status", "kind", "as_of", "day", "since", "until", "type", "subject", "origin", "page")
WITH_FIELDS = [
    "search",
    "today",
    "facts",
    "sessions",
    "session",
    "memory",
    "fact",
    "loop",
    "relations",
    "review",
    "relation",
    "gone",
]


@pytest.mark.check
@pytest.mark.parametrize("view", WITH_FIELDS)
def test_odd_words_in_any_field_of_a_view_are_answered_and_none_becomes_markup(view, a_person):
    where = f"{a_person.keys.base}/here/{view}" + ("" if view in ALL else "/x")
    for text in ODD.values():
        fields = urlencode(dict.fromkeys(FIELDS, text.encode("utf-8", "replace").decode())).encode()
        answer = a_person.receives(path=where, query=fields)
        assert answer.status in (200, 400), (text[:40], answer.status, a_person.log)
        assert answer.body.count("<script") == 1  # our own
    assert not a_person.log


def test_no_view_takes_a_name_that_stands_around_every_view(a_full_memory):
    (turn,) = a_full_memory.session.rows("SELECT public_id FROM turns LIMIT 1")[0]
    fact = by_hand.listed(person_of(a_full_memory.session), ("active",))[0].public_id
    around, ids = {*routes.nothing("here", None)}, {"memory": turn, "fact": fact}
    for name in [*ALL, *ids]:
        with Asked(a_full_memory.session.project, "here", ids.get(name, "")) as asked:
            assert not around & {*routes.VIEWS[name].read(asked)}, name


def test_what_was_done_is_said_once_on_the_next_view(a_full_memory):
    page = a_full_memory.sends("key-set", key="port", value="8080")
    assert re.search(r'role="status">Kept as', page)
    assert 'role="status"' not in a_full_memory.sees("facts")
