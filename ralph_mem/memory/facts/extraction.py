"""Find in a prompt the sentences that may hold beyond its session, in the user's own words.

Nothing is rewritten, and nothing found here is a fact yet: a person or a repetition has to say so. What was quoted or pasted
into the prompt is somebody else's word and is passed over; so is what is bound to the moment.
"""

import re

from ralph_mem.core.redaction import privacy
from ralph_mem.memory.facts import extraction_headlines as headlines
from ralph_mem.memory.facts import extraction_languages as languages
from ralph_mem.memory.facts import extraction_likelihood as likelihood
from ralph_mem.memory.facts import extraction_manner as manner
from ralph_mem.memory.facts import extraction_patterns as patterns
from ralph_mem.memory.facts import extraction_statements as statements
from ralph_mem.memory.facts import retraction
from ralph_mem.memory.rows import index_text
from ralph_mem.memory.rows.facts import CORRECTION, FACT

# Whoever types more has pasted most of it.
MOST_CHARACTERS = 2_500
SHORTEST, LONGEST = 12, 320
MOST_FOUND = 3
MARKS = "`'\".,;:!?()"  # around the words of a command in a sentence
LEAST_STRENGTH, SURE = 0.5, 0.9

# What stands between these is not the user's own sentence: our own block, code, a quotation, what a client puts between tags, and
# behind a shell's prompt all up to an empty line. What is never closed reaches to the end; a tag does so only where it has a line
# of its own, since within one it is a placeholder, such as `feat/<ticket>`.
BLOCKS = re.compile(
    r"<ralph-mem-.*?(?:</ralph-mem-[^>]*>|\Z)"
    r"|^[ \t]*(?P<fence>```|~~~).*?(?:^[ \t]*(?P=fence)[^\n]*$|\Z)"
    r"|^[ \t]*>[^\n]*$"
    r"|\[pasted\].*?(?:\[/pasted\]|\Z)"
    r"|\[(?:Pasted|Image|Attached|Screenshot)[^\]\n]{0,80}\]"
    r"|^[ \t]*(?:[\w.-]{1,40}@[\w.-]{1,60}[: ][^\n$#%]{0,80}[$#%]|[$\u276f\u279c])(?: [^\n]*)?(?:\n[ \t]*\S[^\n]*)*"
    r"|(?P<line>^[ \t]*)?<(?P<tag>[a-zA-Z][\w-]{1,40})(?: [^>\n]{0,200})?>(?:.*?</(?P=tag)>|(?(line)[ \t]*$.*|(?!)))",
    re.DOTALL | re.MULTILINE,
)
# Five words or more between quotation marks are said by somebody else, and three that order something; two are a name.
QUOTED = re.compile(
    r"[\"\u201c\u201e\u00ab][^\"\u201c\u201d\u201e\u00ab\u00bb\n]{1,500}[\"\u201d\u201c\u00bb]"
    r"|(?<!\w)['\u2018](?:[^'\u2018\u2019\n]|['\u2019](?=\w)){1,500}['\u2019](?!\w)"
)
LEAST_QUOTED, LEAST_ORDERED = 5, 3
ORDER = re.compile(
    r"\b(?:always|never|must|should|don'?t|do not|use|immer|nie|niemals|toujours|jamais|siempre|nunca|sempre|mai)\b", re.IGNORECASE
)
# Behind one of these comes what was copied from elsewhere, to the end of the prompt.
INTRODUCED = re.compile(
    r"(?:^|\b)(?:issue|ticket|bug|report|log|logs|output|error|errors|traceback|stack ?trace|trace|diff|patch|comment"
    r"|comments|review|feedback|"
    r"e?mail|message|thread|slack|discord|readme|docs?|documentation|page|article|post|blog|spec|prd|plan|transcript"
    r"|conversation|summary|"
    r"changelog|description|prompt|text|snippet|paste|pasted|console|terminal|request|suggestion|tweet|answer|guide|file"
    r"|website|site|wiki|"
    r"(?:contributing|manual|handbook) (?:of|from|by)\b|rules (?:of|from) (?!(?:the|this|our|my|all|thumb)\b)\S+"
    r"|their (?:rules|conventions|guidelines|policy)|they (?:say|said|wrote)"
    r"|(?:he|she|somebody|someone|support|qa|customer|client|reviewer|copilot|coderabbit|chatgpt"
    r"|gemini|codex|cursor|another (?:agent|model|ai)|the (?:agent|subagent|model|bot|other agent)) "
    r"(?:says?|said|wrote|told me|suggested|reported|found)|(?:it|which|that|here) (?:says|said|reads|is|are|was)|below"
    r"|(?<!\bi )(?<!\bwe )(?<!already )(?<!just )(?<!boss )(?<!lead )(?<!team )"
    r"(?:says|said|writes|wrote|told (?:me|us)|suggests|reports|sagt|schreibt|dit|dice)\b"
    r"|following|this|attached|steps to reproduce|expected(?: behaviou?r)?|actual(?: behaviou?r)?)"
    r"(?:s|ed)?\b[^\n.:?!]{0,60}:(?=\s)",
    re.IGNORECASE,
)
# A first line that points at something, with more lines below it: those are mostly what it points at.
POINTED = re.compile(
    r"(?:\b(?:issues?|tickets?|bugs?|reports?|readme|pages?|articles?|posts?|e?mails?|messages?|feedback"
    r"|comments?|reviews?|specs?|logs?"
    r"|outputs?|errors?|traceback|subagent|docs?|documentation|snippet|below|following)\b|(?<!\w)#\d+|https?://)",
    re.IGNORECASE,
)
# A document, an issue, or the report of a program begins here; nobody types these into a prompt.
DOCUMENT = re.compile(
    r"^[ \t]*(?:#{1,6} \S|\*\*[A-Z][^*\n]{1,60}\*\*:?[ \t]*$|(?:title|subject|from|labels?|assignees?|steps to reproduce"
    r"|expected|actual|environment|summary|"
    r"description|acceptance criteria|context|background)\s*:|-{3,}[ \t]*$|={3,}[ \t]*$|diff --git |commit [0-9a-f]{7,40}\b"
    r"|traceback \(most|"
    r"\S{1,40} (?:opened|commented|wrote|replied|requested changes)\b|implement the following plan"
    r"|this session is being continued|caveat: the messages below)",
    re.IGNORECASE | re.MULTILINE,
)
# A line of a program's output, of a shell, of a diff or of a table.
PRINTED = re.compile(
    r"^[ \t]*(?:\d{1,4}[-/:]\d{1,2}[-/:]\d{1,4}(?!\d)|(?=[a-f]{0,11}\d)[0-9a-f]{7,12} (?=[A-Z])"
    r"|npm (?i:notice|warn|err!|error)\b|(?:note|warning|error|hint|help|info|fatal): (?=[A-Z])"
    r"|\[?\d{1,2}:\d{2}(?::\d{2})?\b|\[\w+\]|(?:DEBUG|INFO"
    r"|WARN(?:ING)?|ERROR|FATAL|TRACE|E|W)\b[:\s]{1,4}|at \S+ ?\(|"
    r"File \"|[$%#\u276f\u279c\u2713\u2717\u2714\u2718\u2705\u274c\u2139|+@\u23fa\u25cf\u2514\u23bf\u2502] ?"
    r"|\w[\w.]*(?:Error|Exception|Warning)\b|[{}\[\]<]|\w+ ?= |[\w.]+\([^)\n]*\)[;{ ]*$|//|/\*|\*/|--(?= ))[^\n]*$",
    re.MULTILINE,
)  # fmt: skip
# Directly behind such lines, a line is of the same program unless it orders something or says who does.
LEAST_PRINTED, OWN = 2, re.compile(ORDER.pattern + r"|\b(?:i|we|you|our|my|your|us|let'?s|please|pls)\b", re.IGNORECASE)
# What a person passes on: the line of a program or of a speaker in a chat; and of a document or somebody what it wants of us.
PASSED_ON = re.compile(
    r"^[ \t]*(?:(?:[\w-]+-bot|dependabot|\w+\[bot\])(?: \w+)? ?:|[A-Z]\w+: (?=you (?:should|must|need|have)\b)"
    r"|(?:Me|Assistant|Human): )[^\n]*$"
    r"|\b(?<!our )(?<!my )(?:vendor|upstream|official|their|[a-z]+'s) (?:docs?|documentation|readme|wiki|manual|guide|page)\b"
    r"[^\n.?!]*"
    r"|\b[Aa]ccording to (?:the|their) (?!(?:project|team|company|api|style|internal)\b)[\w-]+ (?:docs?|documentation|readme|wiki"
    r"|manual|page|article|blog)\b[^\n.?!]*"
    r"|(?:^|(?<=[.!?] ))[A-Z]\w+ (?:thinks|believes|suggests|recommends|claims) (?:that )?(?:we|you)\b[^\n.?!]*",
    re.MULTILINE,
)
# A question right behind a sentence that asks whether it is so: who says it does not know.
DOUBTED = re.compile(
    r"(?:^|(?<=[.!?] ))[^\n.!?]*[.!]\s+(?:(?:is|was) (?:this|that|it) (?:true|right|so|needed|necessary|correct)|true|really"
    r"|do we need (?:that|this|it)"
    r"|what do you think|vrai|stimmt das)\s*\?",
    re.IGNORECASE | re.MULTILINE,
)
# Items of a list; so many of them in a row are a list that was pasted.
ITEM = re.compile(r"^[ \t]*(?:[-*\u2022]|\d{1,3}[.)])[ \t]+", re.MULTILINE)
MOST_ITEMS = 6
END = re.compile(r"(?<![ .][a-z])(?<!e\.g)(?<!i\.e)(?<!etc)(?<!\bvs)[.!?\u2026]+[)\"'\u201d]*(?=\s|$)|\n|;(?= )")
# What is said behind an order to forget something, in `forget about npm, we use pnpm now`.
SAID_BEHIND = re.compile(r"(?:[,:;]| [\u2014\u2013-]+) +(?=(?:we|i|it|its|they|the|there|use|that)\b)", re.IGNORECASE)
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
    own = _own_words(prompt)
    found = [each for start, end in _sentences(own) for each in _weighed(prompt, own, start, end)]
    best = sorted(found, key=lambda each: -each[0])[:MOST_FOUND]
    return sorted([each for _, each in best], key=lambda each: each.start)


def sentences(prompt: str) -> "list[Found]":
    """Return all sentences of a user's prompt that are wholly their own, in any language; who asks judges if they hold."""
    if len(prompt) > MOST_CHARACTERS:
        return []
    own = _own_words(prompt)
    spans = [(start, end) for start, end in _sentences(own) if own[start:end] == prompt[start:end]]
    found = [Found(prompt[start:end], FACT, 0.0, start, end) for start, end in spans]
    return [each for each in found if index_text.REDACTED not in each.text and privacy.INJECTED not in each.text]


def says(prompt: str, text: str) -> bool:
    """Say whether a text such as a command stands in a user's prompt among the words that are their own."""
    own = _own_words(prompt) if len(prompt) <= MOST_CHARACTERS else ""
    said, wanted = [" ".join([word.strip(MARKS) for word in each.split()]) for each in (own, text)]
    return f" {wanted} " in f" {said} "


def _own_words(prompt: str) -> str:
    """Return a prompt of the same length in which blanks stand for all that is not the user's own sentence."""
    text = BLOCKS.sub(_blank, prompt)
    ends = [
        found.end()
        for found in INTRODUCED.finditer(text)
        if _goes_on(text, found.end()) and not headlines.is_own(text, found.end())
    ]
    ends += _below_a_pointer(text)
    ends += [found.start() for found in [DOCUMENT.search(text)] if found]
    if ends:
        text = text[: min(ends)] + _blanks(text[min(ends) :])
    text = _without_output(prompt, text)
    for passed_on in (PRINTED, PASSED_ON, DOUBTED):
        text = passed_on.sub(_blank, text)
    text = QUOTED.sub(_unless_short, text)
    return _without_lists(text)


def _below_a_pointer(text: str) -> "list[int]":
    start = len(text) - len(text.lstrip())
    end = text.find("\n", start)
    return [end] if end >= 0 and POINTED.search(text, start, end) and not headlines.is_own(text, end) else []


def _goes_on(text: str, end: int) -> bool:
    """Say whether what stands behind an introduction is long enough to have been copied."""
    return len(text) - end >= SHORTEST


def _without_output(prompt: str, text: str) -> str:
    """Return a text with blanks for what stands directly behind two lines that a program printed, and is not said to us.

    A quotation counts as one of the two, but whoever answers it does so right behind it.
    """
    lines, printed, is_output = text.split("\n"), 0, False
    for at, (whole, line) in enumerate(zip(prompt.split("\n"), lines)):
        if PRINTED.match(line) or whole.lstrip()[:1] == ">":
            printed += 1
            is_output = printed >= LEAST_PRINTED and bool(line.strip())
        elif is_output and line.strip() and not OWN.search(line):
            lines[at] = _blanks(line)
        else:
            printed, is_output = 0, False
    return "\n".join(lines)


def _without_lists(text: str) -> str:
    if len(ITEM.findall(text)) > MOST_ITEMS:
        return "".join([_blanks(line) if ITEM.match(line) else line for line in text.splitlines(keepends=True)])
    return ITEM.sub(_blank, text)


def _blank(found: "re.Match[str]") -> str:
    return _blanks(found.group())


def _unless_short(found: "re.Match[str]") -> str:
    least = LEAST_ORDERED if ORDER.search(found.group()) else LEAST_QUOTED
    return _blank(found) if len(found.group().split()) >= least else found.group()


def _blanks(text: str) -> str:
    return "".join(["\n" if char == "\n" else " " for char in text])


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
    if not _is_english(seen) or any([of_now.search(seen) for of_now in (manner.NOW, manner.POINT, manner.UNSURE, manner.UNMEANT)]):
        return None
    if manner.is_task(seen):
        return None
    dropped = retraction.of(seen)
    if dropped and dropped.is_order:
        return SURE, FACT, 0.0  # whom it names is taken back, and itself it says nothing
    is_reproach = bool(manner.REPROACH.search(seen))
    if not is_reproach and (seen.rstrip(" !").endswith("?") or manner.ASKING.search(seen) or manner.WHY.search(seen)):
        return None
    forms = [(strength, kind) for kind, strength, form in patterns.FORMS if form.search(seen)]
    stated = statements.kind_of(seen)
    kinds = [(strength, kind, seen) for strength, kind in forms] + ([stated] if stated else [])
    kinds = [each for each in kinds if each[1] == CORRECTION or not is_reproach]
    strength, kind = max([(each[0] + manner.weight(seen, *each[1:]), each[1]) for each in kinds], default=(0.0, ""))
    if round(strength, 2) < LEAST_STRENGTH:
        return None
    return strength, kind, likelihood.of(seen, forms, (stated[0], stated[1]) if stated else None)


def _is_english(text: str) -> bool:
    """Say whether the forms, which are English, may be asked about a text: other languages have words of the same letters."""
    words = [word.casefold() for word in WORD.findall(text)]
    known, foreign = sum([word in languages.ENGLISH for word in words]), sum([word in FOREIGN for word in words])
    letters = sum(map(len, words))
    plain = sum([len(word) for word in words if word.isascii()])
    return foreign <= known and plain >= 0.9 * letters and len(words) > 1
