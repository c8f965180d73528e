"""scrub: counted first and cut out on demand, by kind and never in words."""

import pytest

from ralph_mem.core import paths
from ralph_mem.ralph import record

LAMP = "wolfram-lantern-9"
NOTE = f"The lamp is called {LAMP}"


def known_since_today(person):
    """Let a password stand in the project's .env that was told to a session before."""
    person.reads("inject", NOTE)
    (person.project / ".env").write_text(f"LAMP_PASSWORD={LAMP}\n")


def test_without_a_confirmation_it_is_only_counted(a_person):
    known_since_today(a_person)
    before = a_person.raw()
    lines = a_person.reads("scrub").splitlines()
    assert lines[0] == "Would cut out 1 secret of 1 observation:"
    assert lines[1].split() == ["1", "known-value"]
    assert lines[-1] == "Nothing is changed yet. To do this, add --confirm."
    assert a_person.raw() == before


def test_confirmed_it_is_gone_from_the_raw_files_and_never_shown(a_person):
    known_since_today(a_person)
    assert "memory.db" in " ".join(a_person.files_that_hold(LAMP))
    text = a_person.reads("scrub", "--confirm")
    assert text.startswith("Cut out 1 secret of 1 observation:") and LAMP not in text
    assert a_person.files_that_hold(LAMP) == [".env"]
    assert a_person.reads("scrub").startswith("Nothing to scrub: in ")


def test_a_program_is_told_in_json(a_person):
    known_since_today(a_person)
    told = a_person.json("scrub", "--confirm")
    assert told["secrets"] == {"known-value": 1} and told["changed"] == {"observations": 1}
    assert told["confirmed"] and told["log_is_empty"] and told["rows"] > 1


def test_to_count_and_to_cut_out_at_once_is_refused(a_person):
    assert "say the opposite" in a_person.fails("scrub", "--dry-run", "--confirm")


def test_a_backup_from_before_is_rid_of_it_as_well_and_shown_first(a_person):
    known_since_today(a_person)
    a_person.reads("backup")
    (backup,) = (a_person.data / "backups").iterdir()
    assert f"Would cut it out of a copy too: {backup}" in a_person.reads("scrub")
    assert f"Cut out of a copy too: {backup}" in a_person.reads("scrub", "--confirm")
    assert a_person.files_that_hold(LAMP) == [".env"]
    assert a_person.json("scrub")["copies"] == {"scrubbed": [], "removed": [], "unread": []}


@pytest.mark.parametrize("orders", [
    [["undo"]],
    [["edit", "{}", "The lamp is lost."]],
    [["edit", "{}", "The lamp is lost."], ["inject", "Another note"]],
], ids=["undo", "edit", "an edit and something else"])  # fmt: skip
def test_the_bytes_of_a_note_that_was_taken_back_or_corrected_go_with_a_scrub_that_finds_nothing(a_person, orders):
    name = a_person.json("inject", "The lamp opens with Blorptaxo")["id"]
    for order in orders:
        a_person.reads(*[word.format(name) for word in order])
    assert a_person.files_that_hold("Blorptaxo")
    assert "may still stand in the raw file" in a_person.reads("scrub")
    assert "The file is written anew" in a_person.reads("scrub", "--confirm")
    assert a_person.files_that_hold("Blorptaxo") == []
    assert len(a_person.reads("scrub").splitlines()) == 1


def test_the_records_of_loops_are_rid_of_it_and_named(a_person):
    known_since_today(a_person)
    path = str(a_person.data / "loops" / paths.key_of(str(a_person.project)) / "loop-1.jsonl")
    paths.make_folder(path.rpartition("/")[0])
    record.append(path, {"what": "start", "id": "loop-1", "goal": f"Mend {LAMP} for good", "tree": "3f2a9c1e8b7d6a5f"})
    assert f"Would cut it out of the record of a loop too: {path}" in a_person.reads("scrub")
    assert record.read(path)[0]["goal"] == f"Mend {LAMP} for good"
    assert f"Cut out of the record of a loop too: {path}" in a_person.reads("scrub", "--confirm")
    assert record.read(path) == [{"what": "start", "id": "loop-1", "goal": "Mend [redacted] for good", "tree": "3f2a9c1e8b7d6a5f"}]
    assert a_person.files_that_hold(LAMP) == [".env"] and a_person.json("scrub")["records"] == []
