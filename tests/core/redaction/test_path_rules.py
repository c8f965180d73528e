from hypothesis import example, given
from hypothesis import strategies as st

from ralph_mem.core.redaction import path_rules, privacy
from ralph_mem.core.settings.effective import DEFAULTS
from tests.folded import folded

MATCHES = [
    ("a.py", "a.py", True),
    ("src/a.py", "a.py", True),
    ("a.py", "b.py", False),
    ("a.pyc", "a.py", False),
    ("xa.py", "a.py", False),
    ("src/a.pem", "*.pem", True),
    ("pem", "*.pem", False),
    (".pem", "*.pem", True),
    ("a.pem.txt", "*.pem", False),
    ("a/b/c", "a/*/c", True),
    ("a/b/b/c", "a/*/c", False),
    ("a/b/b/c", "a/**/c", True),
    ("a/c", "a/**/c", True),
    ("x/a/c", "a/**/c", True),
    ("secret/a/b", "secret/", True),
    ("secret/a/b", "secret", True),
    ("secret/a/b", "secret/**", True),
    ("src/secret/a", "secret/", True),
    ("secrets/a", "secret/", False),
    ("secret/a", "/secret", True),
    ("src/secret/a", "/secret", False),
    ("src/a", "/src/*", True),
    ("src/a", "**", True),
    ("src/a", "**/a", True),
    ("a", "**/a", True),
    ("test_lamp_a.py", "test_*_*.py", True),
    ("test_lamp.py", "test_*_*.py", False),
    ("/etc/secret/a", "secret", True),
    ("", "*", False),
    ("ü/é.py", "ü/*.py", True),
]


@folded(("path", "pattern", "matches"), MATCHES)
def test_a_pattern_matches_as_in_gitignore(path, pattern, matches):
    assert path_rules.matches(path, pattern) is matches


@given(st.text(alphabet="ab*/."), st.text(alphabet="ab*/.", max_size=12))
@example("a" * 30, "*a" * 4 + "b")
def test_any_pattern_is_survived(path, pattern):
    assert path_rules.matches(path, pattern) in (True, False)


SECRET = (".env", "a/.env.local", "id_rsa", "id_rsa.pub", "x/server.key", ".ssh/config", "~/.aws/config", ".kube/config", "db.kdbx")
ORDINARY = ("env", "a.envy", "keys.py", "docker/config.json", "secret.py", "src/ssh/config", "environment.ts")


@folded(("path", "secret"), [(path, True) for path in SECRET] + [(path, False) for path in ORDINARY])
def test_a_file_that_holds_secrets_is_told_by_its_name(path, secret):
    assert path_rules.is_secret(path) is secret


@folded("pattern", path_rules.SECRET_FILES)
def test_a_pattern_of_secret_files_holds_what_is_looked_for_first(pattern):
    assert any(sign in pattern for sign in privacy.TELLING_FILES)


@folded(
    ("command", "touches"),
    [
        ("cat .env", True),
        ("cat '.env'", True),
        ("source config/.env && run", True),
        ("run <server.pem", True),
        ("run --key=server.pem", True),
        ("cat (.env)", True),
        ("git show HEAD:.env", True),
        ("sudo cat /etc/pgbouncer/userlist.txt", True),
        ("cat /etc/passwd", False),
        ("cat ./private/a", True),
        ("cat private/a", True),
        ("cat public/a", False),
        ("environment", False),
        ("", False),
    ],
)
def test_a_command_that_touches_a_secret_file_is_noticed(command, touches):
    assert path_rules.touches(command, {**DEFAULTS, "privacy.exclude_paths": ["private/"]}) is touches
