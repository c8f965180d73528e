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
        ("that's 01001, the zero got eaten again, codes are text in all our files", facts.FACT),
        ("DTOs are never shared between modules.", facts.RULE),
        ("ticks are 250us, not 1ms", facts.FACT),
        ("colors come from theme.dart", facts.FACT),
        ("in reports we round to whole beds", facts.FACT),
        ("files arrive up to 3 days late", facts.FACT),
        ("you put a printf into an isr, 20us budget", facts.CORRECTION),
        ("hex codes in widgets again, theme.dart is where colors live", facts.FACT),
        ("the source line goes bottom left, house style", facts.RULE),
        ("I said supabase, keep firebase out of it", facts.CORRECTION),
        ("were on godot 4.2 so that api doesnt exist for us", facts.FACT),
        ("anything stateful needs prevent_destroy", facts.RULE),
        ("prod changes only tuesdays before noon", facts.RULE),
        ("no wait, a missing tenure means the customer is a reseller, drop those rows", facts.FACT),
        ("the stemma sensor only does 100 kHz, fast mode never works", facts.FACT),
        ("all error codes are negative errno", facts.FACT),
        ("our slo is 500 ms p99", facts.FACT),
        ("commit messages in english please, imperative", facts.PREFER),
        ("I want fahrenheit, the sensors give celsius", facts.PREFER),
        ("And sentence case in headings, British spelling, no exclamation marks.", facts.RULE),
        ("commits: conventional, with the package as the scope, e.g. fix(web): ...", facts.RULE),
        ("dbt build before you stop, always", facts.RULE),
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
        "People are thrown out right after signing in since the upgrade.",
        "There is a deadlock in the allocation batch.",
        "We don't find that session in the `store.db` at all.",
        "Update the `docs/` to use the names that all of them have.",
        "you added the button, now make it blue",
        "Why do we care what the `path` type is?",
        "I ran it, the result is at ~/out/run-3.json",
        "the worker is pending, restart it",
        "all error codes are wrong",
        "the page answers with 500 and takes 500 requests",
        "the deploy only ran on tuesday",
        "a week means little to me",
        "the list only shows 3 of them",
        "I said that to the last team as well.",
        "twister in the background while we go on",
        "translate index to German, du not Sie",
        "terraform: the bucket needs versioning.",
    ],
)
def test_news_a_story_a_wish_and_a_description_of_the_code_state_nothing(said):
    assert extraction.find(said) == []
