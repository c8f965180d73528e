"""Tightening: what of a project's config counts before a person has approved it, which is what is stricter than without it.

Loaded when a config file has changed, and by the command line; never by an ordinary event.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Less of these is stricter; what a memory keeps, injects and answers with, and how far a loop may go.
SMALLER = (
    "memory.inject_tokens_prompt", "memory.inject_tokens_start", "memory.max_observations", "memory.retention_days",
    "search.default_layer", "search.max_results", "ralph.max_iterations", "ralph.max_duration_ms", "ralph.no_progress_threshold",
    "ralph.timeout_s", "ralph.prompt_tokens",
)  # fmt: skip
# For these it is `false`: nothing recorded, nothing injected, nothing put back or kept unasked.
OFF = ("recording", "memory.auto_inject", "ralph.auto_rollback", "ralph.memory")
# What a person has in these stays, and a project may add to it.
LONGER = ("privacy.exclude_paths", "privacy.redact_patterns", "ralph.protect")
# A project may take from these.
SHORTER = ("ralph.allow",)
CHECKS, COST, PAUSE = "ralph.success_criteria", "ralph.max_cost_cents", "ralph.cooldown_ms"
# Checks whose command we find out ourselves. `marker` would let an agent's word do, `custom` names a command.
OUR_CHECKS = ("test_pass", "build_success", "lint_clean", "type_check")
# In an expression of a stranger nothing may repeat but once, and not without end: else it could take minutes to fail.
REPEATING = "*+?|("
LONGEST_PATTERN = 200
LONGEST_REPEAT = 256


def heard(values: "dict[str, Any]", below: "dict[str, Any]") -> "tuple[dict[str, Any], list[str]]":
    """Return what counts of a project's values unapproved, and the keys that wait for an approval.

    `below` are the values that would be in force without them.
    """
    counts: dict[str, Any] = {}
    waiting: list[str] = []
    for key, value in values.items():
        if value == below.get(key):
            continue
        stricter = _stricter(key, value, below.get(key))
        if stricter is not None:
            counts[key] = stricter
        if stricter != value:
            waiting.append(key)
    return counts, waiting


def _stricter(key: str, value: "Any", now: "Any") -> "Any":
    """Return a value made such that it only tightens what is in force now; None where it cannot be."""
    if key in LONGER:
        fine = [item for item in value if item in now or key != "privacy.redact_patterns" or is_quick(item)]
        return [*[item for item in now if item not in fine], *fine]
    if key == COST:
        return value if value and (not now or value < now) else None
    tightens = (
        (key in SMALLER and value < now)
        or (key in OFF and value is False)
        or (key == PAUSE and value > now)
        or (key in SHORTER and all([item in now for item in value]))
        or (key == CHECKS and all([item in OUR_CHECKS for item in value]))
    )
    return value if tightens else None


def is_quick(pattern: str) -> bool:
    """Say whether an expression is sure to end soon on any text: plain characters and classes, one of them repeated."""
    plain = ""
    rest = pattern
    while rest:  # escapes and classes count as one character each
        if rest[0] == "\\":
            if rest[1:2].isdigit():  # what a group matched, again
                return False
            plain, rest = plain + "x", rest[2:]
        elif rest[0] == "[":
            end = rest.find("]", 3 if rest[1:2] == "^" else 2)
            if end < 0 or "\\" in rest[:end]:
                return False
            plain, rest = plain + "x", rest[end + 1 :]
        else:
            plain, rest = plain + rest[0], rest[1:]
    if len(pattern) > LONGEST_PATTERN or any([char in plain for char in REPEATING]) or plain.count("{") > 1:
        return False
    numbers = plain.partition("{")[2].partition("}")[0].split(",") if "{" in plain else ["1"]
    return len(numbers) <= 2 and all([number.isdigit() and int(number) <= LONGEST_REPEAT for number in numbers])
