"""What holds for every page: links lead somewhere, names of files are right, and README fits on a few screens."""

import re
from pathlib import Path

import pytest

from tests.docs import PAGES, ROOT

README_LINES = 200
FENCE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)
LINK = re.compile(r"\[[^\]\n]*\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)
# A file or a folder of ours, as `ralph_mem/core/project.py` or `tests/bench/`.
NAMED = re.compile(r"`((?:ralph_mem|tests|hooks|skills|docs)/[\w./-]*)`")


def prose(page):
    """Return a page without its examples."""
    return FENCE.sub("", page.read_text())


def anchors(page):
    """Return what a link into a page may name, made from its headings as GitHub does."""
    headings = [re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in HEADING.findall(prose(page))]
    return {heading + (f"-{n}" if n else "") for at, heading in enumerate(headings) for n in [headings[:at].count(heading)]}


def links(page):
    """Return (link, file, anchor) of every link of a page that leads to a file of ours."""
    found = [(link, *link.partition("#")[::2]) for link in LINK.findall(prose(page)) if "://" not in link]
    return [(link, (page.parent / file).resolve() if file else page, anchor) for link, file, anchor in found]


def ids(page):
    return str(page.relative_to(ROOT))


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_every_link_leads_to_a_file_and_a_heading_that_are_there(page):
    assert not [link for link, file, _ in links(page) if not file.exists()]
    assert not [link for link, file, anchor in links(page) if anchor and anchor not in anchors(file)]


def test_a_link_to_a_heading_that_is_not_there_is_seen(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("# One two\n```\n# no heading\n```\n## A `b`: c\n## A `b`: c\n[x](#no-heading)\n")
    assert anchors(page) == {"one-two", "a-b-c", "a-b-c-1"}
    assert [anchor for _, _, anchor in links(page)] == ["no-heading"]


def test_every_page_is_linked_from_readme_or_from_the_table_of_the_documentation():
    linked = {file for page in (ROOT / "README.md", ROOT / "docs" / "README.md") for _, file, _ in links(page)}
    assert not [page for page in PAGES if page not in linked and page.name != "README.md"]


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_every_file_and_folder_of_ours_that_a_page_names_is_there(page):
    assert not [name for name in NAMED.findall(prose(page)) if not Path(ROOT, name).exists()]


def test_readme_fits_on_a_few_screens():
    assert len((ROOT / "README.md").read_text().splitlines()) <= README_LINES
