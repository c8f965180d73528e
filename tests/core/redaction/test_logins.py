"""Passwords that a text gives with an account, or with words of getting in, and does not name; what only looks so stays."""

import pytest

from ralph_mem.core.redaction import context
from tests.core.redaction import leaking

CUT = [
    # behind a user and a sign
    ("the new box is pg-4.lan, log in as etl / Wiesel1994gang please", "Wiesel1994gang"),
    ("| Panel | Admin |\n|---|---|\n| gate 3 | admin / Toreinfahrt#3 |", "Toreinfahrt#3"),
    ("Vor der Seite fragt er nach einem Konto: **igel** / **Regenpfeifer**.", "Regenpfeifer"),
    ("mach den Import fertig, Zugang ist dwh_import + Birnenmost_4", "Birnenmost_4"),
    # behind words of getting in, in marks or not, with the account or without, and on the next line
    ("Get in with `pflaumenkuchen`, then run the upgrade.", "pflaumenkuchen"),
    ("De recorder staat op 10.3.1.4, daar log je in als beheer met Kaasplank!Kaas en de rest blijft.", "Kaasplank!Kaas"),
    ("Abra la consola y entre como **cajero** con **Quijote1605**.", "Quijote1605"),
    ("Für den Testserver kommst du mit jmeier und Dachs#Bau7 rein, danach die Tests.", "Dachs#Bau7"),
    ("El usuario es dw_stock y ahora se entra con Gallo1987rojo (antes con otro).", "Gallo1987rojo"),
    ("Zaloguj się jako root, wpisz\nbigos-3-razy i sprawdź dysk.", "bigos-3-razy"),
    ("<p>Web: https://pbx.test, anmelden als <b>admin</b> mit <b>Ampel!0915</b>.</p>", "Ampel!0915"),
    ('The archive opens with "nine hungry herons", ask Per.', "nine hungry herons"),
    # behind names of other kinds
    ("compte « dépôt », sésame : TourDeGuet1180", "TourDeGuet1180"),
    ("ユーザーは batch02、合言葉は「momijigari0915」です。", "momijigari0915"),
    ("mot de passe brioche.au.chocolat, puis regarde le journal", "brioche.au.chocolat"),
    # digits that open a door, a safe, a screen
    ("the safe opens with 41-07-63, the keys are inside", "41-07-63"),
    ("Die Tür zum Lager geht mit dem Code 8352# auf.", "8352#"),
    ("il te faut le code de secours 6120-8473 pour entrer", "6120-8473"),
    ("Die PUK der Karte lautet 58201746.", "58201746"),
]  # fmt: skip
RECORDS = [
    ('{"host":"dav.test","u":"heike","p":"Muschel+Sand","remember":true}', "Muschel+Sand"),
    ("mqtt:\n  username: ha\n  password: birnbaum\n", "birnbaum"),
    ('  Account: "relay@a.test",\n  Phrase: "vier Esel trinken Milch",\n', "vier Esel trinken Milch"),
    ("│ login │ kessel_ab        │\n│ word  │ pulla-kahvi7     │", "pulla-kahvi7"),
    ('- {n: qlik,   p: "Bohnensalat88"}', "Bohnensalat88"),
    ('{"name": "olt-2", "auth": ["isp", "Kupferkabel4all"], "vendor": "v"}', "Kupferkabel4all"),
    ('{"name": "sftp.pass", "setting": "hxk4-88wt-cq2z"}', "hxk4-88wt-cq2z"),
    ('<add key="LicensePin" value="51-66-23" />', "51-66-23"),
    ("Administrator ........ admin\nNew password ......... Semmel&Rettich\n", "Semmel&Rettich"),
    ("client_phrase=Knödel mit Soße um 9", "Knödel mit Soße um 9"),
    ('#define BENCH_PHRASE "vier-nasse-biber"', "vier-nasse-biber"),
    ("password=grumpy otter doll\nport=7\nhost=a", "grumpy otter doll"),
    ("snmp_community: gipfelR0ad", "gipfelR0ad"),
    ("| Wer | Zugang |\n|---|---|\n| Sabine | ohT8aequ |", "ohT8aequ"),
    ("| Board | Joined with | RSSI |\n|---|---|---|\n| rev C | butter+toastbrot | -44 |", "butter+toastbrot"),
    ("Kundennr;Firma;Login;Erstzugang;Gesperrt\n10418;Malerei;wie;Hammer+Zange;n", "Hammer+Zange"),
]  # fmt: skip
KEPT = [
    "Log in with GitHub or with `WebAuthn`, then open the console with PostgreSQL14.",
    "read / write access of the user / group, macOS / Linux, client / server",
    "You connect using psycopg2 and the tests use `InMemoryVault` as admin.",
    "the account was moved to Ubuntu-22.04 with kernel v6.8.0-rc2, user imports to db-primary-2",
    "Sign in as jonas@acme.test with your phone, then choose Settings / Security.",
    "ssh deploy@web-7.lan and restart with systemctl, the user is in group docker + wheel",
    "| user | type | default |\n|---|---|---|\n| name | string | unlock |",
    "ERROR 1205 (HY000): error code 1205, the gate was closed on 2024-03-11 with status 4210",
    "the alarm fires in 2024 with 1500 users, the door sensor reports v10-20-30 to gate 7",
    '{"auth": ["basic", "bearer"], "account": ["name", "email"]}',
    "tls: TLSv1.3 / TLS_AES_256_GCM_SHA384 / X25519 / RSASSA-PSS of the user",
    "username: string\npassword: string\n",
    "search_phrase = 'quick brown fox'\nreason_phrase: Not Found\nuser: x",
    "def login(user, p):\n    u = user\n    p = parse(u)\n    return p",
    "self.user = user\nself.word = word_tokenize(user)\nhost = parse_host(user)\n",
]  # fmt: skip


@pytest.mark.parametrize(("text", "secret"), CUT, ids=[str(at) for at in range(len(CUT))])
def test_what_a_sentence_gives_with_an_account_is_cut(text, secret):
    assert secret not in context.redact_whole(text)[0]


@pytest.mark.parametrize(("text", "secret"), RECORDS, ids=[str(at) for at in range(len(RECORDS))])
def test_what_a_weak_name_holds_beside_that_of_a_user_is_cut(text, secret):
    assert secret not in context.redact_whole(text)[0]


@pytest.mark.parametrize("text", KEPT)
def test_what_is_no_password_stays(text):
    assert context.redact_whole(text) == (text, {}) and leaking.pasted("cat notes", text).endswith(text)


def test_a_hook_cuts_them_where_a_text_shows_a_sign_of_one():
    texts = [(text, secret) for text, secret in CUT if any(sign in text for sign in (" / ", " with ", "entra", "rein", "wpisz"))]
    assert [text for text, secret in texts if secret in leaking.pasted("cat notes", text)] == []
