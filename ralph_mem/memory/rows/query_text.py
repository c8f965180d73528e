"""Take the words of a query, as the indexes of rows have them."""

from ralph_mem.memory.rows import index_text

QUERY_CHARACTERS = 1000
MOST_TERMS = 32
LAST_ASKED: "dict[str, list[str]]" = {}  # the last query with its words, for which a prompt asks four times
FEWEST_INFLECTED = 5  # letters: a shorter word, cut, would stand for too many others


def terms(query: str) -> "list[str]":
    """Return the words of a query that carry meaning, of a long one the beginning and the end."""
    if len(query) > QUERY_CHARACTERS:
        query = query[: QUERY_CHARACTERS // 2] + " " + query[-QUERY_CHARACTERS // 2 :]
    return [word for word in words(query) if len(word) > 1 and word not in index_text.STOPWORDS][:MOST_TERMS]


def words(text: str) -> list[str]:
    """Return the words of a query in lower case, in order, each once: as written, then the parts of identifiers."""
    found = LAST_ASKED.get(text)
    if found is None:
        LAST_ASKED.clear()
        found = LAST_ASKED[text] = _words(text)
    return list(found)


def _words(text: str) -> list[str]:
    if index_text.REDACTED in text:
        text = index_text.without_marks(text)
    text = index_text.composed(text)
    found = [word.lower() for word in index_text.split(text)] + [part.lower() for part in index_text.identifier_parts(text.split())]
    if not text.isascii():
        pairs = index_text.pairs(text)
        covered = set("".join(pairs))
        found = [word for word in found if word.isascii() or not covered.issuperset(word)] + pairs
    return list(dict.fromkeys(found))


def quoted(term: str) -> str:
    """Return a term as FTS5 asks for it, whatever is in it; in other alphabets, without what inflection adds at the end."""
    stem = stem_of(term)
    return '"' + stem.replace('"', '""').replace("\0", " ") + ('"' if stem == term else '" *')


def other_spellings(terms: "list[str]") -> "list[str]":
    """Return words as those write them who have no `\u00df`, or have one: the index has `gro\u00dfe` and `grosse` as two words."""
    both = [(term, "\u00df", "ss") if "\u00df" in term else (term, "ss", "\u00df") for term in terms if term.isalpha()]
    return [term.replace(here, there) for term, here, there in both if here in term]


def stem_of(term: str) -> str:
    """Return what all forms of a word begin with in an alphabet of which the index knows no endings, else the term."""
    if min(term) < "\x80" or len(term) < FEWEST_INFLECTED or not term.isalpha() or index_text.is_cjk(term[0]):
        return term
    return term[: -1 if len(term) == FEWEST_INFLECTED else -2]
