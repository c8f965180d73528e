"""Read each CLAUDE.md with its imports, and tell whether it says the same as a note."""

from ralph_mem.core import paths
from ralph_mem.memory.rows import index_text

# `@path` is followed as deep as the client does; it warns of 40,000 characters, and three times that is read in a fifth of a
# millisecond.
DEEPEST, MOST_BYTES, MOST_FILES = 5, 131_072, 32
FEWEST_WORDS = 3  # of a sentence of an answer: a shorter one answers a question, and states nothing
# A note differs from a line that is about the same: twice the words in common, as a share of the words of both, the words of
# ordinary English left out. Chosen on the histories of sixteen rule files: 87 % of the statements that replaced a line are
# found so, and 7 % of those that were new, most of them beside a line that says nearly the same.
ALIKE, FEWEST_SHARED = 0.6, 2
# Short ones have too few such words: there a few words stand in the place of others, behind the same first word.
SHORT, MOST_REPLACED = 8, 3
LETTERS = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
NO_LETTERS = bytes(range(128)).translate(None, LETTERS + b"\n")
WORDS_ONLY = bytes(range(256)).translate(bytes.maketrans(NO_LETTERS, b" " * len(NO_LETTERS)))
TYPOGRAPHIC = "\u2018\u2019\u201c\u201d\u2013\u2014\u2026\u2022\u2192\u00a0"  # what stands for marks that are left out as well
NUMBERING = b"0123456789"
BULLETS = (["-"], ["*"], ["+"])
OPENERS = ("always", "we", "you", "please", "should", "must")


def gathered(files: "list[str]") -> str:
    """Return the text of files and of what they import, as the client gives it to the model."""
    found: dict[str, str] = {}
    for file in files:
        _read(file, found, 0)
    return "\n\n".join(found.values())


def _read(file: str, found: "dict[str, str]", depth: int) -> None:
    """Read a file and what it imports, each once."""
    room = MOST_BYTES - sum([len(text) for text in found.values()])
    if file in found or depth > DEEPEST or len(found) >= MOST_FILES or room <= 0:
        return
    found[file] = text = _without_comments(paths.read(file, min(room, 65_536)))
    for path in _imports(text) if "@" in text else []:
        _read(_place(path, file.rpartition("/")[0]), found, depth + 1)


def _place(path: str, folder: str) -> str:
    """Return where an import leads, seen from the folder of the file that names it."""
    if path[:2] == "~/":
        return paths.environment("HOME") + path[1:]
    return path if path[0] == "/" else folder + "/" + path.removeprefix("./")


def _imports(text: str) -> "list[str]":
    """Return the paths that a text imports: what follows an `@` that begins a word, outside of code."""
    found, at = [], text.find("@")
    while at >= 0:
        if (not at or text[at - 1].isspace()) and text[at + 1 : at + 2].strip("@` \t\n") and not _is_code(text, at):
            path = text[at + 1 :].replace("\\ ", "\0").split(None, 1)[0].replace("\0", " ")
            found.append(path.partition("#")[0] or ".")
        at = text.find("@", at + 1)
    return found


def _is_code(text: str, at: int) -> bool:
    line = text.rfind("\n", 0, at) + 1
    fences = text.count("```", 0, line) + text.count("~~~", 0, line)
    return fences % 2 == 1 or text.count("`", line, at) % 2 == 1


def _without_comments(text: str) -> str:
    """Return a text without what the client keeps from the model."""
    while "<!--" in text:
        before, _, rest = text.partition("<!--")
        text = before + rest.partition("-->")[2]
    return text


class Said:
    """What the instructions say. To ask it costs little as long as a text has not the letters of a passage."""

    __slots__ = ("letters", "text", "whole", "words")

    def __init__(self, text: str) -> None:
        self.text = text
        self.letters = _letters(text)
        self.whole = self.letters.replace(b"\n", b"")
        self.words = ""

    def covers(self, text: str) -> bool:
        """Say whether all that a text says stands there: with the same numbers, names and negations, in the same order."""
        parts = [part.lstrip(NUMBERING) for part in _letters(_by_sentence(text)).split(b"\n")]
        if not all([part in self.whole for part in parts]):
            return False
        from ralph_mem.memory.inject import sameness  # lazy: only for a text with the letters of a line

        return sameness.says(self._around(list(filter(None, parts))), text)

    def _around(self, parts: "list[bytes]") -> str:
        """Return the paragraphs that hold the letters of a text, each below its heading; all where it goes beyond one."""
        heading, kept, missing = "", [], set(parts)
        for paragraph in self.text.split("\n\n"):
            letters = _letters(paragraph).replace(b"\n", b"")
            held = [part for part in parts if part in letters]
            if held:
                kept += [heading, paragraph]
                missing.difference_update(held)
            start = paragraph.rfind("\n#") + 1
            if paragraph.startswith("#", start):
                heading = paragraph[start:].partition("\n")[0]
        return self.text if missing else "\n\n".join(kept)

    def without(self, text: str) -> str:
        """Return a text without the sentences that stand there."""
        if self.covers(text):
            return ""
        said = set(_letters(_by_sentence(text)).split(b"\n")) - {b""}
        if "```" in text or said.isdisjoint(self.letters.split(b"\n")):
            return text
        return "\n".join([line for line in [self._line_without(line) for line in text.splitlines()] if line])

    def _line_without(self, line: str) -> str:
        return ". ".join([part for part in line.split(". ") if len(part.split()) < FEWEST_WORDS or not self.covers(part)])

    def differs(self, texts: "list[str]") -> "list[bool]":
        """Say of each text whether a line is about the same and none says the same, so that one says something else."""
        marks = [False] * len(texts)
        if not texts:
            return marks
        lines = self.words = self.words or _words(self.text)
        there = set(lines.split())
        wanted = [set(_words(text).split()) - index_text.STOPWORDS for text in texts]
        holders: dict[str, list[int]] = {}
        for at, words in enumerate(wanted):
            known = words & there
            if len(known) >= max(FEWEST_SHARED, len(words) * ALIKE / (2 - ALIKE)):  # or no line has enough of them
                for word in known:
                    holders.setdefault(word, []).append(at)
        for line in lines.split("\n") if holders else []:
            _compare(set(line.split()), holders, wanted, marks)
        _compare_short(lines, there, texts, marks)
        return [mark and not self._says(text) for mark, text in zip(marks, texts)]

    def _says(self, text: str) -> bool:
        """Say whether all of a text stands there but for the words that only say who does it, or that it is always done."""
        return Said("\n".join(map(_plainly, self.text.splitlines()))).covers("\n".join(map(_plainly, text.splitlines())))


def _plainly(line: str) -> str:
    """Return a line without the words that it begins with and that change nothing."""
    words = line.split()
    start = at = int(words[:1] in BULLETS)
    while at < len(words) and words[at].strip("*_").lower() in OPENERS:
        at += 1
    indent = line[: len(line) - len(line.lstrip())]
    return indent + " ".join(words[:start] + words[at:]) if at > start else line


def _by_sentence(text: str) -> str:
    return text.replace(". ", ".\n").replace("! ", "!\n").replace("? ", "?\n")


def _letters(text: str) -> bytes:
    """Return the letters and digits of a text, line by line, in small letters."""
    if not text.isascii():
        for sign in TYPOGRAPHIC:
            text = text.replace(sign, "")
    return text.lower().encode("utf-8", "replace").translate(None, NO_LETTERS)


def _compare(line: "set[str]", holders: "dict[str, list[int]]", wanted: "list[set[str]]", marks: "list[bool]") -> None:
    """Mark the texts that share enough words with a line."""
    fewest = min(map(len, wanted))
    common = line.intersection(holders)
    if len(common) < FEWEST_SHARED:
        return
    size = len(line - index_text.STOPWORDS)
    if 2 * len(common) < ALIKE * (size + fewest):
        return
    found = [at for word in common for at in holders[word]]
    for at in set(found):
        count = found.count(at)
        if count >= FEWEST_SHARED and 2 * count >= ALIKE * (size + len(wanted[at])):
            marks[at] = True


def _compare_short(lines: str, there: "set[str]", texts: "list[str]", marks: "list[bool]") -> None:
    """Mark the short texts that say something else in the place of a few words of a line."""
    asked = [(at, text) for at, text in enumerate(texts) if not marks[at] and text[:1] != "`" and text.count(" ") < SHORT]
    short = [(at, _stated(_words(text).split())) for at, text in asked]
    firsts = there.intersection([words[0] for _, words in short if words])
    for line in lines.split("\n") if firsts else []:
        said = _stated(line.split()[: SHORT + 1])
        if said and said[0] in firsts and len(said) <= SHORT:
            for at, words in short:
                marks[at] = marks[at] or _says_otherwise(words, said)


def _stated(words: "list[str]") -> "list[str]":
    """Return words without those that they begin with and that change nothing."""
    return words[next((at for at, word in enumerate(words) if word not in OPENERS), 0) :]


def _says_otherwise(words: "list[str]", line: "list[str]") -> bool:
    """Say whether words are those of a line but for a few in the place of others, or put aside what it says."""
    if "not" in words:
        said, aside = words[: words.index("not")], words[words.index("not") + 1 :]
        return bool(said and aside) and line[:1] == said[:1] and line[-len(aside) :] == aside and line != said
    same = _same(words, line)
    behind = _same(words[same:][::-1], line[same:][::-1])
    left = sorted([len(words) - same - behind, len(line) - same - behind])
    return same > 0 and same + behind >= FEWEST_SHARED and left[0] > 0 and left[1] <= MOST_REPLACED


def _same(one: "list[str]", other: "list[str]") -> int:
    return next((at for at, (word, another) in enumerate(zip(one, other)) if word != another), min(len(one), len(other)))


def _words(text: str) -> str:
    return text.lower().encode("utf-8", "replace").translate(WORDS_ONLY).decode("utf-8", "replace")
