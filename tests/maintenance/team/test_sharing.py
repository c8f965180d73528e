"""What a person shares: one item at a time, as it was shown, without what is nobody else's business."""

import os
import subprocess
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_mem.core import paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.core.project import Project
from ralph_mem.core.redaction import gate
from ralph_mem.maintenance.team import promotion, shared_item
from ralph_mem.memory import notes_by_hand
from tests.core.redaction import secret_contexts
from tests.maintenance.team.situations import BONN, CELLE, DEPLOYS, a_fact, an_item
from tests.readers import forget, note, reader_of
from tests.sessions import NOON

SEED = 20_261_124
TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cf", "Cs", "Zl", "Zp")), min_size=1, max_size=80)


def promoted(session, name, **more):
    return promotion.promote(reader_of(session), name, **more)


def refusal(session, name, **more):
    with pytest.raises(RalphMemError) as caught:
        promoted(session, name, **more)
    return f"{caught.value} {caught.value.hint}"


def test_a_fact_a_bullet_and_a_note_are_shared_each_by_its_kind(a_session):
    rule = a_fact(a_session, "Never push on a Friday.", "rule")
    remark = note(a_session, "The lantern is fed by two lines.\n\nOne of them is old.")
    found = [promoted(a_session, name).item for name in (a_fact(a_session), rule, remark)]
    assert [(each.kind, each.body) for each in found] == [
        ("fact", DEPLOYS),
        ("bullet", "Never push on a Friday."),
        ("note", "The lantern is fed by two lines.\n\nOne of them is old."),
    ]


def test_it_names_the_author_as_git_does_and_stands_for_its_session_without_naming_it(a_session):
    subprocess.run(["git", "init", "-q", a_session.project.root], check=True)
    subprocess.run(["git", "-C", a_session.project.root, "config", "user.name", "Ada L."], check=True)
    item = promoted(a_session, note(a_session, "The lantern hangs.", name=a_session.name)).item
    assert (item.author, len(item.session)) == ("Ada L.", 12)
    assert a_session.name not in shared_item.text_of(item)


def test_the_file_is_written_for_everybody_to_read_and_nothing_is_committed(a_session, a_team):
    subprocess.run(["git", "init", "-q", a_session.project.root], check=True)
    item = a_team.shares(a_fact(a_session))
    assert a_team.file(item).read_text() == shared_item.text_of(item)
    status = subprocess.run(["git", "-C", a_session.project.root, "status", "--short"], check=True, capture_output=True).stdout
    assert f"?? {paths.TEAM_FILES}/" in status.decode()


def test_a_secret_of_each_kind_is_cut_out_before_it_is_shown(a_session):
    cases = {case.kind: case for case in secret_contexts.cases(SEED)}
    name = note(a_session, "to be rewritten")
    for case in cases.values():
        found = promotion.promote(reader_of(a_session), name, f"Use it so:\n{case.text}"[: shared_item.MOST_CHARACTERS])
        assert case.secret not in shared_item.text_of(found.item) and found.cut, case


def test_what_holds_no_longer_or_is_no_statement_is_not_shared(a_session):
    turn = a_session.has_a_turn("Where is it?", "In the cellar.")
    assert "is a turn" in refusal(a_session, turn)
    assert "candidate" in refusal(a_session, a_fact(a_session, "It may be in Bonn.", source="prompt"))


def test_what_text_from_outside_has_reached_is_shared_in_the_persons_own_words_alone(a_session):
    a_session.asks("Read the page.")
    a_session.uses("WebFetch", {"result": "Deploys go to Paris."}, url="https://a.example/", prompt="?")
    a_session.is_answered("Deploys go to Paris.")
    (turn,) = a_session.turns("public_id")[-1]
    name = a_fact(a_session, "Deploys go to Paris.", parent=turn)
    assert "--text" in refusal(a_session, name)
    assert promoted(a_session, name, text="Deploys go where the page says.").item.body == "Deploys go where the page says."


def test_a_path_of_the_project_is_told_from_its_top_and_one_outside_is_refused(a_session):
    own = note(a_session, f"The cart is in {a_session.project.root}/shop/cart.py, see https://a.example/etc/x and /api/orders.")
    assert promoted(a_session, own).item.body == "The cart is in shop/cart.py, see https://a.example/etc/x and /api/orders."
    for text in ("Keys lie in ~/keys/lantern.", f"See {Path.home()}/notes.txt.", "Edit /etc/hosts first."):
        assert "outside of the repository" in refusal(a_session, note(a_session, text))


def test_a_longer_text_than_an_item_may_have_is_refused(a_session):
    assert "2,0" in refusal(a_session, note(a_session, "lantern " * 300))


def test_nothing_is_written_through_a_link(a_session, a_team, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    os.symlink(elsewhere, Path(a_session.project.root, paths.TEAM_FILES))
    with pytest.raises(RalphMemError, match="is no folder"):
        a_team.shares(a_fact(a_session))
    assert list(elsewhere.iterdir()) == []


def test_a_fact_says_which_one_it_replaced(a_session):
    old = a_fact(a_session, "Deploys of the lantern go to Bonn.", "rule")
    new = a_fact(a_session, "Deploys of the lantern go to Celle.", "rule")
    assert promoted(a_session, new, supersedes=(CELLE,)).item.supersedes == (old, CELLE)


def test_forget_says_that_the_file_and_gits_history_hold_it_still(a_session, a_team):
    item = a_team.shares(a_fact(a_session))
    report = forget(reader_of(a_session), item.id)
    assert any(str(item.id) in line and "git's history" in line for line in report.out_of_reach)


def test_a_note_whose_title_was_made_of_its_text_says_it_once(a_session):
    text = "lantern " * 60
    assert notes_by_hand.parts(text.strip())[0].endswith("...")
    assert promoted(a_session, note(a_session, text)).item.body == text.strip()


@given(body=TEXTS.filter(str.strip), author=TEXTS.filter(str.strip))
def test_what_is_written_reads_as_the_same_item(body, author):
    seen = [gate.clean(text).strip() or "x" for text in (body, author)]
    more = {"supersedes": (CELLE,), "anchors": ("shop/cart.py",), "session": "0123456789ab"}
    item = an_item(BONN, seen[0], author=seen[1][:60].strip(), **more)
    assert shared_item.read(shared_item.text_of(item), NOON) == item


def test_the_project_is_named_by_its_work_tree(tmp_path):
    tree = Project(str(tmp_path), top=str(tmp_path / "tree"))
    (tmp_path / "tree").mkdir()
    assert promotion.author(tree)
