"""Say in words what spoke for a memory at a prompt, from the features that its receipt kept."""

from ralph_mem.memory.recall import features

# From how much on a word is said of a feature: thirds of what the features of the development sets reach.
FITS, TITLE = ((1.5, "fits well"), (0.6, "fits in part"), (0.0, "hardly fits")), 8.0
WITHOUT_FEATURES = {
    features.OF_TIME: "the prompt asks what was done then",
    features.OF_RETRACTION: "it takes back what is told beside it",
}
STANDS_OUT, NEAR, SHORT = 2.0, 0.5, 0.8


def words(evidence: int) -> str:
    """Return the reasons of a receipt's line, the weightiest first; nothing for one that was not judged by features."""
    kept = features.unpacked(evidence)
    if not kept:
        return WITHOUT_FEATURES.get(evidence, "")
    found = [next(word for least, word in FITS if kept["fits"] >= least)]
    found += [f"the prompt names {'it or ' * bool(kept['note'])}a file of it, or the session changed one"] if kept["file"] else []
    found += ["its title says much of it"] if kept["title"] >= TITLE else []
    found += [f"{kept['pairs']:.0f} pairs of words in a row"] if kept["pairs"] > 1 else []
    found += ["stands out"] if kept["stands_out"] >= STANDS_OUT else []
    found += ["means nearly the same"] if kept["near"] >= NEAR else []
    found += ["the prompt says little"] if kept["short"] >= SHORT else []
    return ", ".join([*found, _age(kept)])


def _age(kept: "dict[str, float]") -> str:
    if kept["note"]:
        return "a note"
    turns = round(2.718281828 ** kept["turns_ago"] - 1)
    return "the last turn" if turns < 1 else f"some {turns} turns ago" if turns > 1 else "the turn before the last"
