"""Find issued tokens by the prefixes that their providers publish."""

from ralph_mem.core.redaction.names import kind_of_name
from ralph_mem.core.redaction.passwords import is_generated
from ralph_mem.core.redaction.values import ALNUM, BASE64, DASH, DIGITS, DOT, HEX, UPPER, WORD, looks_random, run_of

SHORTEST_ISSUED = 27
# What the ids of clients and services begin with, by which rows belong together: what the thing is, in full or as its maker cuts
# it short. Behind a word of a secret the same is a token: `client_secret_...`.
IDS = frozenset(
    "msg message ses sess session prt per toolu srvtoolu call req request chatcmpl resp response run thread step item file evt"
    " event org organization proj project prj user usr team account acct workspace customer cus client member asst assistant batch"
    " vs job task trace span build bld dpl deploy deployment order invoice in payment ch pi pm seti sub price prod txn cs"
    " conversation conv chat workflow execution artifact node row doc document image img snapshot environment".split()
)
ZEROS = "A" * 22  # what a bearer token of Twitter begins with, and base64 of anything; only the former is percent-encoded
ENCODED = "ZXlK"  # a token of JSON in base64 again, often in lines
WRAPPED = 48  # characters of a line of a block of base64
# A token of one provider is letters alone, of which no name has as many.
LETTERS_ALONE = ("hf_", 34)

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
    ("shpat_ shpss_ shpca_ shppa_ dckr_pat_ dckr_oat_ CCIPAT_", DOT, 20, "api-key"),
    ("pscale_tkn_ pscale_pw_ pscale_oauth_ pscale_oat_", DOT + "=", 20, "api-key"),
    ("NRJS-", ALNUM, 19, "api-key"),
    ("glsa_ glc_ PMAK- PMAT- NRAK- NRII- tskey- sq0atp- sq0csp- FLWSECK rzp_live_ ATATT3 ATCTT3 ATBB", BASE64, 20, "api-key"),
    ("dp.pt. dp.st. dp.ct. dp.sa. dp.scim. hvs. hvb. hvr. dt0c01. amzn.mws. v1.0-", DOT, 20, "api-key"),
    ("sntrys_ sntryu_ fo1_ fm1r_ fm2_ ops_eyJ ATCTT EZAK EZTK shippo_live_ AKID", BASE64, 28, "api-key"),
    ("LTAI sgp_local_", ALNUM, 20, "api-key"),
    ("EAAA", DASH, 22, "api-key"),
    ("AGE-SECRET-KEY-1", UPPER, 40, "age-key"),
    ("sk_ pk_ fc- e2b_ sqp_ squ_ sqa_", HEX, 32, "api-key"),
    ("sgp_", HEX + "_", 32, "api-key"),
    ("ico- p8e-", ALNUM, 32, "api-key"),
    ("lsv2_pt_ lsv2_sk_ tvly- apify_api_ bb_live_ esecret_ wandb_v1_ BSA vtwn_ napi_ rnd_", WORD + "-", 28, "model-key"),
    ("xkeysib- xsmtpsib- pat-na1- pat-eu1- CFPAT- APP_USR- HRKU-AA rdme_ oy2 WPL_AP1.", DOT, 32, "api-key"),
    ("tfp_ fio-u- duffel_live_ duffel_test_", DOT + "=", 30, "api-key"),
    ("access-production- access-sandbox- access-development- rzp_test_ xnd_production_", DASH, 30, "api-key"),
    ("AQVN AKC tk-us- zpka_ dnkey- persona_production_ polar_oat_ polar_pat_ rootly_ KEY01 bkct_", DASH, 32, "api-key"),
    ("secret-live- secret-test- ddp_ ddo_ sk_dev_ phs_ pdl_live_ pdl_sdbx_", DASH, 20, "api-key"),
    ("API-", UPPER, 26, "api-key"),
    ("tr_dev_ tr_prod_ tr_preview_ tr_stg_", ALNUM, 20, "api-key"),
    ("sdk- api- waka_", HEX + "-", 36, "api-key"),
    ("sm_sat_ sm_aat_ sm_pat_", ALNUM, 16, "api-key"),
    ("FLWSECK_TEST-", ALNUM, 12, "api-key"),
    ("rk_prod_ shippo_test_ bedrock-api-key- CLOJARS_ GR1348941", BASE64, 20, "api-key"),
    ("fm1a_ cmVmdGtu ABSK", BASE64, 40, "api-key"),
    (ENCODED, BASE64, 40, "encoded"),
    ("eyJrIjoi", ALNUM + "=", 60, "api-key"),
    ("ey ewog ewoJ ew0K", DOT + "=", 30, "jwt"),
    ("cmVmd", ALNUM, 59, "api-key"),
    ("A3T", UPPER, 17, "aws-key"),
    ("AP0 AP1 AP2 AP3 AP4 AP5 AP6 AP7 AP8 AP9 APA APB APC APD APE APF", ALNUM, 20, "password"),
    ("pat. sat.", DOT, 60, "api-key"),
    ("s-s4t2ud- s-s4t2af-", HEX, 64, "api-key"),
    ("live_", DASH, 35, "api-key"),
    ("pk.eyJ sk.eyJ tk.eyJ t1.", DOT + "=", 60, "api-key"),
    ("YCA YCM YCN YCO YCP", DASH, 22, "api-key"),
    (ZEROS, ALNUM + "%", 60, "api-key"),
    ("md-", DASH, 22, "api-key"),
    ("A3-", UPPER + "-", 30, "api-key"),
    ("sl. xnd_development_", DOT, 60, "api-key"),
    ("vercel_blob_rw_ dbtc_ dbtu_ plane_api_", WORD, 24, "api-key"),
    ("nsec1", ALNUM, 50, "wallet-key"),
    ("AGE-PLUGIN-", UPPER + "-", 20, "age-key"),
    ("EAAB EAAC EAAD EAAG EAAM EAAL", ALNUM, 60, "api-key"),
)  # fmt: skip
# So short, or so like the names in code, that a digit is no sign: what follows must look random.
SHORT = frozenset(
    "cmVmd AP0 AP1 AP2 AP3 AP4 AP5 AP6 AP7 AP8 AP9 APA APB APC APD APE APF YCA YCM YCN YCO YCP pat. sat. sl. live_ t1.".split()
)
# Beginnings of ordinary words and names too: what follows must besides look random, or be one piece with a digit.
COMMON = SHORT | frozenset(
    "sk- cio dapi SK key- pul- re_ fw_ hf_ npm_ r8_ pypi- secret_ xai- eyJ EAAA EZAK EZTK LTAI AKID ATBB fo1_ v1.0- pnu_"
    " csk- sk_ pk_ fc- ico- p8e- BSA napi_ rnd_ oy2 AQVN AKC tk-us- tfp_ rootly_ KEY01"
    " ABSK ZXlK A3T ddp_ ddo_ phs_ md- API- sdk- api- EAAB EAAC EAAD EAAG EAAM EAAL".split()
)

HEADERS = ("ey", "ewog", "ewoJ", "ew0K")  # of a token of JSON, with blanks or line ends in it

PREFIXES = {prefix: (alphabet, least, kind) for prefixes, alphabet, least, kind in SHAPES for prefix in prefixes.split()}


def find(text: str, starts: "set[str]") -> "list[tuple[int, int, str]]":
    """Find the spans (start, end, kind) of tokens; `starts` holds the first two and three characters of the words that may be."""
    spans: list[tuple[int, int, str]] = []
    for prefix, (alphabet, least, kind) in PREFIXES.items():
        at = text.find(prefix) if prefix[:3] in starts else -1
        while at >= 0:
            end = run_of(text, at + len(prefix), alphabet)
            end = _end_of_lines(text, at, end) if prefix == ENCODED else end
            is_long = end - at - len(prefix) >= least
            if is_long and _starts_word(text, at) and _is_telling(text[at:end], prefix) and not _is_wrapped(text, at, prefix):
                spans.append((at, end, kind))
            at = text.find(prefix, max(end, at + len(prefix)))
    return spans + _of_any(text)


def _end_of_lines(text: str, at: int, end: int) -> int:
    """Return where a block of base64 ends whose first line does at `end`: each is as long as the one before, or the last."""
    width = end - at
    while width >= WRAPPED and text[end : end + 1] == "\n":
        stop = run_of(text, end + 1, BASE64)
        longest, width = width, stop - end - 1
        if not 0 < width <= longest or text[stop : stop + 1] not in ("\n", "", "\r"):
            break
        end = stop
        width = width if width == longest else 0
    return end


def _of_any(text: str) -> "list[tuple[int, int, str]]":
    """Find words that small letters and low lines begin and chance goes on with, as most who issue tokens make them today."""
    spans, at = [], 0
    for word in text.encode("latin-1", "replace").translate(_WORDS).split():
        if len(word) >= SHORTEST_ISSUED and b"_" in word:
            token = word.decode("latin-1").strip("-")
            at = text.find(token, at)
            if text[at - 1 : at] == "\\" and token[0] in "nrt":  # a line end that is spelled out
                token, at = token[1:], at + 1
            spans += [(at, at + len(token), "api-key")] * (_is_issued(token) and not _is_coordinate(text[max(0, at - 8) : at]))
            at += len(token)
    return spans


_WORDS = bytes([code if chr(code) in DASH else 32 for code in range(256)])


def _is_issued(token: str) -> bool:
    head, sign, body = token.partition("_")
    is_id = head in IDS
    while sign and head.isalpha() and head.islower() and "_" in body and body.partition("_")[0].isalpha():
        head, sign, body = body.partition("_")
        is_id = is_id and not kind_of_name(head)
    is_cased = not (body.islower() or body.isupper())
    is_long = bool(sign) and head.isalpha() and head.islower() and len(body) > 23
    return is_long and not is_id and is_cased and "." not in body and is_generated(body)


def _is_coordinate(before: str) -> bool:
    """Say whether what stands before a word names a part of a public key that everybody may read: `"y": "`."""
    name = before.rstrip("-").rstrip(" :\\\"'")[-2:]
    return name[1:] in ("x", "y", "n") and name[0] in "'\""


def _starts_word(text: str, at: int) -> bool:
    if not at or not (text[at - 1].isalnum() or text[at - 1] == "_"):
        return True
    # The letter of a spelled-out line end belongs to no word.
    return text[max(0, at - 2) : at] in ("\\n", "\\t", "\\r")


def _is_telling(token: str, prefix: str) -> bool:
    body = token[len(prefix) :]
    if (prefix == "eyJ" and "." not in token) or (prefix == ZEROS and "%" not in body):
        return False
    if prefix in HEADERS:  # what comes second is an object as well
        return ".ey" in token or ".ew" in token
    if (prefix, len(body)) == LETTERS_ALONE and body.isalpha() and not body.islower():
        return True
    if prefix in SHORT:
        return looks_random(body)
    if prefix in COMMON and not looks_random(body):
        return body.isalnum() and any(digit in body for digit in DIGITS)
    return True


def _is_wrapped(text: str, at: int, prefix: str) -> bool:
    """Say whether a common beginning begins a line of a block of base64, such as a certificate, by a line beside it."""
    if prefix not in COMMON or (at and text[at - 1] != "\n"):
        return False
    before = text[max(0, at - 82) : max(0, at - 1)].rpartition("\n")[2]
    after = text[at : at + 164].partition("\n")[2].partition("\n")[0]
    beside = (before, "" if prefix == ENCODED else after)  # of which the lines behind the first are taken
    return any([len(line) >= WRAPPED and not line.startswith(prefix) and not line.strip(BASE64) for line in beside])
