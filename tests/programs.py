"""Programs that behave badly, of which nothing may be left."""

import os
import sys
import textwrap
import uuid
from pathlib import Path

import pytest

from ralph_mem.core import process

PYTHON = [sys.executable, "-I", "-S"]


class Programs:
    """Runs small Python programs; all that they start carries a token in its command line, by which it is found."""

    def __init__(self, folder):
        self.folder = folder
        self.token = uuid.uuid4().hex

    def command(self, source):
        start = (
            f"import os, signal, subprocess, sys, time\ntoken = '{self.token}'\nsleeper = ['sh', '-c', 'sleep 60; : ' + token]\n"
        )
        return [*PYTHON, "-c", start + textwrap.dedent(source), self.token]

    def run(self, source, seconds=20.0, **wishes):
        return process.run(self.command(source), str(self.folder), dict(os.environ), seconds, **wishes)

    def left(self):
        """Return the processes with the token that are alive."""
        return [path.parent.name for path in Path("/proc").glob("[0-9]*/cmdline") if self.token.encode() in _content(path)]


def _content(path):
    try:
        return path.read_bytes()
    except OSError:
        return b""


@pytest.fixture
def programs(tmp_path):
    """Programs that are to leave nothing behind, checked after each test."""
    started = Programs(tmp_path)
    yield started
    assert started.left() == []
