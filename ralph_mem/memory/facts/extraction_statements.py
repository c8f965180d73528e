"""Tell a sentence that says how things are from one that reports what happened or asks for something.

The forms of `extraction_patterns` know the words of instructions. What people teach is as often a plain statement, which its
parts give away: a present tense, a bound on where it holds, and no word of a symptom.
"""

import re

from ralph_mem.memory.rows.facts import CORRECTION, FACT, RULE

# What went wrong, or went well, is news of this moment.
SYMPTOM = re.compile(
    r"\b(?:fail\w*|errors?|exceptions?|broke\w*|breaks?|crash\w*|red|green|slow\w*|hangs?|stuck|leak\w*|weird|strange|odd|works?"
    r"|worked|working|done|ok|okay|thanks?|thank|thx|fine|good|great|perfect|nice|hello|hi|bugs?|problems?|flaky|down|again"
    r"|instead of [\d$]|looks?|seems?|see|got|gets?|getting|gave|shows?|says|happens?|happened|found|turns|\d{3})\b",
    re.IGNORECASE,
)
PRESENT = (
    r"(?:is|are|isn'?t|aren'?t|(?:it|that|there|everything|they|we|what)'?(?:s|re)|has|have|hasn'?t|haven'?t|do(?:es)?n'?t"
    r"|do(?:es)? not|lives?|comes?|goes|go|uses?|takes?|runs?|needs?|must|may|can(?:not|'?t)?|belongs?|contains?|means?|stands?"
    r"|keeps?|starts?|ends?|owns?|expects?|returns?|raises?|holds?|stays?|sits?|talks?|speaks?|reads?|writes?)"
)
# Where it holds, for whom, or without exception.
SCOPE = (
    r"(?:here|by us|with us|in (?:this|our|the|each|every|all) (?:\w+ )?(?:repos?(?:itory)?|projects?|stack|codebase"
    r"|company|team|cluster|agency|house|monorepo|workspace|org)|we|our|ours|everything|nothing|nobody|no one|everybody"
    r"|everyone|only|all|every|each|any|no|none|both|not (?:the|a|an|in|on|by|with|from)|rather than|instead of"
    r"|must|has to|have to|cannot|can'?t|owner|contact|maintainer)"
)
# Said before, and it had to be said again.
REPEATED = re.compile(
    r"\b(?:as (?:i|we|already|always)(?:'ve| have)?(?: \w+){0,2} (?:said|told|explained|mentioned|wrote)|as already \w+"
    r"|i(?:'ve| have)?(?: think i)?(?: \w+){0,2} (?:mentioned|explained|told you|said)(?: \w+){0,3}|told you|like last time"
    r"|how often|how many times|if i remember|same as (?:last time|always|before))\b|^(?:again|as (?:always|usual|ever))[:,]",
    re.IGNORECASE,
)
TAUGHT = re.compile(r"\b" + PRESENT + r"\b", re.IGNORECASE)
BOUND = re.compile(r"\b" + SCOPE + r"\b", re.IGNORECASE)
# In which place, under which name, of what kind a named thing is.
PLACED = re.compile(
    r"\b(?:is|are|lives?|stands?|sits?|comes?|goes)(?: \w+){0,3}? (?:in|at|on|under|behind|from|inside|called|named|via|through)\b",
    re.IGNORECASE,
)
OUGHT = re.compile(r"\b(?:must|has to|have to|needs? to|may not|can'?t|cannot|never)\b", re.IGNORECASE)
# Who tells what they did, or what shall be done now, states nothing that holds.
STORY = re.compile(
    r"\b(?:i (?:was|did|have|had|will|am|need|want|tried|ran|just|get|see|can|think|guess)|i'?(?:m|ll|ve)|was|were|will|would"
    r"|you (?:can|could|should|did|have|are)|we (?:also )?(?:need|want|should|are|have|had|will|could|would|might)"
    r"|we'?(?:ll|re|ve)|should|always|never|let'?s|lets|please (?:add|make|write|fix|do|change|have|check)"
    r"|think about|going to)\b",
    re.IGNORECASE,
)
# What the code or the product does is a description, which the next change makes untrue.
PRODUCT = re.compile(
    r"\b(?:(?:the|this|that|these|those|each) (?:\w+ )?(?:flags?|tests?|functions?|methods?|class(?:es)?|constraints?|commands?"
    r"|code|variables?|params?|parameters?|arguments?|imports?|loops?|diffs?|output|ui|tui|menu|page|button|prompt|error|warning)"
    r"|users?|user's|customers? (?:can|see|get))\b",
    re.IGNORECASE,
)
# Why something is done, and behind it how it should be.
REPROACH = re.compile(
    r"\bwhy (?:do|did|are|have) (?:you|we) (?:keep|always|still|again)\b|\bwhy (?:do|did|are|have) you\b[^,]+, \w+ \w+",
    re.IGNORECASE,
)
FEWEST_WORDS, MOST_WORDS = 4, 45
FIRM, LIKELY = 0.65, 0.6


def kind_of(sentence: str) -> "tuple[float, str] | None":
    """Return how strongly a sentence states something that holds, from 0 to 1, and its kind; None where it does not."""
    if not FEWEST_WORDS <= len(sentence.split()) <= MOST_WORDS:
        return None
    if REPEATED.search(sentence) or REPROACH.search(sentence):
        return FIRM, CORRECTION
    if not TAUGHT.search(sentence) or any([sign.search(sentence) for sign in (SYMPTOM, STORY, PRODUCT)]):
        return None
    if BOUND.search(sentence):
        return FIRM, RULE if OUGHT.search(sentence) else FACT
    return (LIKELY, FACT) if PLACED.search(sentence) else None
