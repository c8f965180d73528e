import random

import pytest

from ralph_mem.core.redaction import gate
from tests.core.redaction import secret_corpus
from tests.folded import folded

KEY = "PRIVATE " + "KEY"
PRIVATE = {
    "a <private>b</private> c": "a [private] c",
    "<PRIVATE>b</Private >c": "[private]c",
    '<private reason="x" >b</private>c': "[private]c",
    "< private >b</ private>c": "[private]c",
    "a<private>b<private>c</private>d</private>e": "a[private]e",
    "a<private>b\nc": "a[private]",
    "a</private>b": "ab",
    "a<private/>b": "ab",
    "a<private": "a[private]",
    "<private>a</private>b<private>c</private>d": "[private]b[private]d",
    "<private><b>bold</b></private>x": "[private]x",
}


def dropped(text):
    return gate.drop_blocks(text)[0]


@folded("text", PRIVATE)
def test_a_private_passage_is_gone(text):
    assert dropped(text) == PRIVATE[text]


@pytest.mark.parametrize("text", ["#include <private.h>", "private: int x;", "<privateer>x", "a private <b>", "private"])
def test_the_word_alone_hides_nothing(text):
    assert gate.drop_blocks(text) == (text, {})


@pytest.mark.parametrize("kind", ["", "RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED "])
def test_a_private_key_is_gone_and_its_surroundings_stay(kind):
    header, lines, footer = secret_corpus.pem(kind + KEY, random.Random(1))
    assert dropped("\n".join(["before", header, *lines, footer, "after"])) == "before\n[REDACTED:private-key]\nafter"


def test_a_key_in_json_leaves_the_json_whole():
    text, _ = secret_corpus.google_json(random.Random(1))
    assert dropped(text) == '{"type": "service_account", "private_key": "[REDACTED:private-key]\\n", "id": 1}'


def test_of_a_torn_key_the_body_goes_and_the_prose_stays():
    header, lines, footer = secret_corpus.pem("RSA " + KEY, random.Random(1))
    assert dropped("\n".join([header, *lines[:5], "", "$ make test"])) == "[REDACTED:private-key]\n\n$ make test"
    assert dropped("\n".join(["$ cat key", *lines[3:], footer])) == "$ cat key\n[REDACTED:private-key]"


def test_two_keys_are_counted():
    header, lines, footer = secret_corpus.pem("EC " + KEY, random.Random(1))
    block = "\n".join([header, *lines, footer])
    assert gate.drop_blocks(f"{block}\nx\n{block}") == ("[REDACTED:private-key]\nx\n[REDACTED:private-key]", {"private-key": 2})


@pytest.mark.parametrize("kind", ["CERTIFICATE", "PUBLIC KEY", "RSA PUBLIC KEY", "CERTIFICATE REQUEST"])
def test_certificates_and_public_keys_stay(kind):
    header, lines, footer = secret_corpus.pem(kind, random.Random(1))
    text = "\n".join(["this is not private", header, *lines, footer])
    assert gate.drop_blocks(text) == (text, {})
