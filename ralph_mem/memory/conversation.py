"""Decide what is stored of what is said in a session, by the person and by the agent."""

import posix

from ralph_mem.core import paths
from ralph_mem.core import project as projects
from ralph_mem.core.project import NOTIFICATIONS, PASTE_MARKS, PASTED, Activity
from ralph_mem.core.redaction import privacy
from ralph_mem.memory.rows import records as write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Record = dict[str, Any]

PROMPT_CHARACTERS = RESPONSE_CHARACTERS = 4000
LONGEST_MARK = 300  # in characters, of what stands for a pasted image or text


def records(seen: Activity, project: "projects.Project", settings: "dict[str, Any]") -> "list[Record]":
    """Return what is to be stored of an activity of one of the kinds in `OF_KIND`, redacted."""
    return OF_KIND[seen.kind](seen, project, settings)


def _prompt(seen: Activity, project: "projects.Project", settings: "dict[str, Any]") -> "list[Record]":
    """Return the turn; its prompt is kept only where it is the user's own words."""
    kind = kind_here(seen.text)
    head, commit = projects.head(project)
    (prompt, branch), redactions = privacy.protect([seen.text if kind == "prompt" else "", head], project, settings, seen.cwd)
    prompt, event = privacy.shorten(prompt, PROMPT_CHARACTERS), seen.turn or f"prompt:{seen.session}:{seen.at}"
    opened = write.turn(seen.session, event, seen.at, kind, prompt, branch=branch, commit_id=commit, redactions=redactions)
    if kind != "prompt" or "@" not in seen.text:
        return [opened]
    from ralph_mem.memory import capture, hearing  # lazy: only for a prompt that may bring a file or a resource along

    resource = hearing.mentioned_resource(seen.text)  # nobody tells its text: the turn is as doubtful as one that read a page
    event = f"mention:{seen.session}:{seen.at}"
    given = {"title": resource, "content": "", "event_id": event, **capture.OUTSIDE}
    marks = [capture.observation(seen, project, settings, **given)] if resource else []
    return [opened, *marks, *hearing.of_mentions(seen, project, settings)]


def kind_of(prompt: str) -> str:
    """Return the kind of turn that a prompt opens: the user's own words, a command of ours, a notification of the client."""
    text = prompt.lstrip().removeprefix(PASTED).lstrip()
    if text.startswith(tuple(NOTIFICATIONS)):
        return "notification"
    name = text[1:].split(None, 1)[0] if text[:1] == "/" and text[1:2].strip() else ""
    own = name.removeprefix("ralph-mem:")
    if own == "ralph" or own.startswith("ralph-"):
        return "loop"
    return "command" if own != name or own.startswith("mem-") or own == "mem" else "prompt"


def kind_here(prompt: str) -> str:
    """Return the kind of the turn; a headless loop has put into its prompt what is remembered."""
    return "loop" if paths.LOOP in posix.environ else kind_of(prompt)


def asked(prompt: str) -> str:
    """Return what a prompt asks: without what we put into the context, and what a client writes where something was pasted."""
    text = privacy.without_injected(prompt)
    if PASTED in text:
        from ralph_mem.core import pastes  # lazy: only for a prompt into which something was pasted

        text = pastes.unmarked(text)
    for mark in PASTE_MARKS:
        while mark in text:
            before, _, rest = text.partition(mark)
            inside, end, after = rest.partition("]")
            text = f"{before} {after}" if end and len(inside) <= LONGEST_MARK else before + rest
    return text


def _answer(seen: Activity, project: "projects.Project", settings: "dict[str, Any]") -> "list[Record]":
    """Return the end of the turn, which opens it as well where its prompt was never seen."""
    (response,), redactions = privacy.protect([seen.text], project, settings, seen.cwd)
    response = privacy.shorten(response, RESPONSE_CHARACTERS)
    return [write.close(seen.session, seen.turn, seen.at, response, origin="agent", redactions=redactions)]


def _compacting(seen: Activity, _project: "projects.Project", _settings: "dict[str, Any]") -> "list[Record]":
    """Make the open turn findable now: a full window may end the session without another event."""
    return [write.keep(seen.session, seen.at)]


def _end(seen: Activity, _project: "projects.Project", _settings: "dict[str, Any]") -> "list[Record]":
    """Return the end of the session: a bonus. A kill leaves no time for it, so nothing depends on it."""
    return [write.end(seen.session, seen.at, seen.reason or "other")]


OF_KIND = {"prompt": _prompt, "answer": _answer, "compacting": _compacting, "end": _end}
