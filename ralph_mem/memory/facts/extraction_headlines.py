"""Know a person's own headline over what they say themselves from an introduction of what somebody else has written."""

import re

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


def is_own(text: str, end: int) -> bool:
    """Say whether what ends there with a colon is a headline of the person over their own words."""
    before = text[: end - 1]
    start = max([before.rfind(sign) + len(sign) for sign in BEGINNINGS if sign in before], default=0)
    line = text[start:end].strip()
    return line.endswith(":") and bool(HEADLINE.match(line)) and not SOMEBODYS.search(line)
