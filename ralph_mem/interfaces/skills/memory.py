"""The commands `/mem-search`, `/mem-inject` and `/mem-status`, which read a memory and add to it."""

from ralph_mem.core import paths, project
from ralph_mem.core.errors import RalphMemError
from ralph_mem.interfaces import skills
from ralph_mem.interfaces.skills import MOST_CHARACTERS, fenced
from ralph_mem.memory.recall import layers, lookup
from ralph_mem.memory.rows import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.interfaces.skills import Asked
    from ralph_mem.memory.recall.embeddings_client import Sense

OPTIONS = ("--layer", "--since", "--until", "--type", "--limit", "--from")
GLOBAL = "--global"
NOTHING = "Nothing that is remembered holds any of these words."


def search(asked: "Asked") -> str:
    """Return hits as lines (layer 1), with what happened around them (2), or in full (3)."""
    typed = skills.Typed(asked.text, OPTIONS)
    reader = asked.reader()
    layer = typed.number("--layer", asked.settings["search.default_layer"], 1, 3)
    start = typed.number("--from", 0, 0, 999_999_999)
    if len(typed.words) == 1 and typed.words[0].startswith("sess-"):
        return _session(asked, reader, typed.words[0], start)
    if len(typed.words) == 1 and row.is_public_id(typed.words[0]):
        rows = [lookup.find(reader, typed.words[0])]
        layer = layer if "--layer" in typed.options else 3
    else:
        rows = lookup.search(reader, " ".join(typed.words), asked.now, _wanted(asked, typed, layer), _sense())
    if not rows:
        return NOTHING
    return fenced(layers.shown(reader, rows, layer, start, MOST_CHARACTERS), asked, reader) + "\n" + HOW_ON[layer]


def _session(asked: "Asked", reader: "lookup.Reader", public_id: str, start: int) -> str:
    """Return what a session did, whatever the layer: there is no shorter way to tell it."""
    from ralph_mem.memory import reports  # lazy: only for the id of a session

    return fenced(reports.full(reader, reports.find(reader, public_id), start), asked, reader) + "\n" + HOW_ON[3]


HOW_ON = {
    1: "Deeper: /mem-search --layer 2 ID (what happened around it), --layer 3 ID (its whole text).",
    2: "The whole text of one: /mem-search --layer 3 ID.",
    3: "The rest of a long text: /mem-search --layer 3 ID --from CHARACTER.",
}


def _sense() -> "Sense | None":
    """Return what tells meaning, where embeddings are set up."""
    if not paths.exists(paths.data_home() + paths.MODEL):
        return None
    from ralph_mem.memory.recall import embeddings_client  # lazy: only where embeddings are set up

    return embeddings_client.open_sense()


def _wanted(asked: "Asked", typed: skills.Typed, layer: int) -> lookup.Wanted:
    limit = min(asked.settings["search.max_results"], layers.MOST_FULL) if layer == 3 else asked.settings["search.max_results"]
    return lookup.Wanted(
        typed.number("--limit", limit, 1, 100),
        typed.moment("--since", asked.now),
        typed.moment("--until", asked.now) or lookup.FOREVER,
        skills.listed(typed.options["--type"]) if "--type" in typed.options else [],
    )


def inject(asked: "Asked") -> str:
    """Keep what was typed, for this project or with `--global` in front for all of them; returns its id."""
    from ralph_mem.memory import notes_by_hand  # lazy: only this one writes

    everywhere = asked.text.split(None, 1)[:1] == [GLOBAL]
    text = asked.text.removeprefix(GLOBAL).lstrip() if everywhere else asked.text
    place = project.everywhere() if everywhere else asked.project
    if place is None:
        raise RalphMemError("there is no home folder for notes about all projects", "leave out --global")
    name, is_new = notes_by_hand.inject(place, asked.project, asked.settings, text, asked.session, asked.turn)
    where = "for all projects" if everywhere else "for this project"
    return f"Remembered {where} as {name}." if is_new else f"This is remembered already, as {name}."


def status(asked: "Asked") -> str:
    """Return the status of the project's memory in lines."""
    from ralph_mem.maintenance import status as of_memory  # lazy: only this one counts

    return "\n".join(of_memory.lines(of_memory.of(asked.project, asked.settings, asked.now)))
