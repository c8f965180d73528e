"""/mem-search: what is remembered about some words, or one memory by its id, as deep as the layer says."""

from ralph_mem import layers, recall
from ralph_mem.answers import MOST_CHARACTERS, arguments, fenced
from ralph_mem.core import paths, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.answers import Asked
    from ralph_mem.core.sense import Sense

OPTIONS = ("--layer", "--since", "--until", "--type", "--limit", "--from")
NOTHING = "Nothing that is remembered holds any of these words."


def answer(asked: "Asked") -> str:
    """Return hits as lines (layer 1), with what happened around them (2), or in full (3)."""
    typed = arguments.Typed(asked.text, OPTIONS)
    reader = asked.reader()
    layer = typed.number("--layer", asked.settings["search.default_layer"], 1, 3)
    if len(typed.words) == 1 and row.is_public_id(typed.words[0]):
        rows = [recall.find(reader, typed.words[0])]
        layer = layer if "--layer" in typed.options else 3
    else:
        rows = recall.search(reader, " ".join(typed.words), asked.now, _wanted(asked, typed, layer), _sense())
    if not rows:
        return NOTHING
    start = typed.number("--from", 0, 0, 999_999_999)
    return fenced(layers.shown(reader, rows, layer, start, MOST_CHARACTERS), asked, reader) + "\n" + HOW_ON[layer]


HOW_ON = {
    1: "Deeper: /mem-search --layer 2 ID (what happened around it), --layer 3 ID (its whole text).",
    2: "The whole text of one: /mem-search --layer 3 ID.",
    3: "The rest of a long text: /mem-search --layer 3 ID --from CHARACTER.",
}


def _sense() -> "Sense | None":
    """Return what tells meaning, where embeddings are set up."""
    if not paths.exists(paths.data_home() + paths.MODEL):
        return None
    from ralph_mem.core import sense

    return sense.open_sense()


def _wanted(asked: "Asked", typed: arguments.Typed, layer: int) -> recall.Wanted:
    limit = min(asked.settings["search.max_results"], layers.MOST_FULL) if layer == 3 else asked.settings["search.max_results"]
    return recall.Wanted(
        typed.number("--limit", limit, 1, 100),
        typed.moment("--since", asked.now),
        typed.moment("--until", asked.now) or recall.FOREVER,
        arguments.listed(typed.options["--type"]) if "--type" in typed.options else [],
    )
