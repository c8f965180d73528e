"""Situations for the benchmark: small histories of our own, as files and as what is read from them."""

import json

import pytest

from ralph_mem.bench import histories
from tests.sessions import a_home

__all__ = ["a_home"]

SAID = ("the lantern on the pier is broken", "a heron sat on the roof", "we painted the shed green", "the lantern works again")


def a_memory(number, text, session="s1", **more):
    """Return a memory as it stands in a file, one a day."""
    return {"id": f"m{number}", "session": session, "at": f"2026-01-{number + 1:02}T12:00:00", "text": text, **more}


def a_query(text, *relevant, day=28, **more):
    return {"text": text, "at": f"2026-01-{day}T12:00:00", "relevant": list(relevant), **more}


def notes(*texts):
    return [a_memory(number, text) for number, text in enumerate(texts)]


def a_set(*queries, memories=None, unit="observation", **more):
    """Return a set with one history: what was said about a lantern, unless told otherwise."""
    project = {"id": "pier", "memories": notes(*SAID) if memories is None else memories, "queries": list(queries)}
    return {"name": "a set", "unit": unit, "projects": [project], **more}


@pytest.fixture
def read(tmp_path):
    """Write a set into a file and read it."""

    def reading(value):
        path = tmp_path / "set.json"
        path.write_text(value if isinstance(value, str) else json.dumps(value))
        return histories.read(str(path))

    return reading
