"""Tell a sentence that says how things are from one that reports what happened or asks for something.

The forms of `extraction_patterns` know the words of instructions. What people teach is as often a plain statement, which its
parts give away: a present tense, a bound on where it holds, and no word of a symptom.
"""

import re

from ralph_mem.memory.facts.extraction_manner import STEP, TROUBLE, weight
from ralph_mem.memory.facts.extraction_patterns import LEAD
from ralph_mem.memory.rows.facts import CORRECTION, FACT, RULE

# What went wrong, or went well, is news of this moment.
SYMPTOM = re.compile(
    r"\b(?:fail\w*|errors?(?! codes are (?!wrong|missing|empty|gone|different|not?|now|too|lost)\w)|exceptions?|broke\w*|breaks?"
    r"|crash\w*|red|green|slow\w*|hangs?|stuck|leak\w*|weird|strange"
    r"|odd|works?"
    r"|worked|working|done|ok|okay|thanks?|thank|thx|fine|good|great|perfect|nice|hello|hi|bugs?|problems?|flaky|down|again"
    r"|instead of [\d$]|looks?(?! like)|seems?|see|got|gets?(?! \w+ed\b)|getting|gave|shows?|says|happens?|happened"
    r"|found|turns|suddenly|sometimes|lately|thrown|vanish\w*"
    r"|disappear\w*|since (?:the|our|my|last|yesterday|i|we|you)|after (?:the |an? |each |every )?(?:upgrade|update"
    r"|deploy\w*|merge|restart|release)"
    r"|\d{3}(?! ?(?:[mun\u00b5]?s|[kmg]i?b|[kmg]?hz|px|mm|percent|characters|lines)\b)|" + TROUBLE + r")\b",
    re.IGNORECASE,
)
PRESENT = (
    r"(?:is|are|isn'?t|aren'?t|(?:it|that|there|everything|they|we|what)'?(?:s|re)|has|have|hasn'?t|haven'?t|do(?:es)?n'?t"
    r"|do(?:es)? not|lives?|comes?|goes|go|uses?|takes?|runs?|needs?|must|may|can(?:not|'?t)?|belongs?|contains?|means?|stands?"
    r"|keeps?|starts?|ends?|owns?|expects?|returns?|raises?|holds?|stays?|sits?|talks?|speaks?|reads?|writes?)"
)
# Where it holds, for whom, or without exception.
SCOPE = (
    r"(?:(?<!is )(?<!are )(?<!'s )(?<!'re )here(?! is| are|'s|:)|by us|with us|in (?:this|our|the|each|every"
    r"|all) (?:\w+ )?(?:repos?(?:itory)?|projects?|stack|codebase"
    r"|company|team|cluster|agency|house|monorepo|workspace|org)|we|our|ours|everything|nothing|nobody|no one|everybody"
    r"|everyone|only|all|every|each|any|no|none|both|not (?:the|a|an|in|on|by|with|from)|rather than|instead of"
    r"|must|has to|have to|cannot|can'?t|owner|contact|maintainer)"
)
# Said before, and it had to be said again.
REPEATED = re.compile(
    r"\b(?:as (?:i|we|already|always)(?:'ve| have)?(?: \w+){0,2} (?:said|told|explained|mentioned|wrote)|as already \w+"
    r"|i(?:'ve| have)?(?: think i)?(?: \w+){0,2} (?:mentioned|explained|told you|said)(?! (?:that|it|this|so) to (?!you\b))"
    r"(?: \w+){0,3}|told you|like last time"
    r"|how often|how many times|if i remember|same as (?:last time|always|before))\b|^(?:again|as (?:always|usual|ever))[:,]",
    re.IGNORECASE,
)
TAUGHT = re.compile(r"\b" + PRESENT + r"\b", re.IGNORECASE)
BOUND = re.compile(r"\b" + SCOPE + r"\b", re.IGNORECASE)
# In which place, under which name, of what kind a named thing is.
PLACED = re.compile(
    r"\b(?:is|are|lives?|stands?|sits?|comes?|goes)(?: \w+){0,3}? (?:in|at|on|under|behind|from|inside|called|named"
    r"|via|through)\b",
    re.IGNORECASE,
)
OUGHT = re.compile(r"\b(?:must|has to|have to|needs? to|may not|can'?t|cannot|never)\b", re.IGNORECASE)
# Who tells what they did, or what shall be done now, states nothing that holds.
WANTED = (
    r"i (?:was|did|have|had|will|am|need|want|tried|ran|just|get|see|can|think|guess)|i'?(?:m|ll|ve)|was|were|didn'?t|will|would"
    r"|you (?:can|could|should|did|have|are)|we (?:also )?(?:need|want|should|are|have|had|will|could|would|might)"
    r"|we (?:go (?:on|ahead)|continue|proceed)"
    r"|we'?(?:ll|re|ve|d)|we aren'?t(?! allowed)|should|let'?s|lets|please (?:add|make|write|fix|do|change|have|check)"
    r"|think about|going to|notice|:=|the (?:results?|logs?|outputs?|traces?|diff|screenshots?|rest) (?:is|are)"
    r"|there(?:'s| is| are) (?:an?|some|\d+)"
    r"|we (?:do not|don'?t|didn'?t|can'?t) (?:need|find|have|see|know|want)|if you (?:must|have to|need to)"
)
TALE = re.compile(r"\b(?:" + WANTED + r")\b", re.IGNORECASE)
STORY = re.compile(r"\b(?:" + WANTED + r"|always|never)\b", re.IGNORECASE)
# What the code or the product does is a description, which the next change makes untrue.
PRODUCT = re.compile(
    r"\b(?:(?:the|this|that|these|those|each) (?:\w+ )?(?:flags?|tests?|functions?|methods?|class(?:es)?|constraints?|commands?"
    r"|code|variables?|params?|parameters?|arguments?|imports?|loops?|diffs?|output|ui|tui|menu|page|button|prompt"
    r"|error|warning)"
    r"|users?|user's|customers? (?:can|see|get))\b",
    re.IGNORECASE,
)
# Why something is done, and behind it how it should be.
REPROACH = re.compile(
    r"\bwhy (?:do|did|are|have) (?:you|we) (?:keep|always|still|again)\b|\bwhy (?:do|did|are|have) you\b[^,]+, \w+ \w+",
    re.IGNORECASE,
)
# What somebody did against it, and behind a comma how it is to be; what comes next is no such thing.
OFFENCE = re.compile(
    r"\b(?:you|u)(?:'ve| have| just| still| again| had)* (?!asked|wanted|need|said|suggested|mentioned|finished|fixed|solved)"
    r"(?:\w+ed|put|took|made|threw|split|read|wrote|overwrote|did|built|ran|set|broke|forgot|went|left|fetch|use|edit|import)\b"
    r"[^,]*(?:\bagain\b|, (?!now|then|can|could|please|let|so|and (?:now|then)|next|also|great|nice|thanks|what|how"
    r"|why|which)[\w']+ \S+)",
    re.IGNORECASE,
)
# The end of one statement and the beginning of the next in a sentence.
BETWEEN = re.compile(
    r"[,;] ?|: | [\u2014\u2013-]+ |\b(?:so|because|since|but|although|unless|except|while|whereas) ", re.IGNORECASE
)
# A thing in general, which has no article and is none of some: with a present tense it is how things are.
GENERAL = re.compile(
    r"^\W*(?:(?:and|also|btw|fyi|oh|no|ok|well|please|note|remember|that|here) )*"
    r"(?!(?:the|this|that|these|those|it|its|they|he|she|i|you|u|we|there|here|some|few|many|most|several|other"
    r"|others|another|one|two"
    r"|three|four|five|both|what|who|which|how|where|when|why|if|as|is|are|not|nothing|something|everything|\d+|your"
    r"|his|her|their"
    r"|my|people|users|customers|then|now|can|could|let|\w+ing(?! (?:is|are)))\b)"
    r"(?:(?!(?:that|which|who|an?|the|to|my|it|you)\b)[\w`@#./+*-]+ ){1,6}?"
    r"(?:(?:is|are|get|gets|go|goes|come|comes|live|lives|stay|stays|belong|belongs|mean|means|take|takes|use|uses"
    r"|need|needs|run|runs"
    r"|have|has|look like|looks like|follow|follows|carry|carries|end|ends|start|starts|count|counts|cost|costs"
    r"|cites?|gives?|loses?|talks?|speaks?|converts?|arrives?|becomes?|leaves?|enters?|expects?|shares?|serves?|complains?"
    r"|wants?|sends?|delivers?|keeps?|contains?"
    r"|happens?|works? (?:on|from|with|in)|(?:do|does)(?:n'?t| not)|must|may|can'?t|cannot|may not|stands? for)\b)",
    re.IGNORECASE,
)
# How something turned out is no rule.
DEGREE = re.compile(
    r"\b(?:too|very|still|already|missing|empty|wrong|gone|ready|correct|different|higher|lower|more|less|better|worse|bigger"
    r"|smaller|larger|longer|shorter|faster|slower|a (?:bit|little)|not (?:right|there|ready|found|what)|now|off"
    r"|twice|done|also|pending|short|blocked|queued|outdated|stale|present|null|true|false|valid|invalid|clear|possible"
    r"|(?:has|have|needs?) (?:\d+|an?|some|new))\b",
    re.IGNORECASE,
)
# What people do here, and what one of them is used to.
CUSTOM = re.compile(
    r"\b(?:we|i)(?: (?:only|always|never|all|usually|mostly|generally|still|do|don'?t|do not|dont|can'?t|cannot"
    r"|may not|can not))+ "
    r"(?!know|think|understand|see|get|got|want|need|remember|have|care|mind|believe|like (?:it|that|this)|be|been"
    r"|had|know|really|even|find|tried|\w+ed)"
    r"[a-z]+|\bwe (?!need|want|should|have|had|will|could|would|might|can|get|got|see|are|were|did|do|know|think|must"
    r"|just|also|lost"
    r"|let|try|saw|found|said|return|call|pass|parse|load|render|emit|show|present|collect|skip|treat|create|handle"
    r"|update|set|still|miss|lose|hit|fail|now|might|ought|may|then|already|both|all|only|never|always|\w+ed\b|went|made"
    r"|ran|wrote|took|came|gave|told|built|left|kept|sent|broke|forgot|\w+ly\b|re\b|ll\b|start|try|end up|wait|hope"
    r"|expect)[a-z]+\b",
    re.IGNORECASE,
)
# Said as something that is known, or for a reason outside of the code.
REMINDER = re.compile(
    r"\b(?:told (?:you|u|ya)|i (?:keep|kept) (?:saying|telling)|as (?:usual|always|agreed|ever)|obviously|of course|house style"
    r"|we(?:'ve| have| had)? agreed|(?:legal|compliance|security|privacy|licen[cs]e) reasons|by law|the law|policy"
    r"|not allowed|against the"
    r" rules|only \w+(?: \w+)? (?:counts?|matters?|apply|applies)|(?:is|are) what counts|(?:is|are) worthless"
    r"|is there for that|everywhere|throughout|without exception|across the board|remember(?=,))\b",
    re.IGNORECASE,
)
# Not this but that, at the end of a few words.
CONTRAST = re.compile(
    r"^(?:\S+ ){2,11}?(?<!is )(?<!are )(?<!was )(?<!'s )(?<!'re )(?<!\bdo )(?<!did )(?<!does )(?<!why )(?<!or )(?<!if"
    r" )(?<!can )(?<!but )"
    r"(?<!will )(?<!just )not (?!working|there|yet|sure|good|right|ok|found|really|now|much|at|bad|again|you"
    r"|me)[\w`.+-]+[.!]*$",
    re.IGNORECASE,
)
# What shall be done next, and what is to be taken for something else.
ORDERED = re.compile(r"^(?:instead|don'?t|do not|make sure|let'?s|lets|put|try)\b", re.IGNORECASE)
# What a sentence may begin with before it says something.
BEGINNING = re.compile(LEAD + r"(?:man\b[ ,]*)?", re.IGNORECASE)
# A part that is about something said before it.
POINTING = re.compile(r"^(?:and |or )?(?:it|that|this|they|these|those|which|who)(?:'s|'re|s)?\b", re.IGNORECASE)
FEWEST_WORDS, MOST_WORDS, FEWEST_IN_CLAUSE = 4, 45, 3
FIRM, LIKELY = 0.65, 0.65


def kind_of(sentence: str) -> "tuple[float, str, str] | None":
    """Return how strongly a sentence states something that holds, from 0 to 1, its kind, and the part of it that says so.

    None where it states nothing of the kind.
    """
    if not FEWEST_WORDS <= len(sentence.split()) <= MOST_WORDS or sentence.endswith(":"):
        return None
    if REPEATED.search(sentence) or REPROACH.search(sentence) or OFFENCE.search(sentence):
        return FIRM, CORRECTION, sentence
    if REMINDER.search(sentence) and not SYMPTOM.search(sentence) and not STEP.search(sentence):
        return FIRM, RULE, sentence
    if STEP.search(sentence) or ORDERED.search(sentence):
        return None
    found = [(*each, part) for part in _clauses(BEGINNING.sub("", sentence)) for each in [_stated(part)] if each]
    return max(found, key=lambda each: (round(each[0] + weight(sentence, each[1], each[2]), 2), len(each[2])), default=None)


def _clauses(sentence: str) -> "list[str]":
    """Return a sentence, and its parts that may each state something."""
    parts = [part.strip() for part in BETWEEN.split(sentence)]
    whole = [part for part in parts if len(part.split()) >= FEWEST_IN_CLAUSE and part != sentence]
    return [part for part in (sentence, *whole) if not POINTING.search(part)]


def _stated(clause: str) -> "tuple[float, str] | None":
    if SYMPTOM.search(clause) or PRODUCT.search(clause):
        return None
    kind = RULE if OUGHT.search(clause) else FACT
    is_plain = not TALE.search(clause) and not DEGREE.search(clause)
    if is_plain and any([form.search(clause) for form in (GENERAL, CUSTOM, CONTRAST)]):
        return FIRM, kind
    if not TAUGHT.search(clause) or STORY.search(clause):
        return None
    if BOUND.search(clause):
        return FIRM, kind
    return (LIKELY, FACT) if PLACED.search(clause) else None
