"""Ids by which rows of clients and services belong together are no tokens; what a provider issues still is."""

from hypothesis import given
from hypothesis import strategies as st

from ralph_mem.core.redaction import gate, prefixes
from ralph_mem.core.redaction.values import ALNUM, DIGITS, HEX, UPPER
from ralph_mem.memory.rows import row
from tests.folded import folded

# What begins an id, as its maker publishes it, and of which letters and how many the rest is made.
NAMED = {
    "msg_01": 22, "toolu_01": 22, "srvtoolu_01": 22, "req_": 24, "chatcmpl_": 29, "resp_": 48, "ses_": 26, "prt_": 26,
    "call_": 24, "run_": 24, "thread_": 24, "asst_": 24, "file_": 24, "batch_": 32, "vs_": 24, "step_": 24,
    "session_": 24, "trace_": 32, "span_": 24, "cus_": 24, "ch_": 24, "pi_": 24, "evt_": 24, "seti_": 24,
    "sub_": 24, "price_": 24, "prod_": 24, "acct_": 24, "txn_": 24, "in_": 24, "cs_test_": 58, "cs_live_": 58,
    "order_": 24, "customer_": 26, "payment_": 24, "invoice_": 24, "user_": 27, "org_": 27, "build_": 27, "dpl_": 28,
    "prj_": 28, "team_": 24, "job_": 25, "deployment_": 24, "message_": 27, "workspace_": 27, "client_": 26, "request_": 26,
    "event_": 26, "conversation_": 26, "workflow_": 26, "execution_": 24, "artifact_": 24, "account_": 27, "sess_": 27,
}  # fmt: skip
# Those of one case alone, in hexadecimal digits or with signs of their own, whatever stands before them.
PLAIN = {
    "": (HEX[:16], 40), "sha256_": (HEX[:16], 64), "i-": (HEX[:16], 17), "vpc-": (HEX[:16], 17), "arn:aws:iam::": (DIGITS, 12),
    "ulid_": (UPPER, 26), "ksuid_": (DIGITS, 27), "snowflake_": (DIGITS, 27), "sentry_": (HEX[:16], 32), "dd_trace_": (DIGITS, 27),
}  # fmt: skip
ISSUED = tuple(
    "zap_live_ acme_ ghx_ unkey_ svc_key_ app_secret_ client_secret_ user_token_ corp_pat_".split()
)  # which no list of ours holds


def word(letters, size):
    return st.text(st.sampled_from(letters), min_size=size, max_size=size)


@given(st.data())
def test_an_id_is_not_taken_for_a_token(data):
    head = data.draw(st.sampled_from([*NAMED]))
    assert not prefixes._is_issued(head + data.draw(word(ALNUM, NAMED[head])))


@given(st.data())
def test_nor_is_what_is_written_in_one_case_or_as_digits(data):
    head = data.draw(st.sampled_from([*PLAIN]))
    assert not prefixes._is_issued(head + data.draw(word(*PLAIN[head])))


@given(st.uuids(), st.sampled_from(["", "trace_", "zap_"]))
def test_nor_is_a_uuid(number, head):
    assert not prefixes._is_issued(head + str(number))


@given(word(row.ALPHABET, 10))
def test_the_label_of_a_memory_that_is_told_is_no_value_of_a_flag(name):
    told = f"- [turn-{name}, 2026-03-14] user: I'll look how `login` and `logout` do it"
    assert gate.redact(told) == (told, {})


@folded("head", ISSUED)
def test_what_an_unknown_provider_issues_is_a_token(head):
    assert prefixes._is_issued(head + "h7KqZ2m9XwP4tR8vB6nL3sD5")


@folded("head", ["sk_live_", "ghp_", "whsec_", "glpat-", "rk_live_"])
def test_a_provider_s_own_beginning_tells_a_token(head):
    token = head + "h7KqZ2m9XwP4tR8vB6nL3sD5cF1gJ0yQaE7u"
    assert [span[:2] for span in prefixes.find(token, {token[:2], token[:3]})][:1] == [(0, len(token))]
