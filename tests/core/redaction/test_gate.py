import posix

import pytest

from ralph_mem.core.redaction import gate, names, prefixes
from tests.core.redaction import secret_corpus
from tests.core.redaction.secret_corpus import ALNUM, HEX
from tests.folded import folded

RNG = secret_corpus.random.Random(7)
TOKEN = secret_corpus.some(RNG, ALNUM, 32)
GITHUB = "gh" + "p_" + secret_corpus.some(RNG, ALNUM, 36)


def redacted(text, **more):
    return gate.redact(text, **more)[0]


LEFT_ALONE = [
    "token = next(tokens)",
    "key=lambda row: row[1]",
    "def password_reset(user1, token2):",
    "password = args.password2",
    "password: str",
    "token: Optional[Token1] = None",
    'password = os.environ["DB_PASSWORD_2"]',
    "password = getpass.getpass('Password 1: ')",
    "secret = get_secret('db/main1')",
    "API_KEY=${API_KEY_2}",
    "DB_PASSWORD=$DB_PASSWORD2",
    "API_KEY=your-api-key-123",
    "API_KEY=<paste-key-1-here>",
    "PASSWORD=changeme123",
    "password: ********",
    "TOKEN=None",
    '"password": "Password must have 8 characters"',
    "password=\n12345abcde is the next line",
    "SSH_AUTH_SOCK=/tmp/ssh-abc123/agent.42",
    "PUBLIC_KEY=MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcD",
    "KEYBOARD_LAYOUT=us104euro",
    "TOKENIZERS_PARALLELISM=false",
    "PRIVATE_KEY_PATH=/etc/ssl/private/key1.pem",
    "max_tokens: 4096, input_tokens: 123456789",
    "cache_key: 3f2a9b8c7d6e5f4a3b2c1d0e9f8a7b6c",
    'primary_key = "user_id_2024"',
    "https://registry.example.org/@types/node/-/node-20.1.0.tgz",
    "git@github.com:owner/repo.git ssh://git@github.com/owner/repo2",
    "postgres://user:password@localhost/db postgres://u:${DB_PASS1}@h/db postgres://u:$dbPassword1@h/db postgres://u:$DB_PASS@h/db",
    'token_range = "%d,%d-%d,%d:" % (token.start + token.end)',
    "Authorization: Bearer ${TOKEN_1}",
    'headers["Authorization"] = "Bearer " + token1',
    "Set-Cookie: theme=dark; Path=/",
    "curl -u $USER1:$PASS1 https://x.io",
    "mkdir -p directory1 && mysql --version",
    "--password PASSWORD   the password to use (default: 1)",
    '{"password": "required", "type": "password"}',
    "sorted(rows, reverse=True, key='param:secp384r1.pem')",
    "--- PASS: TestToken2 (0.01s)",
]


@folded("text", LEFT_ALONE)
def test_what_only_looks_like_a_secret_is_left_alone(text):
    assert redacted(text) == text


REPLACED = {
    "DB_PASSWORD=hunter2!x": "DB_PASSWORD=[REDACTED:password]",
    "DB_PASSWORD=p@ss;w&rd9": "DB_PASSWORD=[REDACTED:password]",
    'password = "hunter2x"': 'password = "[REDACTED:password]"',
    'password="ab\\"cd12345678"': 'password="[REDACTED:password]"',
    "environment:\n  - ${DB_PASS:-hunter2x}": "environment:\n  - ${DB_PASS:-[REDACTED:password]}",
    "<password>hunter2x</password>": "<password>[REDACTED:password]</password>",
    '<add key="ApiPassword" value="hunter2x" />': '<add key="ApiPassword" value="[REDACTED:password]" />',
    '{"name": "DB_PASSWORD", "value": "hunter2x"}': '{"name": "DB_PASSWORD", "value": "[REDACTED:password]"}',
    "CREATE USER bob WITH PASSWORD 'hunter2x';": "CREATE USER bob WITH PASSWORD '[REDACTED:password]';",
    'password = "letmein"': 'password = "[REDACTED:password]"',
    "MY_SECRET=topsecretvalue": "MY_SECRET=[REDACTED:secret]",
    "API key: a8kd93kLmn20": "API key: [REDACTED:secret]",
    "Authorization: Basic dXNlcjpwYXNz": "Authorization: Basic [REDACTED:authorization]",
    "docker login -u bob -p hunter2x": "docker login -u bob -p [REDACTED:password]",
    "the password is hunter2x": "the password is [REDACTED:password]",
    "fish: set -gx MY_SECRET hunter2xhunter": "fish: set -gx MY_SECRET [REDACTED:secret]",
    "postgres://bob:hunter2@db/x": "postgres://bob:[REDACTED:url-password]@db/x",
    "postgres://bob:a/b9@db/x": "postgres://bob:[REDACTED:url-password]@db/x",
    "ftp://bob:$gnqNNJqvWqspzfgrJkO@db/x": "ftp://bob:[REDACTED:url-password]@db/x",
    "ftp://bob:$luRwoXkuva5MxWmAqfv@db/x": "ftp://bob:[REDACTED:url-password]@db/x",
    f"https://{TOKEN}@github.com/o/r": "https://[REDACTED:url-password]@github.com/o/r",
    f"Authorization: Bearer {TOKEN}": "Authorization: Bearer [REDACTED:authorization]",
    "curl -u bob:hunter2x https://x": "curl -u bob:[REDACTED:password] https://x",
    f"Cookie: theme=dark; sid={TOKEN}": "Cookie: theme=dark; sid=[REDACTED:cookie]",
    f"Set-Cookie: sid={TOKEN}; Path=/": "Set-Cookie: sid=[REDACTED:cookie]; Path=/",
    "<server>\n<password>L4mp.Sh4de.On</password>\n</server>": "<server>\n<password>[REDACTED:password]</password>\n</server>",
    "java -Ddb.password=Fuse&Socket7 -jar a.jar": "java -Ddb.password=[REDACTED:password] -jar a.jar",
    "GET https://api.io/v2?q=x&appid=5b2d8f1a9c3e7064bd18f52a6e90c7d3": "GET https://api.io/v2?q=x&appid=[REDACTED:webhook]",
    "Backup codes of ada\nKeep them safe.\n\nb7e21-4d90a\n": "Backup codes of ada\nKeep them safe.\n\n[REDACTED:recovery-code]\n",
    "PDO->__construct('mysql:host=db', 'shop', 'Fuse^Box_41')": "PDO->__construct('mysql:host=db', 'shop', '[REDACTED:password]')",
    "(Pdb) p conf.MAIL_PASSWORD\n'Fuse^Box_41'": "(Pdb) p conf.MAIL_PASSWORD\n'[REDACTED:secret]'",
    'irb> user.api_token\n=> "mDrQ7x1MlwG3ZC64uHYiLmlK"': 'irb> user.api_token\n=> "[REDACTED:secret]"',
    f"line\\n{GITHUB}\\nline": "line\\n[REDACTED:github-token]\\nline",
}


@folded("text", REPLACED)
def test_the_secret_is_replaced_and_what_is_around_it_stays(text):
    assert redacted(text) == REPLACED[text]


def test_a_value_never_reaches_over_the_end_of_its_line():
    assert redacted('password="hunter2x\nnext line"') == 'password="[REDACTED:password]\nnext line"'


def test_secrets_are_counted_by_kind():
    text, counts = gate.redact(f"{GITHUB} and {GITHUB}, DB_PASSWORD=hunter2x")
    assert counts == {"github-token": 2, "password": 1}
    assert text == "[REDACTED:github-token] and [REDACTED:github-token], DB_PASSWORD=[REDACTED:password]"


def test_a_known_value_is_masked_wherever_it_stands():
    assert gate.redact("x=tr0ub4dor&3 y", ["tr0ub4dor&3"]) == ("x=[REDACTED:known-value] y", {"known-value": 1})


def test_of_overlapping_secrets_nothing_is_left():
    assert redacted("abcdefghijkl", known=["abcdefgh", "efghijkl"]) == "[REDACTED:known-value]"


def test_a_pattern_of_the_user_counts():
    assert gate.redact("ticket ACME-1234", patterns=[r"ACME-\d+"]) == ("ticket [REDACTED:pattern]", {"pattern": 1})


def test_a_broken_pattern_or_an_empty_match_changes_nothing():
    assert gate.redact("some words", patterns=["(", "x*"]) == ("some words", {})


def test_without_patterns_the_rules_load_nothing_dear():
    names = ("re", "json", "os", "typing", "collections", "functools")
    code = "import sys; sys.path.insert(0, sys.argv[1]); from ralph_mem.core.redaction import gate as r; "
    code += "r.redact(r.drop_blocks(r.clean('\\x1b[1mprivate DB_PASSWORD=hunter2x'))[0]); "
    code += "from ralph_mem.core.redaction import privacy; privacy.known_values({b'A_KEY': b'x1' * 20}, ['.']); "
    code += f"print([name for name in {names} if name in sys.modules])"
    run = secret_corpus.fresh_interpreter(code)
    assert run.stdout.strip() == "[]"


def test_ordinary_text_does_not_trip_the_gate():
    texts = [
        "token = next(tokens)",
        "key=lambda row: row",
        "def password_reset(user):",
        "all tests passed in 3.2 seconds",
        "keys and tokens",
    ]
    assert not [text for text in texts if gate.trips(text)]


def test_the_gate_knows_the_beginning_of_every_prefix():
    heads = set(gate.HEADS.decode().split())
    beginnings = {prefix[:3] for prefix in prefixes.PREFIXES if len(prefix) > 2}
    assert heads == beginnings | {"SK" + digit for digit in HEX + "ABCDEF"}


def test_the_gate_knows_every_foreign_name_of_a_secret():
    assert set(names.FOREIGN.split()) <= set(gate.FOREIGN.split())


@pytest.mark.parametrize("line", [line.split("\t") for line in gate.SIGNS.splitlines()], ids=lambda line: line[0])
def test_a_sign_is_looked_for_by_a_character_that_it_holds(line):
    first, *signs = line
    assert len(first) == 1 and {sign for sign in signs if first not in sign} <= {r"AUTH\r\n", "_bind"}  # whose commands hold it


def test_every_common_prefix_is_a_prefix():
    assert set(prefixes.PREFIXES) >= prefixes.COMMON


def test_no_kind_holds_what_a_mark_cannot():
    kinds = {kind for *_, kind in prefixes.SHAPES}
    assert all(kind.replace("-", "").isalpha() and kind.islower() and len(kind) < 24 for kind in kinds)


ADVERSARIAL = [
    "://", "a://b:", "@", "password=", 'password: \\"', "eyJ", "-----BEGIN ", "-----BEGIN RSA PRIVATE KEY-----", "<private>",
    "</private>", "private", "\x1b]", "\x1b[", "a\b", "\x9d", "[REDACTED:", "key", ".", ":AA", "curl -u", "cookie:", "bearer ",
    '\\"', "b:", "A_KEY=x1y2z3w4 ", ".acc_", "123456789012345|", "ZXlK",
]  # fmt: skip


@pytest.mark.check
@folded("piece", ADVERSARIAL)
def test_hostile_repetition_costs_no_more_than_its_length(piece):
    def seconds(length):
        text = piece * (length // len(piece))
        start = posix.times().user
        gate.redact(gate.drop_blocks(gate.clean(text))[0])
        return posix.times().user - start

    assert seconds(200_000) < 10 * seconds(50_000) + 0.5  # what grows with the square takes sixteen times as long


@pytest.mark.parametrize(
    "token",
    [
        "hf_" + "aBcDeFgHiJkLmNoPqRsTuVwXyZaBcDeFgH", "rk_prod_" + "h7Kq" * 6, "CLOJARS_" + "h7kq" * 15,
        "bedrock-api-key-" + "h7Kq" * 8,
        "shippo_test_" + "a7c3" * 10, "sm_sat_" + "h7Kq" * 10, "GR1348941" + "h7Kq" * 5, "cmVmdGtu" + "h7Kq" * 15,
        "A3-" + "H7KQ2P-" * 5 + "H7KQ2P",
    ],
)  # fmt: skip
def test_a_token_of_a_provider_is_known_by_its_beginning(token):
    assert token not in gate.redact(f"it says {token} here")[0]


MIXED, LOWER = "h7KqZ2wB", "x3jt9k5w"  # repeated: as chance as rules ask for


@folded(
    "token",
    [
        "A3" + "TX" + "H7KQ2PWB" * 2, "AK" + "C" + MIXED * 9, "AP" + "5" + MIXED * 3, "cmVm" + "dH4" + MIXED * 7 + "pQ",
        "LT" + "AI" + MIXED * 2 + "h7Kq", "ico" + "-" + MIXED * 4, "p8" + "e-" + LOWER * 4,
        "ABS" + "KQmVkcm9ja0FQSUtleS" + MIXED * 12, "glc" + "_" + "h7Kq+Z2wB/" * 6, "fm2" + "_" + "lJP/+" + MIXED * 14,
        "pscale" + "_oauth_" + "h7=Kq.Z2-wB_" * 3, "sm_" + "pat_" + MIXED * 2, "sgp_" + "local_" + "0f7e2b9c4d" * 4,
        "sgp_" + "0f7e2b9c4d1a6b3e_" + "0f7e2b9c4d" * 4, "EA" + "AA" + MIXED * 3, "eyJrI" + "joi" + MIXED * 9,
        "pat" + "." + MIXED * 2 + "h7KqZ2.0f7e2b9c4d1a0f7e2b9c4d1a." + MIXED * 2 + "h7Kq", "NRJ" + "S-" + "0f7e2b9c4d1a6b3e5d2",
        "FLWSECK" + "_TEST-" + "0f7e2b9c4d1a", "s-s4t2" + "ud-" + "0f7e2b9c4d1a6b3e" * 4,
        "access-" + "development-" + "0f7e2b9c" * 4,
        "sk." + "eyJ" + MIXED * 6 + "." + MIXED * 3, "t1" + "." + MIXED * 5 + "." + MIXED * 10, "YC" + "O" + MIXED * 4 + "h7Kqx",
        "sl." + "u.A" + MIXED * 12, "A" * 22 + MIXED * 4 + "%2B" + MIXED * 4 + "%3D", "ZXl" + "KaGJHY2lPaU" + MIXED * 8,
        "ewog" + "ICJhbGciOi" + MIXED * 2 + ".ewog" + MIXED * 5 + "." + MIXED * 5,
        "eyAi" + "YWxnIjog" + MIXED * 2 + ".eyAi" + MIXED * 5 + "." + MIXED * 5,
    ],
)  # fmt: skip
def test_a_token_is_known_by_what_it_begins_with_whatever_signs_part_it(token):
    assert is_cut_out(token)


def is_cut_out(token):
    left = redacted(f"it says {token} here.")
    return left.startswith("it says [REDACTED:") and left.endswith("] here.")


@folded(
    "token",
    [
        "4b" + "1d" + MIXED * 4 + "h7KqZ2", "h7KqZ2" + "_" + MIXED * 3 + "h7KqZ" + "_mmk", "0f7e2b9c4d1a6b3e" * 2 + "-us" + "14",
        "0f7e2b9c4d1a6b3e" * 2 + "-0f7e2b9c" + "-4d1a6b3e", "1934857205" + "-" + MIXED * 5, "00" + MIXED * 5,
        "458978141167412" + "|" + MIXED * 3 + "x-_", "458978141167412" + "%" + MIXED * 3 + "x-_",
        "s" + "." + MIXED * 3, "sk-" + "shop-" + MIXED * 3 + "T3Blb" + "kFJ" + MIXED * 3,
        "3zxho855t3xjzf" + ".atlas" + "v1." + "x3jt=k5w" * 8, "sc_x85wx" + ".9455.ac" + "c_h7kq-z2wb9." + "h7Kq/Z2+" * 6,
        "hooks.slack" + ".com/services/T0H7KQ2PWB/B0H7KQ2PWB/" + MIXED * 3,
    ],
)  # fmt: skip
def test_a_token_is_known_by_the_signs_at_their_place_in_it(token):
    assert is_cut_out(token)


def test_the_lines_behind_the_first_of_an_encoded_token_go_with_it():
    lines = ["ZXl" + "KaGJHY2lPaU" + MIXED * 7 + "h7KqZ2", MIXED * 9 + "h7Kq", MIXED * 2]
    assert gate.redact("\n".join(["in full:", *lines, "done"]))[0] == "in full:\n[REDACTED:encoded]\ndone"


def test_the_value_of_a_session_goes_and_its_name_stays():
    assert redacted("sent _gitlab" + f"_session={LOWER * 4} back") == "sent _gitlab_session=[REDACTED:key] back"


@folded(
    "text",
    [
        "4b1d" + "0f7e2b9c4d1a6b3e" * 2 + "0f7e2b of the tree", "ewogICJuYW1l" + MIXED * 4, "A" * 22 + MIXED * 8,
        "s.getElementsByTagNameNode1", "APACHE2LICENSEHEADERTEXTFOO",
        "1934857205|" + MIXED, "db_session=new_session_of_the_factory(engine)",
        "live_reload_server_of_the_docs_in_a_browser", "hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX",
    ],
)  # fmt: skip
def test_what_begins_or_is_parted_as_a_token_and_shows_no_chance_stays(text):
    assert redacted(text) == text


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("export DB_PASSWORD=Fuse^Box_41\npsql: tried Fuse^Box_41 twice",
         "export DB_PASSWORD=[REDACTED:password]\npsql: tried [REDACTED:secret] twice"),
        ("password: 'Fuse^Box_41'\nhex: 46757365 in part, 467573655e426f785f3431 in all",
         "password: '[REDACTED:password]'\nhex: 46757365 in part, [REDACTED:secret] in all"),
        ("DB_PASSWORD=Fuse^Box_41\nhttps://x/?a=Fuse%5EBox_41", "DB_PASSWORD=[REDACTED:password]\nhttps://x/?a=[REDACTED:secret]"),
    ],
)  # fmt: skip
def test_what_is_found_once_is_cut_out_wherever_it_stands_in_any_spelling(text, safe):
    assert gate.redact(text)[0] == safe


def test_a_password_that_is_a_word_is_cut_out_where_it_is_one_and_not_of_what_is_said():
    text = gate.redact("--password 'lighthouse'\nDB_PASSWORD=lighthouse\nthe lighthouse keeper")[0]
    assert text == "--password '[REDACTED:password]'\nDB_PASSWORD=[REDACTED:password]\nthe lighthouse keeper"
