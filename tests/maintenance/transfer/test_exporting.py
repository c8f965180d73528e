"""An export and the way back: the same rows, nothing twice, nothing trusted more than it was, and nothing of a bad file."""

import hashlib
import importlib.util
import json
import os
import random
import stat
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from ralph_mem.core import paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.maintenance.transfer import document, home, incoming, outgoing
from ralph_mem.memory import notes_by_hand, opening
from ralph_mem.memory.extras import MissingExtra, installation
from ralph_mem.memory.inject import briefing
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.rows import rewrite, turns
from tests.folded import folded
from tests.maintenance.transfer.situations import STRANGE, records_of, taken_into
from tests.readers import forget, happens, in_order, last, note, reader_of, search
from tests.sessions import HOUR, NOON, Session, check

HAS_PYRAGE = importlib.util.find_spec("pyrage") is not None


def export(session, choice=None, **changed):
    """Return what an export of a session's project writes."""
    return document.packed(session.project.root, NOON, records_of(session.store, session.project, choice, **changed), home.key())


def body(data):
    """Return the lines of an export that tell of rows."""
    return data.splitlines()[1:-1]


def again(opened, place):
    return body(document.packed(place.root, NOON, records_of(opened, place), home.key()))


# The round trip


def test_what_comes_back_into_an_empty_memory_is_what_was_exported(a_rich_session, a_place):
    data, place = export(a_rich_session), a_place()
    opened, counts = taken_into(place, data)
    assert again(opened, place) == body(data)
    assert counts["session"] == 1 and counts["turn"] == 2 and counts["observation"] == 6
    in_order(opened)


def test_what_came_in_with_an_export_is_known_to_take_back_what_was_said_before(a_session, a_place):
    a_session.has_a_turn("let's use zustand for state", "It is in.")
    a_session.has_a_turn("scrap zustand, go back to context", "It is out.")
    opened, _ = taken_into(a_place(), export(a_session))
    assert opened.property(turns.TAKING_BACK) == "2"


@pytest.mark.check
@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(0, 2**32), st.lists(st.tuples(st.text(max_size=80), st.text(max_size=80)), max_size=4))
def test_any_history_comes_back_line_by_line(a_session, a_place, seed, said):
    drawn, place = random.Random(seed), a_place()
    session = Session(a_session.store, a_session.project, f"session {seed}", a_session.now)
    a_session.now += HOUR
    session.starts("resume")
    for asked, answer in said:
        session.asks(asked)
        for _ in range(drawn.randint(0, 4)):
            happens(session, drawn)
        if drawn.random() < 0.8:
            session.is_answered(answer)
    data = export(session)
    opened, _ = taken_into(place, data)
    assert again(opened, place) == body(data)
    in_order(opened)


@pytest.mark.check
def test_a_thousand_rows_come_back_and_are_found_by_the_same_words(a_thousand_rows, a_place):
    place = a_place()
    opened, counts = taken_into(place, export(a_thousand_rows))
    assert sum(counts.values()) > 1000
    here = lookup.Reader([a_thousand_rows.store], a_thousand_rows.project, a_thousand_rows.settings)
    there = lookup.Reader([opened], place, a_thousand_rows.settings)
    for words in ("lantern fuse", "naïve café", "電球"):
        assert {row.public_id for row in search(here, words, limit=5)} == {row.public_id for row in search(there, words, limit=5)}


def test_what_comes_in_twice_is_there_once(a_rich_session, a_place):
    data, place = export(a_rich_session), a_place()
    taken_into(place, data)
    opened, counts = taken_into(place, data)
    assert counts == {"known": 9} and again(opened, place) == body(data)
    _, counts = taken_into(a_rich_session.project, data)
    assert counts == {"known": 9}


def test_an_archive_adds_what_is_missing_and_leaves_the_rest(a_rich_session):
    data = export(a_rich_session)
    note_id = a_rich_session.store.one("SELECT public_id FROM observations WHERE type = 'note'")[0]
    rewrite.delete(a_rich_session.store, note_id)
    a_rich_session.has_a_turn("Where is the zirconium?", "In the attic.")
    before = a_rich_session.rows("SELECT * FROM turns ORDER BY id")
    _, counts = taken_into(a_rich_session.project, data)
    assert counts["known"] == 8 and counts["observation"] == 1 and a_rich_session.rows("SELECT * FROM turns ORDER BY id") == before
    in_order(a_rich_session.store)


@pytest.mark.parametrize(
    ("choice", "rows"),
    [
        ({"types": ["turn"]}, {"session": 1, "turn": 2}),
        ({"types": ["note", "error"]}, {"session": 1, "observation": 2}),
        ({"origins": ["outside"]}, {"session": 1, "observation": 1}),
        ({"since": NOON + 1}, {"session": 1, "turn": 2, "observation": 6}),
        ({"until": NOON + 1}, {}),
    ],
)
def test_a_part_comes_back_as_that_part(a_rich_session, a_place, choice, rows):
    data, place = export(a_rich_session, outgoing.Choice(**choice)), a_place()
    opened, counts = taken_into(place, data)
    assert counts == rows and again(opened, place) == body(data)


def test_a_part_quotes_nothing_of_the_rest(a_rich_session):
    a_rich_session.sends("session-end", reason="other")
    assert "lantern" in a_rich_session.rows("SELECT summary FROM sessions")[0][0]
    data = export(a_rich_session, outgoing.Choice(types=["note"]))
    assert b"cellar" not in data and b"lantern" not in data and b"Lanterns are dear" in data


# What stays here


def test_what_makes_a_session_ours_stays_here(a_rich_session):
    (fence,) = a_rich_session.rows("SELECT fence FROM sessions")[0]
    data = export(a_rich_session)
    assert fence.encode() not in data and b"client_pid" not in data and b"receipt" not in data


def test_an_export_is_redacted_by_the_rules_and_values_of_today(a_session, the_environment):
    a_session.has_a_turn("Where is the tungsten?", "kumquat-7781-zebra-4410")
    the_environment(SHOP_API_TOKEN="kumquat-7781-zebra-4410")
    data = export(a_session)
    assert b"kumquat" not in data and b"[REDACTED:known-value]" in data


def test_an_archive_is_redacted_by_the_values_of_where_it_comes_in(a_session, a_place, the_environment):
    a_session.has_a_turn("Where is the tungsten?", "kumquat-7781-zebra-4410")
    data = export(a_session)
    the_environment(SHOP_API_TOKEN="kumquat-7781-zebra-4410")
    opened, _ = taken_into(a_place(), data)
    assert opened.one("SELECT response, redactions FROM turns") == ("[REDACTED:known-value]", '{"known-value": 1}')


def test_rows_about_excluded_paths_stay_here(a_rich_session):
    data = export(a_rich_session, privacy_exclude_paths=["src/**"])
    assert b"src/lantern.py" not in data and b"make lantern" in data


def test_all_of_it_is_plain_ascii(a_session):
    a_session.has_a_turn("電球 \x1b[31m café", "\u202e🎉")
    data = export(a_session)
    assert data.isascii() and all(line.startswith(b"{") and line.endswith(b"}") for line in data.splitlines())
    assert not set(range(32)) - {10} & set(data)


# Files of somebody else


def test_nothing_of_a_strangers_file_is_told_unasked(a_rich_session, a_place, another_home):
    note(a_rich_session, f"{STRANGE}, always.")
    data, place = export(a_rich_session), a_place()
    another_home()
    opened, _ = taken_into(place, data)
    session = Session(opened, place, "mine", a_rich_session.now + HOUR)
    told = session.starts() + session.asks("tungsten lantern cellar? Ignore orders, always!") + session.starts("compact")
    assert "tungsten" not in told and STRANGE not in told
    assert opened.execute("SELECT DISTINCT origin, tainted, pinned FROM turns WHERE event_id LIKE 'file:%'").fetchall() == [
        ("outside", 2, 0)
    ]
    assert opened.execute("SELECT DISTINCT origin, tainted, pinned FROM observations").fetchall() == [("outside", 2, 0)]
    in_order(opened)


def test_a_strangers_rows_do_not_crowd_out_ones_own(a_session, a_place, another_home):
    for number in range(20):
        a_session.has_a_turn(f"Where is lantern {number}?", "In the cellar.")
    data, place = export(a_session), a_place()
    another_home()
    mine = Session(opening.open_ready(place), place, "mine")
    mine.starts("resume")
    mine.has_a_turn("Where is the zirconium?", "In the attic.")
    taken_into(place, data)
    assert "In the attic." in Session(mine.store, place, "next", mine.now + HOUR).starts()


def test_a_strangers_file_is_found_by_a_search(a_rich_session, a_place, another_home):
    data, place = export(a_rich_session), a_place()
    another_home()
    opened, _ = taken_into(place, data)
    assert "In the cellar." in [row.said for row in search(lookup.Reader([opened], place, a_rich_session.settings, True), "cellar")]


def test_the_person_may_say_that_it_is_their_own(a_rich_session, a_place, another_home):
    data, place = export(a_rich_session), a_place()
    another_home()
    opened, _ = taken_into(place, data, mine=True)
    assert again(opened, place) == body(data)
    assert "tungsten" in Session(opened, place, "mine", a_rich_session.now + HOUR).starts()


def test_what_came_in_as_a_strangers_becomes_ones_own_where_it_is_and_nothing_is_there_twice(a_rich_session, a_place, another_home):
    data, place = export(a_rich_session), a_place()
    another_home()
    taken_into(place, data)
    opened, counts = taken_into(place, data, mine=True)
    assert again(opened, place) == body(data)
    assert (counts["session"], counts["turn"], counts["observation"]) == (1, 2, 6)
    in_order(opened)
    _, counts = taken_into(place, data, mine=True)
    assert counts == {"known": 9}


def test_a_strangers_session_of_which_a_person_has_changed_something_stays_as_it_is(a_rich_session, a_place, another_home):
    note(a_rich_session, "Lamps are lit at dusk.")
    data, place = export(a_rich_session), a_place()
    another_home()
    opened, _ = taken_into(place, data)
    reader = lookup.Reader([opened], place, a_rich_session.settings)
    notes_by_hand.pin(lookup.find(reader, last(a_rich_session, "turns")))
    before = opened.execute("SELECT * FROM turns").fetchall()
    _, counts = taken_into(place, data, mine=True)
    assert counts == {"session": 1, "observation": 1, "known": 9}
    assert opened.execute("SELECT * FROM turns").fetchall() == before
    assert opened.execute("SELECT title FROM observations WHERE tainted = 0").fetchall() == [("Lamps are lit at dusk.",)]
    in_order(opened)


def test_what_would_become_ones_own_is_counted_before(a_rich_session, a_place, another_home):
    note(a_rich_session, "Lamps are lit at dusk.")
    data, place = export(a_rich_session), a_place()
    another_home()
    opened, _ = taken_into(place, data)
    records = incoming.prepared(document.unpacked(data, home.key()), place, place, a_rich_session.settings, mine=True)
    assert incoming.counted(opened, records) == incoming.take(opened, records) != {}


def test_trust_that_was_lost_does_not_come_back_by_another_export(a_rich_session, a_place, another_home):
    data, first, second = export(a_rich_session), a_place(), a_place()
    another_home()
    opened, _ = taken_into(first, data)
    ours = document.packed(first.root, NOON, records_of(opened, first), home.key())
    opened, _ = taken_into(second, ours)
    assert document.unpacked(ours, home.key()).ours
    assert opened.execute("SELECT DISTINCT tainted, origin FROM turns").fetchall() == [(2, "outside")]


def test_ones_own_archive_is_not_taken_in_once_more_as_a_strangers(a_rich_session, the_environment, tmp_path):
    data = export(a_rich_session)
    os.remove(paths.data_home() + "/export-key")
    before = a_rich_session.rows("SELECT * FROM sessions")
    _, counts = taken_into(a_rich_session.project, data)
    assert counts == {"known": 8} and a_rich_session.rows("SELECT * FROM sessions") == before


def test_a_strangers_file_cannot_take_a_place_that_the_client_will_need(a_session, a_place, another_home):
    a_session.asks("Where is the tungsten?")
    a_session.runs("make lantern", "all bright")
    a_session.is_answered("In the cellar.")
    data, place = export(a_session), a_place()
    another_home()
    taken_into(place, data)
    session = Session(opening.open_ready(place), place)
    session.starts()
    session.asks("Where is the zirconium?")
    session.runs("make ladder", "all well")
    session.is_answered("In the attic.")
    assert session.rows("SELECT prompt, response FROM turns WHERE origin = 'user'") == [
        ("Where is the zirconium?", "In the attic.")
    ]
    assert session.rows("SELECT title FROM observations WHERE origin <> 'outside'") == [("make ladder",)]


def test_an_id_that_another_row_has_is_given_anew(a_session, a_place):
    data, place = export_of_a_turn(a_session), a_place()
    taken = Session(opening.open_ready(place), place, "mine")
    taken.starts("resume")
    taken.has_a_turn("Where is the zirconium?", "In the attic.")
    name = json.loads(body(data)[1])["public_id"]
    taken.store.execute("UPDATE turns SET public_id = ?", (name,))
    taken_into(place, data)
    assert len({name for (name,) in taken.rows("SELECT public_id FROM turns")}) == 2


def export_of_a_turn(session):
    session.has_a_turn("Where is the tungsten?", "In the cellar.")
    return export(session)


def test_a_session_that_was_forgotten_does_not_come_back(a_session):
    data = export_of_a_turn(a_session)
    (name,) = a_session.rows("SELECT public_id FROM sessions")[0]
    forget(lookup.Reader([a_session.store], a_session.project, a_session.settings), name)
    _, counts = taken_into(a_session.project, data)
    assert counts == {"forgotten": 2} and a_session.rows("SELECT * FROM turns") == []


# Bad files


def changed(data, number, **fields_of):
    """Return an export with one row changed, and all its checks made right again, as somebody hostile would."""
    lines = [json.loads(line) for line in data.splitlines()]
    lines[number].update(fields_of)
    return document.packed("elsewhere", NOON, lines[1:-1], b"")


BAD_ROWS = [
    {"origin": "god"}, {"tainted": -1}, {"tainted": True + 2}, {"seq": "1"}, {"seq": 2**70}, {"seq": True}, {"seq": -1},
    {"prompt": None}, {"prompt": 7}, {"prompt": ["a"]}, {"prompt": "x" * 70_000},
    {"public_id": "turn-'; DROP"}, {"public_id": "x" * 5000},
    {"event_id": ""}, {"event_id": "a\x1b[0m"}, {"event_id": "x" * 2000}, {"event_id": None}, {"kind": "god"}, {"status": ""},
    {"created_at": 1.5}, {"created_at": None}, {"found": 3}, {"session": ""}, {"session": 3}, {"session": "nobody"}, {"pinned": 2},
    {"more": 1}, {"row": "observation"}, {"row": "session"}, {"row": "receipts"}, {"redactions": 3}, {"tainted": "2"},
]  # fmt: skip


def test_a_row_that_cannot_be_one_is_refused_and_nothing_comes_in(a_session, a_place):
    data, place = export_of_a_turn(a_session), a_place()
    opened = opening.open_ready(place)
    for bad in BAD_ROWS:
        with pytest.raises(RalphMemError, match="damaged"):
            taken_into(place, changed(data, 2, **bad))
        assert opened.one("SELECT count(*) FROM sessions") == opened.one("SELECT count(*) FROM turns") == (0,), bad
    print(f"{len(BAD_ROWS)} of {len(BAD_ROWS)} bad rows refused")
    assert len(BAD_ROWS) == 32


def test_a_file_that_is_not_whole_is_refused_wherever_it_was_cut_or_changed(a_session):
    data = export_of_a_turn(a_session)
    drawn = random.Random(5)
    for _ in range(500):
        at = drawn.randrange(len(data))
        flipped = data[:at] + bytes([data[at] ^ 1 << drawn.randrange(7)]) + data[at + 1 :]
        for bad in (data[:at], flipped, data[:at] + data[at + 1 :]):
            try:
                found = document.unpacked(bad, home.key())
            except RalphMemError:
                continue
            assert not found.ours and found.lines == document.unpacked(data, home.key()).lines  # the seal itself was hit


@pytest.mark.parametrize("field", ["format", "schema"])
def test_a_file_of_a_newer_release_is_refused_before_it_is_called_damaged(a_session, field):
    head, rest = export_of_a_turn(a_session).split(b"\n", 1)
    newer = json.dumps({**json.loads(head), field: 99}).encode() + b"\n" + rest
    with pytest.raises(RalphMemError, match="newer release") as raised:
        document.unpacked(newer, home.key())
    assert "update" in raised.value.hint


@folded("data", [b"", b"\n", b"{}\n", b"[]\n", b"\xff\xfe\x00", b"SQLite format 3\x00", b"[" * 100_000, b'{"ralph-mem":"export"}'])
def test_what_is_no_export_is_refused(data):
    with pytest.raises(RalphMemError):
        document.unpacked(data, b"")


def test_lines_that_are_counted_but_missing_are_noticed(a_session):
    lines = export_of_a_turn(a_session).splitlines(keepends=True)
    rest = b"".join([*lines[:2], *lines[3:-1]])
    end = json.dumps({"row": "end", "sha256": hashlib.sha256(rest).hexdigest(), "seal": ""}).encode() + b"\n"
    with pytest.raises(RalphMemError, match="does not hold what its first line counts"):
        document.unpacked(rest + end, home.key())


def test_an_archive_that_fails_in_the_middle_leaves_nothing(a_rich_session, a_place, monkeypatch):
    place = a_place()
    opened, write = opening.open_ready(place), incoming.Arrival._row
    calls = []

    def failing(arrival, kind, record):
        calls.append(record)
        if len(calls) == 4:
            raise OSError("the disk is full")
        write(arrival, kind, record)

    monkeypatch.setattr(incoming.Arrival, "_row", failing)
    with pytest.raises(OSError, match="disk"):
        taken_into(place, export(a_rich_session))
    assert [opened.one(f"SELECT count(*) FROM {table}")[0] for table in ("sessions", "turns", "observations", "memories")] == [
        0
    ] * 4
    check(opened)


# The file and the key


def test_an_export_is_for_its_owner_alone_and_is_listed(a_home, tmp_path):
    before = os.umask(0)
    try:
        home.write(tmp_path / "shop.jsonl", b"data", NOON)
        home.key()
    finally:
        os.umask(before)
    files = [tmp_path / "shop.jsonl", *Path(paths.data_home()).iterdir()]
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600} and len(files) == 3
    assert json.loads(Path(paths.data_home(), "exports.jsonl").read_text()) == {"path": f"{tmp_path}/shop.jsonl", "at": NOON}


def test_a_file_that_is_there_is_written_over_only_by_force_and_no_link_is_followed(tmp_path):
    (tmp_path / "other").write_text("mine")
    (tmp_path / "shop.jsonl").symlink_to(tmp_path / "other")
    with pytest.raises(RalphMemError, match="is there already"):
        home.write(tmp_path / "shop.jsonl", b"data", NOON)
    home.write(tmp_path / "shop.jsonl", b"data", NOON, force=True)
    assert (tmp_path / "other").read_text() == "mine" and (tmp_path / "shop.jsonl").read_bytes() == b"data"
    assert sorted(os.listdir(tmp_path)) == ["home", "other", "shop.jsonl"]


def test_a_key_that_is_damaged_counts_as_none(a_home):
    key = home.key()
    assert len(key) == 32 and home.key() == key
    Path(paths.data_home(), "export-key").write_text("zz")
    assert home.key() == b""


def test_without_a_key_nothing_is_ours(a_session):
    data = document.packed("x", NOON, records_of(a_session.store, a_session.project), b"")
    assert not document.unpacked(data, b"").ours and not document.unpacked(data, home.key()).ours


def test_a_folder_or_a_pipe_is_no_export(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for name in (tmp_path / "pipe", tmp_path):
        with pytest.raises((RalphMemError, OSError)):
            home.read(name, 100)


def test_an_export_that_is_too_large_is_not_read(tmp_path):
    (tmp_path / "large").write_bytes(b"x" * 101)
    with pytest.raises(RalphMemError, match="101 bytes"):
        home.read(tmp_path / "large", 100)


# Encryption


def test_without_the_extra_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "pyrage", None)
    with pytest.raises(MissingExtra) as raised:
        home.locked(b"data", "correct horse battery")
    assert raised.value.hint == installation("encryption")


def test_a_short_passphrase_is_refused():
    with pytest.raises(RalphMemError, match="shorter than 12"):
        home.locked(b"data", "horse")


@pytest.mark.check
@pytest.mark.skipif(not HAS_PYRAGE, reason="the extra `encryption` is not installed: pip install pyrage")
def test_a_passphrase_locks_an_export_and_alone_opens_it(a_session, monkeypatch):
    data = export_of_a_turn(a_session)
    locked = home.locked(data, "correct horse battery")
    assert home.is_locked(locked) and b"cellar" not in locked and not home.is_locked(data)
    assert home.opened(locked, "correct horse battery") == data
    with pytest.raises(RalphMemError, match="does not open"):
        home.opened(locked, "correct horse batter")


# Markdown

HOSTILE = [
    "# heading", "```\n# out\n```", "````\n</details>", "~~~\nout\n~~~", "<script>alert(1)</script>",
    "[a](javascript:alert(1))", "![x](https://evil.example/?leak)", "    code", "> quote", "| a | b |\n|---|---|", "\\`\\`\\`",
    "&lt;b&gt;", "---", "1. one\n2. two",
    "[ref]: https://evil.example", "<!-- comment", "`" * 40, "text\n" + "`" * 9 + "\n# out", "\t```",
    "https://evil.example", "a\rb\x1b[2J",
]  # fmt: skip


def tokens_of(text):
    return [(token.type, token.tag) for token in MarkdownIt("commonmark").parse(text)], MarkdownIt("commonmark").render(text)


@pytest.mark.parametrize("text", HOSTILE)
def test_no_text_leaves_its_block_in_markdown(a_session, text):
    a_session.has_a_turn(text, text)
    a_session.runs(f"make {text}", text)
    records = records_of(a_session.store, a_session.project)
    for record in records:
        record["branch"] = text
        record["tool_name"] = text
    kinds, html = tokens_of(outgoing.written(text, records))
    assert {tag for _, tag in kinds if tag} <= {"h1", "h2", "h3", "h4", "p", "code"}
    assert [tag for kind, tag in kinds if kind == "heading_open"].count("h1") == 1
    assert "<script" not in html and "<a " not in html and "<img" not in html and "\x1b" not in html


@settings(max_examples=150)
@given(st.text("`~ \n#<>x", max_size=60))
def test_a_block_holds_any_text_as_it_is(text):
    (token,) = MarkdownIt("commonmark").parse("\n".join(outgoing.block(text)))
    assert token.type == "fence" and token.content.rstrip("\n") == text.rstrip("\n")


def test_markdown_withholds_what_a_search_withholds(a_rich_session):
    records = records_of(a_rich_session.store, a_rich_session.project)
    assert STRANGE not in outgoing.written("shop", records) and STRANGE in outgoing.written("shop", records, outside=True)
    assert "not to be trusted" in outgoing.written("shop", records)


def test_the_fields_that_are_checked_are_those_of_the_tables(a_session):
    for row, table in (("session", "sessions"), ("turn", "turns"), ("observation", "observations")):
        known = {name for (name,) in a_session.store.execute("SELECT name FROM pragma_table_info(?)", (table,))}
        checked = document.checks(row).keys() - {"session", "turn", "found"}
        assert checked <= known and set(document.texts(row)) <= checked


def test_the_briefing_passes_over_what_a_stranger_pinned(a_session):
    a_session.has_a_turn("Where is the tungsten?", "In the cellar.")
    a_session.store.execute("UPDATE turns SET tainted = 2, pinned = 1")
    a_session.store.set_property("pinned", 1)
    assert briefing.build([a_session.store], a_session.settings, 0, None, NOON) == ("", [])


def test_a_forget_names_an_encrypted_export_since_nobody_can_tell_what_it_holds(a_session, tmp_path):
    a_session.has_a_turn("Where is the quetzalcoatlus?", "Below the zirconium lantern.")
    home.write(tmp_path / "shop.age", home.MARK + b"\n-> scrypt x 18\nwhatever", NOON)
    home.write(tmp_path / "shop.jsonl", export(a_session, outgoing.Choice(until=1)), NOON)
    report = forget(reader_of(a_session), query="quetzalcoatlus")
    assert report.out_of_reach == [f"an encrypted export that you made may hold it: {tmp_path}/shop.age"]


def test_what_a_strangers_file_says_that_a_session_was_about_does_not_come_in(a_rich_session, a_place, another_home):
    a_rich_session.sends("session-end", reason="other")
    data = export(a_rich_session)
    assert b"lantern" in next(line for line in body(data) if b'"summary":"' in line)
    another_home()
    opened, _ = taken_into(a_place(), data)
    assert opened.execute("SELECT DISTINCT summary, transcript_path FROM sessions").fetchall() in ([(None, None)], [("", None)])


def test_a_line_that_no_row_can_need_is_refused(a_session, monkeypatch):
    a_session.has_a_turn("Where is the basalt?", "In the attic.")
    data = export(a_session)
    monkeypatch.setattr(document, "MOST_LINE_BYTES", 100)
    with pytest.raises(RalphMemError, match="a line is too long"):
        document.unpacked(data, home.key())


def test_of_two_exports_at_once_the_first_key_counts(a_session, monkeypatch):
    exists, first = paths.exists, []

    def not_yet(path):
        if path.endswith("/" + paths.EXPORT_KEY) and not first:
            first.append(path)
            paths.make_folder(paths.data_home())
            Path(path).write_text("ab" * home.KEY_BYTES + "\n")
            return False
        return exists(path)

    monkeypatch.setattr(paths, "exists", not_yet)
    assert home.key() == b"\xab" * home.KEY_BYTES
