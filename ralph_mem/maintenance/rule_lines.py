"""Read a file of rules by its lines, change single statements, and leave every other byte as it is."""

import difflib
import os
import tempfile
from collections import namedtuple
from pathlib import Path

from ralph_mem.core.errors import RalphMemError

BULLETS = ("- ", "* ", "+ ", "- [ ] ", "- [x] ")
HEADING = "## What holds"  # of the part that we add to; a person may rename it, then there is a second one
FENCES = ("```", "~~~")
NO_END = "\\ No newline at end of file\n"
BOM = "\ufeff"

# A statement of a file: the number of its line from 0, what stands before it in the line, and its words.
Statement = namedtuple("Statement", "line before text")


class RuleFile:
    """A file of rules below a project, there or not. Raises RalphMemError for one that cannot be changed safely."""

    def __init__(self, root: str, name: str) -> None:
        self.path = Path(root, name).resolve()  # a link is left alone, and what it leads to is changed
        if not self.path.is_relative_to(Path(root).resolve()):
            raise RalphMemError(f"{name} lies outside of the project", "name a file of the project, such as CLAUDE.md")
        self.name = str(self.path.relative_to(Path(root).resolve()))
        self.is_there = self.path.exists()
        self.bytes = self._read() if self.is_there else b""
        if b"\0" in self.bytes:
            raise RalphMemError(f"{self.name} is no text", "name a file of rules in Markdown")
        lines = self.bytes.decode("utf-8", "surrogateescape").split("\n")
        self.lines = [line + "\n" for line in lines[:-1]] + [line for line in lines[-1:] if line]

    def _read(self) -> bytes:
        try:
            return self.path.read_bytes()
        except OSError as error:
            raise RalphMemError(f"{self.name} cannot be read: {error.strerror}", "is it a file, and yours?") from error

    @property
    def end(self) -> str:
        """Return how lines end in this file."""
        return "\r\n" if b"\r\n" in self.bytes else "\n"

    def statements(self) -> "list[Statement]":
        """Return what stands in a line of its own: not in code, in a table or a heading, and not broken into several lines."""
        found, in_code, is_comment = [], False, False
        for number, line in enumerate(self.lines):
            text = line.lstrip(BOM).strip()
            in_code ^= text.startswith(FENCES)
            is_comment = (is_comment or "<!--" in text) and "-->" not in text
            if text and not in_code and not is_comment and not text.startswith((*FENCES, "#", "|", "<", "@")):
                found += self._statement(number, line)
        return found

    def _statement(self, number: int, line: str) -> "list[Statement]":
        body = line.lstrip(BOM + " \t")
        bullet = max([each for each in BULLETS if body.startswith(each)], key=len, default="")
        before = line[: len(line) - len(body)] + bullet
        above, below = self._text(number - 1), self._text(number + 1)
        is_alone = not below.strip() or _is_bullet(below) or below.lstrip().startswith("#")
        if not bullet and above.strip() and not above.lstrip().startswith("#"):
            is_alone = False  # a part of what goes over several lines
        return [Statement(number, before, body[len(bullet) :].strip())] if is_alone else []

    def _text(self, number: int) -> str:
        return self.lines[number] if 0 <= number < len(self.lines) else ""

    def changed(self, replaced: "dict[int, str | None]", added: "list[str]") -> "list[str]":
        """Return the lines with some replaced, or left out where None stands, and with statements added below our heading."""
        lines = list(self.lines)
        for number, text in replaced.items():
            ending = lines[number][len(lines[number].rstrip("\r\n")) :]
            lines[number] = "" if text is None else text + ending
        lines = [line for line in lines if line]
        return self._with(lines, added) if added else lines

    def _with(self, lines: "list[str]", added: "list[str]") -> "list[str]":
        new = [f"- {text}{self.end}" for text in added]
        at = next((at for at, line in enumerate(lines) if line.strip() == HEADING), None)
        if at is not None:
            end = next((end for end in range(at + 1, len(lines)) if lines[end].startswith("#")), len(lines))
            while not lines[end - 1].strip():
                end -= 1
        else:
            new, end = [*([self.end] if lines else []), HEADING + self.end, self.end, *new], len(lines)
        if end == len(lines) and lines and not lines[-1].endswith("\n"):  # as before, nothing ends the last line
            return [*lines[:-1], lines[-1] + self.end, *new[:-1], new[-1].rstrip("\r\n")]
        return [*lines[:end], *new, *lines[end:]]

    def diff(self, lines: "list[str]") -> str:
        """Return what changes as a unified diff that `git apply` takes, nothing where nothing does."""
        before = f"a/{self.name}" if self.is_there else "/dev/null"
        found = list(difflib.unified_diff(self.lines, lines, before, f"b/{self.name}"))
        if not found:
            return ""
        head = f"diff --git a/{self.name} b/{self.name}\n" + ("" if self.is_there else "new file mode 100644\n")
        return head + "".join([line if line.endswith("\n") else f"{line}\n{NO_END}" for line in found])

    def write(self, lines: "list[str]") -> None:
        """Put other lines in the place of the file's, all or none of them. Raises RalphMemError where that is not to be done."""
        mode = self.path.stat().st_mode if self.is_there else 0o100644
        if not mode & 0o200 or not os.access(self.path if self.is_there else self.path.parent, os.W_OK):
            raise RalphMemError(f"{self.name} is read-only", f"chmod u+w {self.name}, or apply the diff by hand")
        if self.path.exists() != self.is_there or (self.is_there and self.path.read_bytes() != self.bytes):
            raise RalphMemError(f"{self.name} was changed meanwhile", "try again")
        file, name = tempfile.mkstemp(dir=self.path.parent)
        try:
            with os.fdopen(file, "wb") as opened:
                opened.write("".join(lines).encode("utf-8", "surrogateescape"))
            Path(name).chmod(mode & 0o7777)
            Path(name).replace(self.path)
        except OSError as error:
            Path(name).unlink(missing_ok=True)
            raise RalphMemError(f"{self.name} cannot be written: {error.strerror}", "apply the diff by hand") from error


def _is_bullet(line: str) -> bool:
    word = line.split(None, 1)[0]
    return word in ("-", "*", "+") or (word[-1] in ".)" and word[:-1].isdigit())
