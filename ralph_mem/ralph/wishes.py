"""Hold what a person asks of a loop, by options and by settings."""

from collections import namedtuple

from ralph_mem.ralph import stop_reasons
from ralph_mem.ralph.agents import presets
from ralph_mem.ralph.criteria import MARKER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

Wish = namedtuple(
    "Wish",
    "goal criteria limits plan promise snapshot memory agent others"
    " allow notify protect may_change tampering wait timeout_s prompt_tokens"
    " here apply sandbox parallel attempt_of commit branch attribution",
    defaults=(  # a line for each line above
        *("", (), stop_reasons.DEFAULT, "", "", True, True, (), ()),
        *((), (), (), (), 2, True, 600, 6000),
        *(False, "success", "", 1, "", False, "", True),
    ),
)
Wish.__doc__ = """What a person asked for.

`criteria` are items such as `test_pass` or `custom=./check.sh`; `agent` and `notify` are commands as lists of words, empty for
claude and for nobody; `others` are the agents that work after that one where it gets nowhere; `allow` are permission rules;
`may_change` are patterns of judges whose changes count, and `tampering` says how often others are put back before the run ends;
`wait` says whether a rate limit is waited for. `here` is for a loop in the person's own files, and `apply` says when the result of
another comes into them; `sandbox` is `on` or `no-network`. `parallel` is how many attempts are made at once, `attempt_of` the run
beside which this is one. With `attribution` a loop in the person's own files knows who writes what.
"""
# What the record of a run tells elsewhere, or what is over once it has begun: all else the loop goes by until it ends.
NOT_KEPT = ("goal", "criteria", "limits", "promise", "timeout_s", "parallel")


def of(values: "dict[str, Any]", goal: str, **asked: "Any") -> Wish:
    """Return what is wished for: what was asked, else what the settings say; None counts as not asked."""
    cents = values["ralph.max_cost_cents"]
    by_settings = {
        **{name: values[f"ralph.{name}"] for name in Wish._fields if f"ralph.{name}" in values},
        "criteria": values["ralph.success_criteria"],
        "limits": stop_reasons.Limits(
            values["ralph.max_iterations"], values["ralph.max_duration_ms"], values["ralph.cooldown_ms"],
            cents / 100 if cents else None, values["ralph.no_progress_threshold"], values["ralph.iteration_ms"],
            values["ralph.silence_ms"],
        ),
    }  # fmt: skip
    by_settings = {name: tuple(value) if isinstance(value, list) else value for name, value in by_settings.items()}
    given = {name: value for name, value in asked.items() if value is not None}
    agents = presets.line_up(given.pop("agents", ()), given.pop("models", ()))
    bounds = {name: given.pop(name) for name in stop_reasons.Limits._fields if name in given}
    found = {**by_settings, **given, **agents}
    found["agent"] = presets.resolved(found["agent"])
    return Wish(goal=goal, **{**found, "limits": found["limits"]._replace(**bounds)})


def has_marker(wished: Wish) -> bool:
    """Say whether the agent's word that it is done is asked for."""
    return bool(wished.promise) or any([item.partition("=")[0].strip() == MARKER for item in wished.criteria])


def kept(wished: Wish) -> "dict[str, Any]":
    """Return what the record of a run keeps of a wish, as plain values."""
    values = {name: value for name, value in wished._asdict().items() if name not in NOT_KEPT}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
