"""Decide what a new statement means for those that are there.

What two statements share finds the one that is meant; what they differ in makes the new one an update of it. Similar is never
the same, and no word of a statement is ever changed.
"""

from ralph_mem.memory.facts import giving_up, likeness, wording
from ralph_mem.memory.rows import facts, index_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from ralph_mem.memory.facts.likeness import Near

VERBS = ADD, UPDATE, DELETE, NOOP, CONFLICT = ("ADD", "UPDATE", "DELETE", "NOOP", "CONFLICT")
# Of how sure it is that the nearest statement is meant: from LIKELY on both stay, marked as a conflict, from SURE on the new one
# replaces the other. On the histories of sixteen rule files SURE is where 1.5 % of the new statements replace one; chosen so with
# each of ten repositories left out in turn it lies from 0.30 to 0.35, and 1.7 % do. From LIKELY on every other one stands in the
# place of the statement that is meant. What shares less than LEAST of its words is about something else.
LIKELY, SURE, LEAST = 0.20, facts.SURE, 0.40
DOUBT = SURE - 0.01  # the most that a conflict scores: one step below what replaces
# In so short a statement two differences are what it is about and what it says of it, so that it is another fact, such as that of a
# second service; unless it begins with the same words.
SHORT, MOST_REPLACED, SAME_BEGINNING = 8, 1, 3
NEGATIONS = frozenset(
    "no not never none don't dont doesn't didn't cannot can't mustn't shouldn't won't isn't aren't wasn't without avoid nor neither"
    " forbidden nicht nie niemals kein keine keinen verboten ne pas jamais interdit nunca jamás prohibido não proibido non mai"
    " vietato".split()
)
# What may come before the word that says what is done, or what it is about.
OPENERS = NEGATIONS | frozenset("always please must should may only just also so we you i our your the a an do does did to".split())
# A word without which a statement says something else: where, when and for whom it holds.
CONDITIONS = frozenset(
    "if unless only except when while where until before after during on in at for with by to from as per than every each all any"
    " must may can should always instead rather".split()
)
# After these words a sentence says what the words before them are, do or have.
SAYS = frozenset("is are was were = uses use has have lives live goes go means needs need with via through".split())
# Behind one of these in a statement stands what something else is put in the place of.
PUTS_ASIDE = frozenset("not never instead rather nicht nie statt pas jamais".split())
# Behind one of these stands all that a statement says anew, in so many words.
ANEW_BEHIND, MOST_ANEW = SAYS | {"in", "to"}, 3
# Before a colon they say that something was said before, or holds no longer.
LEAD_IN = frozenset(
    "i i've we told you already said as before again once more now correction actually remember note it it's that's that this is"
    " was not isn't true right correct any anymore longer".split()
)
# Behind one of these stands what is allowed; that it was not so before; verbs that say little of what that is.
ALLOWS, ANEW, GENERAL = frozenset("may can".split()), frozenset("now again".split()), frozenset("run start call make".split())
# That something is used, and when, is not what it is.
USES = frozenset("use uses using used from now on ab sofort jetzt wir verwenden nutzen benutzen immer".split())
# Words that leave open of what is spoken.
FILLERS = index_text.STOPWORDS | OPENERS
MARKS = likeness.MARKS
FEWEST = 3  # words: two may stand in any order by chance


class Decision:
    """A verb, the number of the statement that it is about, or None, and how sure it is that this one is meant, from 0 to 1."""

    __slots__ = ("score", "target", "verb")

    def __init__(self, verb: str, target: "int | None" = None, score: float = 0.0) -> None:
        self.verb, self.target, self.score = verb, target, score


def decide(statement: str, there: "Sequence[str]") -> Decision:
    """Return what a statement means for those that are there: ADD, UPDATE, NOOP or CONFLICT, where both stay."""
    before, statement = _lead_in(statement)
    decided = _decide(statement, there)
    is_taken_back = decided.verb == NOOP and not NEGATIONS.isdisjoint(before)
    return Decision(CONFLICT, decided.target, DOUBT) if is_taken_back else decided


def _lead_in(statement: str) -> "tuple[list[str], str]":
    """Return the words before the colon of `I told you: never push`, and what it says; no words where they say something too."""
    before, _, said = statement.partition(":")
    words = _bare(likeness.words_of(before))
    return (words, said) if said.strip() and LEAD_IN.issuperset(words) else ([], statement)


def _decide(statement: str, there: "Sequence[str]") -> Decision:
    keys = [wording.key(text) for text in there]
    if wording.key(statement) in keys:
        return Decision(NOOP, keys.index(wording.key(statement)), 1.0)
    found = likeness.nearest(statement, there)
    repeated = next((near for near in found if is_said_by(statement, there[near.at])), None)
    if repeated:
        return Decision(NOOP, repeated.at, repeated.score)
    opposite = next((near for near in found if is_opposite(statement, there[near.at])), None)
    if opposite:
        return Decision(UPDATE, opposite.at, max(SURE, opposite.score))
    given_up = _given_up(statement, there)
    is_near = found and found[0].score >= SURE and not _is_another(found[0], statement, there[found[0].at])
    if is_near and not (given_up and given_up.verb == UPDATE):
        return Decision(UPDATE, found[0].at, found[0].score)
    return given_up or _doubtful(found, statement, there)


def _doubtful(found: "list[Near]", statement: str, there: "Sequence[str]") -> Decision:
    doubtful = next((near for near in found if _may_conflict(near, statement, there[near.at])), None)
    return Decision(CONFLICT, doubtful.at, min(DOUBT, doubtful.score)) if doubtful else Decision(ADD)


def _given_up(statement: str, there: "Sequence[str]") -> "Decision | None":
    """Return what a statement means for one that tells to use what it gives up: an update where that says nothing else."""
    kept, words = giving_up.read(statement)
    wanted = _named(words)
    found = None
    for at, other in enumerate(there) if wanted else []:
        said = _split(giving_up.read(other)[0])[0]
        if wanted <= _named(said) and NEGATIONS.isdisjoint(said):
            if _named(said) - index_text.STOPWORDS <= wanted | _named(kept):
                return Decision(UPDATE, at, SURE)
            found = found or Decision(CONFLICT, at, DOUBT)
        elif any([wanted <= _named(kept) and NEGATIONS.isdisjoint(kept) for kept, _ in giving_up.read_parts(other)]):
            found = found or Decision(CONFLICT, at, DOUBT)
    return found


def _named(words: "list[str]") -> "set[str]":
    """Return what words name besides that it is used, and a setting such as `a=b` by both of its sides."""
    return {side for word in words for side in word.split("=") if side and side not in OPENERS and side not in USES}


def _is_another(near: "Near", statement: str, other: str) -> bool:
    """Say whether a statement is another fact than one that it is near to, where a word or two are all that they are about."""
    if near.shortest > SHORT:
        return False
    one, two = [_bare(likeness.words_of(text)) for text in (statement, other)]
    says_more = near.replaced > MOST_REPLACED and near.begins < SAME_BEGINNING
    return says_more or _does_something_else(one, two) or _forbid_two(one, two)


def _does_something_else(one: "list[str]", two: "list[str]") -> bool:
    """Say whether the words that say what is done, or what it is about, are two ordinary ones; of code it may be a new name."""
    heads = [words[_opening(words) :][:1] for words in (one, two)]
    return heads[0] != heads[1] and all([head and head[0].isalpha() for head in heads])


def _forbid_two(one: "list[str]", two: "list[str]") -> bool:
    """Say whether both forbid something, and not the same with another number: to forbid one thing allows no other."""
    forbid = all([not NEGATIONS.isdisjoint(words[: _opening(words)]) for words in (one, two)])
    return forbid and not any([char.isdigit() for word in {*one} ^ {*two} for char in word])


def _opening(words: "list[str]") -> int:
    """Return how many words come before the one that says what is done."""
    return next((at for at, word in enumerate(words) if word not in OPENERS), len(words))


def _may_conflict(near: "Near", statement: str, other: str) -> bool:
    if is_of_one_subject(statement, other) or _counts_anew(statement, other) or _allows(statement, other):
        return True
    return near.score >= LIKELY and near.share >= LEAST and not (near.shortest <= SHORT and _is_beside(statement, other))


def _counts_anew(statement: str, other: str) -> bool:
    """Say whether a statement says that from now on there is another number of the same than another one says."""
    anew, others = giving_up.said_anew(_bare(likeness.words_of(statement))), _bare(likeness.words_of(other))
    one, two = [{unit: word for word, unit in zip(words, words[1:]) if word.isdecimal()} for words in (anew, others)]
    counted = {unit for unit in one.keys() & two.keys() if one[unit] != two[unit]}
    return bool(counted) and bool(_content(anew) & _content(others) - counted)


def _allows(statement: str, other: str) -> bool:
    """Say whether a statement such as `you may push from now on` allows what another one forbids."""
    words, others = [_bare(likeness.words_of(text)) for text in (statement, other)]
    at = next((at + 1 for at, word in enumerate(words) if word in ALLOWS and words[at - 1 : at] in (["you"], ["we"])), len(words))
    begins = _opening(others)
    forbids = not NEGATIONS.isdisjoint(others[:begins])
    is_anew = not ANEW.isdisjoint(words) and NEGATIONS.isdisjoint(words[at : at + 2])
    return forbids and is_anew and not {*words[at : at + 2]}.isdisjoint(_content(others[begins:]) - GENERAL)


def _is_beside(statement: str, other: str) -> bool:
    """Say whether two short statements can both hold: each is about something that the other is not about, or both forbid."""
    one, two = [_bare(likeness.words_of(text)) for text in (statement, other)]
    about, others = _subject(one), _subject(two)
    return bool(about - others and others - about) or _forbid_two(one, two)


def _subject(words: "list[str]") -> "set[str]":
    """Return what a statement is about: its words before the one that begins to say what that is; none where no such is there."""
    end = next((at for at, word in enumerate(words) if word in SAYS), 0)
    return _content(words[:end])


def is_said_by(statement: str, other: str) -> bool:
    """Say whether another statement says all of one: its words in its order, and no more than a few that change nothing."""
    words, whole = likeness.words_of(statement), likeness.words_of(other)
    rest = _left_over(words, whole)
    return bool(words) and rest is not None and len(rest) < len(words) and not any([_tells(word) for word in rest])


def _left_over(words: "list[str]", whole: "list[str]") -> "list[str] | None":
    """Return which words are left of a text when those of another are taken out in their order; None if one is missing."""
    left, at = [], 0
    for word in whole:
        if at < len(words) and word == words[at]:
            at += 1
        else:
            left.append(word)
    return left if at == len(words) else None


def _tells(word: str) -> bool:
    """Say whether a word makes a statement another one: a number, a path, code, a flag, a negation or a condition."""
    bare = word.strip(MARKS)
    return "`" in word or word[:1] == "-" or bare in NEGATIONS or bare in CONDITIONS or not bare.replace("'", "").isalpha()


def is_opposite(statement: str, other: str) -> bool:
    """Say whether only one of two statements can hold.

    They differ in nothing but negations or the order of their words, or one puts something in the place of what the other says.
    """
    one, two = [_bare(likeness.words_of(text)) for text in (statement, other)]
    if one == two or min(len(one), len(two)) < FEWEST:
        return False
    if sorted(one) == sorted(two) or _affirmed(one) == _affirmed(two):
        return True
    return _puts_aside(one, two) or _puts_aside(two, one) or _says_anew(one, two)


def _puts_aside(words: "list[str]", others: "list[str]") -> bool:
    """Say whether words such as `use pnpm, not npm` put aside what other words say, such as `from now on we use npm`."""
    kept, aside = _split(words)
    said, _ = _split(others)
    there, wanted, head = _content(said), _content(aside), kept[_opening(kept) :][:1]
    if not wanted or not NEGATIONS.isdisjoint(said) or not head or head[0] not in said:
        return False
    return wanted <= there <= wanted | _content(kept) and not _content(kept) <= there


def _says_anew(words: "list[str]", others: "list[str]") -> bool:
    """Say whether words such as `deploy with ship from now on` say anew what others say in as few, `we deploy with make`."""
    anew = giving_up.said_anew(words)
    one, two = [each[_opening(each) :] for each in (anew, others)]
    same = _same(one, two)
    is_same = same > 1 and one[same - 1] in ANEW_BEHIND and NEGATIONS.isdisjoint([*anew, *others])
    return is_same and all([0 < len(each) - same <= MOST_ANEW and CONDITIONS.isdisjoint(each[same:]) for each in (one, two)])


def _split(words: "list[str]") -> "tuple[list[str], list[str]]":
    """Return the words of a statement, and those that it puts aside."""
    end = next((at for at, word in enumerate(words) if at and word in PUTS_ASIDE), len(words))
    return words[:end], words[end + 1 :]


def _content(words: "list[str]") -> "set[str]":
    return {word for word in words if word not in FILLERS}


def _bare(words: "list[str]") -> "list[str]":
    return [bare for bare in [word.strip(MARKS) for word in words] if bare]


def _affirmed(words: "list[str]") -> "list[str]":
    """Return the words without negations, and without what a negation needs in English."""
    return [word for word in words if word not in NEGATIONS and word not in ("do", "does", "did")]


def is_of_one_subject(statement: str, other: str) -> bool:
    """Say whether two short statements have the same subject, with a word such as `is` or `uses` after it, and then differ.

    Two words or more are the same subject in another order as well.
    """
    one, two = [_bare(likeness.words_of(text)) for text in (statement, other)]
    if len(_subject(one)) > 1 and _subject(one) == _subject(two) and max(len(one), len(two)) <= 2 * SHORT:
        return True
    same = _same(one, two)
    if not 2 <= same < min(len(one), len(two)) or one[same - 1] not in SAYS or max(len(one), len(two)) > 2 * SHORT:
        return False
    return any([word not in index_text.STOPWORDS for word in one[: same - 1]])


def _same(one: "list[str]", two: "list[str]") -> int:
    """Return with how many of the same words two statements begin."""
    return next((at for at, (word, another) in enumerate(zip(one, two)) if word != another), min(len(one), len(two)))


def kind_of(statement: str) -> str:
    """Return the kind of a statement that a person asked to be kept: a rule where it forbids or orders, a fact otherwise."""
    words = likeness.words_of(statement)
    orders = ("always", "never", "don't", "do", "use", "must", "avoid", "prefer", "run", "keep")
    return "rule" if words[:1] and (words[0] in orders or "must" in words or "never" in words or "always" in words) else "fact"
