"""Find in a prompt the sentences that may hold beyond its session, in the user's own words.

Nothing is rewritten, and nothing found here is a fact yet: a person or a repetition has to say so. What was quoted or pasted
into the prompt is somebody else's word and is passed over; so is what is bound to the moment.
"""

import re

from ralph_mem.core.redaction import privacy
from ralph_mem.memory.facts import extraction_languages as languages
from ralph_mem.memory.facts import extraction_likelihood as likelihood
from ralph_mem.memory.facts import extraction_manner as manner
from ralph_mem.memory.facts import extraction_own_words as own_words
from ralph_mem.memory.facts import extraction_patterns as patterns
from ralph_mem.memory.facts import extraction_statements as statements
from ralph_mem.memory.facts import retraction
from ralph_mem.memory.rows import index_text
from ralph_mem.memory.rows.fact_queries import LEAST_TOLD
from ralph_mem.memory.rows.facts import CORRECTION, FACT

# Whoever types more has pasted most of it.
MOST_CHARACTERS = 2_500
SHORTEST, LONGEST = own_words.SHORTEST, 320
MOST_FOUND = 5
MARKS = "`'\".,;:!?()"  # around the words of a command in a sentence
LEAST_STRENGTH, SURE = 0.5, 0.9

END = re.compile(r"(?<![ .][a-z])(?<!e\.g)(?<!i\.e)(?<!etc)(?<!\bvs)[.!?\u2026]+[)\"'\u201d]*(?=\s|$)|\n|;(?= )")
# What is said behind an order to forget something, in `forget about npm, we use pnpm now`.
SAID_BEHIND = re.compile(r"(?:[,:;]| [\u2014\u2013-]+) +(?=(?:we|i|it|its|they|the|there|use|that)\b)", re.IGNORECASE)
# What is said behind one to hold in place of it, though not by itself: `it is kustomize now`.
INSTEAD = re.compile(
    r"(?:[.,:;]| [\u2014\u2013-]+) +(?=(?:it|that|they)(?:'s|'re| is| are) (?:\S+ ){1,6}(?:now|instead)\b"
    r"|(?:we |i |please |just )*use (?!(?:it|that|this|them)\b))",
    re.IGNORECASE,
)
# What speaks of the folder at work, or may.
OF_FOLDER = re.compile(
    r"\b(?:this (?:(?:sub)?folder|(?:sub)?directory|dir|package|crate|app|service|workspace|sub-?project|component|module)"
    r"|diese[mnrs]? (?:ordner|unterordner|verzeichnis|paket|modul|dienst|app)|ce(?:tte)? (?:dossier|répertoire|paquet|module"
    r"|service|appli(?:cation)?)|est[ae] (?:carpeta|directorio|paquete|módulo|servicio|app)|n?est[ae] (?:pasta|diretório|pacote"
    r"|módulo|serviço|app)|quest[aeo'] ?(?:cartella|pacchetto|modulo|servizio|app)|here|hier|ici|aquí|aqui)\b",
    re.IGNORECASE,
)
NEXT, MOST_ENDS = re.compile(r"[,;:.!] "), 3  # an order to forget ends at one of its first marks
WORD = re.compile(r"[^\W\d_]+")
# The commonest words of other languages that no English sentence holds.
FOREIGN = frozenset(
    "der die das und ist nicht ein eine mit auf f\u00fcr den dem wir ich immer nie bitte le la les des est une pas dans pour avec"
    " toujours jamais el los las es que con por para siempre nunca il che non per sempre mai een het niet altijd nooit och inte"
    " alltid aldrig n\u00e3o uma com \u00e4r \u00e9 zawsze".split()
)


class Found:
    """A sentence of a prompt: its text, where it begins and ends there, its kind, and from 0 to 1 how likely it is worth telling
    in a later session.
    """

    __slots__ = ("end", "kind", "start", "strength", "text")

    def __init__(self, text: str, kind: str, strength: float, start: int, end: int) -> None:
        self.text, self.kind, self.strength, self.start, self.end = text, kind, strength, start, end


def find(prompt: str) -> "list[Found]":
    """Return the sentences of a user's prompt that may hold beyond it, the first one first, the strongest few of many."""
    if len(prompt) > MOST_CHARACTERS:
        return []
    own = own_words.of(prompt)
    found = [each for start, end in _sentences(own) for each in _weighed(prompt, own, start, end)]
    best = sorted(found, key=lambda each: -each[0])[:MOST_FOUND]
    return sorted([each for _, each in best], key=lambda each: each.start)


def sentences(prompt: str) -> "list[Found]":
    """Return all sentences of a user's prompt that are wholly their own, in any language; who asks judges if they hold."""
    if len(prompt) > MOST_CHARACTERS:
        return []
    own = own_words.of(prompt)
    spans = [(start, end) for start, end in _sentences(own) if own[start:end] == prompt[start:end]]
    found = [Found(prompt[start:end], FACT, 0.0, start, end) for start, end in spans]
    return [each for each in found if index_text.REDACTED not in each.text and privacy.INJECTED not in each.text]


def corrections(prompt: str) -> "list[Found]":
    """Return the sentence with which a user's prompt corrects what they said just before, if it begins with one."""
    own = own_words.of(prompt) if len(prompt) <= MOST_CHARACTERS else ""
    begins = retraction.what_was_meant(own)
    return _whole(prompt, own, 0, begins) if begins else []


def orders_with_more(prompt: str, order: Found) -> "list[Found]":
    """Return an order to forget something with what a user's prompt says behind it to hold instead, if it does."""
    own = own_words.of(prompt)
    behind = INSTEAD.match(own, order.end)
    return _whole(prompt, own, order.start, behind.end()) if behind else []


def _whole(prompt: str, own: str, start: int, begins: int) -> "list[Found]":
    """Return what is said from a place to the end of the sentence in which another one lies, if all of it is the user's own."""
    ends = [found.start() if found.group() in "\n;" else found.end() for found in END.finditer(own, begins)]
    start, end = _trimmed(own, start, min([*ends, len(own)]))
    text = prompt[start:end]
    is_own = end - start <= LONGEST and own[start:end] == text and "?" not in text and index_text.REDACTED not in text
    return [Found(text, CORRECTION, 0.0, start, end)] if is_own else []


def says(prompt: str, text: str) -> bool:
    """Say whether a text such as a command stands in a user's prompt among the words that are their own."""
    own = own_words.of(prompt) if len(prompt) <= MOST_CHARACTERS else ""
    said, wanted = [" ".join([word.strip(MARKS) for word in each.split()]) for each in (own, text)]
    return f" {wanted} " in f" {said} "


def _sentences(text: str) -> "list[tuple[int, int]]":
    """Return where the sentences of a text begin and end, those of a fit length."""
    ends = [found.end() for found in END.finditer(text)] + [len(text)]
    whole = list(zip([0, *ends[:-1]], ends))
    trimmed = [_trimmed(text, *each) for start, end in whole for each in _without_order(text, start, end)]
    return [(start, end) for start, end in trimmed if SHORTEST <= end - start <= LONGEST]


def _without_order(text: str, start: int, end: int) -> "list[tuple[int, int]]":
    """Return where a sentence begins and ends, an order to forget something apart from what is said behind it."""
    behind = SAID_BEHIND.search(text, start, end)
    dropped = retraction.of(text[start : behind.start()]) if behind else None
    return [(start, behind.start()), (behind.end(), end)] if behind and dropped and dropped.is_order else [(start, end)]


def _trimmed(text: str, start: int, end: int) -> "tuple[int, int]":
    part = text[start:end]
    return start + len(part) - len(part.lstrip()), end - (len(part) - len(part.rstrip(" \t\r\n;")))


def _weighed(prompt: str, own: str, start: int, end: int) -> "list[tuple[float, Found]]":
    """Return a sentence with how clearly it says that it holds, unless it says nothing of the kind."""
    text, seen = prompt[start:end], own[start:end]
    if index_text.REDACTED in text or privacy.INJECTED in text or seen.rstrip().endswith(":"):
        return []
    rest = _behind_an_order(seen)
    if rest:
        return _weighed(prompt, own, *_trimmed(own, start, start + rest)) + _weighed(prompt, own, start + rest, end)
    known = _in_another_language(seen) or (None if languages.language_of(seen) else _english(seen))
    return [(known[0], Found(text, known[1], known[2], start, end))] if known else []


def _behind_an_order(seen: str) -> int:
    """Return where something else begins behind an order in another language than English to forget, in the same sentence."""
    if not _is_order(seen):
        return 0
    ends = [found.end() for found in NEXT.finditer(seen) if SHORTEST < found.end() <= len(seen) - SHORTEST]
    return next((end for end in ends[:MOST_ENDS] if _is_order(seen[:end])), 0)


def _is_order(seen: str) -> bool:
    dropped = retraction.of(seen)
    return bool(dropped and dropped.is_order and not dropped.is_english)


def _in_another_language(seen: str) -> "tuple[float, str, float] | None":
    """Return how clearly a sentence in another language than English says that it holds, its kind, and how likely it is."""
    return (SURE, FACT, 0.0) if _is_order(seen) else languages.kind_of(seen)  # an order as below


def _english(seen: str) -> "tuple[float, str, float] | None":
    """Return how clearly an English sentence says that it holds, its kind, and how likely it is worth telling later."""
    dropped = retraction.of(seen)
    if dropped and dropped.is_order and may_hold(seen, is_order=True):
        return SURE, FACT, 0.0  # whom it names is taken back, and itself it says nothing
    if not may_hold(seen):
        return None
    is_reproach = bool(manner.REPROACH.search(seen))
    forms = [(strength, kind) for kind, strength, form in patterns.FORMS if form.search(seen)]
    stated = statements.kind_of(seen)
    kinds = [(strength, kind, seen) for strength, kind in forms] + ([stated] if stated else [])
    kinds = [each for each in kinds if each[1] == CORRECTION or not is_reproach]
    strength, kind = max([(each[0] + manner.weight(seen, *each[1:]), each[1]) for each in kinds], default=(0.0, ""))
    likely = likelihood.of(seen, forms, (stated[0], stated[1]) if stated else None)
    if round(strength, 2) >= LEAST_STRENGTH:
        return strength, kind, likely
    return (likely, kind or FACT, likely) if likely >= LEAST_TOLD else None  # by its words, without a form


def may_hold(sentence: str, is_order: bool = False) -> bool:
    """Say whether an English sentence, or an order to forget, is neither about the moment nor a task nor a question."""
    if not _is_english(sentence) or languages.language_of(sentence) or manner.is_task(sentence):
        return False
    if any([of_now.search(sentence) for of_now in (manner.NOW, manner.POINT, manner.UNSURE, manner.UNMEANT)]):
        return False
    is_asking = sentence.rstrip(" !").endswith("?") or manner.ASKING.search(sentence) or manner.WHY.search(sentence)
    return is_order or not is_asking or bool(manner.REPROACH.search(sentence))


def _is_english(text: str) -> bool:
    """Say whether the forms, which are English, may be asked about a text: other languages have words of the same letters."""
    words = [word.casefold() for word in WORD.findall(text)]
    known, foreign = sum([word in languages.ENGLISH for word in words]), sum([word in FOREIGN for word in words])
    letters = sum(map(len, words))
    plain = sum([len(word) for word in words if word.isascii()])
    return foreign <= known and plain >= 0.9 * letters and len(words) > 1
