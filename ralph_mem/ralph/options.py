"""The options of a loop, each declared once, and what a person asks for by them and by settings."""

import shlex
from collections import namedtuple

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph import stop_reasons
from ralph_mem.ralph.agents import presets
from ralph_mem.ralph.criteria import MARKER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

VALUE, LIST, FLAG = "value", "list", "flag"

Option = namedtuple("Option", "name kind metavar help field read also where", defaults=(None, ("plan",), "anywhere"))
Option.__doc__ = """One option of `start`.

`name` is as it is typed, `kind` says whether it takes one value, may be repeated with one each, or takes none. `field` is that of
`Wish`, or of `Limits`. `read` makes the value of the text; for a flag it is the value itself. `also` are the other verbs
that take it. `where` is `headless` where it means nothing to a loop in a session, where no agent is started by us.
"""

UNITS = {"ms": 1, "s": 1000, "m": 60_000, "min": 60_000, "h": 3_600_000, "d": 86_400_000, "w": 604_800_000}
# A second is for trying it out; a month is longer than anybody's patience, and still a limit.
SHORTEST_MS, LONGEST_MS = 1000, 30 * 24 * 3_600_000
# A cent is what the smallest of all iterations costs; a hundred thousand is a typing error.
LEAST_COST, MOST_COST = 0.01, 100_000.0
# From the least to the most that an option may say, as its setting.
RANGES = {
    "--max-iterations": (1, 1000),
    "--cooldown": (0, 3_600_000),
    "--no-progress": (1, 1000),
    "--timeout": (1, 7200),
    "--parallel": (1, 8),
}
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


def duration_ms(name: str, text: str) -> int:
    """Return a length of time such as `90s`, `30m`, `2h` or `1d` in ms; a bare number counts minutes. Raises LoopError."""
    plain = text.strip().lower()
    digits = plain.rstrip("abcdefghijklmnopqrstuvwxyz ")
    unit = plain[len(digits) :].strip() or "m"
    if _is_number(digits) and unit not in UNITS:
        named = f"{', '.join(UNITS)}, for example: {name} 90s, 30m or 2h"
        raise LoopError(f"{text[:40]} is no length of time: there is no unit {unit[:20]}", named)
    found = float(digits) * UNITS[unit] if _is_number(digits) else 0.0
    if not SHORTEST_MS <= found <= LONGEST_MS:
        raise LoopError(f"{text[:40]} is no length of time from a second to a month", f"for example: {name} 90s, 30m or 2h")
    return int(found)


def dollars(name: str, text: str) -> float:
    """Return an amount of US dollars, such as `2.50` or `$2.50`. Raises LoopError."""
    plain = text.strip().removeprefix("$")
    found = float(plain) if _is_number(plain) else 0.0
    if not LEAST_COST <= found <= MOST_COST:
        raise LoopError(f"{text[:40]} is no amount of dollars from 0.01 up", f"for example: {name} 2.50")
    return found


def _is_number(text: str) -> bool:
    return text.isascii() and text.replace(".", "", 1).isdigit() and len(text) <= 12


def number(name: str, text: str) -> int:
    """Return the whole number of an option of RANGES. Raises LoopError."""
    low, high = RANGES[name]
    plain = text.strip()
    if not (plain.isascii() and plain.isdigit() and len(plain) < 10 and low <= int(plain) <= high):
        example = f"for example: {name} {max(2, high // 10)}"  # a number that makes a difference, and is in each range
        raise LoopError(f"{plain[:40]} is no number from {low} to {high:,} for {name}", example)
    return int(plain)


def words(name: str, text: str) -> "tuple[str, ...]":
    """Return the words of a command as a shell would see them; nothing else of a shell happens to it. Raises LoopError."""
    try:
        found = tuple(shlex.split(text))
    except ValueError as error:
        raise LoopError(f"{name} {text[:40]} cannot be read: {error}", "quote it as for a shell") from error
    if not found:
        raise LoopError(f"{name} names no command", f"for example: {name} './my-command --quick'")
    return found


def each_in_words(name: str, texts: "Sequence[str]") -> "tuple[tuple[str, ...], ...]":
    """Return the words of each of several commands. Raises LoopError."""
    return tuple([words(name, text) for text in texts])


def names_of(_name: str, text: str) -> "tuple[str, ...]":
    """Return the names in a list such as `sonnet,opus`."""
    return tuple([name.strip() for name in text.split(",")])


# Their order is that of `--help`.
OPTIONS = (
    Option("--criteria", LIST, "T", "A check: test_pass, build_success, or custom=./check.sh; repeatable.", "criteria",
           also=("plan", "guard")),
    Option("--max-iterations", VALUE, "N", "Give up after so many iterations.", "iterations", number, ("plan", "resume")),
    Option("--max-duration", VALUE, "D", "Give up after this: 90s, 30m, 2h.", "duration_ms", duration_ms, ("plan", "resume")),
    Option("--max-cost", VALUE, "USD", "Give up before more is spent.", "cost", dollars, ("plan", "resume"), "headless"),
    Option("--cooldown", VALUE, "MS", "Milliseconds between two iterations.", "cooldown_ms", number, ("plan", "resume")),
    Option("--no-progress", VALUE, "N", "Give up after so many without a new best.", "no_progress", number, ("plan", "resume")),
    Option("--iteration-timeout", VALUE, "D", "End the agent of an iteration after this.", "iteration_ms", duration_ms,
           ("plan", "resume"), "headless"),
    Option("--silence", VALUE, "D", "End an agent that says nothing for so long.", "silence_ms", duration_ms, ("plan", "resume"),
           "headless"),
    Option("--plan", VALUE, "FILE", "Tasks with checks of their own, in their order; for resume as you have changed them.", "plan",
           also=("plan", "resume")),
    Option("--promise", VALUE, "TEXT", "The agent's last line has to say this too.", "promise"),
    Option("--no-snapshot", FLAG, "", "No snapshots, and no way back.", "snapshot", False),
    Option("--here", FLAG, "", "Work in your own files, and not in a room of its own.", "here", True, where="headless"),
    Option("--no-attribution", FLAG, "", "With --here: nobody tells who writes what, and sudo works below the loop.", "attribution",
           False, where="headless"),
    Option("--sandbox", FLAG, "", "Agent and checks can write nothing but the room (needs bubblewrap).", "sandbox", "on",
           where="headless"),
    Option("--no-network", FLAG, "", "As --sandbox, and the checks and an --agent have no network.", "sandbox", "no-network",
           where="headless"),
    Option("--parallel", VALUE, "N", "So many attempts at once, each in a room; the first that passes wins.", "parallel", number,
           where="headless"),
    Option("--no-apply", FLAG, "", "Leave the result in the loop's room until `ralph apply`.", "apply", "never", where="headless"),
    Option("--no-memory", FLAG, "", "Tell the agent nothing of earlier work, and keep nothing.", "memory", False),
    Option("--no-wait", FLAG, "", "End at a rate limit instead of waiting.", "wait", False, where="headless"),
    Option("--agent", LIST, "CMD", "claude, codex, copilot, gemini, opencode, qwen or a command; several: the next if one fails.",
           "agents", each_in_words, where="headless"),
    Option("--model", VALUE, "NAMES", "Of claude; several as sonnet,opus: the next where one fails.", "models", names_of,
           where="headless"),
    Option("--allow", LIST, "RULE", "What claude may do, as Bash(make:*); repeatable.", "allow", also=("plan", "resume"),
           where="headless"),
    Option("--notify", VALUE, "CMD", "Gets JSON on stdin when it ends.", "notify", words),
    Option("--protect", LIST, "PATTERN", "Put back before the checks run; repeatable.", "protect"),
    Option("--may-change", LIST, "PATTERN", "Tests and the like whose changes count; repeatable.", "may_change"),
    Option("--commit", FLAG, "", "A commit for each iteration with progress, on a branch ralph/RUN of its own.", "commit", True),
    Option("--branch", VALUE, "NAME", "As --commit, on a new branch of this name.", "branch"),
    Option("--timeout", VALUE, "S", "Seconds after which a check is ended.", "timeout_s", number, ("plan", "guard")),
)  # fmt: skip


def of(verb: str) -> "tuple[Option, ...]":
    """Return the options that a verb takes: start, plan, resume or guard."""
    return tuple([each for each in OPTIONS if verb == "start" or verb in each.also])


def names(verb: str, *kinds: str) -> "tuple[str, ...]":
    """Return the names of a verb's options of some kinds, as they are typed."""
    return tuple([each.name for each in of(verb) if each.kind in kinds])


def meant(given: "Mapping[str, Any]") -> "dict[str, Any]":
    """Return what options mean, by the fields of Wish and Limits: `given` has by name a text, a list of texts or True.

    What is empty was not asked for. Raises LoopError for a value that cannot be, and for two options that exclude each other.
    """
    found: dict[str, Any] = {}
    for option in OPTIONS:
        value = given.get(option.name)
        if value not in (None, "", [], (), False):
            found[option.field] = _read(option, value)
    if "apply" in found and ("here" in found or "snapshot" in found):
        raise LoopError("--no-apply is for a loop in a room", "leave out --here and --no-snapshot, or --no-apply")
    return found


def _read(option: Option, value: "Any") -> "Any":
    if option.kind == FLAG:
        return option.read
    if option.kind == LIST:
        return option.read(option.name, value) if option.read else tuple(value)
    return option.read(option.name, str(value)) if option.read else value


def wished(values: "dict[str, Any]", goal: str, **asked: "Any") -> Wish:
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


def kept_of(wished: Wish) -> "dict[str, Any]":
    """Return what the record of a run keeps of a wish, as plain values."""
    values = {name: value for name, value in wished._asdict().items() if name not in NOT_KEPT}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}
