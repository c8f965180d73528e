"""Tell which statements take back another one, and which one that is."""

from ralph_mem.memory.facts import decision, likeness, wording
from ralph_mem.memory.facts import retraction_languages as languages
from ralph_mem.memory.rows import index_text, query_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

# What may stand before any of these, and means nothing.
LEAD_INS = (
    *("from now on", "by the way", "please", "ok", "okay", "actually", "also", "and", "so", "well", "btw", "hey", "note"),
    *("no wait", "wait", "hm", "hmm", "oh", "yeah"),
)
# What follows says what no longer holds; the first two sorts tell us to forget, the third says how things are.
FORGET = ("forget that", "forget what i said about how", "please forget that", "stop remembering that", "ignore that")
ABOUT = (
    *("forget about", "forget what i said about", "forget everything about", "forget all about", "never mind about"),
    *("stop remembering", "forget what you know about"),
)
STOPPED = (
    *("we no longer", "i no longer", "you no longer", "it is no longer true that", "it's no longer true that", "we stopped"),
    *("we have stopped", "we've stopped", "we dropped", "we have dropped", "we've dropped", "we got rid of", "we gave up"),
    *("we have given up", "we moved away from", "we've moved away from", "we have moved away from", "i stopped"),
)
ORDERS, RULES = (
    ("forget", "drop", "remove", "delete", "scrap", "ignore", "disregard"),
    ("rule", "convention", "preference", "policy"),
)
# What may be in the place of a rule where we are told to forget it, and says nothing of it.
THINGS = ("thing", "stuff")
THINGS_ABOUT = tuple([(thing, "about") for thing in THINGS])
# Behind the words of a rule, in `the rule that we deploy on Fridays no longer holds`.
HOLDS = ("holds", "applies", "counts", "true", "valid", "relevant", "in force")
AUXILIARIES = frozenset("is are was were has have had can may must should will do does".split())
# Before `no longer` these make it a case that may come, or say of which things the sentence speaks.
OPENING_A_CASE = frozenset(
    "that which who when whenever if once where unless until because since after as should must whether what why how maybe perhaps"
    " think guess delete remove clean drop ignore skip find list check".split()
)
ANY_MORE = ("any more", "anymore", "any longer")
NOT = ("don't", "do not", "doesn't", "does not", "won't", "will not", "aren't", "isn't", "are not", "is not")
# The verbs with which a bare `no longer` begins an order: `no longer used code` begins something else.
VERBS = frozenset("use run need support install deploy commit push build ship test require write keep store start publish".split())
# After a noun and `no longer` these say how long it is, or which one it is.
AFTER_A_NOUN = ("than", "in", "on", "of", "to", "by")
MOST_SUBJECT_WORDS = 6
# Where a sentence goes on to something else: behind one of these marks, or at one of these words.
MARKS, GOING_ON = ",;:.!", frozenset("- \u2013 \u2014 but because since so".split())
ENDINGS, SHORTEST_ROOT = (("ies", "y"), ("ied", "y"), ("ing", ""), ("ed", ""), ("es", ""), ("s", "")), 3
# What is taken back has to be said by one statement, this much of the weight of its words, and by no other nearly as much.
MEANT, LEAD = 0.75, 0.2


class Retraction:
    """What a statement takes back. `is_order` says that it tells us to forget and states nothing itself; `is_topic` that it names
    what the other statement is about, and not what it says; `goes_on` that it says more, such as what holds instead; `is_english`
    that it is not in one of the other languages.
    """

    __slots__ = ("goes_on", "is_english", "is_order", "is_topic", "text")

    def __init__(self, text: str, *, is_order: bool = False, is_topic: bool = False) -> None:
        self.text, self.is_order, self.is_topic = text, is_order, is_topic
        self.goes_on, self.is_english = False, True


def of(statement: str) -> "Retraction | None":
    """Return what a statement takes back, such as `we use npm` of `forget that we use npm`; None for any other."""
    if "?" in statement:
        return None
    words = without_lead_in(statement.split())
    whole = _read(words)
    return whole if whole and whole.is_order else _of_a_part(parts(words)) or whole or _in_another_language(statement)


def what_was_meant(text: str) -> int:
    """Return where in a text that corrects what somebody said just before, such as `sorry, I meant tabs`, stands what they meant;
    0 for any other text.
    """
    found = languages.MEANT.match(text)
    return found.end() if found else 0


def have_in_common(one: str, other: str) -> bool:
    """Say whether two texts have a word in common that names something."""
    return not _named(one).isdisjoint(_named(other))


def _in_another_language(statement: str) -> "Retraction | None":
    read = languages.read(wording.folded(statement))
    if not read:
        return None
    found = Retraction(_text(read[0].split()), is_order=read[1], is_topic=read[2])
    found.goes_on, found.is_english = read[3], False
    return found


def without_lead_in(words: "list[str]", lead_ins: "tuple[str, ...]" = LEAD_INS) -> "list[str]":
    """Return the words of a statement without what may stand before it and means nothing."""
    low = [wording.folded(word) for word in words]
    while size := next((len(each.split()) for each in lead_ins if low[: len(each.split())] == each.split()), 0):
        words, low = words[size:], low[size:]
    return words


def _of_a_part(parts: "list[list[str]]") -> "Retraction | None":
    """Read `we no longer use npm, we use pnpm now`, of which one part takes back; none behind a case that may come."""
    for at, part in enumerate(parts):
        found = _read(without_lead_in(part))
        if found and not found.is_order:
            found.goes_on = any([_content(" ".join(each)) for each in [*parts[:at], *parts[at + 1 :]]])
            return found
        if not OPENING_A_CASE.isdisjoint([wording.folded(word) for word in part]):
            return None
    return None


def parts(words: "list[str]") -> "list[list[str]]":
    """Split the words of a statement where it goes on to something else."""
    parts: list[list[str]] = [[]]
    for word in words:
        if parts[-1] and (wording.folded(word) in GOING_ON or parts[-1][-1][-1] in MARKS):
            parts.append([])
        parts[-1].append(word)
    return parts


def _read(words: "list[str]") -> "Retraction | None":
    low = [wording.folded(word) for word in words]
    thing = _thing(words, low)
    if thing:
        return thing
    for openings, is_order, is_topic in ((ABOUT, True, True), (FORGET, True, False), (STOPPED, False, False)):
        for opening in openings:
            size = len(opening.split())
            if low[:size] == opening.split() and len(low) > size and _goes_on(low[size - 1], low[size]):
                return Retraction(_text(words[size:]), is_order=is_order, is_topic=is_topic)
    return _rule(words, low) or _no_longer(words, low) or _not_any_more(words, low)


def _goes_on(last: str, following: str) -> bool:
    """Say whether what follows an opening can be a habit: who stopped the server has not given up anything."""
    return following != "to" and (last != "stopped" or following.endswith("ing"))


def _text(words: "list[str]") -> str:
    return " ".join(words).rstrip(".!,;: ")


def _rule(words: "list[str]", low: "list[str]") -> "Retraction | None":
    """Read `drop the rule that we ...`, `forget the npm rule` and `the rule about npm no longer applies`."""
    named = [
        at for at, word in enumerate(low[:MOST_SUBJECT_WORDS]) if word in RULES or (word, *low[at + 1 : at + 2]) in THINGS_ABOUT
    ]
    at = next(iter(named), None)
    if at is None:
        return None
    is_order = low[0] in ORDERS and low[1:2] in (["the"], ["my"], ["our"], ["that"])
    if is_order and at == len(low) - 1:
        return Retraction(_text(words[2:at]), is_order=True, is_topic=True) if at > 2 else None
    start, end = at + 1, len(low)
    if not is_order:
        end = next((end for end in range(at, len(low) - 1) if low[end : end + 2] == ["no", "longer"]), 0)
        if low[0] not in ("the", "my", "our") or not any([_text(low[end + 2 :]).startswith(word) for word in HOLDS]):
            return None
        end -= low[end - 1] in AUXILIARIES
    if low[start : start + 1] not in (["that"], ["about"], ["to"], ["for"]):
        return None
    return Retraction(_text(words[start + 1 : end]), is_order=True, is_topic=low[start] != "that")


def _thing(words: "list[str]", low: "list[str]") -> "Retraction | None":
    """Read `forget that npm thing`, which names what it is about."""
    start = 2 + (low[1:2] == ["about"])
    is_thing = low[:1] == ["forget"] and low[start - 1 : start] in (["that"], ["the"]) and low[-1] in THINGS
    return Retraction(_text(words[start:-1]), is_order=True, is_topic=True) if is_thing and start < len(low) - 1 else None


def _no_longer(words: "list[str]", low: "list[str]") -> "Retraction | None":
    """Read `no longer use npm` and `the worker no longer retries`, which has a subject."""
    at = next((at for at in range(len(low) - 2) if low[at : at + 2] == ["no", "longer"]), None)
    if at is None or at > MOST_SUBJECT_WORDS or not OPENING_A_CASE.isdisjoint(low[:at]):
        return None
    if any([word[-1:] in ",:;" for word in words[:at]]):
        return None
    following, is_passive = low[at + 2], at > 0 and low[at - 1] in AUXILIARIES
    if at == 0:
        return Retraction(_text(words[2:])) if following in VERBS else None
    if (not is_passive and following.endswith(("ed", "ing"))) or following in AFTER_A_NOUN:
        return None
    return Retraction(_text([*words[:at], *words[at + 2 :]]))


def _not_any_more(words: "list[str]", low: "list[str]") -> "Retraction | None":
    """Read `we don't use npm any more`; `don't use npm anymore` without a subject is an order for now as well."""
    whole = " ".join(low)
    ending = next((ending for ending in ANY_MORE if whole.endswith(" " + ending)), "")
    if not ending or not OPENING_A_CASE.isdisjoint(low):
        return None
    end = len(words) - len(ending.split())
    for at in range(1, min(end, MOST_SUBJECT_WORDS)):
        negation = next((each for each in NOT if low[at : at + len(each.split())] == each.split()), "")
        if negation:
            subject = [] if low[:at] in (["we"], ["i"], ["you"]) else words[:at]
            return Retraction(_text([*subject, *words[at + len(negation.split()) : end]]))
    return None


def meant(taken_back: Retraction, there: "Sequence[str]") -> "tuple[int, float] | None":
    """Return the number of the statement that is taken back, and how much of it that says; None where none is meant clearly."""
    content = _content if taken_back.is_english else _named
    wanted = content(taken_back.text)
    if not wanted:
        return None
    others = [content(text) for text in there]
    weights = likeness.Weights([list(other) for other in others])
    whole = sum([weights.of(word) for word in sorted(wanted)])
    held = [sum([weights.of(word) for word in sorted(wanted & other)]) / whole for other in others]
    near = [at for at, share in enumerate(held) if share > MEANT - LEAD]
    near = [at for at in near if taken_back.is_topic or _agrees(taken_back.text, there[at], content)]
    best = max(near, key=lambda at: (held[at], -len(others[at])), default=None)
    if best is None or held[best] < MEANT:
        return None
    others_near = [held[at] for at in near if others[at] != others[best]]
    is_sure = held[best] - max(others_near, default=0.0) >= LEAD or _is_nearly_all(wanted, others, best)
    return (best, held[best]) if is_sure else None


def _is_nearly_all(wanted: "set[str]", others: "list[set[str]]", best: int) -> bool:
    """Say whether one statement alone says what is taken back and nothing else."""
    return [other <= wanted for other in others].count(True) == 1 and others[best] <= wanted


def _content(text: str) -> "set[str]":
    """Return the words of a text that say something, without their endings."""
    return {root(word) for word in query_text.words(text) if word not in index_text.STOPWORDS and word not in NEGATED}


def _named(text: str) -> "set[str]":
    """Return the same of a text in another language than English."""
    return {
        languages.root(word)
        for word in query_text.words(text)
        if word not in index_text.STOPWORDS and word not in NEGATED and word not in languages.EMPTY
    }


def root(word: str) -> str:
    """Return what the forms of an English word have in common: retry of retries, retried and retrying."""
    for ending, instead in ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_ROOT:
            word = word[: -len(ending)] + instead
            break
    twice = len(word) > SHORTEST_ROOT and word[-1] == word[-2] and word[-1] not in "lsz"
    return word[:-1] if twice or (word[-1] == "e" and len(word) > SHORTEST_ROOT) else word


NEGATED = decision.NEGATIONS | {"s", "t", "re"}


def _agrees(text: str, other: str, content: "Callable[[str], set[str]]") -> bool:
    """Say whether both negate or neither does: who no longer deploys on Fridays takes back no `never deploy on Fridays`.

    What is said before `, never npm` is not negated by that.
    """
    words = other.split()
    end = next((at for at, word in enumerate(words) if at and _puts_aside(words[at - 1], word)), len(words))
    if content(text) <= content(" ".join(words[:end])):
        other = " ".join(words[:end])
    return _negates(text) == _negates(other)


def _negates(text: str) -> bool:
    words = [word.strip(decision.MARKS) for word in without_lead_in(likeness.words_of(text))]
    return not decision.NEGATIONS.isdisjoint(words) or of(text) is not None


def _puts_aside(before: str, word: str) -> bool:
    """Say whether a word begins what is not to be done instead, as in `pnpm, never npm` and `pnpm not npm`."""
    is_behind = before[-1] in MARKS or before in (*GOING_ON, "and") or (word == "not" and before.lower() not in AUXILIARIES)
    return is_behind and wording.folded(word) in decision.PUTS_ASIDE & decision.NEGATIONS
