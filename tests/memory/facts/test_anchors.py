"""Facts are tied to the files and symbols that they name, and say what has become of these."""

import subprocess

import pytest

from ralph_mem.core.settings import effective
from ralph_mem.memory import notes_by_hand, plain_values, undoing
from ralph_mem.memory.facts import anchors, by_hand, log_learning, wording
from ralph_mem.memory.recall import layers, lookup
from ralph_mem.memory.rows import facts
from tests.folded import folded


@pytest.fixture
def root(tmp_path, a_project):
    """Make the project's files: a module with a function, a document, and what a build made."""
    top = tmp_path / "shop"
    for name in ("src/cart.py", "docs/prices.md", "dist/app.js", "Makefile"):
        (top / name).parent.mkdir(parents=True, exist_ok=True)
        (top / name).write_text("def total(items):\n    return subtotals(items)\n")
    return top


@folded(("text", "found"), [
    ("Prices are summed in `src/cart.py`, nowhere else.", [{"path": "src/cart.py"}]),
    ("See src/cart.py and docs/prices.md.", [{"path": "src/cart.py"}, {"path": "docs/prices.md"}]),
    ("Only `src/cart.py#total` may round.", [{"path": "src/cart.py", "symbol": "total"}]),
    ("Tests of docs/ are examples.", [{"path": "docs"}]), ("Nothing is in src/basket.py yet.", []),
    ("Use client/server words.", []),
    ("Never edit dist/app.js.", []), ("Keep `src/cart.py#sum` short.", [{"path": "src/cart.py"}]), ("../shop/src/cart.py", []),
])  # fmt: skip
def test_a_path_is_an_anchor_if_it_is_there_when_it_is_named(text, found, root):
    assert anchors.of(text, str(root)) == found


def fact_of(the_facts, text):
    the_facts.say(text)
    return the_facts.called(text)


IN_CART = "Prices are summed in `src/cart.py`, nowhere else."


def test_a_fact_is_told_as_it_is_while_its_file_is_there(the_facts, root):
    assert anchors.told(fact_of(the_facts, IN_CART).anchors, str(root)) == ""


def test_a_fact_whose_file_is_gone_is_not_told_unasked_and_says_so_when_asked_for(the_facts, root):
    fact = fact_of(the_facts, IN_CART)
    (root / "src/cart.py").unlink()
    assert anchors.told(fact.anchors, str(root)) is None
    assert anchors.shown(fact.anchors, str(root)) == "(path gone: src/cart.py)"


def test_a_symbol_that_is_gone_is_said(the_facts, root):
    fact = fact_of(the_facts, "Only `src/cart.py#total` may round.")
    (root / "src/cart.py").write_text("def grand_total(items): return subtotals(items)\n")
    assert anchors.told(fact.anchors, str(root)) == "(check: `total` is no longer in `src/cart.py`)"


def test_what_lies_beyond_what_is_read_is_not_said_to_be_gone(the_facts, root):
    fact = fact_of(the_facts, "Only `src/cart.py#total` may round.")
    (root / "src/cart.py").write_text("#" * anchors.MOST_BYTES + "\ndef total(items): ...\n")
    assert anchors.told(fact.anchors, str(root)) == ""


def test_where_the_project_is_out_of_sight_nothing_is_held_back(the_facts, root):
    assert anchors.told(fact_of(the_facts, IN_CART).anchors, str(root / "elsewhere")) == ""


def git(root, *words):
    who = ("-c", "user.name=A", "-c", "user.email=a@example.com")
    subprocess.run(["git", "-C", root, *who, *words], check=True, capture_output=True)


def test_an_anchor_follows_its_file_through_the_moves_of_git(the_facts, root):
    git(root, "init", "-q")
    git(root, "add", "src")
    git(root, "commit", "-qm", "A cart")
    the_facts.say(IN_CART)
    (root / "shop").mkdir()
    for old, new in (("src/cart.py", "src/basket.py"), ("src/basket.py", "shop/basket.py")):
        git(root, "mv", old, new)
        git(root, "commit", "-qm", "Move it")
    the_facts.change(log_learning.follow_renames, str(root))
    fact = the_facts.called(IN_CART)
    assert fact.anchors == [{"path": "shop/basket.py", "was": "src/cart.py"}]
    assert anchors.told(fact.anchors, str(root)) == "(`src/cart.py` is now `shop/basket.py`)"


def test_a_file_that_one_branch_has_moved_is_found_on_the_others_too(the_facts, root):
    git(root, "init", "-q", "-b", "main")
    git(root, "add", "src")
    git(root, "commit", "-qm", "A cart")
    the_facts.say("Only `src/cart.py#total` may round.")
    git(root, "switch", "-qc", "moved")
    git(root, "mv", "src/cart.py", "src/basket.py")
    git(root, "commit", "-qm", "Move it")
    the_facts.change(log_learning.follow_renames, str(root))
    git(root, "switch", "-q", "main")
    (fact,) = facts.of_status(the_facts.store, facts.ACTIVE)
    assert fact.anchors == [{"path": "src/basket.py", "symbol": "total", "was": "src/cart.py"}]
    assert anchors.told(fact.anchors, str(root)) == "" and the_facts.change(log_learning.follow_renames, str(root)) == 0


def test_a_file_that_was_deleted_is_followed_nowhere(the_facts, root):
    git(root, "init", "-q")
    the_facts.say(IN_CART)
    (root / "src/cart.py").unlink()
    assert the_facts.change(log_learning.follow_renames, str(root)) == 0
    assert facts.of_status(the_facts.store, facts.ACTIVE)[0].anchors == [{"path": "src/cart.py"}]


def test_a_search_marks_a_fact_whose_file_is_gone(the_facts, root, a_project):
    fact = fact_of(the_facts, IN_CART)
    reader = lookup.Reader([the_facts.store], a_project, dict(effective.DEFAULTS))
    (root / "src/cart.py").unlink()
    found = lookup.find(reader, fact.public_id)
    assert " path gone" in layers.index(found) and " fact path gone: Prices" in layers.timeline([found], found)
    assert plain_values.of_row(reader, found, 1)["path_gone"]


def test_what_is_known_of_a_fact_names_what_is_gone(the_facts, root):
    fact = fact_of(the_facts, IN_CART)
    (root / "src/cart.py").unlink()
    assert "  (path gone: src/cart.py)" in by_hand.explained(the_facts.store, fact)


@pytest.mark.parametrize("edit", [
    by_hand.edit,
    lambda reader, name, text: notes_by_hand.edit(lookup.find(reader, name), reader.project, reader.settings, text),
], ids=["facts edit", "edit"])  # fmt: skip
def test_a_corrected_fact_is_tied_to_the_paths_that_it_names_now_until_that_is_taken_back(edit, the_facts, root, a_project):
    fact = fact_of(the_facts, IN_CART)
    reader = lookup.Reader([the_facts.store], a_project, dict(effective.DEFAULTS))
    edit(reader, fact.public_id, "Prices are summed in `docs/prices.md`, nowhere else.")
    assert the_facts.called("Prices are summed in `docs/prices.md`, nowhere else.").anchors == [{"path": "docs/prices.md"}]
    undoing.undo(reader)
    back = the_facts.called(IN_CART)
    assert (back.anchors, back.text_key) == ([{"path": "src/cart.py"}], wording.key(IN_CART))
