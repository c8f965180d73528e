"""Tell a user's own words in a prompt from what was quoted, pasted or passed on, which is somebody else's."""

import re

SHORTEST = 12  # characters of a sentence, and of what was copied
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
# "In this repo:", "About commit messages:", "Two rules:", "Style guide:".
HEADLINE = re.compile(
    r"(?:(?:and|also|please|ok|so|but|now)[ ,]+){0,3}(?:(?:for|in|on|across|within|throughout) (?:this|our|my) \w"
    r"|(?:about|regarding|concerning|as (?:for|to)|important|remember|follow this here|my feedback)\b"
    r"|(?:(?:here are|the|these|my|our|one|two|three|some|a few|another|more|general|basic|house|coding|project) ){0,3}"
    r"(?:rules?|conventions?|guidelines?|style ?guide|standards?|polic(?:y|ies)|preferences?)\b)",
    re.IGNORECASE,
)
# What stands in one that introduces: a text, its place, who wrote it.
SOMEBODYS = re.compile(
    r"\b(?:the|this|that|their|his|her|its|an?) (?:[\w-]+ )?(?:issue|ticket|bug|report|readme|page|article|post|e?mail|message"
    r"|thread|comment|review|log|output|error|trace|traceback|diff|patch|pr|wiki|website|blog|snippet|text|answer|chat|description)\b"
    r"|\b(?:of|by|from) (?!(?:the|this|our|my|all|each|every)\b)\w|'s\b|\b(?:their|below|above|attached|pasted|readme|contributing"
    r"|wiki|slack|discord|terminal|console|says|said|writes|wrote|told|asks|prints|shows|reads)\b|#\d|https?:",
    re.IGNORECASE,
)
BEGINNINGS = ("\n", ". ", "! ", "? ")  # of what may be a headline, behind one of these


def of(prompt: str) -> str:
    """Return a prompt of the same length in which blanks stand for all that is not the user's own sentence."""
    text = BLOCKS.sub(_blank, prompt)
    ends = [
        found.end() for found in INTRODUCED.finditer(text) if _goes_on(text, found.end()) and not _is_headline(text, found.end())
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
    return [end] if end >= 0 and POINTED.search(text, start, end) and not _is_headline(text, end) else []


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


def _is_headline(text: str, end: int) -> bool:
    """Say whether what ends there with a colon is a headline of the person over their own words."""
    before = text[: end - 1]
    start = max([before.rfind(sign) + len(sign) for sign in BEGINNINGS if sign in before], default=0)
    line = text[start:end].strip()
    return line.endswith(":") and bool(HEADLINE.match(line)) and not SOMEBODYS.search(line)
