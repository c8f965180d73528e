"""Sessions that the other clients really had: what their hooks were handed, and what they kept of the same session themselves."""

import json
import re
import sqlite3
import time
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

from tests.hosts.others.clients import FIXTURES

SECRET = "ghp_" + "aB3dE6gH9" * 4
# Where the record of the session lies below the home; what stands for its id is filled in.
PLACES = {
    "codex": ".codex/sessions/2026/11/24/rollout-2026-11-24T10-45-36-{}.jsonl",
    "copilot": ".copilot/session-state/{}/events.jsonl",
    "gemini": ".gemini/tmp/shop/chats/session-2026-11-24T10-45-{:.8}.jsonl",
    "opencode": ".local/share/opencode/opencode.db",
    "qwen": ".qwen/projects/-home-ada-shop/chats/{}.jsonl",
}
TABLES = """
CREATE TABLE session (id text PRIMARY KEY, directory text, parent_id text, title text, version text, time_created, time_updated);
CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created, time_updated, data text);
CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, time_created, time_updated, data text);
CREATE TABLE credential (id text, token text);
INSERT INTO credential VALUES ('mine', 'a-token-of-the-person');
"""
ISO, MS = re.compile(r"2026-11-24T\d\d:\d\d:\d\d\.\d{3}Z"), re.compile(r"\b17955\d{8}\b")


FIRST_MS = 1795517114813  # when the first of these sessions began; all are of the same minute


class Past:
    """A session of a client in a project, which begins `by` milliseconds from now; its prompt is `asked`, and `said` its answer."""

    asked = "Why does the zeppelin exporter fail?"
    said = "The zeppelin exporter writes UTF-16 and needs a byte order mark."

    def __init__(self, host, home, project, by=0):
        self.host, self.home, self.project = host, Path(home), Path(project)
        self.by = time.time_ns() // 1_000_000 + by - FIRST_MS
        self.hooked = [json.loads(line) for line in self._read("hooks").splitlines()]
        self.lines = self._read("record").splitlines()
        first = self.hooked[0]["fields"]
        self.session = first.get("session_id") or first.get("sessionId") or first["i"]["sessionID"]
        self.path = self.home / PLACES[host].format(self.session)

    def _read(self, what):
        text = (FIXTURES / self.host / "session" / f"{what}.jsonl").read_text()
        text = MS.sub(lambda found: str(int(found[0]) + self.by), ISO.sub(lambda found: moved(found[0], self.by), text))
        return text.replace("/home/ada/shop", str(self.project)).replace("/home/ada", str(self.home)).replace("@TOKEN@", SECRET)

    def events(self):
        """Return what its hooks were handed, as (name of ours, fields)."""
        return [(each["event"], each["fields"]) for each in self.hooked]

    def is_kept(self, lines=None, session=""):
        """Write the record, or these lines of it, also under another id; returns its path."""
        text = "".join(line + "\n" for line in (self.lines if lines is None else lines))
        path = self.path
        if session:
            text, path = text.replace(self.session, session), self.home / PLACES[self.host].format(session)
        path.parent.mkdir(parents=True, exist_ok=True)
        if self.host == "opencode":
            into_database(path, [json.loads(line) for line in text.splitlines()])
        else:
            path.write_text(text)
        if self.host == "gemini":
            (path.parent.parent / ".project_root").write_text(str(self.project))
        return path


def into_database(path, rows):
    with closing(sqlite3.connect(path)) as db, db:
        if not db.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            db.execute("PRAGMA journal_mode = WAL")
            db.executescript(TABLES)
        for row in rows:
            table = row.pop("table")
            db.execute(f"INSERT OR REPLACE INTO {table} ({','.join(row)}) VALUES ({','.join('?' * len(row))})", list(row.values()))


def moved(stamp, by):
    """Return a time as clients write it, moved by milliseconds."""
    at = datetime.fromisoformat(stamp.replace("Z", "+00:00")) + timedelta(milliseconds=by)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")
