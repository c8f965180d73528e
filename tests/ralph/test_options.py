"""Options of a loop: what a value means, and how far it may go."""

import pytest

from ralph_mem.core.errors import LoopError
from ralph_mem.core.settings import schema
from ralph_mem.ralph import options

MINUTE = 60_000


@pytest.mark.parametrize(
    ("text", "ms"),
    [("90s", 90_000), ("30", 30 * MINUTE), ("1.5 h", 90 * MINUTE), ("20d", 28_800 * MINUTE), ("2W", 20_160 * MINUTE)],
)
def test_a_length_of_time_has_a_unit_or_counts_minutes(text, ms):
    assert options.duration_ms("--max-duration", text) == ms


def test_a_unit_that_is_unknown_is_named_with_those_that_there_are():
    with pytest.raises(LoopError, match="20y is no length of time: there is no unit y") as refused:
        options.duration_ms("--max-duration", "20y")
    assert refused.value.hint.startswith("ms, s, m, min, h, d, w, for example: --max-duration 90s")


@pytest.mark.parametrize(
    ("option", "key"),
    [
        ("--max-iterations", "ralph.max_iterations"),
        ("--no-progress", "ralph.no_progress_threshold"),
        ("--cooldown", "ralph.cooldown_ms"),
        ("--timeout", "ralph.timeout_s"),
    ],
)
def test_an_option_and_its_setting_go_as_far(option, key):
    rule = schema.RULES[key]
    assert options.RANGES[option] == (rule.smallest, rule.largest)


@pytest.mark.parametrize("key", ["ralph.max_duration_ms", "ralph.iteration_ms", "ralph.silence_ms"])
def test_a_length_of_time_and_its_setting_go_as_far(key):
    assert (schema.RULES[key].smallest, schema.RULES[key].largest) == (options.SHORTEST_MS, options.LONGEST_MS)


def test_a_cost_and_its_setting_go_as_far():
    assert schema.RULES["ralph.max_cost_cents"].largest == options.MOST_COST * 100
