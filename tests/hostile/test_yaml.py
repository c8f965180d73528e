"""A config that is made to hang, to blow up or to build objects is refused in one line, in the time of an ordinary one."""

import os

import pytest

from ralph_mem.core import notices
from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective
from tests import processor
from tests.hostile.test_databases import a_home

__all__ = ["a_home"]
LAUGHS = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}' if n else 'lol'] * 9)}]\n" for n in range(12))
TEXTS = {
    "an alias bomb": LAUGHS,
    "an anchor": "a: &x 1\n",
    "an alias": "a: *x\n",
    "an alias of itself": "a: &x [*x]\n",
    "a merge": "a: &x {b: 1}\nc:\n  <<: *x\n",
    "a tag that calls": "a: !!python/object/apply:os.system ['true']\n",
    "a tag of a module": "a: !!python/module:os\n",
    "a tag that is new": "a: !!python/object/new:os.system ['true']\n",
    "a tag of our own": "a: !x y\n",
    "a binary tag": "a: !!binary aGVsbG8=\n",
    "a set": "a: !!set {b, c}\n",
    "a directive": "%TAG ! tag:x,2000:\n---\na: 1\n",
    "a second document": "a: 1\n---\nb: 2\n",
    "many brackets": "a: " + "[" * 3_000 + "\n",
    "many closed brackets": "a: " + "[" * 3_000 + "]" * 3_000 + "\n",
    "many braces": "a: " + "{b: " * 3_000 + "\n",
    "deep steps": "".join(f"{' ' * n}a:\n" for n in range(300)),
    "a huge text": "a: " + "x" * 1_000_000 + "\n",
    "a huge number": "memory.retention_days: " + "9" * 60_000 + "\n",
    "a huge exponent": "memory.retention_days: 1e999999999\n",
    "sixty groups of sixty": "memory.retention_days: " + ":".join(["59"] * 9_000) + "\n",
    "many keys": "".join(f"k{n}: 1\n" for n in range(5_000)),
    "twins": "recording: off\nrecording: on\n",
    "twins in a section": "memory:\n  auto_inject: off\n  auto_inject: on\n",
    "a block of text": "a: |\n" + "  x\n" * 9_000,
    "an endless quote": "a: '" + "x" * 60_000,
    "an endless list": "a: [" + "x, " * 20_000,
    "a zero byte": "recording: on\n\0",
    "no text": b"\xff\xfe\x00r\x00e",
    "complex keys": "? [a, b]\n: c\n",
}


@pytest.fixture
def a_project(a_home, tmp_path):
    (tmp_path / "shop" / ".ralph-mem").mkdir(parents=True)
    return Project(str(tmp_path / "shop"))


def test_there_are_thirty_of_them():
    print(f"{len(TEXTS)} hostile configs")
    assert len(TEXTS) == 30


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_hostile_config_changes_nothing_and_takes_no_time(a_project, text):
    with open(os.path.join(a_project.folder, "config.yaml"), "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())
    values, seconds = processor.timed(lambda: effective.load(a_project))
    assert seconds < 0.5
    assert {key: value for key, value in values.items() if key != "recording"} == effective.DEFAULTS
    told = notices.take(a_project.root)
    if values.get("recording") is False:  # then nothing is written
        assert told == ""
        return
    assert told.startswith("config: ") and len(told) <= 300 and "\n" not in told
