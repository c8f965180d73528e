"""Say where an unquoted value ends, and whether a setting ends with it."""

from ralph_mem.core.redaction.names import LONGEST_NAME

NO_VALUE = frozenset("=\"'<>;")  # none of a value that holds an &


def beyond_and(text: str, end: int) -> int:
    """Return where a value ends that an & stands in: behind that of an address a name follows, behind that of a shell a blank."""
    rest = text[end : end + LONGEST_NAME].partition("\n")[0].partition(" ")[0]
    return end + len(rest) if len(rest) > 1 and rest.count("&") == 1 and NO_VALUE.isdisjoint(rest) else end


def ends_setting(text: str, at: int, end: int) -> bool:
    """Say whether a value ends as that of a setting does, with its line or a blank: code goes on with a comma or a bracket."""
    return text[end : end + 1] in (("", "\n", "\r", " ", "&", "'", '"') if text[at - 1] == "=" else ("", "\n", "\r"))


def behind_mark(line: str) -> int:
    """Return how long the name of an anchor or a type of YAML is that stands before a value, with the blank behind it."""
    mark, blank, _ = line.partition(" ")
    return len(mark) + 1 if blank and mark[1:].isidentifier() else 0
