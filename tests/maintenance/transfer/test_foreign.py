"""What other tools remember comes in from their own files: every row, exactly, once, and trusted with nothing."""

import csv
import gzip
import json
from pathlib import Path

import pytest

from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.settings import effective as switches
from ralph_mem.maintenance import status
from ralph_mem.maintenance.doctor import recording
from ralph_mem.maintenance.transfer import foreign, incoming
from ralph_mem.memory import opening
from ralph_mem.memory.inject import briefing
from tests.maintenance.transfer.foreign_samples import BEGAN, SAMPLES, SECRET, iso
from tests.sessions import NOON

ROWS, ENOUGH = 1000, 0.99


def taken(path, place, mine=False, **given):
    """Take a file into the memory of a place; returns the open memory, what came in, and how it was read."""
    found = foreign.read(path, given, NOON, place.root)
    records = incoming.prepared(found.document, place, place, dict(switches.DEFAULTS), mine=mine)
    opened = opening.open_ready(place)
    return opened, incoming.take(opened, records), found


@pytest.mark.check
@pytest.mark.parametrize("name", SAMPLES)
def test_a_thousand_rows_come_in_exactly_as_text_from_outside(name, a_place, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path, made = SAMPLES[name](tmp_path, ROWS)
    before = {each: each.read_bytes() for each in tmp_path.rglob("*") if each.is_file()}
    opened, counts, found = taken(path, a_place())
    held = {at: (title, content) for at, title, content in opened.execute("SELECT created_at, title, content FROM observations")}
    exact = [at for at, texts in made.items() if held.get(at) == texts]
    assert found.name == name and len(made) == ROWS and counts["observation"] >= ENOUGH * ROWS and len(exact) >= ENOUGH * ROWS
    assert opened.execute("SELECT DISTINCT origin, tainted, pinned FROM observations").fetchall() == [("outside", 2, 0)]
    assert not list(tmp_path.rglob("reached")) and {each: each.read_bytes() for each in before} == before


@pytest.mark.parametrize("name", SAMPLES)
def test_a_second_time_nothing_comes_in(name, a_place, tmp_path):
    place, (path, _) = a_place(), SAMPLES[name](tmp_path, 20)
    taken(path, place)
    _, counts, _ = taken(path, place)
    assert counts["observation"] == 0 and counts["known"] >= 20


@pytest.fixture
def a_list(tmp_path):
    """Write rows of a tool that nobody knows; returns the file."""

    def write(*rows, name="rows.json"):
        path = tmp_path / name
        path.write_text("\n".join(json.dumps(row) for row in rows) if name.endswith("l") else json.dumps(rows))
        return path

    return write


GIVEN = {"text": "what", "at": "when"}


def test_a_secret_is_cut_out_and_nothing_is_told_unasked(a_place, a_list):
    place = a_place()
    opened, counts, _ = taken(a_list({"what": f"The key is {SECRET}.", "when": iso(BEGAN)}), place, **GIVEN)
    ((title,),) = opened.execute("SELECT title FROM observations").fetchall()
    assert counts["observation"] == 1 and SECRET not in title and "[REDACTED:" in title
    assert not briefing.build([opened], dict(switches.DEFAULTS), 0, None, NOON)[0]


@pytest.mark.parametrize("mine", [False, True])
def test_a_project_into_which_old_rows_came_is_not_called_recorded(a_place, a_list, mine):
    place = a_place()
    taken(a_list({"what": "The lantern is dark.", "when": BEGAN}), place, mine=mine, **GIVEN)
    found = status.of(place, switches.DEFAULTS, NOON)
    assert (found["observations"], found["state"]) == (1, f"not yet: {status.NONE_YET}")
    told = [*recording.switch(place), *recording.events(place)]
    assert [each.state for each in told] == ["warning", "warning"] and told[1].seen.startswith("none recorded yet")


def test_ones_own_counts_as_what_an_agent_noted_and_never_as_ones_words(a_place, a_list):
    opened, _, _ = taken(a_list({"what": "The lantern is dark.", "when": BEGAN}), a_place(), mine=True, **GIVEN)
    assert opened.execute("SELECT type, origin, tainted FROM observations").fetchall() == [("summary", "agent", 0)]


@pytest.mark.parametrize("when", [BEGAN, BEGAN / 1000, str(BEGAN), iso(BEGAN), "2025-10-09 08:53:20", "2025-10-09T08:53:20Z"])
def test_times_are_read_in_the_forms_that_tools_write(when, a_place, a_list):
    opened, _, _ = taken(a_list({"what": "x y z", "when": when}, name="rows.jsonl"), a_place(), **GIVEN)
    assert opened.one("SELECT created_at FROM observations") == (BEGAN,)


@pytest.mark.parametrize(("suffix", "delimiter"), [("csv", ","), ("tsv", "\t")])
def test_columns_of_any_table_can_be_named(suffix, delimiter, a_place, tmp_path):
    with (tmp_path / f"rows.{suffix}").open("w", newline="") as file:
        csv.writer(file, delimiter=delimiter).writerows([("head", "what", "when"), ("=1+1", "two\nlines, and a ;", iso(BEGAN))])
    opened, _, found = taken(tmp_path / f"rows.{suffix}", a_place(), title="head", **GIVEN)
    assert found.name == "mapped"
    assert opened.execute("SELECT title, content FROM observations").fetchall() == [("=1+1", "two\nlines, and a ;")]


def test_rows_without_text_or_time_are_left_out_and_counted(a_place, a_list):
    rows = (
        {"what": "", "when": BEGAN},
        {"what": "x", "when": "soon"},
        {"what": "y" * 70_000, "when": BEGAN},
        {"what": "z", "when": BEGAN},
    )
    _, counts, found = taken(a_list(*rows), a_place(), **GIVEN)
    assert (counts["observation"], found.left_out) == (1, 3)


def test_what_fits_no_map_is_refused_with_the_columns_that_it_has(a_place, a_list):
    with pytest.raises(RalphMemError, match="no export of ralph-mem, and no file of claude-mem") as raised:
        taken(a_list({"what": "x"}), a_place())
    assert "what" in raised.value.hint
    with pytest.raises(RalphMemError, match="no column 'nothing'") as raised:
        taken(a_list({"what": "x", "when": BEGAN}), a_place(), text="nothing")
    assert raised.value.hint == "it has what, when"


def test_a_few_bytes_that_unpack_to_more_than_a_file_may_have_are_refused(a_place, tmp_path, monkeypatch):
    monkeypatch.setattr("ralph_mem.maintenance.transfer.document.MOST_BYTES", 1_000_000)
    path = Path(tmp_path, "bomb.jsonl.gz")
    path.write_bytes(gzip.compress(b" " * 2_000_000))
    with pytest.raises(RalphMemError, match="larger than an export may be"):
        taken(path, a_place())
