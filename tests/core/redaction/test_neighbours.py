"""The long list: keys without a shape that a name stands beside, and secrets in another spelling."""

import base64
import posix
import random
from urllib.parse import quote

import pytest

from ralph_mem.core.redaction import context, gate, privacy
from tests.core.redaction import secret_corpus
from tests.core.redaction.test_clean import STRIPPED
from tests.folded import folded

SEED = 20_261_122
LEAST_ISSUERS = 100
PROSE = {
    "said": "The {issuer} API key is {value}, rotate it.",
    "assigned": "api key for {issuer} staging: {value}",
    "commented": "# {issuer} secret {value}",
    "table": "| {issuer} | api token | {value} |",
    "behind": "{value}  <- {issuer} token",
    "told": "please log in with {issuer} key {value}",
    "logged": "2026-02-03 INFO using {issuer} credentials {value}",
    "json": '{{"text": "here is my {issuer} token, {value} thanks"}}',
}
WITHOUT_A_NAME = {
    "the token for the staging cluster is {value}": True,
    "access key: `{value}`": True,
    "use this password with {value}": True,
    "deployed {value} to production": False,
    "the token was refreshed by commit {value}": False,
}


def whole(text):
    return context.redact_whole(text)[0]


def told(kind, form, rng):
    value = secret_corpus.HELD_OUT[kind][1](rng)
    return PROSE[form].format(issuer=kind.title(), value=value), value.rpartition(":")[2]


@folded("kind", secret_corpus.HELD_OUT)
def test_a_key_of_no_shape_is_told_by_its_issuer_in_every_sentence(kind):
    rng = random.Random(SEED)
    cases = [told(kind, form, rng) for form in PROSE]
    assert [text for text, secret in cases if secret_corpus.survives(secret, whole(text))] == []


def test_a_hook_alone_does_not_see_all_of_them():
    # most it sees: a line that speaks of a secret is enough for hexadecimal digits and for what chance made
    rng = random.Random(SEED)
    cases = [told(kind, "commented", rng) for kind in secret_corpus.HELD_OUT]
    assert 0 < sum(secret in gate.redact(text)[0] for text, secret in cases) < len(cases) / 2


def test_a_hundred_issuers_are_known_each_once():
    assert len(set(context.ISSUERS)) == len(context.ISSUERS) >= LEAST_ISSUERS


@pytest.mark.parametrize("form", WITHOUT_A_NAME)
def test_without_an_issuer_only_a_sentence_that_says_so_tells(form):
    value = "q7Gk2mZx9LpV4tRw8NcY3bHs"
    assert (value not in whole(form.format(value=value))) is WITHOUT_A_NAME[form]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("For the reviewers I made an account, r@app.example, and you get in\nwith K@4nZ)v9;Yqf. The SMS step is off.", "K@4nZ)v9"),
        ("I zipped it with a password because of the data,\nyou'll need Barca-no-Tejo.2 to unpack it.", "Barca-no-Tejo.2"),
        ("how do we get into the old Jenkins? the user is `legacy`, and try Zamek!Smok14", "Zamek!Smok14"),
        ("The StoragePass in the image is the old one. The right one is 6hr1Va8uLx3z, I checked.", "6hr1Va8uLx3z"),
    ],
)
def test_a_sentence_points_at_a_password_in_a_paragraph_that_speaks_of_access(text, secret):
    assert secret not in whole(text)


@pytest.mark.parametrize(
    "text",
    [
        "To log in you need a browser; it is tested with Ubuntu-22.04 and Python-3.11, and the token is TLSv1.3 only.",
        "The account page is now on iOS17 and the login is with OAuth2, so use Log4j-2.17 there.",
        "  public key: JCq7pvh4wYImRpZc49gEkBYdnMFv2oKBYC7EamOC2/s=",
        "arn:aws:secretsmanager:eu-west-1:111122223333:secret:prod/orders/master-20240402074108-p7GhzQ",
        "Cache restored from key: Linux-cargo-106115daebfa6cdfc71642eb83887ceda37ed57c351c95907d617888ebcb3d5f",
        "count the tokens for openai: wordcount --model gpt-6-tiny-2031-04-09",
    ],
)
def test_what_everybody_may_read_stays(text):
    assert whole(text) == text


def test_what_is_named_by_a_hash_stays():
    rng = random.Random(SEED)
    sha, uuid = secret_corpus.some(rng, secret_corpus.HEX, 40), secret_corpus.uuid(rng)
    text = "\n".join([
        f"the token parser broke in {sha}", f"heroku: released {sha}", f"request {uuid} used an api key", f"datadog trace {uuid}",
        f"stubs/auth0/get_token.pyi,sha256={sha},1325", f"Snyk token bucket, commit {sha}", "pip install grafana-api-key==1.2.3",
    ])  # fmt: skip
    assert whole(text) == text


def readable():
    cases = [case for case in secret_corpus.cases(SEED) if case.group in ("url", "grammar") and case.context == "alone"]
    return {case.kind: case.text for case in cases}


@pytest.mark.check
@folded("kind", readable())
def test_what_a_hook_would_have_found_is_found_in_base64_and_percent_encoding_too(kind):
    text = readable()[kind]
    for spelled in (base64.b64encode(text.encode()).decode(), quote(text, safe="")):
        assert whole(f"body: {spelled} end") == "body: [REDACTED:encoded] end"


@pytest.mark.parametrize("seed", range(3))
def test_ordinary_text_loses_nothing(seed):
    for name, text in secret_corpus.ordinary(random.Random(seed)).items():
        assert (name, whole(text)) == (name, text)


def test_twice_changes_nothing():
    rng = random.Random(SEED)
    text = "\n".join(told(kind, form, rng)[0] for kind in secret_corpus.HELD_OUT for form in PROSE)
    once = whole(text)
    assert whole(once) == once != text


def test_whatever_the_long_list_finds_shows_to_the_quick_look_before_it():
    rng = random.Random(SEED)
    texts = [told(kind, form, rng)[0] for kind in secret_corpus.HELD_OUT for form in PROSE]
    texts += [quote(text, safe="") for text in readable().values()]
    assert [text for text in texts if not privacy.may_hide(text)] == []


def test_most_of_what_is_told_to_a_model_is_spared_the_long_list():
    text = "- [turn-k3w9x2mfqa, 2026-02-03] Why is the lamp dark? -> The fuse in tests/lamps/test_the_fuse_of_the_lamp.py"
    assert not privacy.may_hide(text)


@folded("name", STRIPPED)
def test_no_text_is_too_odd_for_it(name):
    whole(STRIPPED[name][0] * 20)


@pytest.mark.parametrize(
    "piece", ["%3", "%3A%", "aA1" * 9 + " ", "token ", "key:", "Zm9v" * 9 + " ", "datadog key aA1bB2cC3dD4eE5fF6gG7 "]
)
def test_hostile_repetition_costs_seconds_at_most(piece):
    start = posix.times().user
    whole(piece * (100_000 // len(piece)))
    assert posix.times().user - start < 3
