"""Tell an agent what it was refused, so that it finds another way, and a person what would allow it."""

import shlex

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.record import Run

# As many as an agent that gets nowhere runs into; the newest say what it needs now.
MOST_TOLD = 8
# What fits into the line of a next step beside the command.
MOST_NAMED = 3
HEADING = (
    "Refused in this run, and refused again, since nobody is there to say yes. Find another way, by edits in this folder and by"
    " the commands of the checks; if there is none, say in your last message what you need it for, and end:"
)


def rules(run: "Run") -> "list[str]":
    """Return the rules that would let through what was refused in a run and is refused still, the newest last."""
    allowed = run.options.get("allow") or []
    found = [rule for each in run.iterations for rule in each.denied]
    return [rule for rule in _latest(found) if rule not in allowed]


def lines(run: "Run") -> "list[str]":
    """Return what a prompt tells of refusals, none where there were none."""
    hopeless = _latest([what for each in run.iterations for what in each.forbidden])
    told = [f"- {rule}" for rule in rules(run)] + [f"- {what} (no rule allows it)" for what in hopeless]
    return told[-MOST_TOLD:]


def _latest(found: "list[str]") -> "list[str]":
    """Return each text once, in the order of when it came last."""
    return list(dict.fromkeys(found[::-1]))[::-1]


def options(run: "Run") -> str:
    """Return the options of `resume` that allow what was refused, as they are typed; one to fill in where it cannot be named."""
    named = [rule for rule in rules(run) if rule.isprintable()][-MOST_NAMED:]
    return " ".join([f"--allow {shlex.quote(rule)}" for rule in named]) or "--allow RULE"
