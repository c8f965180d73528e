"""A person at a terminal, in this process: quicker than a new one for each of the hundreds of commands that tests type."""

import os
import posix
from pathlib import Path

from ralph_mem.interfaces.cli import app


class in_the_home_of:  # noqa: N801 - reads as words
    """Run what follows in this process as the person of a hook, in the project."""

    def __init__(self, hook):
        self.hook = hook

    def __enter__(self):
        self.kept, self.before = posix.environ, Path.cwd()
        posix.environ = {os.fsencode(name): os.fsencode(value) for name, value in self.hook.environment.items()}
        os.chdir(self.hook.project)

    def __exit__(self, *_):
        posix.environ = self.kept
        os.chdir(self.before)


def said(capfd, *words):
    """Type a command; returns its exit code and what it printed."""
    capfd.readouterr()
    return app._run(words), capfd.readouterr().out
