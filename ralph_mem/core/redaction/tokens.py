"""Find secrets by their own shape, such as prefixes, web hooks and passwords in URLs. The providers publish these."""

from ralph_mem.core.redaction.names import DIGITS, LETTERS, is_filler, looks_random

ALNUM = LETTERS + DIGITS
WORD = ALNUM + "_"
DASH = WORD + "-"
DOT = DASH + "."
BASE64 = WORD + "-+/="
HEX = DIGITS + "abcdefABCDEF"
UPPER = LETTERS[26:] + DIGITS
TELLING = 512
SHORTEST_PASSWORD = 4  # in an address; shorter ones are those of manuals
WRAPPED = 48

# Prefixes, what may follow them, at least how much of it, and the kind.
SHAPES = (
    ("AKIA ASIA ABIA ACCA", UPPER, 16, "aws-key"),
    ("ghp_ gho_ ghu_ ghs_ ghr_ github_pat_", WORD, 20, "github-token"),
    ("glpat- gldt- glrt- glcbt- glptt- glft- glimt- glagent- gloas- glsoat- glffct-", DOT, 16, "gitlab-token"),
    ("xoxb- xoxp- xoxa- xoxs- xoxr- xoxe- xoxe. xoxo- xoxc- xoxd- xapp-", DOT, 16, "slack-token"),
    ("sk_live_ rk_live_ sk_test_ rk_test_ whsec_ sk_prod_", WORD, 16, "stripe-key"),
    ("AIza", DASH, 30, "google-key"),
    ("ya29. GOCSPX-", DOT, 20, "google-token"),
    ("sk-proj- sk-svcacct- sk-admin- sk-or-v1- sk-lf- sk-ant- xai- pplx- gsk_ nvapi- fw_ tgp_v1_ csk-", DASH, 16, "model-key"),
    ("hf_ api_org_ r8_ jina_ pcsk_", WORD, 28, "model-key"),
    ("npm_ rubygems_ pypi- pnu_", DASH, 30, "registry-token"),
    ("cio dapi", ALNUM, 32, "registry-token"),
    ("sk-", ALNUM, 20, "model-key"),
    ("SG.", DOT, 40, "sendgrid-key"),
    ("SK", HEX, 32, "twilio-key"),
    ("key- pul-", HEX, 32, "api-key"),
    ("eyJ", DOT + "=", 30, "jwt"),
    ("dop_v1_ doo_v1_ dor_v1_ lin_api_ lin_oauth_ ntn_ secret_ sbp_ sb_secret_", DASH, 24, "api-key"),
    ("figd_ figu_ nfp_ phx_ re_ bkua_", DASH, 24, "api-key"),
    ("shpat_ shpss_ shpca_ shppa_ dckr_pat_ dckr_oat_ pscale_tkn_ pscale_pw_ pscale_oauth_ CCIPAT_", DOT, 20, "api-key"),
    ("glsa_ glc_ PMAK- PMAT- NRAK- NRJS- NRII- tskey- sq0atp- sq0csp- FLWSECK rzp_live_ ATATT3 ATCTT3 ATBB", BASE64, 20, "api-key"),
    ("dp.pt. dp.st. dp.ct. dp.sa. dp.scim. hvs. hvb. hvr. dt0c01. amzn.mws. v1.0-", DOT, 20, "api-key"),
    ("sntrys_ sntryu_ fo1_ fm1r_ fm2_ ops_eyJ ATCTT EZAK EZTK shippo_live_ LTAI AKID EAAA", BASE64, 28, "api-key"),
    ("AGE-SECRET-KEY-1", UPPER, 40, "age-key"),
    ("sk_ pk_ fc- e2b_ ico- sqp_ squ_ sqa_ sgp_ p8e-", HEX, 32, "api-key"),
    ("lsv2_pt_ lsv2_sk_ tvly- apify_api_ bb_live_ esecret_ wandb_v1_ BSA vtwn_ napi_ rnd_", WORD + "-", 28, "model-key"),
    ("xkeysib- xsmtpsib- pat-na1- pat-eu1- CFPAT- APP_USR- HRKU-AA rdme_ oy2 tfp_ fio-u- WPL_AP1.", DOT, 32, "api-key"),
    ("duffel_live_ duffel_test_ access-production- access-sandbox- rzp_test_ xnd_production_", DASH, 30, "api-key"),
    ("AQVN AKCp tk-us- sm_pat_ zpka_ dnkey- persona_production_ polar_oat_ polar_pat_ rootly_ KEY01 bkct_", DASH, 32, "api-key"),
    ("secret-live- secret-test- ddp_ ddo_ sk_dev_ phs_ pdl_live_ pdl_sdbx_", DASH, 20, "api-key"),
    ("API-", UPPER, 26, "api-key"),
    ("tr_dev_ tr_prod_ tr_preview_ tr_stg_", ALNUM, 20, "api-key"),
    ("sdk- api- waka_", HEX + "-", 36, "api-key"),
    ("sl. xnd_development_", DASH, 60, "api-key"),
    ("EAAB EAAC EAAD EAAG EAAM EAAL", ALNUM, 60, "api-key"),
)  # fmt: skip
# Beginnings of ordinary words and names too: what follows must besides look random, or be one piece with a digit.
COMMON = frozenset(
    "sk- cio dapi SK key- pul- re_ fw_ hf_ npm_ r8_ pypi- secret_ xai- eyJ EAAA EZAK EZTK LTAI AKID ATBB fo1_ v1.0- pnu_"
    " csk- sk_ pk_ fc- ico- p8e- BSA napi_ rnd_ oy2 AQVN AKCp tk-us- tfp_ sm_pat_ rootly_ KEY01"
    " ddp_ ddo_ phs_ API- sdk- api- EAAB EAAC EAAD EAAG EAAM EAAL".split()
)
# Web hooks are passwords in the shape of an address; what follows the path is the secret.
WEBHOOKS = ("hooks.slack.com/services/", "hooks.slack.com/workflows/", "/api/webhooks/", ".webhook.office.com/webhookb2/")
PASSWORD_FILLERS = ("password", "pass", "passwd", "pwd", "secret", "token", "pw", "user", "username", "x-oauth-basic")

PREFIXES = {prefix: (alphabet, least, kind) for prefixes, alphabet, least, kind in SHAPES for prefix in prefixes.split()}


def find(text: str, folded: str, starts: "set[str]") -> "list[tuple[int, int, str]]":
    """Find the spans (start, end, kind) of secrets; `folded` is the text in lower case, character by character, and
    `starts` the first two and three characters of those of its long words that may be tokens.
    """
    shapes = _prefixed(text, starts) + _marked(text) + _dotted(text, folded)
    return shapes + _near_aws_keys(text) + _webhooks(text) + _url_passwords(text)


def _prefixed(text: str, starts: "set[str]") -> "list[tuple[int, int, str]]":
    spans: list[tuple[int, int, str]] = []
    if not starts:
        return spans
    for prefix, (alphabet, least, kind) in PREFIXES.items():
        at = text.find(prefix) if prefix[:3] in starts else -1
        while at >= 0:
            end = _run(text, at + len(prefix), alphabet)
            is_long = end - at - len(prefix) >= least
            if is_long and _starts_word(text, at) and _is_telling(text[at:end], prefix) and not _is_wrapped(text, at, prefix):
                spans.append((at, end, kind))
            at = text.find(prefix, max(end, at + len(prefix)))
    return spans


def _run(text: str, at: int, alphabet: str) -> int:
    """Return the end of the run of characters of an alphabet."""
    while True:
        window = text[at : at + TELLING]
        rest = len(window.lstrip(alphabet))
        at += len(window) - rest
        if rest or not window:
            return at


def _starts_word(text: str, at: int) -> bool:
    if not at or not (text[at - 1].isalnum() or text[at - 1] == "_"):
        return True
    # The letter of a spelled-out line end belongs to no word.
    return text[max(0, at - 2) : at] in ("\\n", "\\t", "\\r")


def _is_telling(token: str, prefix: str) -> bool:
    body = token[len(prefix) :]
    if prefix == "eyJ" and token.count(".") < 1:
        return False
    if prefix in COMMON and not looks_random(body):
        return body.isalnum() and any(digit in body for digit in DIGITS)
    return True


def _is_wrapped(text: str, at: int, prefix: str) -> bool:
    """Say whether a common beginning begins a line of a block of base64, such as a certificate, by a line beside it."""
    if prefix not in COMMON or (at and text[at - 1] != "\n"):
        return False
    before = text[max(0, at - 82) : max(0, at - 1)].rpartition("\n")[2]
    after = text[at : at + 164].partition("\n")[2].partition("\n")[0]
    return any([len(line) >= WRAPPED and not line.startswith(prefix) and not line.strip(BASE64) for line in (before, after)])


def _marked(text: str) -> "list[tuple[int, int, str]]":
    """Find tokens known by a mark in their middle: Telegram (id:AA...), Terraform, Firebase (id:APA91...)."""
    spans = []
    for mark, least in ((":AA", 30), (".atlasv1.", 40), (":APA91", 100)):
        at = text.find(mark)
        while at >= 0:
            start = at - _run_before(text, at, WORD)
            end = _run(text, at + len(mark), DASH)
            if end - at >= least and at - start >= 8 and (mark != ":AA" or text[start:at].isdigit()):
                spans.append((start, end, "api-key"))
            at = text.find(mark, end)
    return spans


def _dotted(text: str, folded: str) -> "list[tuple[int, int, str]]":
    """Find tokens known by where their dots stand: Discord, Airtable, old Vault."""
    spans = []
    has_vault = "vault" in folded
    at = text.find(".")
    while at >= 0:
        start = at - _run_before(text, at, DASH)
        end = _run(text, at, DOT)
        kind = _kind_of_dotted(text[start : min(end, start + TELLING)], has_vault) if end - start >= 26 else ""
        if kind:
            spans.append((start, end, kind))
        at = text.find(".", end)
    return spans


def _kind_of_dotted(word: str, has_vault: bool) -> str:
    head, _, tail = word.partition(".")
    middle, _, last = tail.partition(".")
    if 23 <= len(head) <= 28 and 5 <= len(middle) <= 7 and len(last) >= 27 and looks_random(head + last):
        return "discord-token"
    if len(head) == 17 and head.startswith("pat") and len(middle) == 64:
        return "api-key"
    return "vault-token" if has_vault and head == "s" and len(middle) == 24 and looks_random(middle) else ""


def _run_before(text: str, at: int, alphabet: str) -> int:
    window = text[max(0, at - 80) : at]
    return len(window) - len(window.rstrip(alphabet))


def _near_aws_keys(text: str) -> "list[tuple[int, int, str]]":
    """Find the secret half of an AWS key, the 40-character word that often stands beside the id."""
    spans = []
    for prefix in ("AKIA", "ASIA"):
        at = text.find(prefix)
        while at >= 0:
            start = at + 20
            while start < at + 200 and start < len(text):
                end = _run(text, start, ALNUM + "+/")
                if end - start == 40 and looks_random(text[start:end]):
                    spans.append((start, end, "aws-secret"))
                start = end + 1
            at = text.find(prefix, start)
    return spans


def _webhooks(text: str) -> "list[tuple[int, int, str]]":
    spans = []
    for path in WEBHOOKS:
        at = text.find(path)
        while at >= 0:
            start = at + len(path)
            end = _run(text, start, DOT + "/@")
            if end - start >= 24 and any(digit in text[start:end] for digit in DIGITS):
                spans.append((start, end, "webhook"))
            at = text.find(path, end)
    return spans


def _url_passwords(text: str) -> "list[tuple[int, int, str]]":
    spans = []
    at = text.find("://")
    while at >= 0:
        start = at + 3
        span = _userinfo_password(text, start, _end_of_url(text, start))
        spans += [span] if span else []
        at = text.find("://", start)
    return spans


def _end_of_url(text: str, start: int) -> int:
    window = text[start : start + TELLING]
    # a backslash ends it where it spells something; behind a domain stands a user
    ends = [
        window.find(stop) for stop in (" ", "\n", "\t", '"', "'", "`", "<", ">", "\\n", "\\t", "\\r", '\\"', "\\\\", "\\u", "://")
    ]
    return start + min((end for end in ends if end >= 0), default=len(window))


def _userinfo_password(text: str, start: int, end: int) -> "tuple[int, int, str] | None":
    authority = text[start:end]
    last = _last_at(authority)
    userinfo, at, _ = (authority[:last], "@", "") if last > 0 else authority.partition("/")[0].rpartition("@")
    if not at:
        # Base64 passwords hold slashes, which a strict reader takes for the end of the host.
        userinfo, at, _ = authority.partition("?")[0].rpartition("@")
        port = userinfo.partition(":")[2].partition("/")[0]
        if not at or not port or port.isdigit():
            return None
    user, colon, password = userinfo.partition(":")
    if not colon:
        return (start, start + len(user), "url-password") if looks_random(user) else None
    if len(password) < SHORTEST_PASSWORD or password.lower() in PASSWORD_FILLERS or (len(password) > 3 and _stands_in(password)):
        return None
    return start + len(user) + 1, start + len(userinfo), "url-password"


def _last_at(authority: str) -> int:
    """Return where the sign stands behind which the host begins: a password may hold the same, a slash, a question mark too.

    -1 where a strict reader finds it, or none.
    """
    first = authority.find("@")
    user, colon, _ = authority[: max(first, 0)].partition(":")
    if first < 0 or not colon or "/" in user or authority[len(user) + 1 : first].partition("/")[0].isdigit():
        return -1
    last = first
    for at in range(first + 1, len(authority)):
        is_host = authority[at] == "@" and authority[at + 1 : at + 2].isalnum() and authority[at - 1] != "/"
        last = at if is_host and not any([sign in authority[first:at] for sign in "=&"]) else last
    return last


def _stands_in(value: str) -> bool:
    if value[0] == "$" and value[1:].isidentifier() and not (value.isupper() or value.islower()):
        # the name of a variable, in camel case: of words, with a number behind the last one at most
        words = "".join([" " + char if char.isupper() else char for char in value[1:].rstrip(DIGITS)]).split()
        return all([len(word) > 2 and word.isalpha() for word in words[1:]]) and words[0].isalpha()
    return value[0] in "$<{%*[" and is_filler(value)
