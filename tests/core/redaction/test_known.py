import base64
import os

import pytest

from ralph_mem.core.redaction import privacy
from tests.folded import folded

COUNT = {
    "DB_PASSWORD": "hunter2hunter",
    "ADMIN_PASS": "correct-horse-9",
    "API_KEY": "a8kd93kLmn20aaQz",
    "MY_SECRET": "spaced out 7 value",
    "SERVICE_TOKEN": "abcdefgh-ijkl-9",
    "DB_PWD": "S3cr3tS3cr3t",
}
DO_NOT_COUNT = {
    "DB_PASSWORD": "production",
    "APP_ENV_SECRET": "development",
    "AUTH_TOKEN": "localhost:5432",
    "API_KEY": "https://api.example.org/v1",
    "A_SECRET": "/run/secrets/db1",
    "B_SECRET": "./config/key1.txt",
    "C_SECRET": "C:\\keys\\key1",
    "A_TOKEN": "1234567890",
    "B_TOKEN": "db.internal.net",
    "C_TOKEN": "changeme1",
    "D_TOKEN": "${OTHER_TOKEN}",
    "E_TOKEN": "short1",
    "PWD": "/home/bob/x1y2z3",
    "OLDPWD": "h4x0rh4x0rh4x0r",
    "SSH_AUTH_SOCK": "agent.4242-abc",
    "SSH_KEY_PATH": "keys-2024-abc1",
    "KEYBOARD_MAP": "us104-intl-2b",
    "STRIPE_PUBLIC_KEY": "pk1-a8kd93kLmn20",
    "TOKENIZERS_PARALLELISM": "f4lse-f4lse",
    "EDITOR_NAME": "hunter2hunter",
}


def of_environment(**variables):
    return privacy.known_values({name.encode(): value.encode() for name, value in variables.items()}, [])


def of_file(folder, name, text):
    (folder / name).write_text(text)
    return privacy.known_values({}, [str(folder)])


@pytest.mark.parametrize("name", COUNT)
def test_the_value_of_a_secret_named_variable_counts(name):
    assert COUNT[name] in of_environment(**{name: COUNT[name]})


@folded("name", DO_NOT_COUNT)
def test_an_ordinary_value_or_name_does_not(name):
    assert of_environment(**{name: DO_NOT_COUNT[name]}) == []


def test_of_a_url_the_password_counts():
    assert of_environment(DATABASE_URL="postgres://bob:hunter2hunter@db/x")[-1] == "hunter2hunter"


def test_a_value_counts_in_its_other_spellings_longest_first():
    value = 'pa/ss"w0rd+1'
    values = of_environment(DB_PASSWORD=value)
    assert set(values) == {value, base64.b64encode(value.encode()).decode().rstrip("="), "pa%2Fss%22w0rd%2B1", 'pa/ss\\"w0rd+1'}
    assert values == sorted(values, key=len, reverse=True)


FILES = {
    ".env": "# comment\nexport DB_PASSWORD='hunter2hunter'  # why\nNODE_ENV=production\n",
    ".env.local": "HARMLESS=x\nPASSPHRASE=hunter2hunter # why\n",
    ".envrc": 'export API_TOKEN="hunter2hunter"\n',
    ".npmrc": "registry=https://registry.example.org/\n//registry.example.org/:_authToken=hunter2hunter\n",
    ".netrc": "machine x login bob password hunter2hunter\n",
    ".pypirc": "[pypi]\nusername = __token__\npassword: hunter2hunter\n",
    ".pgpass": "localhost:5432:main:bob:hunter2hunter\n",
}


@pytest.mark.parametrize("name", FILES)
def test_the_secret_in_a_file_of_secrets_counts(tmp_path, name):
    values = of_file(tmp_path, name, FILES[name])
    assert "hunter2hunter" in values
    assert "production" not in values


def test_a_random_value_in_an_env_file_counts_under_any_name(tmp_path):
    assert "a8kd93kLmn20aaQz77" in of_file(tmp_path, ".env", "SENTRY=a8kd93kLmn20aaQz77\nREGION=us-east-1-production-cluster\n")


def test_the_lines_of_a_quoted_key_count(tmp_path):
    assert "a8kd93kLmn20aaQz77" in of_file(tmp_path, ".env", 'SIGNING_KEY="begin\na8kd93kLmn20aaQz77\nend"\n')


@pytest.mark.parametrize("name", [".env.example", ".env.sample", ".env.template", ".env.dist", "env.txt"])
def test_samples_do_not_count(tmp_path, name):
    assert of_file(tmp_path, name, "DB_PASSWORD=hunter2hunter\n") == []


def test_a_file_is_read_anew_each_time(tmp_path):
    assert of_file(tmp_path, ".env", "A_SECRET=hunter2hunter\n")[-1] == "hunter2hunter"
    assert of_file(tmp_path, ".env", "A_SECRET=dragon7dragon\n")[-1] == "dragon7dragon"


def test_what_is_no_readable_file_is_passed_over(tmp_path):
    os.mkfifo(tmp_path / ".env")
    (tmp_path / ".netrc").mkdir()
    (tmp_path / ".npmrc").symlink_to("nowhere")
    (tmp_path / ".envrc").write_bytes(b"\xff\xfe A_SECRET=\xff")
    assert privacy.known_values({}, [str(tmp_path), str(tmp_path / "missing")]) == []


def test_no_more_than_64_kib_of_a_file_are_read(tmp_path):
    assert of_file(tmp_path, ".env", "#" * 65_536 + "\nA_SECRET=hunter2hunter\n") == []
