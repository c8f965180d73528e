"""A kind of row that is declared, and nothing else: scrubbed, forgotten, exported, salvaged and counted as all others are."""

import sqlite3
from pathlib import Path
from types import SimpleNamespace

import pytest

from ralph_mem.core import fast, paths
from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective
from ralph_mem.maintenance import count_tokens, review
from ralph_mem.maintenance import scrub as scrubbing
from ralph_mem.maintenance.recovery import repair
from ralph_mem.maintenance.transfer import document, home, incoming, outgoing
from ralph_mem.memory import opening
from ralph_mem.memory.embeddings import backlog
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.rows import existing, kinds, row, tombstones
from ralph_mem.memory.store import connection, schema
from tests.readers import below_rules, files_of, forget, holding, reader_of
from tests.sessions import NOON, Session, found

TICKET, SECRET = r"\bZX-\d{4}\b", "ZX-7731"
OF_MEMORY = """
    id INTEGER PRIMARY KEY, public_id TEXT NOT NULL UNIQUE, tokens INTEGER NOT NULL, counted_by TEXT, checksum INTEGER NOT NULL,
    redactions TEXT, redaction_version INTEGER NOT NULL, scan_level INTEGER NOT NULL, index_version INTEGER NOT NULL,
    created_at INTEGER NOT NULL"""
# One of a session and a turn, with JSON and an index of its own; one of nobody, which is a memory and found as all memories are.
CLAIM = kinds.Kind(
    "claim", "claims", prefix="claim", index="claims_words", texts=("subject", "statement", "evidence"), json=("evidence",),
    labels=("scope",), names=("event_id", "origin"), owners=("session_id", "turn_id"), numbers=("seq", "tainted", "weight"),
)  # fmt: skip
RULE = kinds.Kind("rule", "rules", prefix="rule", memory="rule_id", texts=("wording",), labels=("author",))
MADE = (
    f"""CREATE TABLE claims ({OF_MEMORY}, event_id TEXT NOT NULL UNIQUE, session_id INTEGER REFERENCES sessions ON DELETE CASCADE,
    turn_id INTEGER REFERENCES turns ON DELETE SET NULL, seq INTEGER, origin TEXT NOT NULL, tainted INTEGER NOT NULL,
    subject TEXT NOT NULL, statement TEXT NOT NULL, evidence TEXT, scope TEXT, weight REAL)""",
    "CREATE VIRTUAL TABLE claims_words USING fts5(subject, statement, evidence, content='')",
    f"CREATE TABLE rules ({OF_MEMORY}, wording TEXT NOT NULL, author TEXT)",
    "ALTER TABLE memories ADD COLUMN rule_id INTEGER REFERENCES rules ON DELETE CASCADE",
)
SPECIFIC = {
    "claim": {"subject": "lantern", "statement": "zirconium melts late", "evidence": '{"seen": ["in the furnace"]}', "weight": 0.5},
    "rule": {"wording": "the zirconium lantern stays below the furnace", "author": "the keeper"},
}
INDEX = {"claim": "claims_words", "rule": "memory_fts"}


@pytest.fixture(params=[CLAIM, RULE], ids=lambda kind: kind.name)
def a_kind(request, monkeypatch):
    """Declare both, and have each new memory made with their tables."""
    monkeypatch.setattr(kinds, "ALL", (*kinds.ALL, CLAIM, RULE))
    first, *rest = schema.MIGRATIONS
    monkeypatch.setattr(schema, "MIGRATIONS", (first + MADE, *rest))
    return request.param


def put(store, kind, **texts):
    """Write one row through the writer; returns its public id."""
    values = {**dict.fromkeys((*kind.texts, *kind.labels)), **SPECIFIC[kind.name], **texts}
    values |= {"created_at": NOON, "redactions": None, "redaction_version": 0, "scan_level": 0}
    if kind is CLAIM:
        owner, turn = store.one("SELECT session_id, id FROM turns ORDER BY id DESC") or (None, None)
        count = store.one("SELECT count(*) FROM claims")[0]
        values |= {"event_id": f"claim:{count}", "session_id": owner, "turn_id": turn, "seq": 10**16 + count, "origin": "agent"}
        values["tainted"] = 0
    store.begin()
    number = row.put(store, kind, values, is_memory=bool(kind.memory))
    if kind.memory:
        existing.remember(store, kind, number)
    store.commit()
    return store.one(f"SELECT public_id FROM {kind.table} WHERE id = ?", (number,))[0]


@pytest.fixture
def a_made_up(a_kind, a_session):
    """A turn, a row with a secret in each of its columns of text that nobody knew then, and one without."""
    a_session.has_a_turn("What do we know?", "This and that.")
    kind = a_kind
    texts = {
        name: fast.dumps({"why": [f"since {SECRET}"]}) if name in kind.json else f"tungsten {SECRET} {name}" for name in kind.texts
    }
    name = put(a_session.store, kind, **texts, **dict.fromkeys(kind.labels, f"by {SECRET}"))
    other = put(a_session.store, kind)
    a_session.settings["privacy.redact_patterns"] = [TICKET]
    return SimpleNamespace(kind=kind, session=a_session, store=a_session.store, name=name, other=other)


def row_of(made, name, store=None):
    columns = (*made.kind.texts, *made.kind.labels)
    found_row = (store or made.store).one(f"SELECT {', '.join(columns)} FROM {made.kind.table} WHERE public_id = ?", (name,))
    return found_row and dict(zip(columns, found_row, strict=True))


def memory_files(made):
    return {path: data for path, data in files_of(made.session.project).items() if "/.ralph-mem/" in path}


def in_index(made, word):
    return found(made.store, INDEX[made.kind.name], word)


def test_a_scrub_goes_through_each_of_its_texts_and_labels_in_row_index_and_file(a_made_up):
    assert holding(memory_files(a_made_up), SECRET) and in_index(a_made_up, "7731")
    report, is_empty = scrubbing.scrub(a_made_up.store, scrubbing.protector(a_made_up.session.project, a_made_up.session.settings))
    assert is_empty and report.changed[a_made_up.kind.table] == 1
    assert holding(memory_files(a_made_up), SECRET) == [] and not in_index(a_made_up, "7731")
    texts = row_of(a_made_up, a_made_up.name)
    assert all("REDACTED" in text for text in texts.values()) and len(in_index(a_made_up, "tungsten")) == 1
    assert all(fast.loads(texts[name]) for name in a_made_up.kind.json)


def test_the_worker_comes_to_it_by_and_by(a_made_up):
    protect = scrubbing.protector(a_made_up.session.project, a_made_up.session.settings)
    while scrubbing.scrub_some(a_made_up.store, protect, 10):
        pass
    assert SECRET not in str(row_of(a_made_up, a_made_up.name)) and below_rules(a_made_up.store) == 0


@pytest.mark.check
@pytest.mark.parametrize("chosen", ["id", "query", "all"])
def test_a_forget_takes_it_from_row_index_and_file(a_made_up, chosen):
    selection = {"id": ([a_made_up.name], {}), "query": ([], {"query": SECRET}), "all": ([], {"everything": True})}
    names, filters = selection[chosen]
    report = forget(reader_of(a_made_up.session), *names, **filters)
    assert report.is_clean() and not row_of(a_made_up, a_made_up.name)
    assert holding(memory_files(a_made_up), SECRET, "tungsten") == [] and not in_index(a_made_up, "tungsten")
    assert bool(row_of(a_made_up, a_made_up.other)) == (chosen != "all")


@pytest.mark.check
def test_a_forgotten_session_takes_its_own_along(a_made_up):
    (name,) = a_made_up.store.one("SELECT public_id FROM sessions")
    forget(reader_of(a_made_up.session), name)
    is_owned = a_made_up.kind.has("session_id")
    assert bool(row_of(a_made_up, a_made_up.name)) == bool(row_of(a_made_up, a_made_up.other)) == (not is_owned)
    assert bool(in_index(a_made_up, "tungsten")) == (not is_owned)


@pytest.mark.check
def test_what_comes_back_with_a_backup_goes_again(a_made_up, tmp_path):
    backup = sqlite3.connect(tmp_path / "before.db")
    a_made_up.store.db.backup(backup)
    backup.close()
    forget(reader_of(a_made_up.session), a_made_up.name)
    folder = tmp_path / "back"
    folder.mkdir()
    (tmp_path / "before.db").rename(folder / "memory.db")
    opened = connection.connect(str(folder), 0)
    opened.begin()
    assert tombstones.sweep(opened, paths.key_of(a_made_up.session.project.root)) == 1
    opened.commit()
    assert not row_of(a_made_up, a_made_up.name, opened) and row_of(a_made_up, a_made_up.other, opened)
    opened.close()


def exported(made, **settings):
    values = {**effective.DEFAULTS, **{name.replace("_", ".", 1): value for name, value in settings.items()}}
    return outgoing.parcel(made.store, outgoing.Choice(), made.session.project, values).records


def test_an_export_brings_it_over_whole_and_once(a_made_up, another_project):
    data = document.packed("shop", NOON, exported(a_made_up), home.key())
    opened = opening.open_ready(another_project)
    for count in (2, 0):
        document_read = document.unpacked(data, home.key())
        records = incoming.prepared(document_read, another_project, another_project, dict(effective.DEFAULTS))
        assert incoming.take(opened, records)[a_made_up.kind.name] == count
    for name in (a_made_up.name, a_made_up.other):
        assert row_of(a_made_up, name, opened) == row_of(a_made_up, name)
    if a_made_up.kind is CLAIM:
        of_row = "SELECT s.client_session, t.event_id, weight FROM claims JOIN sessions AS s ON s.id = claims.session_id"
        of_row += " JOIN turns AS t ON t.id = turn_id WHERE claims.public_id = ?"
        assert opened.one(of_row, (a_made_up.other,)) == a_made_up.store.one(of_row, (a_made_up.other,))
    assert len(found(opened, INDEX[a_made_up.kind.name], "tungsten")) == 1
    opened.close()


def test_an_export_is_redacted_by_todays_rules_and_reads_well(a_made_up):
    records = exported(a_made_up, privacy_redact_patterns=[TICKET])
    assert SECRET not in str(records) and [record["row"] for record in records].count(a_made_up.kind.name) == 2
    assert "zirconium" in outgoing.written("shop", records)


@pytest.mark.check
def test_what_was_forgotten_does_not_come_in_with_an_export(a_made_up):
    data = document.packed("shop", NOON, exported(a_made_up), home.key())
    forget(reader_of(a_made_up.session), a_made_up.name)
    place = a_made_up.session.project
    records = incoming.prepared(document.unpacked(data, home.key()), place, place, dict(effective.DEFAULTS))
    assert incoming.take(a_made_up.store, records)["forgotten"] == 1 and not row_of(a_made_up, a_made_up.name)


def test_a_repair_brings_it_over_but_for_what_was_altered(a_made_up):
    kept = row_of(a_made_up, a_made_up.name)
    (text, *_) = a_made_up.kind.texts
    a_made_up.store.execute(f"UPDATE {a_made_up.kind.table} SET {text} = 'gone astray' WHERE public_id = ?", (a_made_up.other,))
    a_made_up.store.checkpoint()
    a_made_up.store.close()
    assert repair.look(a_made_up.session.project).startswith("1 altered")
    repaired = repair.mend(a_made_up.session.project, "damaged")
    opened = opening.open_ready(a_made_up.session.project)
    assert row_of(a_made_up, a_made_up.name, opened) == kept and not row_of(a_made_up, a_made_up.other, opened)
    assert len(repaired.altered) == 1
    assert len(found(opened, INDEX[a_made_up.kind.name], "tungsten")) == 1
    opened.close()


def test_its_tokens_are_counted(a_made_up):
    vocabulary = SimpleNamespace(name="letters", encode_ordinary=list)
    before = count_tokens.missing(a_made_up.store, vocabulary)
    assert count_tokens.count_rows(a_made_up.store, vocabulary) == before and count_tokens.missing(a_made_up.store, vocabulary) == 0
    (tokens,) = a_made_up.store.one(f"SELECT tokens FROM {a_made_up.kind.table} WHERE public_id = ?", (a_made_up.name,))
    assert tokens == sum(len(row_of(a_made_up, a_made_up.name)[text] or "") for text in a_made_up.kind.hashed)
    assert count_tokens.of(a_made_up.store).vocabularies == {"letters": before}


def test_it_is_read_by_its_id(a_made_up):
    read = lookup.find(reader_of(a_made_up.session), a_made_up.name)
    assert (read.type, SECRET in read.asked) == (a_made_up.kind.name, False)


def test_it_is_reviewed_where_it_says_where_it_came_from(a_made_up):
    listed = review.ids(a_made_up.store, review.Wanted())
    assert (a_made_up.name in listed) == a_made_up.kind.has("origin")


def test_a_memory_of_it_waits_to_be_embedded(a_made_up):
    words = [item.text for item in backlog.items(a_made_up.store, "a-model", backlog.waiting(a_made_up.store, "a-model"))]
    assert ("the zirconium lantern stays below the furnace" in words) == bool(a_made_up.kind.memory)


def test_a_memory_of_it_lies_among_the_vectors(a_made_up):
    numpy = pytest.importorskip("numpy", reason="the extra `embeddings` is not installed")
    from ralph_mem.memory.embeddings import vectors

    items = backlog.items(a_made_up.store, "a-model", backlog.waiting(a_made_up.store, "a-model"))
    vector = numpy.asarray([1, 0], "<f2").tobytes()
    backlog.keep(a_made_up.store, "a-model", items, [vector] * len(items), [None] * len(items))
    kept = vectors.Matrix(a_made_up.store, {"model": "a-model", "dims": 2})
    assert sorted(kept.numbers) == sorted(item.memory for item in items) and not kept.follows.any()


def test_a_memory_that_was_made_before_the_kind_is_served_as_ever(monkeypatch, a_session):
    monkeypatch.setattr(kinds, "ALL", (*kinds.ALL, CLAIM, RULE))
    a_session.has_a_turn(f"Where is {SECRET}?", "There.")
    a_session.settings["privacy.redact_patterns"] = [TICKET]
    assert scrubbing.scrub(a_session.store, scrubbing.protector(a_session.project, a_session.settings))[0].changed == {"turns": 1}
    assert forget(reader_of(a_session), query="There").is_clean()


# What the declarations say, held against the tables


COLUMNS = """
SELECT m.name, c.name, c.type FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS c
WHERE m.name IN ({tables}) ORDER BY m.rowid, c.cid"""


def every_table(store):
    for table in schema.ON_DEMAND:
        schema.make(store, table)
    return [name for (name,) in store.execute(kinds.TABLES)]


def test_every_column_of_text_of_every_table_is_declared(a_store):
    tables = every_table(a_store)
    declared = {kind.table: kind for kind in kinds.ALL}
    without_text = {"memories", "shingles"}
    assert set(tables) - without_text == declared.keys()
    listed = ", ".join(f"'{table}'" for table in tables)
    for table, column, of_type in a_store.execute(COLUMNS.format(tables=listed)).fetchall():
        if of_type == "TEXT":
            kind = declared[table]
            standard = {"public_id", "redactions", "counted_by"} if kind.prefix else set()
            assert column in {*kinds.redacted(kind), *kind.paths, *kind.names, *kind.own, *standard}, f"{table}.{column}"


@pytest.mark.parametrize("kind", kinds.ALL, ids=lambda kind: kind.name)
def test_what_is_declared_is_there(a_store, kind):
    assert kind.table in every_table(a_store)
    known = {name for _, name, *_ in a_store.execute(f"PRAGMA table_info({kind.table})")}
    assert {*kinds.redacted(kind), *kind.paths, *kind.names, *kind.own, *kind.numbers, *kind.owners} <= known
    assert set(kind.json) <= set(kinds.redacted(kind)) and set(kind.hashed) <= set(kind.texts)


def test_a_secret_that_is_known_stands_in_no_column_whatever_brought_it(a_session, a_project):
    (Path(a_project.root) / ".git" / "refs").mkdir(parents=True)
    (Path(a_project.root) / ".git" / "HEAD").write_text(f"ref: refs/heads/fix/{SECRET}\n")
    session = Session(a_session.store, Project(a_project.root, a_project.root + "/.git", a_project.root + "/.git"), "another")
    session.settings["privacy.redact_patterns"] = [SECRET]
    session.starts()
    session.asks(f"Close {SECRET}")
    session.runs(f"make {SECRET}", error=f"Exit code 2\nerror: {SECRET}")
    session.edits(f"{SECRET}.py", "old", f"new {SECRET}")
    session.uses("Read", {}, file_path=f"{a_project.root}/read/{SECRET}.py")
    session.uses(f"mcp__{SECRET}__ask", {"text": SECRET}, question=SECRET)
    session.sends("subagent-stop", agent_id="a1", agent_type=SECRET, last_assistant_message=f"Found {SECRET}")
    session.is_answered(f"{SECRET} is closed")
    session.sends("post-compact", compact_summary=f"about {SECRET}")
    session.sends("session-end", reason="other")
    there = set(every_table(session.store))
    for kind in kinds.ALL:
        for column in kinds.redacted(kind) if kind.table in there else ():
            sql = f"SELECT {column} FROM {kind.table} WHERE instr({column}, ?)"
            assert session.store.execute(sql, (SECRET,)).fetchall() == [], (kind.table, column)
    changed = {"turns": ("prompt", "response", "files", "files_read", "lines", "branch"), "sessions": ("branch", "summary")}
    changed["observations"] = ("title", "content", "files", "lines", "tool_name", "agent_type")
    for table, columns in changed.items():
        for column in columns:
            sql = f"SELECT count(*) FROM {table} WHERE instr({column}, '[REDACTED')"
            assert session.store.one(sql)[0] >= 1, (table, column)
