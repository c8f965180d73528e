"""Texts that would be markup are text in every view, and no text makes a page larger than 200 KB."""

from html.parser import HTMLParser
from types import SimpleNamespace

import pytest

from ralph_mem.interfaces.page import rendering, routes
from ralph_mem.maintenance import registry
from tests.bench import pages
from tests.interfaces.page import hostile_memory
from tests.interfaces.page.hostile_texts import TEXTS
from tests.interfaces.page.visitors import Person

OURS = set(
    "a article blockquote body br button circle code details div fieldset figcaption figure form g h1 h2 h3 head header".split()
)
OURS |= set(
    "html input label legend li link main meta meter nav ol option output p path pre rect script section select span".split()
)
OURS |= set("strong summary svg table tbody td text textarea th thead time title tr ul bdi".split())
ELSEWHERE = ("javascript:", "data:", "//", "http")


class Elements(HTMLParser):
    """Collects what of a page no template of ours could have written."""

    def __init__(self, html):
        super().__init__()
        self.strange, self.scripts = [], 0
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.scripts += tag == "script"
        names = {name for name, _ in attrs}
        leads = [
            value
            for name, value in attrs
            if name in ("href", "src", "action") and (value or "").strip().lower().startswith(ELSEWHERE)
        ]
        if tag not in OURS or leads or "style" in names or any(name.startswith("on") or name == "formaction" for name in names):
            self.strange.append((tag, attrs))


# What is no view of its own: what a form answers, and an error.
ANSWERS = {"forget_preview", "forgotten", "failed"}


def test_every_template_is_that_of_a_view_or_an_answer():
    assert {path.stem for path in rendering.TEMPLATES.iterdir()} - {"base", "parts"} == {*routes.VIEWS, *ANSWERS}


def addresses(session):
    """Yield the address of every view, and of some things of each kind."""
    yield from (name for name, view in routes.VIEWS.items() if view.listed)
    yield from (f"gone/{number}" for number, _, is_there in registry.names() if not is_there)
    yield from ("search?q=zeppelin&layer=3", "search?q=zeppelin&layer=2", "facts?status=candidate", f"loop/{hostile_memory.LOOP}")
    for kind, sql in {
        "memory": "SELECT public_id FROM observations UNION SELECT public_id FROM turns",
        "session": "SELECT public_id FROM sessions",
        "fact": "SELECT o.public_id FROM facts AS f JOIN observations AS o ON o.id = f.id",
        "relation": "SELECT public_id FROM relations",
    }.items():
        yield from (f"{kind}/{name}" for (name,) in session.rows(sql)[::25])


@pytest.mark.check
def test_no_text_becomes_an_element_an_attribute_or_a_way_out_of_the_page(a_session):
    hostile_memory.fill(a_session, TEXTS)
    person, seen, wrong = Person(a_session).comes_in(), set(), {}
    for address in addresses(a_session):
        view, _, query = address.partition("?")
        seen.add(view.partition("/")[0])
        answer = person.receives(path=f"{person.keys.base}/here/{view}", query=query.encode())
        found = Elements(answer.body)
        if answer.status != 200 or found.strange or found.scripts != 1:
            wrong[address] = answer.status, found.strange[:2], person.log
    assert not wrong
    assert seen == set(routes.VIEWS)


@pytest.fixture
def a_heavy_memory(a_project):
    """Have each field as long as it may be, and nothing in it but marks that HTML writes in five bytes each."""
    pages.fill(a_project, 200)
    return Person(SimpleNamespace(project=a_project)).comes_in()


@pytest.mark.check
def test_no_view_is_larger_than_200_kb_whatever_is_in_it(a_heavy_memory):
    sizes = {}
    for view, query in pages.views(200):
        if view != "health" and "session/sess-1" not in view:
            answer, _ = a_heavy_memory.times(view, query)
            assert answer.status == 200, (view, query, answer.body[-400:], a_heavy_memory.log)
            sizes[view + query] = len(answer.body.encode())
    assert not {view: size for view, size in sizes.items() if size > pages.MOST_BYTES}
