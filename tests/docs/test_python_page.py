"""The examples of the page for programs: run as they stand, in order, in an empty home."""

import doctest
import os
import posix
import re

from tests.docs import ROOT

PAGE = ROOT / "docs" / "python.md"
BLOCKS = re.compile(r"^```pycon\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def test_every_example_in_python_prints_what_the_page_shows(tmp_path, monkeypatch):
    for folder in ("home", "shop"):
        (tmp_path / folder).mkdir()
    monkeypatch.setattr(posix, "environ", {b"HOME": os.fsencode(tmp_path / "home")})
    monkeypatch.chdir(tmp_path)
    text = "\n".join(BLOCKS.findall(PAGE.read_text()))
    told = []
    test = doctest.DocTestParser().get_doctest(text, {}, "python.md", str(PAGE), 0)
    done = doctest.DocTestRunner().run(test, out=told.append)
    assert done.attempted > 15 and not told, "".join(told)
