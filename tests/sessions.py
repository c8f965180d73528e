"""Situations of one session: a home nobody lives in, a project, its store, a session at work."""

import contextlib
import os
import posix

import pytest

from ralph_mem.core import project as projects
from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective
from ralph_mem.hosts.claude_code import event as host
from ralph_mem.hosts.claude_code.event import Event
from ralph_mem.interfaces import hooks
from ralph_mem.memory import opening
from ralph_mem.memory.rows import notes, records
from ralph_mem.memory.store import connection, schema

NOON = 1_767_268_800_000  # 2026-01-01 12:00 UTC, in milliseconds
HOUR = 3_600_000
DAY = 24 * HOUR


@pytest.fixture(autouse=True)
def a_home(tmp_path, monkeypatch):
    """Make an empty home and an environment without secrets; hooks read `posix.environ`, which `os.environ` is a copy of."""
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setattr(posix, "environ", {b"HOME": os.fsencode(home), b"PATH": os.environb[b"PATH"]})
    return home


@pytest.fixture
def the_environment(a_home):
    """Set and unset variables of the environment as the hooks see it."""

    def change(**variables):
        posix.environ.update({os.fsencode(name): os.fsencode(str(value)) for name, value in variables.items()})

    return change


@pytest.fixture(autouse=True)
def nothing_left_open(monkeypatch):
    """Close what a process leaves open at its end, and nothing twice: the number may belong to another file by then."""
    left = []
    connect, close = connection.open_held, connection.Store.close

    def connecting(*given):
        left.append(connect(*given))
        return left[-1]

    def closing(opened):
        left[:] = [each for each in left if each is not opened]
        close(opened)

    monkeypatch.setattr(connection, "open_held", connecting)
    monkeypatch.setattr(connection.Store, "close", closing)
    yield left
    for opened in left:
        with contextlib.suppress(OSError):
            opened.close()


@pytest.fixture
def a_project(tmp_path):
    """Make a project: a plain folder that has no memory yet."""
    folder = tmp_path / "shop"
    folder.mkdir()
    return Project(str(folder))


@pytest.fixture
def a_store(a_project):
    """Make the memory of the project and open it."""
    return opening.open_ready(a_project)


@pytest.fixture
def a_session(a_store, a_project):
    """Start a session of the client in the project."""
    session = Session(a_store, a_project)
    session.starts()
    return session


@pytest.fixture
def another_session(a_session):
    """Start a second session in the same project, an hour later, without a briefing."""
    session = Session(a_session.store, a_session.project, "another", a_session.now + HOUR)
    session.starts("resume")
    return session


@pytest.fixture
def a_global_session(a_home):
    """Make the memory of all projects, with a session for notes in it; verbs as those of a session."""
    place = projects.everywhere()
    session = Session(opening.open_ready(place), place, "ralph-mem")
    session.starts("resume")
    return session


class Session:
    """A session of the client: each verb is an event, stored and answered by the functions of the hook."""

    def __init__(self, opened, project, name="the-session", now=NOON):
        self.store = opened
        self.project = project
        self.name = name
        self.now = now
        self.settings = dict(effective.DEFAULTS)
        self.prompts = 0
        self.calls = 0

    @property
    def number(self):
        return self.store.one("SELECT id FROM sessions WHERE client_session = ?", (self.name,))[0]

    def event(self, name, **fields):
        """Make the event as the client sends it, a second after the one before."""
        self.now += 1000
        given = {"session_id": self.name, "cwd": self.project.root, **fields}
        event = Event(name, {key: value for key, value in given.items() if value is not None})
        event.at = self.now
        return event

    def sends(self, name, **fields):
        """Let an event happen; returns what the model is told."""
        event = self.event(name, **fields)
        seen = host.activity(event)
        if seen is None:
            return ""
        self.store.properties.clear()  # each event is a process of its own
        module = hooks.module_of(seen.kind)
        self.store.begin(getattr(module, "DURABLE", False))
        for record in hooks.records_of(module, seen, self.project, self.settings):
            records.apply(self.store, record)
        said = module.answer(self.store, seen, self.project, self.settings) if hasattr(module, "answer") else {}
        self.store.commit()
        return said.get("context", "")

    def starts(self, source="startup", **fields):
        return self.sends("session-start", source=source, **fields)

    def asks(self, prompt, **fields):
        self.prompts += 1
        return self.sends("user-prompt-submit", prompt=prompt, **{"prompt_id": f"{self.name}-{self.prompts}", **fields})

    def uses(self, tool, response=None, error=None, cwd=None, **given):
        self.calls += 1
        fields = {"tool_name": tool, "tool_input": given, "tool_response": response, "error": error}
        fields |= {"tool_use_id": f"{self.name}-call-{self.calls}", "prompt_id": f"{self.name}-{self.prompts}"}
        fields |= {"cwd": cwd} if cwd else {}
        return self.sends("post-tool-use-failure" if error else "post-tool-use", **fields)

    def runs(self, command, stdout="", error=None, folder=""):
        """Run a command; the shell stands in a folder behind it."""
        cwd = f"{self.project.root}/{folder}" if folder else None
        return self.uses("Bash", {"stdout": stdout, "stderr": ""}, error, cwd, command=command)

    def edits(self, path, old="old", new="new"):
        return self.uses("Edit", {}, file_path=f"{self.project.root}/{path}", old_string=old, new_string=new)

    def is_answered(self, response, **fields):
        return self.sends("stop", last_assistant_message=response, **{"prompt_id": f"{self.name}-{self.prompts}", **fields})

    def has_a_turn(self, prompt, response):
        """Have a prompt and its answer behind it; returns the public id of the turn."""
        self.asks(prompt)
        self.is_answered(response)
        return self.rows("SELECT public_id FROM turns ORDER BY id DESC LIMIT 1")[0][0]

    def notes(self, title, content="", **fields):
        """Store a note as a skill would; returns its public id."""
        self.now += 1000
        self.store.begin()
        notes.add(self.store, a_note(self, title=title, content=content, **fields))
        self.store.commit()
        return self.rows("SELECT public_id FROM observations ORDER BY id DESC LIMIT 1")[0][0]

    def rows(self, query, *values):
        return self.store.execute(query, values).fetchall()

    def turns(self, columns):
        return self.rows(f"SELECT {columns} FROM turns ORDER BY id")

    def observations(self, columns):
        return self.rows(f"SELECT {columns} FROM observations ORDER BY id")


def a_note(session, /, **changes):
    """Return a record as `capture.record` makes it, of a note."""
    record = {
        "verb": "memory", "session": session.name, "turn": "", "at": session.now, "event_id": f"note:{session.name}:{session.now}",
        "type": "note", "origin": "user", "tool_name": None, "title": "a note", "content": "", "files": "", "lines": "",
        "metadata": None, "agent_id": None, "agent_type": None, "tainted": 0, "redactions": None, "redaction_version": 1,
    }  # fmt: skip
    return {**record, **changes}


def found(opened, index, word):
    """Return the rows of an index that hold a word."""
    return [row for (row,) in opened.execute(f"SELECT rowid FROM {index} WHERE {index} MATCH ? ORDER BY rowid", (word,))]


def words_of(opened, index):
    """Return every term of an index with the number of times it stands there."""
    opened.execute(f"CREATE VIRTUAL TABLE IF NOT EXISTS temp.words_of_{index} USING fts5vocab(main, {index}, 'row')")
    return dict(opened.execute(f"SELECT term, cnt FROM temp.words_of_{index}").fetchall())


def check(opened):
    """Let SQLite look for anything wrong in the database and its indexes."""
    assert opened.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert opened.execute("PRAGMA foreign_key_check").fetchall() == []
    for index in ("memory_fts", "observations_fts"):
        opened.execute(f"INSERT INTO {index} ({index}) VALUES ('integrity-check')")


def with_one_more_migration(monkeypatch, *statements):
    """Pretend that a newer release has come, whose schema is one step further."""
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, statements))
    monkeypatch.setattr(schema, "VERSION", len(schema.MIGRATIONS))
    monkeypatch.setattr(connection, "SCHEMA_VERSION", len(schema.MIGRATIONS))


def observations_of(store, session):
    """Return (public_id, type, tool_name, title, content, metadata, created_at) of a session's rows, in order."""
    return list(
        store.execute(
            "SELECT public_id, type, tool_name, title, content, metadata, created_at FROM observations"
            " WHERE session_id = ? ORDER BY seq, id",
            (session,),
        )
    )


def receipts_of(store, session):
    """Return (event, created_at, budget, tokens, memory, outcome, score, evidence, tokens) of a session, in order."""
    return list(
        store.execute(
            "SELECT r.event, r.created_at, r.budget, r.tokens, i.memory, i.outcome, i.score, i.evidence, i.tokens"
            " FROM receipts AS r LEFT JOIN receipt_items AS i ON i.receipt_id = r.id WHERE r.session_id = ?"
            " ORDER BY r.seq, i.position",
            (session,),
        )
    )


def sessions_of(store, path):
    """Return (public_id, project_path, started_at, ended_at, summary) of a project's sessions, newest first."""
    return list(
        store.execute(
            "SELECT public_id, project_path, started_at, ended_at, summary FROM sessions WHERE project_path = ?"
            " ORDER BY started_at DESC, id DESC",
            (path,),
        )
    )
