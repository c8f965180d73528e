"""Commands and what they print, as a hook stores them: secrets by class, and ordinary outputs that only look like some."""

from collections import Counter

import pytest

from ralph_mem.core.redaction import gate, printing, privacy
from tests.core import test_redact_ordinary as ordinary
from tests.core.redaction import leaking, secret_outputs, unseen_outputs
from tests.core.redaction.ordinary_outputs import ORDINARY

SEEDS = (1, 2, 3)
KNOWN = [*secret_outputs.LISTED, *secret_outputs.HELD_BACK]
LATER = [*unseen_outputs.FIRST, *unseen_outputs.SECOND, *unseen_outputs.THIRD, *unseen_outputs.FOURTH]
CLASSES = Counter(output.group for output in KNOWN)
LEAKING_SHARE = 0.03
LOADING_SHARE = 0.15


def counted(outputs):
    """Return how many outputs of each class leave a secret, over all seeds."""
    return Counter(group for seed in SEEDS for group, _, _ in leaking.leaking(outputs, seed))


@pytest.fixture(scope="module")
def leaks():
    return counted(KNOWN)


@pytest.fixture(scope="module")
def later_leaks():
    return counted(LATER)


def test_there_are_240_outputs_and_320_that_were_written_later():
    assert len(KNOWN) >= 240 and len(LATER) >= 320
    assert min(CLASSES.values()) >= 5 and CLASSES.keys() >= {output.group for output in LATER}


@pytest.mark.parametrize("group", CLASSES)
def test_of_this_class_hardly_any_output_leaves_a_secret(leaks, group):
    assert leaks[group] <= LEAKING_SHARE * CLASSES[group] * len(SEEDS)


def test_an_address_keeps_no_password(leaks, later_leaks):
    assert leaks["url"] == later_leaks["url"] == 0


def test_of_those_written_later_hardly_any_leaves_one_by_now(later_leaks):
    assert sum(later_leaks.values()) <= LEAKING_SHARE * len(LATER) * len(SEEDS)


@pytest.mark.parametrize(("command", "text"), ORDINARY, ids=[str(number) for number in range(len(ORDINARY))])
def test_an_ordinary_output_loses_nothing(command, text):
    assert "[REDACTED" not in leaking.stored(command, text) + leaking.pasted(command, text)


def test_ordinary_outputs_seldom_load_a_rule():
    texts = [text for half in ordinary.HALVES for text in ordinary.outputs(half).values()]
    looked = [text for text in texts if gate.trips(text) or gate.may_hold(text)]
    assert len(looked) <= LOADING_SHARE * len(texts)


def test_a_check_that_passes_is_no_password():
    assert gate.redact("test_pass: python3 -m pytest") == ("test_pass: python3 -m pytest", {})


def test_each_command_that_prints_a_secret_is_told_at_sight():
    entries = [*printing.WHOLE.replace("\n", "|").split("|"), *printing.MAKING, *map(" ".join, printing.MAKING_WORDS)]
    assert [entry for entry in entries if entry.strip() and not privacy.may_print_secrets(f"x {entry.strip()} y")] == []


def test_what_is_cut_out_stays_cut_out():
    for _, command, text, _ in secret_outputs.cases(KNOWN, 4):
        once = leaking.pasted(command, text)
        assert gate.redact(once)[0] == once
