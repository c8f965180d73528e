"""The verb that offers what lies outside of our folders, and does it at a person's word."""

from ralph_mem.core.errors import RalphMemError
from ralph_mem.interfaces import verbs
from ralph_mem.interfaces.skills import typed_words
from ralph_mem.maintenance import outside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.interfaces.skills import Asked


def setup(asked: "Asked") -> str:
    """Show what is there and what could be; with a word do it, with `--off` undo it."""
    typed = typed_words.Typed(asked.text, (), verbs.OF["setup"].flags())
    if not typed.words and not typed.options:
        return "\n".join(outside.lines("/mem "))
    if len(typed.words) > 1:
        raise RalphMemError("/mem setup does one thing at a time", "for example: /mem setup status-line")
    word = "".join(typed.words)
    if "--off" in typed.options:
        return outside.take_away(word)
    return outside.add(word, "/mem ", wrap="--wrap" in typed.options)
