"""Where the place of a secret is sure, what its value looks like does not matter."""

import random
import string

import pytest

from ralph_mem.core.redaction import gate, letters
from tests.core.redaction import leaking

# Passwords as people and programs make them, of signs and letters that the rules for code would take for something else.
VALUES = [
    "Tr0mmel.Stock",
    "k7q2vz.m3x9w5t8r1p6n4b0",
    "!ruda.Lisica27",
    "v)K2m!Zx<Q8r",
    "grau,Birke52",
    "Nebel;Krähe61",
    "Hinterhof8",
    "Bräutigam37",
    "wdqzkvxjtrbnmlfg",
    "GXKWTZVBQJRDPHNC",
    "3c1de0a4-77b2-4f1e-9a0d-51c8e2f6b7d9",
]
# Words that people join, which code has as names: they tell where no code can stand.
WORDS = ["Quark-und-Honig", "Fenster_am_Meer", "HausBaumWiese"]
IN_CODE_TOO = "db.password = {}"
PLACES = [
    "2026-03-01 08:00:01 DEBUG pool: user=shop password={} host=db1 port=5432",
    "ADO: Data Source=sql7;Initial Catalog=shop;User ID=app;Pwd={};Connect Timeout=9",
    "DEBUG driver properties {{user=shop, password={}}}",
    "expected: <MailSettings[host=mail.test, user=bot, password={}]> but was: <null>",
    "Record {{ Host = db1, Client = 4, Password = {}, Language = en }}",
    IN_CODE_TOO,
    "POSTGRES_PASSWORD: {}",
    '{{"newPassword":"{}","mail":"a@b.test"}}',
    "machine ftp.test login shop password {}",
    "12:echo 'shop:{}' | chpasswd",
    'array(2) {{\n  ["dbpassword"]=>\n  string(9) "{}"\n}}',
]
ORDINARY = [
    "connect(host=h, user=u, password=settings.database.password)",
    "    username=user, password=None):",
    "$ user=$USER password=$PASSWORD ./run host=x",
    "level=info msg=checked password=unchanged user=shop",
    "level=info cache key=orders:2231:lines hit=1 ttl=30",
    "var x = new Login { Host = h, Password = form.Password2 };",
    "password: Optional[str] = None\nkey: dict[str, list[int]]",
    "login.password.repeat=Kennwort wiederholen",
    "host all all 127.0.0.1/32 scram-sha-256\n#password_encryption = scram-sha-256 # or md5",
    "Shop.Core, Version=4.0.0.0, Culture=neutral, PublicKeyToken=b77a5c561934e089",
    'password_encoder: BCryptPasswordEncoder\npasswordStrategy: "KeepLastThree"',
    "  --use-password  [p]assword: string",
]
OUTPUTS = [
    ("grep -A2 golang-jwt/jwt go.sum", "github.com/golang-jwt/jwt/v5 v5.2.1 h1:OuVbFODueb089Lh128TAcimifWaLhJwVflnrgM17wHk="),
    ("curl --help | grep -i passw", " -u, --user <user:password>  Server user and password"),
    ("kubectl get secret a -o json | jq -r '.data|keys[]'", "partner.pin\nsigning"),
]


@pytest.mark.parametrize("place", PLACES)
def test_where_a_password_is_sure_to_stand_any_value_is_cut(place):
    values = VALUES if place == IN_CODE_TOO else [*VALUES, *WORDS]
    kept = [value for value in values if value in gate.redact(place.format(value))[0]]
    assert kept == []


@pytest.mark.parametrize("text", ORDINARY)
def test_what_is_code_a_state_or_a_label_stays(text):
    assert "[REDACTED" not in leaking.pasted("cat x", text)


@pytest.mark.parametrize(("command", "output"), OUTPUTS)
def test_sums_helps_and_names_stay_though_the_command_names_a_secret(command, output):
    assert "[REDACTED" not in leaking.stored(command, output) + leaking.pasted(command, output)


def test_letters_made_by_chance_are_told_from_words():
    chance = random.Random(5)
    made = ["".join(chance.choices(string.ascii_lowercase, k=16)) for _ in range(400)]
    words = [
        "rechtschreibpruefung",
        "internationalization",
        "przedsiebiorstwo",
        "readonlypropertydescriptor",
        "abcdefghijklmnopqrstuvwxyz",
    ]
    assert sum(map(letters.are_random, made)) > 320
    assert not any(map(letters.are_random, [*words, "configuration", "CONTENTLENGTH", "aaaabbbbccccdddd"]))
