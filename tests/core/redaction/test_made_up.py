"""Passwords that people make up of words, wherever a command takes or prints them; what only looks so stays."""

import pytest

from ralph_mem.core.redaction import by_hand, passwords
from tests.core.redaction import leaking, made_up_outputs, secret_corpus

LEAKING_SHARE = 0.03  # of the outputs that rules were made for
UNKNOWN_SHARE = 0.13  # of the other half, measured


def leaving(outputs):
    """Return the classes and commands of the outputs of which a hook stores a secret."""
    found = []
    for group, command, text, secrets in outputs:
        texts = [leaking.stored(command, text), leaking.pasted(command, text)]
        found += [(group, command)] * any(secret_corpus.survives(secret, each) for secret in secrets for each in texts)
    return found


def test_of_those_that_rules_were_made_for_hardly_any_leaves_one():
    assert len(leaving(made_up_outputs.FIRST)) <= LEAKING_SHARE * len(made_up_outputs.FIRST)


def test_of_those_that_no_rule_was_made_for_few_leave_one():
    assert len(leaving(made_up_outputs.SECOND)) <= UNKNOWN_SHARE * len(made_up_outputs.SECOND)


@pytest.mark.parametrize(
    ("command", "text"), made_up_outputs.ORDINARY, ids=[str(at) for at in range(len(made_up_outputs.ORDINARY))]
)
def test_an_ordinary_output_loses_nothing(command, text):
    assert "[REDACTED" not in leaking.stored(command, text) + leaking.pasted(command, text)


@pytest.mark.parametrize("value", ["Copper-Kite", "Amber&Fox", "Maple.Syrup", "Winter-Wheat-Field", "Slate.Roof", "Oak+Anvil2"])
def test_words_with_capitals_that_signs_join_are_a_password(value):
    assert passwords.is_coined(value) and by_hand.is_made_by_hand(value)


@pytest.mark.parametrize(
    "value", ["Proxy Authentication", "Config.Settings", "copper-kite", "camelCase", "README.md", "v1.2.3", "HTTP-API"]
)
def test_sentences_names_and_versions_are_none(value):
    assert not passwords.is_coined(value)


def test_a_setting_ends_with_its_line_and_code_goes_on():
    assert "[REDACTED" in leaking.stored("app --dump", "password: Maple.Syrup\n")
    assert "[REDACTED" not in leaking.stored("app --dump", "password: Types.Varchar,\n")


def test_what_is_encoded_is_cut_in_each_form_of_it():
    safe = leaking.stored(
        "echo -n 'Marble&Arch' | base64; printf 'Marble&Arch' | xxd -p", "TWFyYmxlJkFyY2g=\n4d6172626c652641726368"
    )
    assert not any(form in safe for form in ("Marble", "TWFyYmxlJkFyY2", "4d6172626c652641726368"))


def test_a_lone_p_of_a_query_is_a_password_beside_a_user_alone():
    for query in ("u=graf&p=Cobalt-Sky", "p=Cobalt-Sky&u=graf"):
        assert "Cobalt" not in leaking.stored(f"curl 'http://db.test/q?{query}'", "ok")
    assert "Cobalt" in leaking.stored("curl 'http://db.test/q?s=graf&p=Cobalt-Sky'", "ok")


@pytest.mark.parametrize(
    "said",
    [
        "Settings(user='pg', password='mossy.log')",
        '{"password": "gold.fern"}',
        "MYSQL_ROOT_PASSWORD=brick.lane",
        "The following password is needed to go on:\n\n5e1fa0b7c93d42886fd0a1b2c3e4f596\n",
    ],
)
def test_a_password_of_small_letters_is_cut_where_nothing_else_can_stand(said):
    assert "[REDACTED" in leaking.stored("app --dump", said)


@pytest.mark.parametrize("said", ["password = settings.value", "'password': 'forms.password.label'", "password: 'too short'"])
def test_a_place_in_code_or_a_complaint_stays(said):
    assert "[REDACTED" not in leaking.stored("app --dump", said)
