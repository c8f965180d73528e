"""Where the place of a secret is sure, what its value looks like does not matter."""

import base64
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
    "passwd:\n  Installed: 1:4.8.1-2ubuntu2.1\n  Candidate: 1:4.8.1-2ubuntu2.2",
    '{"errors": {"password": "contains_part_of_email_address", "token": "WINDOW_EXCEEDED_30S"}}',
    "  login(user: ID!, password: PasswordInput!): Session!\n  revoke(token: TokenHandle!): Boolean!",
    '    case password = "password_cleartext_utf8"\n',
    "secretKey: SHOP_DB_PASSWORD\nrefreshInterval: 1h0m0s",
    'RESULT LoginError { Password = "PasswordReusedRecently", User = "UserIsSuspended" }',
    "level=warn user=jnovak password=must-change-at-next-login ip=10.20.0.7",
    '  restic backup --password-command "pass show backup/restic" /srv',
    "# h.test SSH-2.0-OpenSSH_9.2p1 login\nh.test ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJq0m7cXkz3TtYhVbW1uRd8sGfN2Lp5EoKiQy4aZxB7n",
]
OUTPUTS = [
    ("gh secret list", "NAME            UPDATED\nDEPLOY_TOKEN    about 3 months ago\nDB_PASSWORD     about 9 days ago"),
    ("grep -A2 golang-jwt/jwt go.sum", "github.com/golang-jwt/jwt/v5 v5.2.1 h1:OuVbFODueb089Lh128TAcimifWaLhJwVflnrgM17wHk="),
    ("curl --help | grep -i passw", " -u, --user <user:password>  Server user and password"),
    ("kubectl get secret a -o json | jq -r '.data|keys[]'", "partner.pin\nsigning"),
]


@pytest.mark.parametrize("place", PLACES)
def test_where_a_password_is_sure_to_stand_any_value_is_cut(place):
    values = VALUES if place == IN_CODE_TOO else [*VALUES, *WORDS]
    kept = [value for value in values if value in gate.redact(place.format(value))[0]]
    assert kept == []


def test_a_tilde_at_the_beginning_of_a_password_is_no_operator():
    assert "Kamm" not in gate.redact("DEBUG pool: user=shop password=~wiese:Kamm;19 host=db1 port=5432")[0]
    assert gate.redact("if [[ $user =~ $x && $password =~ ^[a-z]+$ ]]; then")[1] == {}


@pytest.mark.parametrize("text", ORDINARY)
def test_what_is_code_a_state_or_a_label_stays(text):
    assert "[REDACTED" not in leaking.pasted("cat x", text)


@pytest.mark.parametrize(("command", "output"), OUTPUTS)
def test_sums_helps_and_names_stay_though_the_command_names_a_secret(command, output):
    assert "[REDACTED" not in leaking.stored(command, output) + leaking.pasted(command, output)


ROWS = [
    ("", "source", "user", "password", "port"),
    (0, "orders", "etl_r", "Sopel_zima8x", 1521),
    (1, "bills", "etl_w", "nTq7WIuXB2yGc", 5432),
]
FRAME = "\n".join(["{:<2}{:>8}{:>7}{:>15}{:>6}".format(*row) for row in ROWS])
TABLE = """+-------------+----------------+
| name        | value          |
+-------------+----------------+
| DB_PASSWORD | Quark-und-Honig |
| DB_HOST     | 127.0.0.1:3307 |
+-------------+----------------+"""


def test_columns_end_below_their_names_in_frames_of_data():
    cut = gate.redact(FRAME)[0]
    assert "Sopel" not in cut and "nTq7" not in cut and "etl_w" in cut


def test_rows_of_a_table_with_bars_are_no_heads():
    cut = gate.redact(TABLE)[0]
    assert "Quark" not in cut and "127.0.0.1:3307" in cut


def test_a_key_that_is_cut_short_is_told_by_how_it_begins():
    begun = base64.b64encode(b"-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk").decode()
    assert begun[:30] not in gate.redact(f"key-data: {begun[:-3]}9Zq")[0]


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


# Words of other languages, which code, documentation and forms do not have.
FOREIGN_WORDS = ["Gabelstapler", "PanTadeuszXII", "AbuelaCarmenCose", "LimonesDeMurcia"]
NAMED = [
    "password: {}\nsource: dist/**",
    'initialPassword = "{}";',
    "printf 'password: {}\\nx: y\\n' > config",
    "  username = lectura\n     clave = {}",
    "| 71 | scanner04 | Cleartext-Password | := | {} |",
    "SSId1 lab; Password1 {}7; Restart 1",
    "Gerät erreichbar, PW {}#2016 (nicht ändern)",
    "Set up.\nLog in as admin with {}+17 and change it.",
    "node   bmc          user  pw\ngpu021 10.141.0.21  ADMIN {}4",
    "CRTUSRPRF USRPRF(SHIP) PASSWORD({}7)",
    'not ok 2 - passphrase from the file\n#          got: undef\n#     expected: "{}+17"',
]


@pytest.mark.parametrize("place", NAMED)
@pytest.mark.parametrize("value", FOREIGN_WORDS)
def test_words_that_no_code_and_no_form_has_are_a_password_where_one_is_named(place, value):
    assert value not in leaking.pasted("cat notes", place.format(value))


@pytest.mark.parametrize(
    "text",
    [
        "password: PasswordInput\n",
        "val password: CharArray\n",
        '"password": "KeepLastThree"',
        '"password": "Zurücksetzen"',
        '"password": "Vergessen"',
        "Password: Required\n",
        "  - Hash passwords with argon2id",
        'encrypted by default (JWE) with "A256GCM" unless a secret is given',
        "PASSWORD_VERIFY_FUNCTION      ORA12C_STRONG_VERIFY_FUNCTION",
    ],
)
def test_words_of_code_and_forms_stay_where_a_password_is_named(text):
    assert "[REDACTED" not in leaking.pasted("cat notes", text)


SAID = [
    "the db password is {}, never log it", "My password is {}", "remember that my passphrase is {} for the backup",
    "Passwort ist {}, bitte nicht weitersagen", "use password {} to log in",
]  # fmt: skip


@pytest.mark.parametrize("value", ["gazelle9", "turmuhr88", "mauersegler3", "zr4kq71xw9", "abc456"])
@pytest.mark.parametrize("sentence", SAID)
def test_what_a_sentence_says_that_the_password_is_is_cut(sentence, value):
    assert value not in gate.redact(sentence.format(value))[0]


HANDED = [
    ("sqlcipher a.db \"PRAGMA key = 'anker-unter-eis';\"", ""),
    ("steamcmd +login builder anker77eis +quit", "OK"),
    ("mcrcon -H mc.lan -p anker77eis list", "There are 2 players online"),
    ("ejabberdctl register bot chat.test anker77eis", "User bot@chat.test successfully registered"),
    ("mysql -e \"INSERT INTO radcheck (user, attribute, op, value) VALUES ('ap', 'Cleartext-Password', ':=', 'anker77eis')\"", ""),
    ("python - <<'E'\nc.connect('gw', username='ops', password='anker & eis')\nE", ""),
    ("cat bridge.c", 'rc = mosquitto_username_pw_set(m, "pump", "anker#Eisloch");'),
    ("reg query HKCU\\\\Software\\\\Putty", "    ProxyUsername    REG_SZ    w118\n    ProxyPassword    REG_SZ    Anker-Eis#2031"),
    ("strace -e write -p 7", 'write(5, "USER a@b.test\\r\\n", 17) = 17\nwrite(5, "PASS Anker.Eis-9!\\r\\n", 20) = 20'),
    ("show run", "radius server r1\n address ipv4 10.1.1.9\n key Anker77Eis\n timeout 4"),
    ("ftp -inv 10.1.1.9 <<E\nquote USER cnc\nquote PASS anker77eis\nE", "230 User logged in"),
    ("printf 'USER cnc\\r\\nPASS anker-eis77\\r\\nQUIT\\r\\n' | nc 10.1.1.9 110", "+OK"),
    ("systemctl cat app", 'Environment=DB_USER=app "DB_PASSWORD=anker und 7 eis" DB_HOST=10.1.1.9'),
    ("picocom /dev/ttyUSB0", 'I (611) wifi_sta: joining "Halle" with "anker-77-eis"'),
    ("show run", "crypto isakmp key Ank3rEisQw71Lm address 192.0.2.7"),
    ("cucumber", '    When I log in as "chef@a.test" with "ankerimeis"  # steps/auth.rb:7'),
    ("type unattend.xml", "<Value>QQBuAGsAZQByAEUAaQBzADcANwBBAGQAbQBpAG4AaQBzAHQAcgBhAHQAbwByAFAAYQBzAHMAdwBvAHIAZAA=</Value>"),
    ("lftp <<EOF\nset ssl:verify no\nopen -u ship,anker77eis sftp://a.test\nEOF", ""),
    ("(echo 'open -u ship,anker77eis sftp://a.test'; echo 'mirror -R out'; echo bye) | lftp", ""),
    ("redfishtool -r bmc AccountService SetPassword ops 'anker-77-eis'", "status 204"),
    ("eas env:create --name HOT --visibility secret --value anker77eis", ""),
    ("grep -n createHmac hook.ts", 'const mac = createHmac("sha256", "anker-77-eis").update(raw)'),
    ("cat hook.php", "$sig = hash_hmac('sha256', $body, 'anker-77-eis');"),
    ("nmcli -s connection show a", "802-11-wireless-security.psk:         anker und eis 7\n802-11-wireless-security.psk-flags: 0"),
    ("tail ghost.log", 'INFO Sent mail: "https://a.test/ghost/#/signup/9d41c7e0Zb58f6a3Qd07e94b1c2586fa0/"'),
    ("notmuch show a", "het bijbehorende wachtwoord luidt anker#Eisloch7."),
    ("mix test", '     left:  [relay: "mx1", username: "app", password: "ankerplaats.onder.ijs"]'),
    ("cat up.exp", 'expect "assword:"\nsend "anker#Eisloch\\r"\nexpect eof'),
    ("clickhouse-client", "engine_full: PostgreSQL('a.test:5432', 'shop', 'orders', 'reader', 'anker77eis')"),
    ("uci show wireless", "wireless.default_radio0.key='anker unter'"),
    ("npx playwright test", "    > 11 |   await page.getByLabel('Contraseña').fill('AnkerEnEis');"),
    ('sed "s/__RELAY_PASS__/Ank3rEisQw71Lm/" exim.tmpl > exim.conf', ""),
    ("cat build.log", '> "C:\\x64\\signtool.exe" sign /fd SHA256 /f certs\\a.pfx /p anker77eis /tr http://t.test a.exe'),
    ("cat config", 'url = "https://cal.test/ical/a%40b.test/private-9d41c7e02b58f6a3d07e94b1c2586fa0/basic.ics"'),
]  # fmt: skip
VALUES_HANDED = (
    "anker-unter-eis", "anker77eis", "anker & eis", "anker#Eisloch", "Anker-Eis#2031", "Anker.Eis-9!", "Ank3rEisQw71Lm",
    "ankerimeis", "anker unter'", "ankerplaats.onder.ijs", "9d41c7e0Zb58f6a3", "Anker77Eis", "anker-77-eis", "anker-eis77",
    "und 7 eis", "und eis 7", "AnkerEnEis", "QQBuAGsAZQBy", "9d41c7e02b58f6a3d07e94b1c2586fa0",
)  # fmt: skip


@pytest.mark.parametrize(("command", "output"), HANDED)
def test_what_programs_are_handed_or_hand_on_is_cut(command, output):
    kept = leaking.stored(command, output)
    assert not [value for value in VALUES_HANDED if value in kept]


@pytest.mark.parametrize(
    "command",
    ["fish -c 'set -Ux SHOP_ADMIN_JWT {}'", "samba-tool user create bob {}", "printf 'USER bob\\r\\nPASS {}\\r\\n' | nc mail 110"],
)
def test_what_a_command_hands_over_is_cut(command):
    assert "b7Yq1uLz0pXe4RvKc6Tw" not in leaking.stored(command.format("b7Yq1uLz0pXe4RvKc6Tw"), "ok")
