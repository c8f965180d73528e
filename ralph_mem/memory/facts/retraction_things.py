"""Tell which thing a statement takes back as a whole, and whether a text names it."""

from ralph_mem.memory.facts import retraction, wording
from ralph_mem.memory.facts import retraction_languages as languages
from ralph_mem.memory.rows import index_text, query_text

# By which a thing is done away with, what may stand before that, and where its name ends. With a word of the last line before its
# end only a part of it, or what is in one place, goes.
SCRAPPING = frozenset("forget drop remove delete scrap ditch".split())
BEFORE = (
    *retraction.LEAD_INS,
    "let's",
    "lets",
    "let us",
    "i think we should",
    "we should",
    "can you",
    "but",
    "-",
    "\u2013",
    "\u2014",
)
AT_ITS_END = frozenset(
    "and but for then again instead now altogether completely entirely everywhere please go use keep bring we it's let's".split()
)
IN_FAVOUR = (["in", "favour"], ["in", "favor"])
IN_A_PLACE = frozenset("from in on of to with at by inside where which that when if unless".split())
# Beside the name of a thing these say nothing of it.
OF_NO_MEANING = (
    index_text.STOPWORDS | retraction.NEGATED | retraction.VERBS | {*retraction.THINGS, "about", "idea", "approach", "plan"}
)


def of(statement: str) -> str:
    """Return what a statement takes back in its own words, such as `the polars thing` of `scrap the polars thing, pandas stays`, or
    as `retraction.of` reads it; nothing for any other.
    """
    for part in retraction.parts(statement.split()) if "?" not in statement else ():
        words = retraction.without_lead_in(part, BEFORE)
        found = _named(words[1:]) if words and wording.folded(words[0]) in SCRAPPING else ""
        if found:
            return found
        if not retraction.OPENING_A_CASE.isdisjoint([wording.folded(word) for word in part]):
            break
    taken_back = retraction.of(statement)
    return taken_back.text if taken_back else ""


def _named(words: "list[str]") -> str:
    """Return the thing that these words name, of those behind an order to do away with it; nothing where only a part is meant."""
    low = [wording.folded(word) for word in words]
    end = next((at for at, word in enumerate(low) if word in AT_ITS_END or low[at : at + 2] in IN_FAVOUR), len(low))
    is_whole = end <= retraction.MOST_SUBJECT_WORDS and IN_A_PLACE.isdisjoint(low[:end])
    return " ".join(words[:end]) if is_whole else ""


def words_in(text: str, named: str) -> "list[str]":
    """Return the words that name a thing, if a text has all of them in some form; none otherwise."""
    words = [word for word in query_text.words(named) if word not in OF_NO_MEANING]
    held = {form(word) for word in query_text.words(text) for form in (retraction.root, languages.root)}
    return words if all([retraction.root(word) in held or languages.root(word) in held for word in words]) else []
