"""Every kind of secret in 36 shapes of output, from seeds that no rule was written against."""

import os
import time
from collections import Counter

import pytest

from ralph_mem.core.redaction import gate
from tests.core.redaction import secret_contexts, secret_corpus
from tests.core.redaction.test_corpus import CERTAIN_GROUPS, RECALL
from tests.folded import folded

FRESH_SEED = 20_261_122
SEVERAL_SEEDS = 40
LEAST_KINDS, CONTEXTS = 60, 36
MOST_LOST_OF_A_KIND = 2  # a generated value may look like words; a rule that is missing loses a dozen contexts


def missed(seed):
    """Return how many cases of each group there are, and those of which something is left."""
    cases = list(secret_contexts.cases(seed))
    return Counter(case.group for case in cases), [
        (case.kind, case.context) for case in cases if secret_corpus.survives(case.secret, secret_corpus.passed(gate, case))
    ]


def hold(seed):
    numbers, lost = missed(seed)
    certain = {case.kind for case in secret_contexts.cases(seed) if case.group in CERTAIN_GROUPS}
    print(f"seed {seed}: {dict(numbers)}, lost {lost}")
    assert [case for case in lost if case[0] in certain] == []
    assert 1 - len(lost) / sum(numbers.values()) >= RECALL
    assert max(Counter(kind for kind, _ in lost).values(), default=0) <= MOST_LOST_OF_A_KIND


def test_sixty_kinds_and_more_stand_in_36_contexts_each():
    kinds = Counter(case.kind for case in secret_contexts.cases(FRESH_SEED))
    assert len(secret_contexts.CONTEXTS) == CONTEXTS
    assert len(kinds) >= LEAST_KINDS and set(kinds.values()) == {CONTEXTS}


def test_fresh_secrets_are_caught_in_every_context():
    hold(FRESH_SEED)


@pytest.mark.nightly
@pytest.mark.parametrize("number", range(SEVERAL_SEEDS))
def test_secrets_of_this_night_are_caught_too(number):
    hold(int(os.environ.get("RALPH_MEM_SEED", time.time() // 86_400)) + number)


@folded("context", secret_contexts.CONTEXTS)
def test_a_context_leaves_the_secret_in_what_is_read(context):
    rng = secret_corpus.random.Random(FRESH_SEED)
    token = secret_corpus.some(rng, secret_corpus.ALNUM, 40)
    shown = gate.clean(secret_contexts.CONTEXTS[context](rng, token))
    assert token in shown or "\\u001b" in shown


SPELLED = {
    '{"out": "\\u001b[31mDB_PASS\\u001b[0mWORD=hunt\\u001b[1mer2x9 on"}': '{"out": "DB_PASSWORD=[REDACTED:password] on"}',
    "echo '\\033[1mDB_PASSWORD=hunt\\033[0mer2x9 on'": "echo 'DB_PASSWORD=[REDACTED:password] on'",
    "\\x1b[32mDB_PASSWORD=hunter2x9": "DB_PASSWORD=[REDACTED:password]",
}


@pytest.mark.parametrize("text", SPELLED)
def test_a_secret_that_spelled_out_colours_split_is_whole_again(text):
    assert gate.redact(text)[0] == SPELLED[text]


@pytest.mark.parametrize("text", ["print('\\033[31mred\\033[0m')", 'const red = "\\u001b[31m";', "x1b[ and 033[ are no colours"])
def test_colours_in_code_stay_what_they_are(text):
    assert gate.redact(text) == (text, {})


def test_a_line_of_a_certificate_is_no_token_whatever_it_begins_with():
    rng = secret_corpus.random.Random(FRESH_SEED)
    lines = ["EAAB" + secret_corpus.some(rng, secret_corpus.ALNUM, 60) for _ in range(3)]
    others = ["MII" + secret_corpus.some(rng, secret_corpus.BASE64, 61) for _ in range(4)]
    block = "\n".join(line for pair in zip(others, lines, strict=False) for line in pair)
    assert gate.redact(block) == (block, {})
    assert gate.redact(f"use {lines[0]} now")[1] == {"api-key": 1}
