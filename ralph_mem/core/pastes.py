"""Mark what a person pasted into a prompt, which is not their own word."""

from ralph_mem.core.project import PASTE_ENDS, PASTED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

TOLD_CHARACTERS = 160  # of each, as of the message of a failure


def marked(before: str, pasted: str, after: str) -> str:
    """Return a prompt with a mark around what was pasted."""
    return f"{before}{PASTED}\n{pasted}\n{PASTE_ENDS}{after}"


def typed(prompt: str) -> str:
    """Return a prompt without what was pasted into it."""
    return _each(prompt, lambda _: "")


def unmarked(prompt: str) -> str:
    """Return a prompt as it was sent, without the marks."""
    return prompt.replace(PASTED + "\n", "").replace("\n" + PASTE_ENDS, "").replace(PASTED, "").replace(PASTE_ENDS, "")


def told(prompt: str) -> str:
    """Return a prompt in which the beginning of each paste stands for it, in one line that says so."""
    return _each(prompt, _short)


def _short(pasted: str) -> str:
    line = " ".join(pasted.split())
    return f"[pasted: {line if len(line) <= TOLD_CHARACTERS else line[:TOLD_CHARACTERS] + '...'}]"


def _each(prompt: str, stands_for_it: "Callable[[str], str]") -> str:
    before, mark, rest = prompt.partition(PASTED)
    if not mark:
        return prompt
    pasted, _, after = rest.partition(PASTE_ENDS)
    return before + stands_for_it(pasted) + _each(after, stands_for_it)
