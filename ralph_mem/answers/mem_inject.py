"""/mem-inject: keep a note, in the user's own words."""

from ralph_mem import corrections
from ralph_mem.core import project
from ralph_mem.core.errors import RalphMemError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.answers import Asked

GLOBAL = "--global"


def answer(asked: "Asked") -> str:
    """Keep what was typed, for this project or with `--global` in front for all of them; returns its id."""
    everywhere = asked.text.split(None, 1)[:1] == [GLOBAL]
    text = asked.text.removeprefix(GLOBAL).lstrip() if everywhere else asked.text
    place = project.everywhere() if everywhere else asked.project
    if place is None:
        raise RalphMemError("there is no home folder for notes about all projects", "leave out --global")
    name, is_new = corrections.inject(place, asked.project, asked.settings, text, asked.session, asked.turn)
    where = "for all projects" if everywhere else "for this project"
    return f"Remembered {where} as {name}." if is_new else f"This is remembered already, as {name}."
