"""What Claude Code tells its child processes and in the events of typed commands, beside the events of a session."""

from ralph_mem.core import fast, paths
from ralph_mem.hosts.claude_code import event as events

SESSION = "CLAUDE_CODE_SESSION_ID"
IN_SHELL = "CLAUDECODE"  # set in each shell of its agent, in that of a line behind `!` too
EXPANSION = "user-prompt-expansion"
OUR_COMMANDS = "ralph-mem:"  # stands before the names of a plugin's commands
# A command is told by its folder, and the menu sorts by that: what deletes for good comes last (client 2.1.329).
FOLDERS = {"purge": "mem-forget"}


def session() -> str:
    """Return the client's id of the session in which this process was started, nothing where there is none."""
    return paths.environment(SESSION)


class Typed:
    """A command of ours that a person typed: its name, its words, and where that was."""

    __slots__ = ("folder", "name", "session", "turn", "words")

    def __init__(self, event: events.Event) -> None:
        name = event.text("command_name").removeprefix(OUR_COMMANDS)
        self.name = FOLDERS.get(name, name)
        self.words = event.text("command_args").strip()
        self.folder = paths.environment("CLAUDE_PROJECT_DIR") or event.text("cwd")
        self.session, self.turn = event.session, event.turn


def typed() -> "Typed | None":
    """Return the command in the event on stdin; nothing where it came cut off: half a command must not be carried out."""
    head, tail = events.drain_stdin()
    try:
        fields = {} if tail else fast.loads(head.decode("utf-8", "replace").strip())
    except ValueError:
        fields = {}
    event = events.Event(EXPANSION, fields if isinstance(fields, dict) else {})
    found = Typed(event)
    return found if found.folder and event.is_named_so() else None


class Status:
    """What the client tells a status line: its session, and where that began."""

    __slots__ = ("folder", "session")

    def __init__(self, event: events.Event) -> None:
        place = event.mapping("workspace")
        named = [
            place.get("project_dir"),
            event.fields.get("cwd"),
            place.get("current_dir"),
            paths.environment("CLAUDE_PROJECT_DIR"),
        ]
        self.folder = next(iter([name for name in named if isinstance(name, str) and name.startswith("/")]), "")
        self.session = event.text("session_id")


def status() -> Status:
    """Return what stdin tells a status line; what is missing there, or is no JSON, is empty."""
    return Status(events.Event("", events.parse(*events.drain_stdin())))


def on_screen(text: str, keeps_prompt: bool) -> str:
    """Return what to print so that a person reads the answer to a typed command, at no request: the model never sees it.

    The other way, `continue: false`, has a shorter heading, but leaves the text to the model's next request (client 2.1.329).
    `keeps_prompt` leaves what was typed on the screen.
    """
    specific = {"hookEventName": "UserPromptExpansion", **({} if keeps_prompt else {"suppressOriginalPrompt": True})}
    return fast.dumps({"decision": "block", "reason": text, "hookSpecificOutput": specific})


def expansion(text: str) -> str:
    """Return what to print in answer to a typed command: context for the model."""
    return fast.dumps({"hookSpecificOutput": {"hookEventName": "UserPromptExpansion", "additionalContext": text}})
