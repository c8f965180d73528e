"""What a name announces, by the way in which it stands before its value: no program, language or format is listed."""

import pytest

from ralph_mem.core.redaction import context, gate, names, printing, privacy
from ralph_mem.core.settings.effective import DEFAULTS
from tests.core.redaction.leaking import SHOP
from tests.folded import folded

PASSWORD, TOKEN = "Winter!2031x", "h7Kqz9XwP3rT8mYvB2nD5sLc"

ANNOUNCED = [
    "Das Kennwort lautet {p}",
    "the password is now {p}",
    "temporary password for bob is {p} (expires in 1 day)",
    "Password for the elastic user (reset with `bin/reset`):\n  {p}",
    "パスワード: {p}",
    "contraseña = {p}",
    "password: |\n  {p}\nuser: x",
    'password = """\n{p}\n"""',
    "<key>password</key>\n<string>{p}</string>",
    "<AdministratorPassword>\n  <Value>{p}</Value>\n</AdministratorPassword>",
    "<secret type='plain'><![CDATA[{t}]]></secret>",
    '{{"name": "DB_PW", "in": "query", "example": "{p}"}}',
    '{{"ParameterKey":"DBPassword","ParameterValue":"{p}"}}',
    "parameters:\n  - name: dbPass\n    default: {p}",
    "secrets:\n  smtp: {t}\n",
    '{{"credentials": {{"user": "a", "value": "{p}"}}}}',
    '{{password,<<"{p}">>}}',
    '("password" . "{p}")',
    'let pw = r#"{p}"#;',
    "acmetool sync --auth=bob:{p}",
    "+ printf %s {p}\n+ acme-unlock disk",
    "echo '{p}' > /run/secrets/db_password",
    "login bob {p}",
    "user     passcode     site\n-------- ------------ ----\nlena     {p} HH",
    "https://h.example/hooks/{t}",
    "https://h.example/reset/{t}?lang=de",
]


@folded("form", ANNOUNCED)
def test_what_a_name_announces_is_cut_out_whatever_stands_between(form):
    safe, _ = gate.redact(form.format(p=PASSWORD, t=TOKEN))
    assert PASSWORD not in safe and TOKEN not in safe


ORDINARY = [
    "| |site-logo2| | Sign up for token-based logins at `a.example/signup <https://a.example/signup>`_. |\n    $ tox",
    "token-broker  42b1f720-671f-4c8f-842d-15d79ceec272  org",
    "DEPLOY_KEY     2025-12-01T09:00:00Z",
    "type Mutation { login(email: String!, password: String!): AuthPayload! }",
    "## Passwort vergessen?",
    "password: ENC[AES256_GCM,data:ZuixJsSUNRRqDLC=,type:str]",
    '"arn:aws:secretsmanager:eu-west-1:153674022060:secret:prod/smtp-cli1Hq"',
    '"Microsoft.IdentityModel.Tokens": {\n  "contentHash": "zDX3n3QPYJZVrAQntJjbEggbnP103LLw6GV6sba87XA=="\n}',
    "the password is base64-encoded",
]


@folded("text", ORDINARY)
def test_what_a_name_stands_beside_by_chance_stays(text):
    assert gate.redact(text) == (text, {})


@pytest.mark.timeout(20)  # one that is not passed over is found again without end
@folded("word", [*names.STEMS, *names.FOREIGN.split(), *gate.FOREIGN.split()])
def test_a_sentence_with_a_word_for_secrets_of_any_script_is_read_to_its_end_and_stays(word):
    text = f"a {word} b {word}а c {word.upper()}"
    assert gate.redact(text) == (text, {})


def test_no_value_reaches_into_the_next_of_texts_that_are_redacted_together():
    table = f"NAME  PASSWORD\n----- ------------------\nx     {PASSWORD}"
    safe, _ = privacy.protect(["make lamp", table, "", "Bash", ""], SHOP, DEFAULTS)
    assert safe == ["make lamp", table.replace(PASSWORD, "[REDACTED:password]"), "", "Bash", ""]


@pytest.mark.parametrize("command", ["corpvault fetch db/prod", "my-secrets show smtp", "credkeeper get web"])
def test_a_program_that_is_called_after_secrets_prints_one(command):
    assert PASSWORD not in printing.without(command, PASSWORD + "\n")


KNOWN = dict.fromkeys(names.PASSWORDS + names.SECRETS + names.PASSWORD_NAMES)


@folded("name", KNOWN)
def test_every_name_that_is_known_announces_a_secret_in_small_letters_and_in_capitals(name):
    forms = [form for form in (name, name.upper(), name.capitalize()) if form != "PASS"]  # of a test
    assert [form for form in forms if PASSWORD in gate.redact(f"{form}: {PASSWORD}")[0]] == []


IN_OTHER_SIGNS = [
    "密码：{p}", "パスワード＝{p}", "パスワードは{p}です", "パスワードは「{p}」です", "您的初始密码是：{p}", "密码为{p}",
    "mot de passe\u00a0: {p}", "mot de passe\u202f: {p}", "le mdp c'est {p}", "kata sandi: {p}",
    "कृपया पासवर्ड: {p}", "كلمة المرور: {p}",
    "Zugangsdaten: anna / {p}", "DB_CONTRASEÑA={p}",
    "| Логин | Пароль |\n|---|---|\n| anna | {p} |", "Usuario,Contraseña\nanna,{p}",
]  # fmt: skip


@folded("form", IN_OTHER_SIGNS)
def test_other_languages_announce_with_signs_of_their_own(form):
    assert PASSWORD not in gate.redact(form.format(p=PASSWORD))[0]


@folded(
    "text",
    [
        "пароль: обязательное поле",
        "contraseña: mínimo 8 caracteres",
        "Kennwort: Pflichtfeld",
        "密码：不能为空",
        "パスワード：必須項目です",
    ],
)
def test_what_a_form_demands_of_a_password_is_none(text):
    assert gate.redact(text) == (text, {})


WORDS = "zomerregen in Utrecht"
SAID = [
    "the admin pass is: {p}", "the guest wifi pass is {p}", "use the credentials root:{p}", 'password: "{w}",',
    'local ok = red:auth("{t}")',
    "sign in as `editor`, the password there is “{w}” (with the blanks)", 'the passphrase is "{w}"',
]  # fmt: skip


@folded("form", SAID)
def test_whose_it_is_and_what_words_it_has_does_not_matter(form):
    safe, _ = context.redact_whole(form.format(p=PASSWORD, w=WORDS, t=TOKEN))
    assert [value for value in (PASSWORD, WORDS, TOKEN) if value in safe] == []


OF_FORMS = [
    "the second pass is {p}",
    'password: "Nieuw wachtwoord"',
    '"password": "Minimaal acht tekens"',
    '"password": "Passwort vergessen?"',
]


@folded("form", OF_FORMS)
def test_what_a_form_or_a_test_says_stays(form):
    text = form.format(p="Molenwiek42q")
    assert context.redact_whole(text) == (text, {})


def test_words_below_the_name_of_a_passphrase_are_one():
    text = "passphrase: |-\n  the otter keeps seven blue lanterns\nkeep: 3"
    assert "otter" not in context.redact_whole(text)[0] and "keep: 3" in context.redact_whole(text)[0]


def test_a_table_of_settings_whose_line_ends_are_spelled_out_is_one():
    safe, _ = context.redact_whole(f"printf 'environment,name,value\\nstaging,DB_PASSWORD,{PASSWORD}\\n'")
    assert safe == "printf 'environment,name,value\\nstaging,DB_PASSWORD,[REDACTED:password]\\n'"
