"""Judge how likely a sentence is worth telling in a later session, by what it has and lacks.

The forms say that a sentence may hold; most that match are about a piece of the work all the same, and many that hold have none
of them. What tells these apart is counted here: the forms and signs of a sentence and its words, by a logistic regression that
`python -m tests.bench.train_candidates` makes.
"""

import functools
import math
import re

from ralph_mem.memory.facts import extraction_manner as manner
from ralph_mem.memory.facts import extraction_statements as statements
from ralph_mem.memory.rows.facts import CORRECTION, DECISION, FACT, RULE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Said = tuple[float, str]  # how strongly a form says so, and its kind


def _sign(pattern: str) -> "re.Pattern[str]":
    return re.compile(pattern, re.IGNORECASE)


# How people work, which outlives a piece of the work.
PROCESS = _sign(
    r"\b(?:commit\w*|push\w*|merg\w+|branch\w*|rebas\w+|squash\w*|prs?|pull requests?|test(?:s|ing|ed)?|lint\w*|format\w*|deploy\w*"
    r"|releas\w+|migrations?|changelog|dependenc\w+|deps|packages?|crates?|librar\w+|review\w*|docs?|docstrings?|comments?|log(?:s"
    r"|ging)?|secrets?|naming|style|conventions?|prod\w*|staging|ci|pipeline|generated|schema|mocks?|types?|strict|seeds?)\b"
)
EVERY = _sign(r"\b(?:always|every|each|all|everywhere|any|only|whenever|nobody|nothing)\b")
NEVER = _sign(r"\b(?:never|don'?t|do not|no|must not|may not|cannot|forbidden|off limits|not allowed|avoid|without|unless)\b")
US = _sign(r"\b(?:we|our|us|here|ours)\b")
# A thing that the product shows or the code has: what is said of it changes with the next change.
THING = _sign(
    r"\b(?:users?|customers?|buttons?|pages?|screens?|dialogs?|modal|columns?|rows?|tables?|cards?|icons?|dropdown|header|sidebar"
    r"|window|filter|view|toggle|tooltip|output|flags?|function|method|class|params?|field|query|api|endpoint|response|tool|agent"
    r"|session|provider|config|value|default|prompt|menu|list|links?)\b"
)
NAME = re.compile(r"\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w+|\w+\(\)|\b\w+_\w+|--[a-z]|\w+\.\w+\.\w+")
THE = _sign(r"\bthe\b")
SHORT, LONG = 12, 18  # words
# A name of the code or a path, which stands for any other one; a word, a number or a mark.
CODE = re.compile(r"`[^`]*`|\S*[/_]\S*|\S+\.\w\S*|\w+\(\)|\b[a-z]+[A-Z]\w*|--\w\S*")
WORD = re.compile(r"<code>|[a-z']+|\d+|[^\w\s]")
TABLE = __file__.rpartition("/")[0] + "/likely_words.txt"
SIGNS = (
    _sign(r"\b(?:lives?|goes|go|belongs?|owned|generated|through|via)\b"),
    _sign(r"\b(?:let'?s|lets|we need|we should|we want|can you|could you|i want you to|make sure)\b"),
    _sign(
        r"\b(?:from now on|going forward|in (?:the )?future|as a rule|rule|remember|in general|for good|before (?:every|each|you)"
        r"|after (?:every|each|you|any|\w+ing)|every time|when(?:ever)? (?:you|we))\b"
    ),
    _sign(
        r"^(?:and |so |but |ok |now |then |also )*(?:the|this|that|there|it|they|he|she|those|these|some|somebody)\b"
    ),
    re.compile(r"\d"),
    re.compile(r"\b[A-Z]{3,}\b"),
    _sign(r"\b(?:i|my|me)\b"),
    _sign(r"\b(?:please|pls|kindly)\b"),
    _sign(r"\byou (?:\w+ )?(?:\w+ed|did|put|used?|ran|made|took|wrote|have|still|again|forgot)\b"),
    _sign(r"\b(?:here|in (?:this|our|the) (?:\w+ )?(?:project|repo|codebase|team|company|house|lab)|for us)\b"),
    _sign(
        r"\b(?:instead of|rather than|(?:not|never) (?:the |a |in |by |with |on )?[\w`.]+[.!]*$|, ?not\b|, ?never\b)"
    ),
    _sign(r"\b(?:one|two|three|four|five|first|second|last|once|twice|both|others?|same)\b"),
    _sign(
        r"\bwe (?:get|have|got|call|load|check|show|store|need|generate|send|only|keep|index|want|removed|count|train)\b"
    ),
    _sign(
        r"\b(?:team|repo|project|codebase|company|everyone|nobody|standard|everywhere|convention|policy|prod(?:uction)?|staging"
        r"|ci)\b"
    ),
    # a thing in general, a measure that is kept, what nobody does, and what was done just now or is so already
    statements.GENERAL, _sign(r"\b(?:minimum|maximum|budget|limits?|at least|at most|policy|contract|law)\b"),
    _sign(r"\b(?:no ?one|nobody|nothing|never|only|(?:do|does|are|is|ca)n'?t)\b"), US,
    _sign(r"\b(?:already|now|was|were|did|had|got|gave|that'?s the|wrong|too many|off by)\b"),
    manner.CODE, statements.TALE, statements.DEGREE, statements.PRODUCT, statements.BOUND, THING, PROCESS,
)  # fmt: skip
# The weight of each: of the strongest form; of a fact, a correction, a decision and a rule that a form knows; of a fact and a rule
# known by their parts; of how long it is, of two names of code, of two things, of what is done always and never; and of the signs.
# Fitted on sentences that seven projects' people, thirty-three users and sixteen developers said, invented all but the first.
BIAS = -4.53
WEIGHTS = (
    2.48, 0.54, 1.26, 1.77, 0.12, 0.89, 0.9, -0.1, -0.03, 1.03, 0.1, -0.52, 0.61, 0.43, 0.21, -1.25, 0.64, 0.11, 0.45,
    -0.41, 0.07, 0.51, 0.46, -0.21, 0.43, -0.4, -0.42, 0.54, 0.57, 1.0, 0.54, 0.28, 0.24, 0.69, -0.23, -0.78, -0.98, 0.02,
    -0.79, 0.54,
)  # fmt: skip


def of(sentence: str, forms: "Sequence[Said]", stated: "Said | None") -> float:
    """Return how likely a sentence is worth telling, from 0.01 to 0.99, by the forms that know it and what its parts state."""
    sum_of = BIAS + sum([weight * value for weight, value in zip(WEIGHTS, values(sentence, forms, stated))])
    known = table()
    sum_of += sum([known.get(word, 0.0) for word in words(sentence)])
    return min(0.99, max(0.01, round(1 / (1 + math.exp(-sum_of)), 2)))


@functools.cache
def table() -> "dict[str, float]":
    """Return the weights of words; none where the table cannot be read, and then the signs alone decide."""
    try:
        with open(TABLE, encoding="utf-8") as file:
            lines = [line.split() for line in file if line[:2] != "# "]
        return {word: float(weight) for word, weight in lines}
    except (OSError, ValueError):
        return {}


def words(sentence: str) -> "set[str]":
    """Return the words of a sentence as the table has them, and the first one once more as such."""
    found = [each if not each.isdigit() else "0" for each in WORD.findall(CODE.sub(" <code> ", sentence).lower())]
    return {*found, *["^" + each for each in found[:1]]}


def values(sentence: str, forms: "Sequence[Said]", stated: "Said | None") -> "tuple[float, ...]":
    """Return what a sentence has, in the order of the weights."""
    length, kinds = len(sentence.split()), {kind for _, kind in forms}
    is_process = bool(PROCESS.search(sentence))
    counted = (
        max([strength for strength, _ in forms], default=0.0), FACT in kinds, CORRECTION in kinds, DECISION in kinds, RULE in kinds,
        bool(stated and stated[1] == FACT), bool(stated and stated[1] == RULE), length <= SHORT, length > LONG, math.log(length),
        len(NAME.findall(sentence)) > 1, len(THE.findall(sentence)) > 1, is_process and bool(EVERY.search(sentence)),
        bool(US.search(sentence) and NEVER.search(sentence)),
    )  # fmt: skip
    return (*map(float, counted), *[float(bool(sign.search(sentence))) for sign in SIGNS])
