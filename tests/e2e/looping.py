"""A person whose repository is broken, with the real client, the plugin, and `ralph-mem` at a terminal."""

import json
import re
import sqlite3
import subprocess
import sys
from collections import namedtuple
from contextlib import closing
from pathlib import Path

from . import broken_repository
from .client import REPOSITORY, Client

Said = namedtuple("Said", "code out err")

GOAL = 'make the books and the window right; don\'t touch "tests" $(touch made)'
PATH = f"{Path(sys.executable).parent}:/usr/local/bin:/usr/bin:/bin"


class Keeper:
    """Keeps a shop's books in a broken repository. `script` tells the model what it does in each iteration."""

    def __init__(self, folder, binary, api):
        self.project = (folder / "shop").resolve()
        self.project.mkdir()
        broken_repository.make(self.project)
        self.client = Client(binary, home=folder / "home", project=self.project, api=api, plugin=REPOSITORY)
        self.api = api
        self.where = ("--here",)  # the model's replies name files of the project
        # as if the plugin was installed: it is with every client that is started
        self.claude = folder / "claude"
        self.claude.write_text(f'#!/bin/sh\nexec "{binary}" --plugin-dir "{REPOSITORY}" "$@"\n')
        self.claude.chmod(0o755)

    def environment(self):
        # the client waits for seconds before it asks the API again; the tests do not
        return self.client.environment(PATH=PATH, RALPH_MEM_CLAUDE=str(self.claude), CLAUDE_CODE_MAX_RETRIES="0")

    def start_cli(self, *words):
        """Start `ralph-mem ralph` and leave the rest to the caller."""
        words = (words[0], *self.where, *words[1:]) if words[0] == "start" else words
        order = [sys.executable, "-m", "ralph_mem.interfaces.cli", "ralph", *words]
        around = {**self.environment(), "PYTHONPATH": str(REPOSITORY)}
        pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        return subprocess.Popen(order, cwd=self.project, env=around, start_new_session=True, **pipes)

    def cli(self, *words, timeout=90):
        """Run `ralph-mem ralph`; returns what it said."""
        with self.start_cli(*words) as process:
            try:
                out, err = process.communicate(timeout=timeout)
            except subprocess.TimeoutExpired:
                process.kill()
                raise
        return Said(process.returncode, out, err)

    def begin(self, *options, goal=GOAL):
        """Start a loop as a person does: see what would be run, accept it, start again."""
        shown = self.cli("start", goal, *options)
        digits = re.search(r"--accept (\w{12})", shown.err)[1]
        return self.cli("start", goal, *options, "--accept", digits)

    def plays(self, *iterations):
        """Script the model: what it does in each iteration, in a session of its own."""
        self.api.play({"turns": [reply for replies in iterations for reply in replies]})

    def mends_all(self):
        self.plays(*(broken_repository.replies(self.project, number) for number in (1, 2, 3)))

    def prompts(self):
        """Return the first request of each session, as the model could read it."""
        first = [request for request in self.api.requests("main") if not _is_answered(request.body["messages"])]
        return [self.api.text_of(request) for request in first]

    def record(self, what):
        """Return the entries of a kind in the record of the last run."""
        paths = sorted(self.client.home.glob(".local/share/ralph-mem/loops/*/loop-*.jsonl"), key=lambda path: path.stat().st_mtime)
        entries = [json.loads(line) for line in paths[-1].read_text().splitlines()]
        return [entry for entry in entries if entry["what"] == what]

    def rows(self, sql):
        with closing(sqlite3.connect(self.project / ".ralph-mem" / "memory.db")) as db:
            return db.execute(sql).fetchall()


def _is_answered(messages):
    return any(message["role"] == "assistant" for message in messages)
