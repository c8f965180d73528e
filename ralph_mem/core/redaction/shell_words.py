"""Cut a line of a shell into its commands and their words, each with the place where it stands."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    Word = tuple[int, int, str]  # start and end of what is meant, without the quotes around all of it, and how it reads


def commands(line: str) -> "list[tuple[str, list[Word]]]":
    """Return the commands of a line, each with the sign before it, as words."""
    found: list[tuple[str, list[Word]]] = [("", [])]
    at = 0
    while at < len(line):
        sign = next((sign for sign in ("||", "&&", "|&", "|", ";", "&") if line.startswith(sign, at)), "")
        if line[at] in " \t\r()":
            at += 1
        elif sign and not line.startswith("&>", at):
            found.append((sign, []))
            at += len(sign)
        elif line.startswith("<<<", at + line[at].isdigit()):  # of a file that has a number, too
            at += 3 + line[at].isdigit()
            found[-1][1].append((at - 3, at, "<<<"))
        else:
            word, at = _word(line, at)
            found[-1][1].append(word)
    return found


def _word(line: str, at: int) -> "tuple[Word, int]":
    """Return the next word, and where it is over."""
    start, said, inner, end, depth = at, [], at, at, 0
    while at < len(line) and line[at] not in " \t\r|;&" and (line[at] != ")" or depth):
        slashes = 1 if line[at] == "\\" and line[at + 1 : at + 2] in ("'", '"') else 0
        quote = line[at + slashes]
        if quote in "\"'":
            close = line.find(line[at : at + slashes + 1], at + slashes + 1)
            if close < 0:  # of something around the whole line
                at += slashes + 1
                break
            inner = at + slashes + 1 if at == start else inner
            said.append(line[at + slashes + 1 : close])
            end, at = close, close + slashes + 1
        else:
            depth += (line[at] == "(") - (line[at] == ")")
            said.append(line[at])
            at += 1
            end = at
    text = "".join(said)
    return (inner, end, text), max(at, start + 1)
