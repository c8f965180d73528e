"""Situations of what sessions left behind: a person who reads, corrects and forgets it."""

import random
import shutil
from pathlib import Path

import pytest

from ralph_mem.core import paths, spool
from ralph_mem.core import project as projects
from ralph_mem.core.project import Project
from ralph_mem.core.redaction import gate, stored
from ralph_mem.maintenance import scrub as scrubbing
from ralph_mem.maintenance.forget import erase
from ralph_mem.maintenance.forget import select as selections
from ralph_mem.memory import access, notes_by_hand, opening
from ralph_mem.memory.ownership import seals
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.rows import kinds
from ralph_mem.memory.store import connection
from tests.sessions import NOON, Session, check


@pytest.fixture
def a_reader(a_session):
    """Open the project's memory for reading, by default settings."""
    return reader_of(a_session)


@pytest.fixture
def another_project(tmp_path):
    """Make a second project of the same person, without a memory."""
    folder = tmp_path / "workshop"
    folder.mkdir()
    return Project(str(folder))


@pytest.fixture
def everywhere():
    """Name the place of what is remembered for all projects."""
    return projects.everywhere()


def reader_of(session, outside=False, stores=(), **settings):
    """Return a reader of a session's project; `privacy_exclude_paths=[...]` changes a setting."""
    changed = {name.replace("_", ".", 1): value for name, value in settings.items()}
    return lookup.Reader([session.store, *stores], session.project, {**session.settings, **changed}, outside)


def person_of(session, outside=False):
    """Return a reader of all that a person's command opens."""
    return lookup.Reader(access.to_read(session.project), session.project, session.settings, outside)


def search(reader, query, now=None, **wanted):
    """Search, at the time of the newest turn unless told otherwise."""
    at = now or max(opened.one("SELECT coalesce(max(created_at), 0) FROM turns")[0] for opened in reader.stores)
    return lookup.search(reader, query, at, lookup.Wanted(**wanted))


def around(reader, row, before=1, after=1):
    """Return what happened around a row."""
    (rows,) = lookup.timelines(reader, [row], before, after)
    return rows


def ids(rows):
    return [row.public_id for row in rows]


def note(session, text, place=None, name=""):
    """Keep a note as a person does, in the project unless another place is named; returns its id."""
    return notes_by_hand.inject(place or session.project, session.project, session.settings, text, name)[0]


def forget(reader, *names, **filters):
    """Forget by id and by filters; returns the report."""
    return erase.forget(reader, selections.plan(reader, selections.Selection(names, **filters)))


def waits(session, prompt, at=NOON):
    """Let a prompt wait in the spool that the database could not take."""
    record = {"verb": "turn", "session": session.name, "turn": "prompt:late", "at": at, "kind": "prompt", "prompt": prompt}
    rest = {"origin": "user", "branch": "", "commit_id": "", "redactions": None, "redaction_version": 1}
    assert spool.put(session.project.root, [{**record, **rest}])


def last(session, table="observations"):
    """Return the public id of the newest row."""
    return session.rows(f"SELECT public_id FROM {table} ORDER BY id DESC LIMIT 1")[0][0]


def dump(opened):
    """Return every row of every table that is ours, but not which schema was looked at last: a table may be made on demand."""
    tables = "sessions turns observations receipts receipt_items memories derived_from".split()
    rows = {table: opened.execute(f"SELECT * FROM {table}").fetchall() for table in tables}
    return {**rows, "properties": opened.execute("SELECT * FROM properties WHERE key <> 'checked_schema'").fetchall()}


def files_of(*projects_of):
    """Return what lies in the memories of projects and in the person's homes, byte by byte."""
    folders = [*[project.folder for project in projects_of], paths.config_home(), paths.data_home()]
    found = [path for folder in folders for path in Path(folder).rglob("*") if path.is_file()]
    return {str(path): path.read_bytes() for path in found}


def holding(files, *needles):
    """Return which files hold which of some texts, in whatever case, plain or as in JSON."""
    forms = {needle: [needle.lower().encode(), ascii(needle)[1:-1].lower().encode()] for needle in needles}
    return sorted({(path.rpartition("/")[2], needle) for path, data in files.items() for needle in needles
                   for form in forms[needle] if form in data.lower()})  # fmt: skip


def in_order(opened):
    """Let SQLite look at everything, and hold each index against the rows that belong into it."""
    check(opened)
    turns = "SELECT m.id FROM memories AS m LEFT JOIN turns AS t ON t.id = m.turn_id WHERE t.id IS NULL OR t.index_version > 0"
    raw = "SELECT id FROM observations WHERE id NOT IN (SELECT observation_id FROM memories WHERE observation_id NOT NULL)"
    for index, wanted in (("memory_fts", turns), ("observations_fts", raw)):
        assert opened.execute(f"SELECT id FROM {index}_docsize ORDER BY id").fetchall() == sorted(opened.execute(wanted).fetchall())
    known = "SELECT public_id FROM turns UNION SELECT public_id FROM observations"
    assert opened.execute(f"SELECT * FROM derived_from WHERE child NOT IN ({known}) OR parent NOT IN ({known})").fetchall() == []


LINES = (
    "def at(self, key: str) -> dict[str, list[int]]:  # see RFC 9110, section 5.6.2",
    '    return {k: v for k, v in json.loads(open(f"{here}/cfg.json").read()).items() if k != "x"}',
    "<div class='a'><<<<<<< HEAD<br/></div>" * 12,
    "電球の交換をする人間は、まず電源を切ってから梯子に登ること。" * 9,
    "🎉🔥💡👩‍👩‍👧‍👦🏳️‍🌈" * 15,
    "Ünïcödé wörds ärë nöt räre: naïve café, señor, Größe, Ελληνικά, русский текст " * 5,
    "x" * 1500,
    "1.2.3-rc.4+build.20260101 0xdeadbeef 127.0.0.1:8080 3.141592653589793 " * 8,
    '{"level":"error","ts":1767268800.123,"caller":"a/b.go:17","msg":"refused","stack":["a","b"]}' * 6,
    "The fuse in the cellar was blown, so the lantern went dark; it is mended now. " * 6,
    "E   TypeError: can't compare offset-naive and offset-aware datetimes",
    "/".join(["packages", "a-very-long-folder-name"] * 9) + "/session.test.tsx",
    "\\x1b[31m${VAR:-$(cat <<'EOF' | sed -e 's/[^a-z]*//g;t' && exit 1)}" * 4,
    "",
)


def a_text(drawn, most=4):
    """Return some lines of what really stands in transcripts, or nothing."""
    return "\n".join(drawn.choices(LINES, k=drawn.randint(0, most)))


@pytest.fixture(scope="session")
def a_large_memory(tmp_path_factory):
    """Make once what `a_thousand_rows` copies."""
    folder, drawn = tmp_path_factory.mktemp("large"), random.Random(7)
    transcript = folder / "-home-ada-shop" / "0b0e6a8e-2f5c-4b60-9d52-5a4f4e7f7c11.jsonl"
    transcript.parent.mkdir()
    transcript.touch()

    def fill(session):
        session.starts(transcript_path=str(transcript))
        for number in range(120):
            session.asks(f"lantern {a_text(drawn)}", prompt_id=f"5a4f4e7f-7c11-4b60-9d52-0b0e6a8e{number:04d}")
            for _ in range(drawn.randint(4, 11)):
                happens(session, drawn)
            session.is_answered(a_text(drawn, 9))
        session.notes(drawn.choice(LINES)[:300], a_text(drawn, 20)[:8000])

    return made_once(folder, fill)


@pytest.fixture
def a_thousand_rows(a_large_memory, a_project):
    """Have 120 turns with 1,000 rows behind it: code, long lines, CJK, emoji, tags, long paths, and nothing at all."""
    return copied_into(a_project, a_large_memory)


def made_once(folder, fill):
    """Return a closed session whose memory `copied_into` gives to one test after the other: to make it takes longer."""
    session = Session(opening.open_ready(Project(str(folder))), Project(str(folder)))
    fill(session)
    session.store.checkpoint()
    session.store.close()
    return session


def copied_into(project, made):
    """Give a project without a memory a copy of what `made_once` returned; returns its session."""
    opening.prepare(project)
    shutil.copy(made.project.folder + "/memory.db", project.folder)
    seals.note(project.folder)
    opened = connection.connect(project.folder, connection.TOOL_WAIT_MS)
    seals.put(opened)  # it was made in another home
    session = Session(opened, project, made.name, made.now)
    session.prompts, session.calls = made.prompts, made.calls
    return session


def happens(session, drawn):
    """Let one tool be used, in one of the ways that leave a row."""
    kind = drawn.choice(("command", "failure", "check", "edit", "page"))
    text = a_text(drawn, 8)
    if kind == "edit":
        path = drawn.choice(("a.py", "src/電球.py", "/".join(["packages", "a-very-long-folder-name"] * 9) + ".tsx"))
        session.edits(path, a_text(drawn), text)
    elif kind == "page":
        session.uses("WebFetch", {"result": text}, url="https://lamps.example/" + "a/" * drawn.randint(1, 40), prompt="?")
    elif kind == "failure":
        session.runs(f"make {drawn.choice(LINES)[:200]} x", error=f"Exit code 2\n{text}\nerror: no fuse")
    else:
        session.runs(("pytest " if kind == "check" else "make ") + drawn.choice(LINES)[:250], text)


def below_rules(store):
    """Count the rows that were redacted by fewer rules than there are now."""
    rules = (gate.RULES_VERSION, stored.LONG_LIST)
    tables = [kind.table for kind in kinds.of_memory(store)]
    return sum(store.one(f"SELECT count(*) FROM {table} WHERE {scrubbing.BELOW}", rules)[0] for table in tables)
