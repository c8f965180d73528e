"""What release 0.1 left behind works: its memory, its export, what waited in its spool, its config and its snapshots."""

import shutil
from pathlib import Path

import pytest

from ralph_mem.core import spool
from ralph_mem.core.project import Project
from ralph_mem.core.settings import effective
from ralph_mem.maintenance import review
from ralph_mem.maintenance import scrub as scrubbing
from ralph_mem.maintenance.recovery import repair
from ralph_mem.maintenance.transfer import document, incoming, outgoing
from ralph_mem.memory import opening
from ralph_mem.memory.recall import lookup
from ralph_mem.memory.rows import draining
from ralph_mem.ralph.snapshot import restoring
from ralph_mem.ralph.snapshot import store as snapshots
from tests.readers import forget, holding, in_order, search

LEFT = Path(__file__).parents[1] / "fixtures" / "older-release"
NOW = 1_800_000_000_000


@pytest.fixture
def an_old_place(a_home, tmp_path):
    """A project whose folder holds what the older release left there."""
    place = Project(str(tmp_path / "shop"))
    Path(place.root).mkdir()
    place.folder = str(tmp_path / "memory")  # none that a clone may bring, so the home needs no key
    Path(place.folder).mkdir(0o700)
    for name in ("memory.db", "config.yaml"):
        shutil.copy(LEFT / name, place.folder)
    return place


@pytest.fixture
def an_old_reader(an_old_place):
    opened = opening.open_ready(an_old_place)
    return lookup.Reader([opened], an_old_place, dict(effective.DEFAULTS))


def drain(reader):
    """Let what waited in the spool come in."""
    opened = reader.stores[0]
    folder = Path(spool.places(reader.project.root)[0])
    folder.mkdir(parents=True, exist_ok=True)
    for number, path in enumerate(sorted((LEFT / "spool").iterdir())):
        shutil.copy(path, folder / f"{number}-1.json")
    opened.begin()
    drained = draining.drain(opened, reader.project.root)
    opened.commit()
    return drained


def files(reader):
    return {str(path): path.read_bytes() for path in Path(reader.stores[0].folder).iterdir()}


def test_its_rows_are_found_and_its_indexes_are_those_of_the_rows(an_old_reader):
    assert [row.asked for row in search(an_old_reader, "tungsten", NOW)][:1] == ["Where do the lanterns keep their tungsten?"]
    assert search(an_old_reader, "quay", NOW)[0].type == "note"
    in_order(an_old_reader.stores[0])


def test_what_waited_in_its_spool_comes_in(an_old_reader):
    assert len(drain(an_old_reader)) == 3
    (turn,) = search(an_old_reader, "storm lamp", NOW, types=["turn"])
    assert (turn.said, turn.lines.splitlines()[0]) == ("The lamp on the quay.", "failed: make lamp")
    in_order(an_old_reader.stores[0])


def test_a_forget_takes_its_rows_from_the_raw_file(an_old_reader):
    assert holding(files(an_old_reader), "zirconium")
    assert forget(an_old_reader, query="zirconium").is_clean()
    assert holding(files(an_old_reader), "zirconium") == [] and not search(an_old_reader, "zirconium", NOW)
    in_order(an_old_reader.stores[0])


def test_a_scrub_takes_what_is_known_now(an_old_reader):
    values = {**an_old_reader.settings, "privacy.redact_patterns": ["zirconium"]}
    report, is_empty = scrubbing.scrub(an_old_reader.stores[0], scrubbing.protector(an_old_reader.project, values))
    assert is_empty and report.changed == {"turns": 1} and holding(files(an_old_reader), "zirconium") == []
    in_order(an_old_reader.stores[0])


def test_its_export_is_read_and_holds_what_an_export_of_its_memory_holds(an_old_reader, tmp_path):
    read = document.unpacked((LEFT / "export.jsonl").read_bytes(), b"")
    place = Project(str(tmp_path / "elsewhere"))
    place.folder = str(tmp_path / "other")
    Path(place.root).mkdir()
    opened = opening.open_ready(place)
    counts = incoming.take(opened, incoming.prepared(read, place, place, an_old_reader.settings, mine=True))
    assert counts == {"session": 2, "turn": 2, "observation": 7}
    stores = (opened, an_old_reader.stores[0])
    both = [outgoing.parcel(each, outgoing.Choice(), place, an_old_reader.settings).records for each in stores]
    names = [{record["public_id"] for record in found if record["row"] != "derived"} for found in both]
    assert names[0] == names[1] and len(names[0]) == 11
    in_order(opened)


def test_no_row_of_it_is_taken_for_altered(an_old_reader):
    assert repair.altered_rows(an_old_reader.stores[0].db) == []
    assert len(review.ids(an_old_reader.stores[0], review.Wanted())) == 9
    assert scrubbing.total(an_old_reader.stores[0]) == 11


def test_its_config_counts(an_old_place):
    shutil.copytree(an_old_place.folder, an_old_place.root + "/.ralph-mem", ignore=shutil.ignore_patterns("*.db*", "lock"))
    assert effective.load(Project(an_old_place.root))["memory.inject_tokens_prompt"] == 300


def test_its_snapshot_brings_a_file_back(an_old_place):
    folder = Path(snapshots.folder_of(an_old_place))
    folder.mkdir(parents=True)
    shutil.copy(LEFT / "snapshots.db", folder / "store.db")
    for name, text in (("totals.py", "totals.py as it was\n"), ("lamp.txt", "broken\n")):
        Path(an_old_place.root, name).write_text(text)
    opened = snapshots.open_store(an_old_place)
    opened.set_property(snapshots.PLACE + "run-a", an_old_place.root.encode())  # it was taken of a tree in another folder
    restoring.roll_back(opened, 1, force=True)
    assert Path(an_old_place.root, "lamp.txt").read_text() == "lamp.txt as it was\n"
