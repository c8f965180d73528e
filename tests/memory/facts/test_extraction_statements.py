"""Plain statements of how things are, beside reports of what happened and wishes for what to do now."""

import pytest

from ralph_mem.memory.facts import extraction
from ralph_mem.memory.rows import facts


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("There is no Kafka in this stack, events go through Postgres.", facts.FACT),
        ("Nothing runs on the host here, it is all in docker.", facts.FACT),
        ("The ledger must not be rounded before the VAT step.", facts.RULE),
        ("As I already said, prices are kept in cents in `pricing/`.", facts.CORRECTION),
        ("Why do you keep mocking the clock, we have FakeClock for that.", facts.CORRECTION),
    ],
)
def test_what_holds_is_found_though_it_orders_nothing(said, kind):
    assert [found.kind for found in extraction.find(said)] == [kind]


@pytest.mark.parametrize(
    "said",
    [
        "The export fails in staging with a 502 from the gateway.",
        "I was in the Grafana dashboard and the queue was empty.",
        "We need a new page for the invoices in the portal.",
        "The --verbose flag only works in the watch command.",
        "It looks like the JSON is all in one line.",
    ],
)
def test_news_a_story_a_wish_and_a_description_of_the_code_state_nothing(said):
    assert extraction.find(said) == []
