import os
import random
from collections import Counter
from pathlib import Path

import pytest

from ralph_mem.core.redaction import gate, privacy
from tests.core.redaction import secret_corpus
from tests.folded import folded

SEED, FRESH_SEEDS = 1, (20_260_101, 20_260_102, 20_260_103)
CERTAIN_GROUPS = {"prefix", "pem", "url"}
RECALL, LABELLED_RECALL = 0.99, 0.97
FALSE_HITS_PER_MB, SAMPLE_BYTES = 2, 4_000_000
TRIPPING_SHARE = 0.15

KINDS = {}
for each in secret_corpus.cases(SEED):
    KINDS.setdefault(each.kind, []).append(each)


def lost(cases, known=()):
    return [case for case in cases if secret_corpus.survives(case.secret, secret_corpus.passed(gate, case, known))]


@folded("kind", KINDS)
def test_a_secret_of_this_kind_is_gone_in_every_context(kind):
    assert lost(KINDS[kind]) == []


def test_there_are_57_kinds_or_more():
    assert len(KINDS) >= 57


@pytest.mark.parametrize("seed", FRESH_SEEDS)
def test_fresh_secrets_are_caught(seed):
    cases = list(secret_corpus.cases(seed))
    missed = lost(cases)
    assert [case for case in missed if case.group in CERTAIN_GROUPS] == []
    assert 1 - len(missed) / len(cases) >= RECALL


@pytest.mark.parametrize("seed", FRESH_SEEDS)
def test_kinds_never_seen_are_caught_by_their_label(seed):
    cases = [case for case in secret_corpus.held_out(seed) if case.group == "held-out labelled"]
    assert 1 - len(lost(cases)) / len(cases) >= LABELLED_RECALL


def test_kinds_never_seen_are_caught_bare_if_they_are_known():
    cases = [case for case in secret_corpus.held_out(SEED) if case.group == "held-out bare"]
    for case in cases:
        known = privacy.known_values({b"SOME_SECRET": case.secret.encode()}, [])
        assert lost([case], known) == []


def test_a_secret_split_in_the_corpus_would_be_noticed():
    assert secret_corpus.survives("abcdefghijkl", "x bcdefghi x")
    assert not secret_corpus.survives("abcdefghijkl", "x bcdefgh x")


@folded("name", secret_corpus.ordinary(random.Random(SEED)))
def test_ordinary_text_loses_nothing(name):
    text = secret_corpus.ordinary(random.Random(SEED))[name]
    assert gate.redact(gate.drop_blocks(gate.clean(text))[0]) == (text, {})


def standard_library():
    paths = sorted(Path(os.__file__).parent.rglob("*.py"))
    random.Random(SEED).shuffle(paths)
    size = 0
    for path in (path for path in paths if "site-packages" not in path.parts):
        text = path.read_text("utf-8", "replace")
        size += len(text)
        if size > SAMPLE_BYTES:
            return
        yield text


@pytest.mark.check
def test_source_code_is_hardly_ever_redacted():
    found, size = Counter(), 0
    for text in standard_library():
        kept, blocks = gate.drop_blocks(gate.clean(text))
        found.update({**gate.redact(kept)[1], **blocks})
        size += len(text)
    assert sum(found.values()) <= FALSE_HITS_PER_MB * size / 1_000_000, found


@pytest.mark.check
def test_source_code_seldom_trips_the_gate():
    pieces = [text[at : at + 4096] for text in standard_library() for at in range(0, len(text), 4096)]
    assert sum(map(gate.trips, pieces)) <= TRIPPING_SHARE * len(pieces)
