"""Makes secrets of many kinds in the shapes tool output has, from a seed. Run it to print recall and speed.

Every secret is built here from pieces and chance, so nothing in this file looks like one."""

import base64
import json
import os
import random
import string
import subprocess
import sys
import time
from collections import Counter, namedtuple
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
ALNUM = string.ascii_letters + string.digits
HEX = "0123456789abcdef"
UPPER = string.ascii_uppercase + "234567"
URL_SAFE = ALNUM + "_-"
BASE64 = ALNUM + "+/"

# A document and the secret part of it; a label is the name a token would be assigned to.
Case = namedtuple("Case", "kind group context text secret")


def some(rng, alphabet, count):
    return "".join(rng.choice(alphabet) for _ in range(count))


def uuid(rng):
    return "-".join(some(rng, HEX, n) for n in (8, 4, 4, 4, 12))


def jwt(rng):
    part = lambda value: base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")  # noqa: E731
    return ".".join((part({"alg": "HS256"}), part({"sub": some(rng, HEX, 12)}), some(rng, URL_SAFE, 43)))


def human(rng):
    word = rng.choice("hunter dragon summer monkey secretariat correct-horse qwerty football sunshine".split())
    return word + str(rng.randint(10, 9999)) + rng.choice(["", "!", "x", "horse"])


# name: (label, prefix pieces, alphabet, length); the prefix is in pieces so that no scanner takes it for a token
ISSUED = {
    "aws-key-id": ("AWS_ACCESS_KEY_ID", ("AK", "IA"), UPPER, 16),
    "aws-session-key-id": ("AWS_ACCESS_KEY_ID", ("AS", "IA"), UPPER, 16),
    "github-classic": ("GITHUB_TOKEN", ("gh", "p_"), ALNUM, 36),
    "github-oauth": ("GH_TOKEN", ("gh", "o_"), ALNUM, 36),
    "github-app": ("GH_TOKEN", ("gh", "s_"), ALNUM, 36),
    "github-fine-grained": ("GITHUB_PAT", ("github_", "pat_"), ALNUM + "_", 82),
    "gitlab": ("GITLAB_TOKEN", ("gl", "pat-"), URL_SAFE, 20),
    "gitlab-runner": ("RUNNER_TOKEN", ("gl", "rt-"), URL_SAFE, 20),
    "slack-bot": ("SLACK_BOT_TOKEN", ("xo", "xb-", "12345", "67890", "-"), ALNUM, 24),
    "slack-app": ("SLACK_APP_TOKEN", ("xa", "pp-1-A0", "123-"), HEX, 64),
    "stripe-live": ("STRIPE_SECRET_KEY", ("sk_", "live_"), ALNUM, 24),
    "stripe-restricted": ("STRIPE_KEY", ("rk_", "live_"), ALNUM, 24),
    "stripe-test": ("STRIPE_KEY", ("sk_", "test_"), ALNUM, 24),
    "google-api": ("GOOGLE_API_KEY", ("AI", "za"), URL_SAFE, 35),
    "google-oauth": ("ACCESS_TOKEN", ("ya", "29."), URL_SAFE, 60),
    "google-client": ("CLIENT_SECRET", ("GOC", "SPX-"), URL_SAFE, 28),
    "openai": ("OPENAI_API_KEY", ("sk", "-"), ALNUM, 48),
    "openai-project": ("OPENAI_API_KEY", ("sk-", "proj-"), URL_SAFE, 74),
    "anthropic": ("ANTHROPIC_API_KEY", ("sk-", "ant-api03-"), URL_SAFE, 93),
    "huggingface": ("HF_TOKEN", ("h", "f_"), ALNUM, 34),
    "npm": ("NPM_TOKEN", ("np", "m_"), ALNUM, 36),
    "pypi": ("PYPI_TOKEN", ("py", "pi-AgEIcHlwaS5vcmc"), URL_SAFE, 80),
    "sendgrid": ("SENDGRID_API_KEY", ("S", "G."), URL_SAFE, 66),
    "twilio": ("TWILIO_API_KEY", ("S", "K"), HEX, 32),
    "digitalocean": ("DIGITALOCEAN_TOKEN", ("dop", "_v1_"), HEX, 64),
    "shopify": ("SHOPIFY_TOKEN", ("shp", "at_"), HEX, 32),
    "databricks": ("DATABRICKS_TOKEN", ("da", "pi"), HEX, 32),
    "vault": ("VAULT_TOKEN", ("hv", "s."), URL_SAFE, 24),
    "age": ("AGE_KEY", ("AGE-SECRET-", "KEY-1"), UPPER, 58),
    "linear": ("LINEAR_API_KEY", ("lin", "_api_"), ALNUM, 40),
    "notion": ("NOTION_TOKEN", ("nt", "n_"), ALNUM, 46),
    "grafana": ("GRAFANA_TOKEN", ("gl", "sa_"), ALNUM, 32),
    "postman": ("POSTMAN_API_KEY", ("PM", "AK-"), HEX, 59),
    "figma": ("FIGMA_TOKEN", ("fi", "gd_"), URL_SAFE, 40),
    "doppler": ("DOPPLER_TOKEN", ("dp", ".pt."), ALNUM, 43),
    "supabase": ("SUPABASE_TOKEN", ("sb", "p_"), HEX, 40),
    "groq": ("GROQ_API_KEY", ("gs", "k_"), ALNUM, 52),
    "replicate": ("REPLICATE_API_TOKEN", ("r", "8_"), ALNUM, 37),
    "mailgun": ("MAILGUN_API_KEY", ("ke", "y-"), HEX, 32),
    "atlassian": ("JIRA_TOKEN", ("ATA", "TT3xFf"), URL_SAFE, 180),
    "new-relic": ("NEW_RELIC_KEY", ("NR", "AK-"), UPPER, 27),
    "docker-hub": ("DOCKER_TOKEN", ("dckr_", "pat_"), URL_SAFE, 27),
    "tailscale": ("TS_AUTHKEY", ("ts", "key-auth-"), ALNUM, 40),
    "planetscale": ("PSCALE_TOKEN", ("pscale_", "tkn_"), URL_SAFE, 43),
    "langsmith": ("LANGSMITH_API_KEY", ("lsv2", "_pt_"), HEX, 43),
    "tavily": ("TAVILY_API_KEY", ("tv", "ly-dev-"), ALNUM, 32),
    "apify": ("APIFY_TOKEN", ("apify", "_api_"), ALNUM, 36),
    "elevenlabs": ("ELEVENLABS_API_KEY", ("s", "k_"), HEX, 48),
    "e2b": ("E2B_API_KEY", ("e2", "b_"), HEX, 40),
    "brevo": ("BREVO_API_KEY", ("xkey", "sib-"), HEX, 64),
    "hubspot": ("HUBSPOT_TOKEN", ("pat-", "na1-"), HEX, 36),
    "heroku-new": ("HEROKU_API_KEY", ("HRKU", "-AA"), URL_SAFE, 58),
    "sonar": ("SONAR_TOKEN", ("sq", "u_"), HEX, 40),
    "sourcegraph": ("SRC_ACCESS_TOKEN", ("sg", "p_"), HEX, 40),
    "trigger": ("TRIGGER_SECRET_KEY", ("tr", "_dev_"), ALNUM, 24),
    "polar": ("POLAR_TOKEN", ("polar", "_oat_"), ALNUM, 43),
    "plaid": ("PLAID_ACCESS_TOKEN", ("access-", "production-"), HEX, 36),
    "contentful-new": ("CONTENTFUL_PAT", ("CFP", "AT-"), URL_SAFE, 43),
    "artifactory": ("ARTIFACTORY_KEY", ("AK", "Cp8"), ALNUM, 69),
    "wakatime": ("WAKATIME_API_KEY", ("wa", "ka_"), HEX, 36),
}

# Known only by the name before them: label and maker.
LABELLED = {
    "aws-secret": ("AWS_SECRET_ACCESS_KEY", lambda r: some(r, BASE64, 40)),
    "azure-account": ("AZURE_ACCOUNT_KEY", lambda r: some(r, BASE64, 86) + "=="),
    "env-strong": ("APP_SECRET", lambda r: some(r, ALNUM, 32)),
    "env-weak": ("DB_PASSWORD", human),
    "env-hex": ("ENCRYPTION_KEY", lambda r: some(r, HEX, 64)),
    "env-base64": ("SESSION_SECRET", lambda r: base64.b64encode(r.randbytes(32)).decode()),
    "env-uuid": ("CLIENT_SECRET", uuid),
    "discord-label": (
        "DISCORD_TOKEN",
        lambda r: "M" + some(r, ALNUM, 23) + "." + some(r, URL_SAFE, 6) + "." + some(r, URL_SAFE, 30),
    ),
    "cloudflare": ("CLOUDFLARE_API_TOKEN", lambda r: some(r, URL_SAFE, 40)),
    "twilio-auth": ("TWILIO_AUTH_TOKEN", lambda r: some(r, HEX, 32)),
}

# Never used for tuning the rules: shapes without a prefix that the table knows.
HELD_OUT = {
    "algolia": ("ALGOLIA_API_KEY", lambda r: some(r, HEX, 32)),
    "datadog": ("DD_API_KEY", lambda r: some(r, HEX, 32)),
    "heroku": ("HEROKU_API_KEY", uuid),
    "circleci": ("CIRCLECI_TOKEN", lambda r: some(r, HEX, 40)),
    "okta": ("OKTA_API_TOKEN", lambda r: "00" + some(r, URL_SAFE, 40)),
    "asana": ("ASANA_TOKEN", lambda r: "1/" + some(r, "0123456789", 16) + ":" + some(r, HEX, 32)),
    "fastly": ("FASTLY_API_TOKEN", lambda r: some(r, URL_SAFE, 32)),
    "trello": ("TRELLO_TOKEN", lambda r: some(r, HEX, 64)),
    "zendesk": ("ZENDESK_API_TOKEN", lambda r: some(r, ALNUM, 40)),
    "pagerduty": ("PAGERDUTY_API_KEY", lambda r: "u+" + some(r, URL_SAFE, 18)),
    "auth0": ("AUTH0_CLIENT_SECRET", lambda r: some(r, URL_SAFE, 64)),
    "dropbox": ("DROPBOX_TOKEN", lambda r: "sl." + some(r, URL_SAFE, 64)),
    "contentful": ("CONTENTFUL_TOKEN", lambda r: some(r, URL_SAFE, 43)),
    "snyk": ("SNYK_TOKEN", uuid),
    "jenkins": ("JENKINS_API_TOKEN", lambda r: "11" + some(r, HEX, 32)),
}


def pem(label, rng, width=64):
    body = some(rng, BASE64, 64 * 12 + 22) + "=="
    lines = [body[at : at + width] for at in range(0, len(body), width)]
    return f"-----BEGIN {label}-----", lines, f"-----END {label}-----"


def whole_pem(label):
    def make(rng):
        header, lines, footer = pem(label, rng)
        return "\n".join([header, *lines, footer]), "".join(lines)

    return make


def torn_pem(keep):
    def make(rng):
        header, lines, footer = pem("RSA PRIVATE " + "KEY", rng)
        parts = {"head": [header, *lines[:7]], "tail": [*lines[5:], footer]}
        kept = {"head": lines[:7], "tail": lines[5:]}
        return "\n".join(parts[keep]), "".join(kept[keep])

    return make


def google_json(rng):
    header, lines, footer = pem("PRIVATE " + "KEY", rng)
    return json.dumps({"type": "service_account", "private_key": "\n".join([header, *lines, footer, ""]), "id": 1}), "".join(lines)


def url(scheme):
    def make(rng):
        password = rng.choice([some(rng, ALNUM, 16), some(rng, ALNUM + "!$*-_.~", 20), human(rng)])
        return f"{scheme}://app:{password}@db.internal:5432/main?x=1", password

    return make


def with_value(form, maker):
    def make(rng):
        value = maker(rng)
        return form.format(value), value

    return make


def docker_auth(rng):
    value = base64.b64encode(f"robot:{some(rng, ALNUM, 20)}".encode()).decode()
    return json.dumps({"auths": {"registry.io": {"auth": value}}}), value


def kubernetes(rng):
    value = base64.b64encode(some(rng, ALNUM, 24).encode()).decode()
    return f"kind: Secret\ndata:\n  password: {value}\n", value


def basic(rng):
    value = base64.b64encode(f"bob:{some(rng, ALNUM, 18)}".encode()).decode()
    return f"Authorization: Basic {value}", value


def terraform(rng):
    value = ".atlas" + "v1." + some(rng, URL_SAFE, 67)
    return some(rng, ALNUM, 14) + value, value


def telegram(rng):
    value = "A" + some(rng, URL_SAFE, 33)
    return f"123456789:A{value}", value


def discord(rng):
    return "M" + some(rng, ALNUM, 23) + "." + some(rng, URL_SAFE, 6) + "." + some(rng, URL_SAFE, 30)


def aws_pair(rng):
    value = some(rng, BASE64, 40)
    return "AK" + "IA" + some(rng, UPPER, 16) + "," + value, value


def strong(rng):
    return some(rng, ALNUM, 32)


KEY = "PRIVATE " + "KEY"
WRITTEN = {
    **{f"url-{scheme}": ("url", url(scheme)) for scheme in "postgres mysql mongodb+srv redis amqp https mssql ftp".split()},
    "pem-rsa": ("pem", whole_pem("RSA " + KEY)),
    "pem-ec": ("pem", whole_pem("EC " + KEY)),
    "pem-dsa": ("pem", whole_pem("DSA " + KEY)),
    "pem-openssh": ("pem", whole_pem("OPENSSH " + KEY)),
    "pem-pkcs8": ("pem", whole_pem(KEY)),
    "pem-encrypted": ("pem", whole_pem("ENCRYPTED " + KEY)),
    "pem-pgp": ("pem", whole_pem("PGP " + KEY + " BLOCK")),
    "pem-torn-head": ("pem", torn_pem("head")),
    "pem-torn-tail": ("pem", torn_pem("tail")),
    "google-json": ("pem", google_json),
    "jwt": ("prefix", with_value("{}", jwt)),
    "slack-hook": (
        "prefix",
        with_value("https://hooks." + "slack.com/services/T01234567/B01234567/{}", lambda r: some(r, ALNUM, 24)),
    ),
    "discord-hook": (
        "prefix",
        with_value("https://discord.com/api/" + "webhooks/12345678901234567/{}", lambda r: some(r, URL_SAFE, 68)),
    ),
    "terraform": ("prefix", terraform),
    "telegram": ("prefix", telegram),
    "discord-bot": ("prefix", with_value("{}", discord)),
    "aws-pair": ("prefix", aws_pair),
    "bearer": ("grammar", with_value("Authorization: Bearer {}", strong)),
    "basic": ("grammar", basic),
    "token-header": ("grammar", with_value("Authorization: Token {}", strong)),
    "x-api-key": ("grammar", with_value("X-Api-Key: {}", strong)),
    "private-token": ("grammar", with_value("PRIVATE-TOKEN: {}", strong)),
    "curl-header": ("grammar", with_value("curl -sH 'Authorization: Bearer {}' https://api.x.io/v1", strong)),
    "curl-user": ("grammar", with_value("curl -u bob:{} https://api.x.io/v1", human)),
    "cookie": ("grammar", with_value("Cookie: theme=dark; sessionid={}", strong)),
    "set-cookie": ("grammar", with_value("Set-Cookie: sid={}; Path=/; HttpOnly", strong)),
    "flag": ("grammar", with_value("deploy --user bob --password {} --force", human)),
    "flag-equals": ("grammar", with_value("deploy --token={} --force", strong)),
    "mysql-flag": ("grammar", with_value("mysql -u root -p'{}' main", human)),
    "sshpass": ("grammar", with_value("sshpass -p '{}' ssh bob@host", human)),
    "netrc": ("grammar", with_value("machine api.x.io\n  login bob\n  password {}\n", human)),
    "netrc-line": ("grammar", with_value("machine api.x.io login bob password {}", human)),
    "docker-auth": ("grammar", docker_auth),
    "npmrc": ("grammar", with_value("//registry.example.org/:_auth" + "Token={}", strong)),
    "kubernetes": ("grammar", kubernetes),
    "connection-string": ("grammar", with_value("Server=db;Database=x;User Id=sa;Password={};Encrypt=true", human)),
    "azure-connection": (
        "grammar",
        with_value("AccountName=x;Account" + "Key={}==;EndpointSuffix=core", lambda r: some(r, BASE64, 86)),
    ),
    "azure-sas": ("grammar", with_value("https://x.blob.core/y?sv=2022-11-02&sp=r&sig={}%3D", lambda r: some(r, ALNUM, 43))),
    "query-token": ("grammar", with_value("GET /v1/items?page=2&access_token={}&x=1", strong)),
    "manifest-env": ("grammar", with_value("- name: DB_PASSWORD\n  value: {}\n", human)),
}


def camel(label):
    first, *rest = label.lower().split("_")
    return first + "".join(word.title() for word in rest)


ASSIGNMENTS = {
    "env": lambda n, v: f"{n}={v}",
    "export": lambda n, v: f"export {n}='{v}'",
    "json": lambda n, v: json.dumps({"id": 7, n.lower(): v, "on": True}, indent=1),
    "camel-json": lambda n, v: json.dumps({camel(n): v}),
    "yaml": lambda n, v: f"app:\n  {n.lower()}: {v}\n  port: 80\n",
    "yaml-quoted": lambda n, v: f'  {n.lower().replace("_", "-")}: "{v}"',
    "python": lambda n, v: f'{n} = "{v}"  # do not commit',
    "python-default": lambda n, v: f'def connect(host, {n.lower()}="{v}", port=1):',
    "python-typed": lambda n, v: f'    {n.lower()}: str = "{v}"',
    "environ": lambda n, v: f'os.environ["{n}"] = "{v}"',
    "javascript": lambda n, v: f"const {camel(n)} = '{v}';",
    "ruby": lambda n, v: f":{n.lower()} => '{v}',",
    "ansi": lambda n, v: f"\x1b[1;32m{n}\x1b[0m=\x1b[33m{v[:6]}\x1b[0m\x1b[33m{v[6:]}\x1b[0m",
    "json-in-json": lambda n, v: json.dumps({"body": json.dumps({n.lower(): v, "a": [1]})}),
    "json-twice": lambda n, v: json.dumps({"log": json.dumps({"body": json.dumps({n: v})})}),
    "log": lambda n, v: f"2026-02-03T10:11:12Z INFO loaded {n.lower()}={v} from vault",
    "diff-plus": lambda n, v: f"@@ -1,2 +1,2 @@\n-{n}=\n+{n}={v}\n context",
    "diff-minus": lambda n, v: f'-  "{n.lower()}": "{v}",\n+  "{n.lower()}": "",',
    "curl": lambda n, v: f'curl -H "X-{n.title().replace("_", "-")}: {v}" https://x.io',
    "docker": lambda n, v: f"docker run -e {n}={v} -p 80:80 app:latest",
    "dockerfile": lambda n, v: f"ENV {n} {v}",
    "toml": lambda n, v: f'[app]\n{n.lower()} = "{v}"',
}
BARE = {
    "alone": lambda v: v,
    "sentence": lambda v: f"I tried {v} and it works now.",
    "quoted": lambda v: f'client.login("{v}")',
    "log": lambda v: f"2026-02-03 10:11:12 DEBUG using {v}\n",
    "ansi": lambda v: f"\x1b[32m{v[:9]}\x1b[1m{v[9:]}\x1b[0m",
    "diff": lambda v: f"-old\n+{v}\n",
    "json-in-json": lambda v: json.dumps({"b": json.dumps({"lines": f"first\n{v}\nlast"})}),
}
WRAPPINGS = {
    "alone": lambda t: t,
    "indented": lambda t: "\n".join("    " + line for line in t.split("\n")),
    "after-text": lambda t: f"$ cat file\n{t}\n$ echo done\n",
    "diff": lambda t: "@@ -0,0 +1 @@\n" + "\n".join("+" + line for line in t.split("\n")),
    "json": lambda t: json.dumps({"stdout": t, "stderr": ""}),
    "ansi": lambda t: "\n".join(f"\x1b[36m{line}\x1b[0m" for line in t.split("\n")),
    "numbered": lambda t: "\n".join(f"{at:6d}\t{line}" for at, line in enumerate(t.split("\n"), 1)),
}


def cases(seed):
    """Yield all kinds in all their contexts."""
    rng = random.Random(seed)
    for kind, (label, pieces, alphabet, length) in ISSUED.items():
        for name, form in ASSIGNMENTS.items():
            body = some(rng, alphabet, length)
            yield Case(kind, "prefix", name, form(label, "".join(pieces) + body), body)
        for name, form in BARE.items():
            body = some(rng, alphabet, length)
            yield Case(kind, "prefix", "bare-" + name, form("".join(pieces) + body), body)
    for kind, (label, maker) in LABELLED.items():
        for name, form in ASSIGNMENTS.items():
            value = maker(rng)
            yield Case(kind, "labelled", name, form(label, value), value)
    for kind, (group, maker) in WRITTEN.items():
        for name, form in WRAPPINGS.items():
            text, secret = maker(rng)
            yield Case(kind, group, name, form(text), secret)


def held_out(seed):
    """Yield kinds that no rule was tuned on, with and without a label."""
    rng = random.Random(seed)
    for kind, (label, maker) in HELD_OUT.items():
        for name, form in ASSIGNMENTS.items():
            value = maker(rng)
            yield Case(kind, "held-out labelled", name, form(label, value), value)
        for name, form in BARE.items():
            value = maker(rng)
            yield Case(kind, "held-out bare", name, form(value), value)


def passed(redact, case, known=()):
    """Return what redaction leaves of a case."""
    text, _ = redact.drop_blocks(redact.clean(case.text))
    return redact.redact(text, list(known))[0]


def survives(secret, text, piece=8):
    """Say whether a piece of eight characters of a secret, or all of a shorter one, is still in a text."""
    pieces = {secret[at : at + piece] for at in range(max(1, len(secret) - piece + 1))}
    return any(part in text for part in pieces)


def ordinary(rng):
    """Return harmless texts that look a little like secrets, by name."""
    names = ["left-pad", "@types/node", "react-dom", "tokenizers", "keyv", "passport"]

    def sha(size=40):
        return some(rng, HEX, size)

    def b64(size):
        return base64.b64encode(rng.randbytes(size)).decode()

    def name():
        return rng.choice(names)

    code = [
        "token{0} = next(tokens)", "key=lambda row: row.key{0}", "self.password = config.password{0}",
        "api_key: Optional[str] = None",
        'password = os.environ["DB_PASSWORD{0}"]', 'secret = get_secret("db/main{0}")', "if token == TOKEN_{0}: pass",
        "def password_reset(token_{0}: str) -> Key{0}:", "primary_key=Column{0}(id)", "token: ${{API_TOKEN_{0}}}",
        "API_KEY=your-api-key-{0}",
    ]  # fmt: skip
    return {
        "git log": "\n".join(f"{sha()} Fix the token bucket of {name()} (#{at})" for at in range(200)),
        "uuids": "\n".join(f"request {uuid(rng)} took {at} ms" for at in range(200)),
        "package-lock": "\n".join(
            f'    "node_modules/{name()}": {{\n      "version": "1.{at}.0",\n      "resolved": "https://registry.example.org/'
            f'{name()}/-/x-1.{at}.0.tgz",\n      "integrity": "sha512-{b64(64)}",'
            for at in range(100)
        ),
        "go.sum": "\n".join(f"github.com/x/{name()} v1.{at}.0 h1:{b64(32)}" for at in range(200)),
        "uv.lock": "\n".join(
            f'    {{ url = "https://files.x.org/a-{at}.whl", hash = "sha256:{sha(64)}", size = {at} }},' for at in range(200)
        ),
        "Cargo.lock": "\n".join(f'[[package]]\nname = "{name()}"\nchecksum = "{sha(64)}"' for at in range(200)),
        "image": f'<img src="data:image/png;base64,{b64(30000)}">',
        "certificate": "-----BEGIN CERTIFICATE-----\n" + "\n".join(b64(48) for _ in range(60)) + "\n-----END CERTIFICATE-----",
        "public key": "-----BEGIN PUBLIC KEY-----\n" + "\n".join(b64(48) for _ in range(6)) + "\n-----END PUBLIC KEY-----",
        "ssh public key": "\n".join(f"ssh-rsa AAAAB3NzaC1yc2E{b64(300)} bob@host{at}" for at in range(20)),
        "pytest": "\n".join(f"tests/test_auth.py::test_token_{at}_is_refused[key{at}-pass] PASSED [ {at}%]" for at in range(200)),
        "jest": "\n".join(
            f"  ✓ resets the password within {at} ms (token: valid) ({at} ms)\nPASS src/key{at}.test.ts" for at in range(200)
        ),
        "usage": "\n".join(f'{{"input_tokens": {at * 997}, "max_tokens": 4096, "cache_key": "{sha()}"}}' for at in range(200)),
        "code": "\n".join(line.format(at) for at in range(60) for line in code),
    }


def fresh_interpreter(code):
    """Run code as the client runs a hook, with the repository's root as its only argument."""
    order = [sys.executable, "-I", "-S", "-c", code, str(ROOT)]
    return subprocess.run(order, capture_output=True, text=True, check=True, timeout=30)


def main(seed):
    sys.path.insert(0, str(ROOT))
    from ralph_mem.core.redaction import gate as redact

    print(f"seed {seed}")
    print_recall(redact, seed)
    print_false_hits(redact, seed)
    print_speed(redact)


def print_recall(redact, seed):
    caught, all_ = Counter(), Counter()
    for case in [*cases(seed), *held_out(seed)]:
        all_[case.group] += 1
        if not survives(case.secret, passed(redact, case)):
            caught[case.group] += 1
        elif case.group != "held-out bare":
            print("    missed", case.group, case.kind, case.context)
    for group, number in all_.items():
        print(f"  {group:18} {caught[group]} of {number} = {caught[group] / number:.4f}")


def print_false_hits(redact, seed):
    for name, text in ordinary(random.Random(seed)).items():
        pieces = [text[at : at + 4096] for at in range(0, len(text), 4096)]
        _, counts = redact.redact(redact.drop_blocks(redact.clean(text))[0])
        print(f"  {name:18} {sum(map(redact.trips, pieces))} of {len(pieces)} pieces trip, false hits {counts or 0}")


def print_speed(redact):
    def everything(text):
        return redact.redact(redact.drop_blocks(redact.clean(text))[0])

    source = Path(os.__file__).read_text("utf-8")[:4096]
    log = "tests/memory/store/test_connection.py::test_a_row_is_written PASSED  [ 12%]\n" * 64
    for name, text in {"log": log, "source": source, "tripping": "DB_PASSWORD=hunter22x\n" + source}.items():
        gate, whole = micros(redact.trips, text[:4096]), micros(everything, text[:4096])
        print(f"  {name:18} trips {redact.trips(text)}, gate {gate:.0f} us, everything {whole:.0f} us per 4 KiB")


def micros(call, text):
    """Return the microseconds that a call takes, the best of many."""
    return min(_seconds(call, text) for _ in range(300)) * 1e6


def _seconds(call, text):
    start = time.perf_counter()
    call(text)
    return time.perf_counter() - start


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1)
