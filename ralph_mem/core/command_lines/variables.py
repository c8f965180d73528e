"""Tell what the variables on a command line stand for."""

from ralph_mem.core.command_lines import exit_codes

MOST, DEEPEST = 64, 2  # values of a variable, and variables inside of it
UNKNOWN = ["~"]  # a place that is in no project
SPECIAL = "@*#?!-$0123456789"


def of(command: str) -> "dict[str, list[str]]":
    """Return the values that a line gives to each of its variables; for one that it reads, every place that it names."""
    words = exit_codes.tokens(command)
    found: dict[str, list[str]] = {"PWD": ["."]}
    for at, word in enumerate(words):
        name, sign, value = word.partition("=")
        name = name.rstrip("+")
        if sign and name.isidentifier():
            found.setdefault(name, []).append(value)
        elif word in ("for", "select"):
            found.setdefault("".join(words[at + 1 : at + 2]), []).extend(_until_a_sign(words[at + 3 :]))
        elif word == "read":
            places = [each for each in words if ("/" in each or each[:1] == "~") and each[:1] != "$" and ">" not in each]
            for each in _until_a_sign(words[at + 1 :]):
                found.setdefault(each, []).extend(places)
    return found


def _until_a_sign(words: "list[str]") -> "list[str]":
    return words[: next((at for at, word in enumerate(words) if word in exit_codes.RESERVED), len(words))]


def meant(word: str, values: "dict[str, list[str]]", depth: int = 0) -> "list[str]":
    """Return all that a word may stand for that begins with a variable; what a command prints stands for itself."""
    if word[:1] != "$" or word[1:2] == "(":
        return [word]
    name, rest = _parted(word)
    if name and name in SPECIAL and not rest:
        return []
    known = values.get(name, UNKNOWN)
    if len(known) > MOST or depth > DEEPEST:
        return UNKNOWN
    return [each for value in known for each in meant(value + rest, values, depth + 1)]


def _parted(word: str) -> "tuple[str, str]":
    """Return the name of the variable at the beginning of a word, and what stands behind it."""
    if word[1:2] == "{":
        name, _, rest = word[2:].partition("}")
        return name, rest
    end = max(2, next((at for at in range(1, len(word)) if not (word[at].isalnum() or word[at] == "_")), len(word)))
    return word[1:end], word[end:]
