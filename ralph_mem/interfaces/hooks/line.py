"""The line by which a person sees that the memory works, with the price of what was told."""

from ralph_mem.core import paths
from ralph_mem.core.settings import effective
from ralph_mem.memory.rows import row
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.memory.rows.receipts import Item
    from ralph_mem.memory.store.connection import Store

    Settings = dict[str, Any]

RELEASE = "release"  # the property of a memory with the release whose line its person saw last
# Three names of 40 characters, with the counts, are a line and a half of a terminal of 100 columns.
MOST_NAMES, NAME_CHARACTERS = 3, 40
BEGUN, GOES_ON = "this project is recorded from now on", "this project is recorded"
WHERE = ", in {}; /mem pause switches that off"
NO_KEY = (
    "; your home cannot keep the key by which it is known as yours, so a session in which it can will set this memory aside:"
    " `ralph-mem trust --memory` brings it back"
)
UPDATED = "updated from {} to {}: CHANGELOG.md in the plugin's folder says what is new"
ASKED = "/mem for more"
# The properties of a memory that say that it has facts (rows/facts.py), and when its person was told last how many wait.
ANY_FACTS, COUNTED = "facts", "review_told"
DAY_MS = 86_400_000
OFFERED = "import_offered"  # the property of a memory whose person was told once which earlier sessions there are


def is_wanted(settings: "Settings") -> bool:
    """Say whether somebody is there to read a line, and has not switched it off; the agent of a loop is nobody."""
    return settings["memory.show"] != "off" and effective.attended() and not paths.environment(paths.LOOP.decode())


def at_start(
    opened: "Store", project: "Project", settings: "Settings", items: "Sequence[Item] | None", text: str, transcript: str = "",
    at: int = 0,
) -> str:  # fmt: skip
    """Return what a session's start says: how much is here and was told, where it begins, and once which release this is.

    `text` is what the model was told. Without items nothing was meant to be: the window of a resumed session holds it already.
    Once per project it offers the sessions that the client kept beside its transcript from before; once a day, by the time `at`
    in ms, it says how many candidates wait for the person's yes or no.
    """
    number = connection.counted(opened)
    news = _news(opened, project, number)
    if transcript and not opened.property(OFFERED):
        from ralph_mem.hosts.claude_code import earlier  # lazy: once per project

        opened.set_property(OFFERED, 1)
        news = "; ".join([each for each in (news, earlier.offered(opened, transcript)) if each])
    if _is_to_be_counted(opened, at):
        from ralph_mem.interfaces.hooks import undecided  # lazy: once a day

        news = "; ".join([each for each in (news, undecided.told(opened)) if each])
        opened.set_property(COUNTED, at)
    if not number and not items:
        return _said([news])
    most = connection.MOST_COUNTED
    many = f"more than {most} memories" if number > most else f"{number} memor{'y' if number == 1 else 'ies'}"
    told = [many + " here"]
    if not effective.tells(settings):
        told.append("telling is switched off")
    elif items is not None:
        told.append(_told(settings, items, text) or "nothing told")
    return _said([*told, ASKED, news])


def _is_to_be_counted(opened: "Store", at: int) -> bool:
    return bool(opened.property(ANY_FACTS)) and abs(at - (opened.property(COUNTED) or 0)) > DAY_MS


def at_prompt(settings: "Settings", items: "Sequence[Item]", text: str) -> str:
    """Return what a prompt that was told something says."""
    return _said([_told(settings, items, text)])


def _news(opened: "Store", project: "Project", memories: int) -> str:
    """Say once that this project is recorded, at the first start that somebody sees, and after an update which release this is."""
    from ralph_mem.core.release import VERSION  # lazy: a prompt does without

    before = opened.property(RELEASE)
    if before == VERSION:
        return ""
    opened.set_property(RELEASE, VERSION)
    if before:
        return UPDATED.format(before, VERSION)
    said = (GOES_ON if memories else BEGUN) + WHERE.format(project.folder)
    return said + ("" if paths.exists(f"{paths.data_home()}/{paths.KEY}") else NO_KEY)


def _told(settings: "Settings", items: "Sequence[Item]", text: str) -> str:
    told = [item for item in items if item.tokens]
    if not told:
        return ""
    line = f"told {len(told)} ({sum([item.tokens for item in told])} tokens)"
    if settings["memory.show"] == "full":
        each = [" ".join([item.memory, str(item.tokens), _name(item.words, text)]).rstrip() for item in told]
        return f"{line}: {', '.join(each)}"
    names = [_name(item.words, text) for item in told]
    shown = list(dict.fromkeys(filter(None, names)))[:MOST_NAMES]  # what was said in passing has the words of its turn
    more = ["..."] if any([name not in shown for name in names]) else []
    return f"{line}: {', '.join(shown + more)}" if shown else line


def _name(words: str, text: str) -> str:
    """Return the beginning of the person's words, as far as the model was told them: today's rules of privacy let them pass."""
    name = words.strip().partition("\n")[0]
    if len(name) > NAME_CHARACTERS:
        name = name[: row.end_before(name, max(name.rfind(" ", 0, NAME_CHARACTERS), NAME_CHARACTERS // 2))]
    more = "..." if len(name) < len(words.strip()) else ""
    return name.replace("&lt;", "<").rstrip(".,;:") + more if name in text else ""


def _said(parts: "list[str]") -> str:
    """Return a line for the screen: whatever a name or a path holds, only what can be printed."""
    text = "; ".join([part for part in parts if part])
    return text if text.isprintable() else "".join([char for char in text if char.isprintable()])
