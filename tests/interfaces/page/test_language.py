"""The page's own words in five languages."""

import re

import pytest

from ralph_mem.interfaces.page import memory_views, rendering, routes
from ralph_mem.memory.recall import lookup

SAID = re.compile(r'_\("((?:[^"\\]|\\.)*)"\)')


def said():
    """Return all texts of the page that are its own: those of templates, titles, headings, outcomes and empty choices."""
    found = {text for path in rendering.TEMPLATES.glob("*.html") for text in SAID.findall(path.read_text())}
    found |= {view.title for view in routes.VIEWS.values()} | {routes.LOOK, routes.KNOWN, routes.KEEP}
    found |= {lookup.NOTHING, lookup.NOTHING_THERE, lookup.ONLY_COMMON, lookup.COMMON_TOO}
    return found | set(memory_views.OUTCOMES.values()) | {"all", "holding", "guess", "both", "as it is"}


@pytest.mark.parametrize("name", rendering.LANGUAGES)
def test_every_text_is_there_in_every_language_with_the_same_places_for_values(name):
    texts = rendering.texts(name)
    assert said() <= set(texts)
    assert set(texts) == set(rendering.texts(rendering.ENGLISH))
    assert [text for text, other in texts.items() if text.count("{}") != other.count("{}") or not other.strip()] == []


@pytest.mark.parametrize(
    ("accepted", "name"),
    [
        ("de-DE,de;q=0.9,en;q=0.8", "de"),
        ("pt,fr;q=0.5", "fr"),
        ("en;q=0.1, it", "it"),
        ("", "en"),
        ("xx;q=x,;;", "en"),
        ("*", "en"),
    ],
)
def test_the_browser_says_which_language_it_is(accepted, name):
    assert rendering.language_of(accepted) == name


def test_a_page_says_its_own_words_in_the_language_and_what_is_remembered_as_it_is(a_person):
    page = a_person.browser.get(f"{a_person.keys.base}/here/sessions", headers={"accept-language": "de"}).text
    assert '<html lang="de">' in page
    assert "<h1>Sitzungen" in page
    assert "Where is the zeppelin lamp?" in page
