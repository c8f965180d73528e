"""What CLAUDE.md already says: the model reads it anyway, so memory does not repeat it."""

from ralph_mem.core import index_text, paths

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.core.project import Project

FILES = ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md")
# A sentence is covered by a line that holds four in five of its words; shorter ones say too little to compare.
COVERED = 0.8
FEWEST_WORDS = 3


def read(project: "Project") -> "list[set[str]]":
    """Return the words of each line of the project's and the user's instructions."""
    home = paths.environment("CLAUDE_CONFIG_DIR") or paths.environment("HOME") + "/.claude"
    files = [f"{project.root}/{name}" for name in FILES] + [home + "/CLAUDE.md"]
    lines = [line for file in files for line in paths.read(file).splitlines()]
    return [said for said in map(_words, lines) if len(said) >= FEWEST_WORDS]


def without(text: str, said: "list[set[str]]") -> str:
    """Return a text without the sentences that the instructions cover."""
    if not said:
        return text
    return "\n".join([line for line in [_line_without(line, said) for line in text.splitlines()] if line])


def _line_without(line: str, said: "list[set[str]]") -> str:
    return ". ".join([part for part in line.split(". ") if not _covered(_words(part), said)])


def _covered(held: "set[str]", said: "list[set[str]]") -> bool:
    return len(held) >= FEWEST_WORDS and any([len(held & line) >= COVERED * len(held) for line in said])


def _words(text: str) -> "set[str]":
    return {word for word in index_text.words(text[:2000]) if word not in index_text.STOPWORDS}
