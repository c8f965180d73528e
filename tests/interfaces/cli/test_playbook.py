"""The playbook as a person types for it."""

import json
import re

import pytest

RULE, OTHER = "Never push to main on a Friday.", "Always round prices in shop/cart.py to cents."


@pytest.fixture
def a_person_with_rules(a_person):
    for text in (RULE, OTHER):
        a_person.reads("facts", "add", text, "--kind", "rule")
    return a_person


def test_the_overview_tells_the_sums_and_the_best_bullets(a_person_with_rules):
    lines = a_person_with_rules.reads("playbook").splitlines()
    assert lines[0] == "2 bullets: rule 2, prefer 0, correction 0, lesson 0; helped 0, harmed 0"
    assert lines[2].split() == ["score", "helped", "harmed", "kind", "class", "id", "text"]
    assert {RULE, OTHER} == {line.split("  ")[-1] for line in lines[3:5]}


def test_an_empty_playbook_says_how_one_begins(a_person):
    assert "facts add" in a_person.reads("playbook")


def test_words_find_the_bullets_that_hold_them(a_person_with_rules):
    (found,) = a_person_with_rules.json("playbook", "search", "cents", "round")
    assert (found["text"], found["class"], found["score"]) == (OTHER, "procedural", 0.5)
    assert a_person_with_rules.reads("playbook", "search", "zeppelin") == "No bullet holds these words.\n"


def test_to_count_anew_after_counting_changes_nothing(a_person_with_rules):
    a_person_with_rules.reads("pin", a_person_with_rules.json("playbook", "search", "Friday")[0]["id"])
    assert "Counted anew: 1 fact changed." in a_person_with_rules.reads("playbook", "--recount")
    assert a_person_with_rules.json("playbook", "--recount")["recounted"] == []
    assert a_person_with_rules.json("playbook", "search", "Friday")[0]["helpful"] == 2


def test_an_export_is_a_text_and_never_overwrites(a_person_with_rules):
    person = a_person_with_rules
    assert person.reads("playbook", "export", "playbook.md") == "Wrote 2 bullets to playbook.md.\n"
    text = (person.project / "playbook.md").read_text()
    assert text.startswith("# Playbook\n\n## rule\n") and RULE in text and OTHER in text
    assert person.cli("playbook", "export", "playbook.md").code == 1


def test_what_was_exported_gives_the_same_set_in_another_memory(a_person_with_rules, tmp_path):
    person = a_person_with_rules
    (tmp_path / "rules.json").write_text(json.dumps(person.json("playbook", "export")))
    before = {(each["text"], each["kind"]) for each in person.json("playbook", "export")}
    digits = re.search(r"--confirm (\w+)", person.reads("playbook", "reset"))[1]
    person.reads("playbook", "reset", "--confirm", digits)
    assert person.json("playbook", "export") == []
    assert person.reads("playbook", "import", str(tmp_path / "rules.json")) == "Taken in: 2 of 2 bullets.\n"
    assert {(each["text"], each["kind"]) for each in person.json("playbook", "export")} == before


@pytest.fixture
def import_(a_person_with_rules, tmp_path):
    """Import some bullets; returns what that said, whether it went well or not."""

    def imported(*bullets):
        (tmp_path / "rules.json").write_text(json.dumps(bullets))
        said = a_person_with_rules.cli("playbook", "import", str(tmp_path / "rules.json"))
        return said.out or said.err

    return imported


def test_an_import_says_what_it_replaces_and_how_to_take_that_back(a_person_with_rules, import_):
    old = a_person_with_rules.json("facts", "add", "Install packages with npm 10 in every folder.")["id"]
    new = "Install packages with pnpm 9 in every folder."
    said = import_({"kind": "rule", "text": new}, {"kind": "rule", "text": "Sign all tags."})
    assert re.fullmatch(rf"Kept as (obs-\w+); it replaces {old}, .*`facts undo \1` .*\nTaken in: 2 of 2 bullets.\n", said)


def test_an_import_of_what_is_known_says_that_nothing_is_new(import_):
    assert import_({"kind": "rule", "text": RULE}) == "Taken in: 0 of 1 bullet; of 1 nothing is new.\n"


@pytest.mark.check
@pytest.mark.parametrize(
    ("bad", "why"),
    [
        ({"text": None}, "bullet 2 has no text"), ({"text": 5}, "bullet 2 has no text"), ({"kind": "law"}, "bullet 2 is no rule, "),
        ({"text": "x" * 400}, "bullet 2: 400 characters are too long"),
    ],
)  # fmt: skip
def test_of_an_import_with_a_bad_bullet_nothing_is_taken_in_and_the_bullet_is_named(a_person_with_rules, import_, bad, why):
    before = a_person_with_rules.json("playbook", "export")
    said = import_({"kind": "rule", "text": "Never edit dist by hand."}, {"kind": "rule", "text": "Sign all tags.", **bad})
    assert why in said and "nothing is taken in" in said
    assert a_person_with_rules.json("playbook", "export") == before


def test_a_reset_shows_first_and_deletes_then_what_was_shown(a_person_with_rules):
    shown = a_person_with_rules.reads("playbook", "reset")
    assert RULE in shown and "Nothing is deleted yet" in shown
    assert len(a_person_with_rules.json("playbook", "export")) == 2
    digits = re.search(r"--confirm (\w+)", shown)[1]
    assert a_person_with_rules.reads("playbook", "reset", "--confirm", digits) == "Deleted 2 rows of the playbook.\n"
    assert a_person_with_rules.json("playbook", "export") == []


def test_other_digits_delete_nothing(a_person_with_rules):
    assert a_person_with_rules.cli("playbook", "reset", "--confirm", "abcd1234").code != 0
    assert len(a_person_with_rules.json("playbook", "export")) == 2


def test_the_trace_is_an_event_a_line_with_the_numbers_of_receipts(a_person_with_rules):
    person = a_person_with_rules
    person.another().start()
    events = [json.loads(line) for line in person.reads("playbook", "trace").splitlines()]
    assert [each["event"] for each in events].count("added") == 2
    told = {each["receipt"] for each in events if each["event"] == "injected"}
    loaded = [each["receipt"] for each in events if each["event"] == "loaded"]
    assert told and told <= set(loaded) and len(loaded) == len(set(loaded))


def test_of_a_long_trace_the_last_events_are_printed(a_person_with_rules):
    whole = a_person_with_rules.reads("playbook", "trace").splitlines()
    assert len(whole) > 1 and a_person_with_rules.reads("playbook", "trace", "--limit", "1").splitlines() == whole[-1:]


def test_as_many_facts_are_listed_as_are_asked_for(a_person_with_rules):
    said = a_person_with_rules.reads("facts", "list", "--limit", "1").splitlines()
    assert len(said) == 3 and said[2] == "and 1 more: --limit N lists them"
    assert len(a_person_with_rules.json("facts", "list")) == 2
    assert len(a_person_with_rules.json("facts", "list", "--limit", "1")) == 1
