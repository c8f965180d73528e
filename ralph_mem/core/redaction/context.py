"""Find secrets without a shape of their own by the words around them or by decoding them.

It runs where nobody waits, and where text leaves; a row that it has seen has the scan level `stored.LONG_LIST`.
"""

import binascii

from ralph_mem.core.redaction import gate
from ralph_mem.core.redaction import spans as secret_spans
from ralph_mem.core.redaction.passwords import is_generated
from ralph_mem.core.redaction.values import DIGITS, LETTERS, SYMBOLS, is_called_so, is_filler, is_plain, looks_random

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Who issues what looks like any other hash: 32, 40 or 64 hexadecimal digits, a UUID, or letters without a prefix.
ISSUERS = (
    "adafruit adyen aiven airbrake airtable algolia alchemy amplitude anthropic asana atlassian auth0 azure"
    " beamer binance bitbucket bittrex bitly bugsnag buildkite calendly chargebee circleci clickup clojars cloudflare"
    " cloudinary codecov codeclimate cohere coinbase confluent consul contentful coveralls databricks datadog deepgram"
    " deepl digitalocean discord docusign drone dropbox dynatrace elastic etherscan etsy eventbrite exa facebook fastly"
    " figma finicity finnhub flickr flutterwave foursquare freshbooks freshdesk fullstory giphy gitea gitter gocardless"
    " grafana harbor helpscout heroku hetzner honeybadger honeycomb hubspot infura intercom ipinfo jenkins jfrog"
    " artifactory jira klaviyo kraken kucoin launchdarkly linkedin linode linear logdna loggly logzio looker mailchimp"
    " mailgun mailjet mapbox mattermost messagebird miro mistral mixpanel monday moralis netlify newrelic nexmo nexus"
    " nomics notion npm nytimes okta onesignal openai openweather optimizely ovh pagerduty papertrail paypal percy pexels"
    " pinecone pipedrive plaid plivo postman postmark pubnub pusher qdrant quay railway readme reddit render replicate"
    " rollbar salesforce scaleway segment sendbird sendgrid sentry shippo shodan shopify signalfx slack snowflake snyk"
    " sonar sourcegraph sparkpost splunk spotify square statuspage strava stripe sumologic supabase tavily teamcity telegram"
    " telnyx todoist travis trello twilio twitch twitter typeform unsplash upstash vercel virustotal vonage vultr wakatime"
    " weatherapi weaviate webflow wepay woocommerce wordpress yandex zendesk zeplin zoho zoom"
).split()
CREDENTIALS = (
    "api key", "api-key", "api_key", "apikey", "token", "secret", "password", "passphrase", "credential", "access key",
    "access-key", "account key", "private key", "signing key", "license key", "service key", "app key", "auth key", "client key",
    "bearer", "pat ", "key is", "key:", "log in with", "login with", "webhook key", "master key", "integration key",
)  # fmt: skip
# What says in prose that the word behind it is the credential named before: "the token for CI is X".
LINKS = ("is", "was", "be", "to", "with", "use", "using", "it's", "this", "new", "old", "->", "=>", "=", ":", "→", "-", "|")
# A paragraph with one of these speaks of access, and the word behind one of those is pointed at: "you get in with X".
OF_ACCESS = (
    "pass", "credential", "log in", "login", "log on", "sign in", "get in", "unlock", "unpack", "unzip",
    "account", "prompt with", "token", "secret", "keepass", "vault", "ldap", "wifi", "vpn", "zugang", "anmeld", "kennwort", "parol",
    "contrase", "senha", "mot de passe", "coffre", "wachtwoord", "hasł", "heslo", "lösenord", "clave",
)  # fmt: skip
POINTING = frozenset(
    "is are now to with try need use using enter type it be as mit ist lautet nun jetzt est maintenant avec es ahora con é agora"
    " com è ora nu met jest teraz je nyní är".split()
)
LONGEST_PARAGRAPH, FEWEST_WORDS, SHARE_OF_WORDS = (
    2000,
    8,
    0.6,
)  # characters, and of a sentence: code has fewer words of letters alone
SHORTEST_POINTED, LONGEST_POINTED = 8, 40
AROUND = ",;:!?.`\"'“”„«»()[]*"
BEFORE, AFTER = 120, 60
FLOOR = 20
HEX_SIZES = (32, 40, 64)
LONGEST_ENCODED = 8192
HEX = frozenset(DIGITS + "abcdefABCDEF")
BASE64 = frozenset(LETTERS + DIGITS + "+/-_=")
WORD_BYTES = bytes([code if chr(code) in LETTERS + DIGITS + "_-+/.%~" else 32 for code in range(256)])
BASE64_BYTES = bytes([code if chr(code) in BASE64 else 32 for code in range(256)])


def redact_whole(text: str, known: "Sequence[str]" = (), patterns: "Sequence[str]" = ()) -> "tuple[str, dict[str, int]]":
    """Replace what `gate.redact` does, what its rules find in texts without a sign of a secret, and what the long list finds."""
    return secret_spans.redact(text, known, patterns, lambda piece: gate.by_all_rules(piece) + find(piece))


def redact_more(text: str) -> str:
    """Replace what the long list finds in a text that the rules have been through."""
    return secret_spans.redact(text, (), (), find)[0]


NEAR = 24  # characters before a word in which it is named
OPEN_NAMES = ("public key", "publickey", "public_key", "from key: ", "cache key", "fingerprint")  # of what everybody may read


def find(text: str) -> "list[tuple[int, int, str]]":
    """Find the spans (start, end, kind) of secrets that are told by their neighbours or by what they decode to."""
    folded = gate.fold(text)
    return _beside_names(text, folded) + _pointed_at(text, folded) + _encoded(text) + _escaped(text)


def _pointed_at(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find passwords at which a sentence points, in a paragraph that speaks of access on any of its lines."""
    spans, at = [], 0
    for paragraph in text.split("\n\n"):
        said = folded[at : at + len(paragraph)]
        if len(paragraph) <= LONGEST_PARAGRAPH and any([word in said for word in OF_ACCESS]) and _is_prose(paragraph):
            spans += [(at + start, at + end, "password") for start, end in _made_up(paragraph)]
        at += len(paragraph) + 2
    return spans


def _is_prose(paragraph: str) -> bool:
    words = paragraph.split()
    return len(words) >= FEWEST_WORDS and sum([word.strip(AROUND).isalpha() for word in words]) >= SHARE_OF_WORDS * len(words)


def _made_up(paragraph: str) -> "list[tuple[int, int]]":
    found, at, before = [], 0, ""
    for word in paragraph.split():
        at = paragraph.index(word, at)
        value = word.strip(AROUND)
        if before.strip(AROUND).lower() in POINTING and _is_made_up(value):
            start = at + word.index(value)
            found.append((start, start + len(value)))
        at, before = at + len(word), word
    return found


def _is_made_up(value: str) -> bool:
    """Say whether a word has capitals, small letters and digits, and signs or changes that hardly a name or a version has."""
    if not SHORTEST_POINTED <= len(value) <= LONGEST_POINTED or is_filler(value) or is_plain(value) or is_called_so(value):
        return False
    if value.lower() == value or value.upper() == value or not any([char in DIGITS for char in value]):
        return False
    if any([sign in value for sign in "/\\=<>{}|($%"]) or not value.isascii():
        return False
    if any([sign in value for sign in SYMBOLS]):
        return True
    from ralph_mem.core.redaction import vocabulary  # lazy: only for a word that a sentence points at

    parts = value.replace("-", ".").replace("_", ".").split(".")
    is_product = all([part[:1].isupper() or part.isdigit() for part in parts])  # `Ubuntu-22.04`
    is_one = is_generated("".join(parts), SHORTEST_POINTED) or (len(parts) > 1 and vocabulary.stands_out(value))
    return is_one and not (is_product and len(parts) > 1)


def _words(text: str, table: bytes) -> "list[tuple[int, int]]":
    """Return start and end of every word of at least FLOOR characters."""
    masked = text.encode("latin-1", "replace").translate(table)  # one byte for a character, so positions hold
    words = []
    end = 0
    for word in masked.split():
        start = masked.find(word, end)
        end = start + len(word)
        if len(word) >= FLOOR:
            words.append((start, end))
    return words


def _beside_names(text: str, folded: str) -> "list[tuple[int, int, str]]":
    spans = []
    for start, end in _words(text, WORD_BYTES):
        token = text[start:end].rstrip("./")  # the end of a sentence
        if len(token) >= FLOOR and _may_be_issued(token) and _is_announced(token, folded, start, start + len(token)):
            spans.append((start, start + len(token), "issued-key"))
    return spans


def _may_be_issued(token: str) -> bool:
    if token.count("/") > 2 or is_filler(token) or token.startswith(("sha1-", "sha256-", "sha384-", "sha512-")):
        return False
    return _is_hash_like(token) or (looks_random(token) and any([digit in token for digit in DIGITS]))


def _is_hash_like(token: str) -> bool:
    """Say whether a word is what commits, checksums and requests are named by as well."""
    bare = token.replace("-", "")
    return len(bare) in HEX_SIZES and HEX.issuperset(bare) and (bare == token or [*map(len, token.split("-"))] == [8, 4, 4, 4, 12])


def _is_announced(token: str, folded: str, start: int, end: int) -> bool:
    line_start = max(folded.rfind("\n", 0, start) + 1, start - BEFORE)
    line_end = folded.find("\n", end)
    before = _without_paths(folded[line_start:start])
    after = _without_paths(folded[end : min(end + AFTER, line_end if line_end >= 0 else len(folded))])
    named = max([before.rfind(name) + len(name) for name in CREDENTIALS if name in before], default=-1)
    is_call = folded[end : end + 1] in ("(", "[")
    if is_call or (named < 0 and not any([name in after for name in CREDENTIALS])):
        return False
    if before.rstrip(" =:\"'").endswith("model"):  # `--model gpt-5-mini-2031-02-03`
        return False
    if "arn:" in before.rpartition(" ")[2] or any([word in before[-NEAR:] for word in OPEN_NAMES]):
        return False
    words = set("".join([char if char.isalnum() else " " for char in before + " " + after]).split())
    if not words.isdisjoint(ISSUERS):
        return not any([word in words for word in ("commit", "sha256", "sha1", "md5", "checksum", "digest", "integrity", "etag")])
    return named >= 0 and not _is_hash_like(token) and _is_linked(before[named:])


def _without_paths(text: str) -> str:
    return " ".join([word for word in text.split(" ") if "/" not in word])  # lists of files stand beside their checksums


def _is_linked(between: str) -> bool:
    """Say whether what stands between a credential's name and a word says that the word is it."""
    if any([char in between for char in "(){}[];,<>"]) or "." in between.strip(" ."):
        return False
    words = between.strip(" \t\"'`*_").split() or [":"]
    return len(words) <= 6 and words[-1].strip("\"'`*") in LINKS


def _encoded(text: str) -> "list[tuple[int, int, str]]":
    """Find base64 in which a hook would have found a secret."""
    spans = []
    for start, end in _words(text, BASE64_BYTES):
        if end - start <= LONGEST_ENCODED and _hides(_decoded(text[start:end])):
            spans.append((start, end, "encoded"))
    return spans


def _decoded(word: str) -> str:
    """Return the readable text that a word stands for in base64, or nothing."""
    word = word.rstrip("=").replace("-", "+").replace("_", "/")
    word = word.rpartition("=")[2]  # NAME=d29yZA==
    if len(word) < FLOOR - 4 or len(word) % 4 == 1:
        return ""
    try:
        text = binascii.a2b_base64(word + "=" * (-len(word) % 4)).decode()
    except ValueError:
        return ""
    return text if text.replace("\n", "").replace("\t", "").replace("\r", "").isprintable() else ""


def _escaped(text: str) -> "list[tuple[int, int, str]]":
    """Find percent-encoded words in which a hook would have found a secret."""
    spans = []
    at = text.find("%")
    while at >= 0:
        start = at - _run(text[max(0, at - 200) : at][::-1])
        end = at + _run(text[at : at + LONGEST_ENCODED])
        if text.count("%", start, end) > 1 and _hides(_unquoted(text[start:end])):
            spans.append((start, end, "encoded"))
        at = text.find("%", max(end, at + 1))
    return spans


def _run(text: str) -> int:
    """Return how many characters stand before the first blank or quotation mark."""
    ends = [text.find(stop) for stop in " \t\n\"'`<>\\"]
    return min([end for end in ends if end >= 0], default=len(text))


def _unquoted(word: str) -> str:
    first, *rest = word.encode("utf-8", "replace").split(b"%")
    pieces = [first]
    for part in rest:
        try:
            pieces += [binascii.a2b_hex(part[:2]), part[2:]]
        except ValueError:
            pieces += [b"%", part]
    return b"".join(pieces).decode("utf-8", "replace")


def _hides(text: str) -> bool:
    return bool(text) and "\ufffd" not in text and gate.trips(text) and bool(gate.redact(text)[1])
