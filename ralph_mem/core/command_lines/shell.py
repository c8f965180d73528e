"""Split a command line roughly into words and operators, quoted text as one word."""

SIGNS = (";;", "&&", "||", "|&", ";", "|", "&", "\n", "(", ")")
RESERVED = frozenset((*SIGNS, *"if then else elif fi for while until select case esac in do done { } ! set".split()))
BLANKS = " \t"


def tokens(text: str) -> "list[str]":
    """Return the words and signs of a command line. A quoted word that looks like a sign has a blank at its end."""
    return _Reader(text.replace("\\\n", " ").replace("\r\n", "\n")).found


class _Reader:
    """A command line on its way through, with the words found so far."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.found: list[str] = []
        self.word = ""
        self.inside = self.quoted = False
        self.documents: list[str] = []
        while self.at < len(text):
            self._step(text[self.at])
        self._end()

    def _step(self, char: str) -> None:
        if char in "'\"":
            self._quote(char)
        elif char == "\\":
            self._add(self.text[self.at + 1 : self.at + 2], 2)
            self.quoted = True
        elif char == "`" or self.text.startswith(("$(", "<(", ">("), self.at):
            end = _end_of(self.text, self.at)
            self._add(self.text[self.at : end], end - self.at)
        elif char in "<>" or self.text.startswith("&>", self.at):
            self._redirect()
        elif char == "#" and not self.inside:
            self.at = (self.text + "\n").find("\n", self.at)
        elif char in BLANKS:
            self._end()
            self.at += 1
        else:
            self._sign(char)

    def _add(self, text: str, width: int) -> None:
        self.word += text
        self.inside = True
        self.at += width

    def _end(self) -> None:
        if self.inside:
            self.found.append(self.word + " " * (self.quoted and self.word in RESERVED))
        self.word, self.inside, self.quoted = "", False, False

    def _sign(self, char: str) -> None:
        sign = next((sign for sign in SIGNS if self.text.startswith(sign, self.at)), "")
        if not sign:
            self._add(char, 1)
            return
        self._end()
        self.found.append(sign)
        self.at += len(sign)
        if sign == "\n":
            for name in self.documents:  # what is handed to a command is no command
                end = (self.text[self.at - 1 :] + "\n").find(f"\n{name}\n")
                self.at = self.at + end + len(name) if end >= 0 else len(self.text)
            self.documents = []

    def _quote(self, sign: str) -> None:
        end = self.at + 1
        while end < len(self.text) and self.text[end] != sign:
            end += 2 if sign == '"' and self.text[end] == "\\" else 1
        inside = self.text[self.at + 1 : end]
        self._add(inside.replace("\\", "") if sign == '"' and "\\" in inside else inside, end + 1 - self.at)
        self.quoted = True

    def _redirect(self) -> None:
        """Take `2>&1`, `&>log`, `> log` and the like as words with their signs in them."""
        rest = self.text[self.at :]
        if rest.startswith("<<") and not rest.startswith("<<<"):
            name = (rest[2:].lstrip("-").split() or [""])[0].strip("'\"\\;)|&")
            self.documents.append(name)
        sign = next(sign for sign in ("&>>", "&>", ">>", ">&", ">|", "<<<", "<<", "<&", ">", "<") if rest.startswith(sign))
        self._add(sign, len(sign))


def _end_of(text: str, start: int) -> int:
    """Return where a substitution ends that begins at a position."""
    if text[start] == "`":
        end = text.find("`", start + 1)
        return end + 1 if end >= 0 else len(text)
    depth, quote = 0, ""
    for at in range(start + 1, len(text)):
        char = text[at]
        if quote:
            quote = "" if char == quote else quote
        elif char in "'\"":
            quote = char
        depth += (char == "(") - (char == ")") if not quote else 0
        if depth == 0:
            return at + 1
    return len(text)


def substituted(word: str) -> "list[str]":
    """Return the command lines inside of a word, whose output stands for them."""
    found, at = [], 0
    while at < len(word):
        if word[at] == "`" or word.startswith(("$(", "<(", ">("), at):
            end = _end_of(word, at)
            found.append(word[at + (1 if word[at] == "`" else 2) : end - 1])
            at = end
        at += 1
    return found
