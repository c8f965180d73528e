"""Take from a CMakeLists.txt what is built.

What is a test, and how it is run, is that of the start.
"""

import re
from collections import namedtuple

from ralph_mem.ralph.judges import kinds

Command = namedtuple("Command", "before name words text")
Command.__doc__ = """A command with the text before it; its name is in small letters, `words` are its arguments without comments."""

OPENS = re.compile(r"([A-Za-z_]\w*)\s*\(")
PIECE = re.compile(
    r"""(?P<comment>\#(?!\[=*\[)[^\n]*)|\#?\[(?P<fence>=*)\[|(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<bracket>[()])|(?P<word>(?:\\.|[^\s()"\#\\])+)|\s+""",
    re.DOTALL,
)
SOURCE = re.compile(r"[\w./${}+-]+\.(c|cc|cpp|cxx|h|hh|hpp|hxx|inl|s|S|asm|cu|m|mm|f|f90)$")
PLAIN = re.compile(r"(?!-)[\w:.+-]+$")
FOLDER = re.compile(r"(?!BEFORE$|SYSTEM$)[\w./${}+-]+$")
# Commands that may be added, or may get more arguments of such a form.
MAY_GROW = {
    "add_library": SOURCE, "add_executable": SOURCE, "target_sources": SOURCE, "set": SOURCE, "list": SOURCE,
    "target_link_libraries": PLAIN,
}  # fmt: skip
MAY_BE_NEW = {**MAY_GROW, "find_package": PLAIN, "add_subdirectory": FOLDER, "target_include_directories": FOLDER}
OF_TARGETS = ("target_sources", "target_link_libraries", "target_include_directories")
KEYWORDS = frozenset("PUBLIC PRIVATE INTERFACE STATIC SHARED OBJECT MODULE APPEND REQUIRED COMPONENTS".split())


def merged(start: str, now: str) -> str:
    """Return now with the commands of the start, new ones that build sources, and more sources in lists.

    Where these commands are in another order it is the start's with more sources. Raises ValueError for what cannot be read.
    """
    (old, _), (new, end) = _commands(start), _commands(now)
    judged = _of_tests(old)
    waiting, targets = list(old), {_target(each) for each in old if each.name.startswith("add_")}
    kept, order = [], []
    for each in new:
        match = _match(each, waiting, judged)
        if match is not None:
            waiting.remove(match)
            order.append(match)
        elif not _may_be_new(each, targets, judged, start):
            continue
        elif each.name in ("add_library", "add_executable"):
            targets.add(_target(each))
        kept.append(each)
    if not waiting and order == old:
        return "".join([each.before + each.text for each in kept]) + end
    return _with_more(start, old, new, judged)


def _with_more(start: str, old: "list[Command]", new: "list[Command]", judged: "set[str]") -> str:
    waiting, text = list(new), ""
    for each in old:
        grown = next((other for other in waiting if _match(other, [each], judged)), each)
        text += each.before + grown.text
        waiting = [other for other in waiting if other is not grown]
    return text + _commands(start)[1]


def _match(command: Command, olds: "list[Command]", judged: "set[str]") -> "Command | None":
    """Return the command of the start that this one is, or that it has grown from."""
    same = next((old for old in olds if (old.name, old.words) == (command.name, command.words)), None)
    return same or next((old for old in olds if _has_grown(old, command, judged)), None)


def _has_grown(old: Command, now: Command, judged: "set[str]") -> bool:
    if (old.name, old.name in MAY_GROW, _target(old)) != (now.name, True, _target(now)):
        return False
    left = list(old.words)
    more = [word for word in now.words if not (left and word == left[0] and left.pop(0))]
    if left or not all([_is_of(word, MAY_GROW[old.name]) for word in more]):
        return False
    # a test that was built from its own file alone needs no other
    return _target(old) not in judged or _has_sources(old)


def _may_be_new(command: Command, targets: "set[str]", judged: "set[str]", start: str) -> bool:
    form, target = MAY_BE_NEW.get(command.name), _target(command)
    if form is None or not target or target in judged or (command.name in OF_TARGETS and target not in targets):
        return False
    if command.name == "set" and re.search(rf"(?<!\w){re.escape(target)}(?!\w)", start):
        return False
    more = command.words if command.name in ("find_package", "add_subdirectory") else command.words[1:]
    return all([word in KEYWORDS or word == target or _is_of(word, form) for word in more])


def _target(command: Command) -> str:
    """Return what a command is about: the name of a target, of a variable, of a folder or package."""
    words = command.words[command.name == "list" and command.words[:1] == ("APPEND",) :]
    return str(words[0]) if words else ""


def _is_of(word: str, form: "re.Pattern[str]") -> bool:
    return bool(form.match(word)) and not kinds.judges(word)


def _of_tests(commands: "list[Command]") -> "set[str]":
    """Return the programs that are built from tests, and those that tests run and no source of the product is named for."""
    run = {word for each in commands if each.name == "add_test" for word in each.words}
    programs = [each for each in commands if each.name == "add_executable" and each.words]
    return {
        each.words[0]
        for each in programs
        if any([kinds.judges(word) for word in each.words]) or (each.words[0] in run and not _has_sources(each))
    }


def _has_sources(command: Command) -> bool:
    return any([_is_of(word, SOURCE) for word in command.words])


def _commands(text: str) -> "tuple[list[Command], str]":
    """Return the commands, and the text behind the last one. Raises ValueError for what cannot be read."""
    found, done, at = [], 0, 0
    while at < len(text):
        opens = OPENS.match(text, at)
        if opens:
            words, end = _arguments(text, opens.end())
            found.append(Command(text[done:at], opens[1].lower(), words, text[at:end]))
            done = at = end
        else:
            at = _behind(text, at)[0]
    return found, text[done:]


def _arguments(text: str, at: int) -> "tuple[tuple[str, ...], int]":
    words: list[str] = []
    depth = 1
    while at < len(text):
        at, piece = _behind(text, at)
        depth += {"(": 1, ")": -1}.get(piece, 0)
        if not depth:
            return tuple(words), at
        words += [piece.strip('"')] if piece else []
    raise ValueError("a command does not end")


def _behind(text: str, at: int) -> "tuple[int, str]":
    """Return the place behind what stands at a place, and what that is; nothing for a comment or blanks."""
    piece = PIECE.match(text, at)
    if not piece:
        raise ValueError("a text is not closed")
    if piece["fence"] is None:
        return piece.end(), piece["quoted"] or piece["bracket"] or piece["word"] or ""
    end = text.find(f"]{piece['fence']}]", piece.end())
    if end < 0:
        raise ValueError("a text is not closed")
    behind = end + len(piece["fence"]) + 2
    return behind, "" if text[at] == "#" else text[at:behind]
