"""Options of a loop: what a value means, and how far it may go."""

import pytest

from ralph_mem.core.errors import LoopError
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
