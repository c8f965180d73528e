"""The verb by which a person says which sentences of their prompts hold."""

from ralph_mem.core.errors import NotAsShown, RalphMemError
from ralph_mem.memory import access
from ralph_mem.memory.facts import candidates
from ralph_mem.memory.recall.lookup import Reader

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.interfaces.skills import Asked

NOTHING = "Nothing waits for a yes or no. What you say in passing and may hold is shown here."
HOW = "Type /mem learn {}, or /mem learn no {}; what you leave waits."


def learn(asked: "Asked") -> str:
    """Show what waits, or take in the person's answer to what was shown; only their own typed line decides."""
    reader = Reader(access.to_change(asked.project), asked.project, asked.settings)
    words = asked.text.split()
    answers = candidates.named(reader, words)
    if words and not answers:
        raise RalphMemError("that names no number, nothing was changed", "for example: /mem learn yes 1 3")
    return "\n".join([*_taken(answers), *_shown(reader)])


def _taken(answers: "list[tuple[candidates.Candidate, bool]]") -> "list[str]":
    lines = []
    for each, is_accepted in answers:
        try:
            replaced = candidates.decide(each, is_accepted)
        except NotAsShown as error:  # somebody else was quicker, or another of these answers has replaced it
            lines.append(f'"{each.fact.text}": {error}')
            continue
        word = "Holds from now on" if is_accepted else "Never proposed again"
        lines.append(f'{word}: "{each.fact.text}"' + (f" ({each.does} {', '.join(replaced)})" if replaced else ""))
    return lines


def _shown(reader: Reader) -> "list[str]":
    found = candidates.show(reader)
    if not found:
        return [NOTHING]
    left = len(candidates.waiting(reader)) - len(found)
    lines = []
    for number, each in enumerate(found, 1):
        first, *rest = candidates.told(each)
        lines += [f"{number}. {first}", *[f"   {line}" for line in rest]]
    how = HOW.format(*(("yes 1 3", 2) if len(found) > 2 else ("yes 1", len(found))))
    return [*lines, *([f"and {left} more"] if left else []), how]
