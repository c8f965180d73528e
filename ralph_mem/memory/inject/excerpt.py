"""Cut a text that is too long to be told, so that its beginning and its end stay."""

CUT, LONGEST_WORD = "\n[...]\n", 40
LONGEST_LINE = 200  # what is longer is a paragraph, and is cut between words; a frame with a long path is not


def of(text: str, limit: int) -> str:
    """Return of a text that is longer than a limit at most so many characters, a third of them its beginning.

    The line in which its end begins is told whole, where the beginning can give that much: the innermost frame is there.
    """
    head, first = _beginning(text, limit // 3), text.find("\n")
    tail = _end(text, limit - len(head) - len(CUT), limit - max(first, 0) - len(CUT))
    return _beginning(text, min(limit // 3, limit - len(tail) - len(CUT))) + CUT + tail


def _beginning(text: str, most: int) -> str:
    """Return the lines that a text begins with, or its words where it does not begin with a line as short."""
    before, after = text.rfind("\n", 0, most + 1), text.find("\n", most)
    if before > 0 and (after if after >= 0 else len(text)) - before <= LONGEST_LINE:
        return text[:before].rstrip()
    head = text[:most].rstrip()
    return head[: max(head.rfind(" ", -LONGEST_WORD), head.rfind("\n", -LONGEST_WORD))] if " " in head[-LONGEST_WORD:] else head


def _end(text: str, most: int, utmost: int) -> str:
    """Return the lines that a text ends with, or its words where these are not lines; the utmost is for a whole first line."""
    at = len(text) - most
    start, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    if 0 <= end <= start + LONGEST_LINE:
        return text[start if len(text) - start <= utmost else end + 1 :]
    tail = text[at:].lstrip()
    return tail[tail.find(" ", 0, LONGEST_WORD) + 1 :]
