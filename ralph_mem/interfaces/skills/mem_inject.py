"""The command `/mem-inject`, which keeps a note in the user's own words."""

from ralph_mem.core import project
from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory import notes_by_hand

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.interfaces.skills import Asked

GLOBAL = "--global"


def answer(asked: "Asked") -> str:
    """Keep what was typed, for this project or with `--global` in front for all of them; returns its id."""
    everywhere = asked.text.split(None, 1)[:1] == [GLOBAL]
    text = asked.text.removeprefix(GLOBAL).lstrip() if everywhere else asked.text
    place = project.everywhere() if everywhere else asked.project
    if place is None:
        raise RalphMemError("there is no home folder for notes about all projects", "leave out --global")
    name, is_new = notes_by_hand.inject(place, asked.project, asked.settings, text, asked.session, asked.turn)
    where = "for all projects" if everywhere else "for this project"
    return f"Remembered {where} as {name}." if is_new else f"This is remembered already, as {name}."
