"""Split a command line into words, and find its checks that can fail without the line failing. What is unreadable hides all."""

from ralph_mem.core.command_lines import commands

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


CLOSED_BY = {"if": "fi", "for": "done", "while": "done", "until": "done", "select": "done", "case": "esac", "{": "}", "(": ")"}
BETWEEN = frozenset((";", ";;", "&", "\n", "then", "else", "elif", "do"))
SHELLS = frozenset("bash sh zsh dash ksh".split())
DEEPEST = 5  # scripts inside of scripts
LOOKED_AT = frozenset("exit return test [ [[".split())


class Check:
    """A check in a command line.

    `hidden` says that it can fail without the line failing, `again` that it may run more than once, `filters` are the
    commands through which its output goes, `marks` what the line prints of its outcome: the text before, the text behind,
    and whether it stands for success; None where the exit code stands between them.
    """

    __slots__ = ("again", "filters", "hidden", "marks", "settled", "words")

    def __init__(self, words: "list[str]", hidden: bool, again: bool) -> None:
        self.words = words
        self.hidden = hidden
        self.again = again
        self.settled = False
        self.filters: list[list[str]] = []
        self.marks: list[tuple[str, str, bool | None]] = []

    def hide(self) -> None:
        """Say that its exit code is overwritten, unless the shell has ended before that."""
        self.hidden = self.hidden or not self.settled

    def settle(self) -> None:
        """Say that the shell ends at once where it fails."""
        self.settled = self.settled or not self.hidden


def checks(command: str) -> "list[Check]":
    """Return the checks that a command line runs, at least one: it is known that there is one."""
    found = _Script(command, True, False, 0).checks
    return found or [Check([], True, True)]


class _Script:
    """One script on its way through. `told` says whether its exit code is that of the whole line."""

    def __init__(self, text: str, told: bool, again: bool, depth: int) -> None:
        self.tokens = tokens(text)
        self.at = 0
        self.told = told
        self.again = again
        self.depth = depth
        self.errexit = self.pipefail = False
        self.checks: list[Check] = []
        self.kept: dict[str, list[Check]] = {}
        while self.at < len(self.tokens):  # a bracket that nothing opened ends nothing
            self._list(told, "")
            self.at += 1

    @property
    def next(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def _list(self, told: bool, closing: str) -> None:
        """Read commands up to a closing word; the exit code of each is overwritten by that of the next."""
        before: list[list[Check]] = [[]]
        while self.next not in ("", ")", closing):
            start, known = self.at, len(self.checks)
            elements = self._and_or(told)
            self._take_note(self.tokens[start : self.at], before)
            found = self.checks[known:]
            before = [*elements, [check for check in found if not check.hidden]]
            in_background = self.next == "&"
            while self.next in BETWEEN:
                self.at += 1
            self.at += self.at == start  # a word that closes what nothing opened
            if self.errexit and self.told and not in_background:
                for element in elements:
                    for check in element:
                        check.settle()
            if in_background or self.next not in ("", ")", closing):
                for check in found:
                    check.hide()

    def _and_or(self, told: bool) -> "list[list[Check]]":
        """Read pipelines with `&&` and `||` between them; returns the checks of the last one that has any, by element."""
        known = len(self.checks)
        elements = self._pipeline(told)
        while self.next in ("&&", "||"):
            sign, found = self.next, self.checks[known:]
            self._skip()
            start = self.at
            following = self._pipeline(told)
            words = [word for word in self.tokens[start : self.at] if word not in SIGNS and ">" not in word]
            for check in [check for check in found if not check.hidden]:
                check.marks += _said(words, sign == "&&")
                if sign == "||" and _gives_up(words) and self.told:
                    check.settle()
                elif sign == "||":
                    check.hide()
            elements = following if any(following) else elements
        return elements

    def _skip(self) -> None:
        self.at += 1
        while self.next == "\n":
            self.at += 1

    def _pipeline(self, told: bool) -> "list[list[Check]]":
        """Read commands with pipes between them; returns the checks of each."""
        inverted = self.next == "!"
        self.at += inverted
        elements, parts = [], []
        while True:
            start, known = self.at, len(self.checks)
            self._command(told and not inverted)
            elements.append(self.checks[known:])
            parts.append(self.tokens[start : self.at])
            if self.next not in ("|", "|&"):
                break
            self._skip()
        for number, element in enumerate(elements[:-1]):
            for check in element:
                check.filters += parts[number + 1 :]
                check.hidden = check.hidden or not self.pipefail
        return elements

    def _command(self, told: bool) -> None:
        """Read a command. Of one in a condition, a branch or a loop the line tells nothing by its code."""
        opening = self.next
        closing = CLOSED_BY.get(opening)
        if closing is None:
            self._simple(told)
            return
        self.at += 1
        known = len(self.checks)
        again, self.again = self.again, self.again or closing == "done"
        outer, self.told = self.told, self.told and told and opening in "({"
        self._list(self.told, closing)
        self.again, self.told = again, outer
        self.at += self.next == closing
        while ">" in self.next or "<" in self.next:
            self.at += 2 if self.next[-1] in "<>" else 1
        for check in self.checks[known:]:  # whatever ends in brackets, the shell around it goes on
            check.settled = check.settled and opening != "("

    def _simple(self, told: bool) -> None:
        start = self.at
        while self.next and self.next not in SIGNS:
            self.at += 1
        words = self.tokens[start : self.at]
        if words[:1] == ["set"]:
            self._set(words[1:])
        assigns = all(["=" in word.partition("$")[0] for word in words])
        for script in [each for word in words for each in substituted(word)]:
            self._inner(script, told and assigns)
        given = script_in(words)
        if given:
            options = [word for word in words if word[:1] == "-" or word == "pipefail"]
            self._inner(f"set {' '.join(options)}\n{given}", told)
        elif commands.part_checks(words):
            self.checks.append(Check(words, not told, self.again))

    def _set(self, words: "list[str]") -> None:
        for at, word in enumerate(words):
            if word[:1] in ("-", "+"):
                named = words[at + 1 : at + 2]
                self.errexit = word[0] == "-" if "e" in word or named == ["errexit"] else self.errexit
                self.pipefail = word[0] == "-" if named == ["pipefail"] else self.pipefail

    def _inner(self, script: str, told: bool) -> None:
        if self.depth < DEEPEST:
            found = _Script(script, told, self.again, self.depth + 1).checks
            for check in found:
                check.settled = False
            self.checks += found

    def _take_note(self, words: "list[str]", before: "list[list[Check]]") -> None:
        """Take note of a command that keeps, prints or returns the exit code of what ran before it."""
        words = [word for word in words if word not in SIGNS]
        name, _, value = words[0].partition("=") if words else ("", "", "")
        if value[:1] == "$":
            self.kept[name] = self._meant(value, before)
        for word in words[1:]:
            start = word.find("$")
            end = next((at for at in range(start + 1, len(word)) if word[at] in " }])?"), len(word) - 1) if start >= 0 else -1
            end += word[end : end + 2] == "]}"
            meant = self._meant(word[start : end + 1].strip(), before) if start >= 0 else []
            for check in meant:
                if words[0] in LOOKED_AT and self.told:
                    check.hidden, check.settled = False, True
                elif words[0] == "echo":
                    text = " ".join([each for each in words[1:] if each[:1] != "-" and ">" not in each])
                    head, _, tail = text.partition(word[start : end + 1].strip())
                    check.marks.append((head.strip(), tail.strip(), None))

    def _meant(self, value: str, before: "list[list[Check]]") -> "list[Check]":
        """Return the checks whose exit code a variable holds."""
        name = value.strip("${}\"'")
        if name == "?":
            return before[-1]
        kind, _, number = name.rstrip("]").partition("[")
        if kind.lower() == "pipestatus" and number.isdigit():
            at = int(number) - (kind == "pipestatus")  # zsh counts from one
            return before[at] if 0 <= at < len(before) - 1 else []
        return self.kept.get(name, [])


def script_in(words: "list[str]") -> str:
    """Return the script that is handed to a shell as a word, such as that of `bash -c`."""
    names = [word.rpartition("/")[2] for word in words]
    for at, word in enumerate(words[:-1]):
        if word[:1] == "-" and word[-1] == "c" and not SHELLS.isdisjoint(names[:at]):
            return words[at + 1]
    return words[-1] if names[:1] == ["ssh"] and " " in words[-1] else ""


def _gives_up(words: "list[str]") -> bool:
    """Say whether a command ends the shell as failed."""
    at = next((at for at, word in enumerate(words) if word in ("exit", "return")), -1)
    return at >= 0 and words[at + 1 : at + 2] != ["0"] and (bool(words[at + 1 :]) or at == 0)


def _said(words: "list[str]", passed: bool) -> "list[tuple[str, str, bool | None]]":
    """Return what `echo` prints where what stands before it passed, or failed."""
    text = " ".join([word for word in words[1:] if word[:1] != "-"]).strip()
    return [(text, "", passed)] if words[:1] == ["echo"] and len(text) > 1 and "$" not in text else []
