"""What `bench facts` says of changes to a file of rules."""

import json

import pytest

from ralph_mem.bench import facts, rule_files
from ralph_mem.core.errors import RalphMemError
from tests.sessions import a_home

__all__ = ["a_home"]

STATEMENTS = [
    "Install packages with npm 10 in every folder.",
    "The staging server is reached through the jump host.",
    "Releases go out with make ship on Tuesdays.",
    "Screenshots of the lantern live in docs/images.",
    "Commit messages begin with a ticket number.",
]
EVERY = [0, 1, 2, 3, 4]


def an_update(new, target, store=EVERY):
    return {"op": "UPDATE", "new": new, "store": store, "target": target}


def an_addition(new, store=EVERY):
    return {"op": "ADD", "new": new, "store": store}


@pytest.fixture
def measured(tmp_path):
    """Write a set with one file of rules, and measure it."""

    def measuring(*items, statements=STATEMENTS):
        path = tmp_path / "rules.json"
        path.write_text(json.dumps({"name": "rules", "projects": [{"id": "p", "statements": statements, "items": list(items)}]}))
        return facts.run(rule_files.read(str(path)))

    return measuring


PNPM = an_update("Install packages with pnpm 9 in every folder.", 0)


def test_an_update_of_the_right_statement_counts_for_precision_and_recall(measured):
    report = measured(PNPM, an_addition("Tests of the heron need a network."))
    assert [report[name] for name in ("precision", "recall", "false_update")] == [1.0, 1.0, 0.0]


def test_a_new_statement_that_replaces_one_is_a_false_update(measured):
    report = measured(an_addition(PNPM["new"]))
    assert (report["false_update"], report["precision"], report["recall"]) == (1.0, 0.0, None)


def test_an_update_of_another_statement_than_a_person_changed_is_a_wrong_target(measured):
    report = measured({**PNPM, "target": 3})
    assert (report["decision"]["decision"]["wrong_target"]["value"], report["recall"]) == (1.0, 0.0)


def test_what_is_only_restated_is_no_update(measured):
    report = measured(PNPM, an_update("install packages with NPM 10 in every folder", 0))
    assert (report["updates"], report["restated"], report["recall"]) == (1, 1, 1.0)


def test_after_an_update_a_search_finds_the_new_statement_and_not_the_old_one(measured):
    report = measured(PNPM)
    assert [report[name] for name in ("stale_in_5", "current_in_5", "current_before_stale")] == [0.0, 1.0, 1.0]
    assert report["search"]["fts5"]["stale_in_5"]["value"] == 1.0


def test_only_what_stood_then_can_be_replaced(measured):
    report = measured(an_addition(PNPM["new"], store=[1, 2]))
    assert report["false_update"] == 0.0


def test_one_item_leaves_nothing_for_the_next(measured):
    report = measured(PNPM, PNPM)
    assert report["recall"] == 1.0


def test_a_changed_line_is_not_hidden_behind_the_file_and_a_repeated_one_is(measured):
    report = measured(PNPM)
    assert (report["updates_hidden"], report["repeats_hidden"]) == (0.0, 1.0)


def test_of_two_alike_jaccard_takes_what_shares_its_part_of_the_words(measured):
    arms = measured(PNPM)["decision"]
    assert (arms["jaccard .6"]["recall"]["value"], arms["jaccard .9"]["recall"]["value"]) == (1.0, 0.0)


def test_a_figure_lies_in_its_interval(measured):
    report = measured(PNPM, an_addition("Tests of the heron need a network."))
    figures = [figure for arm in report["decision"].values() for figure in arm.values() if figure]
    assert all(figure["low"] <= figure["value"] <= figure["high"] for figure in figures)


@pytest.mark.parametrize("wrong", [
    "no json", "[]", '{"name": "x", "projects": []}', {"op": "MOVE", "new": "a", "store": []}, an_update("a", 9),
    an_update("a", 1, store=[0]), {"op": "ADD", "store": []}, {"op": "ADD", "new": 3, "store": []},
])  # fmt: skip
def test_a_file_that_is_no_such_set_is_refused_with_its_name(tmp_path, wrong):
    path = tmp_path / "rules.json"
    whole = {"name": "x", "projects": [{"id": "p", "statements": ["a", "b"], "items": [wrong]}]}
    path.write_text(wrong if isinstance(wrong, str) else json.dumps(whole))
    with pytest.raises(RalphMemError, match=r"rules\.json"):
        rule_files.read(str(path))
