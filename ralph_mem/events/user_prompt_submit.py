"""UserPromptSubmit: the user says something. Open the turn, and tell the model what it may be about."""

import posix

from ralph_mem.core import index_text, paths, privacy, receipts, redact, store, turns
from ralph_mem.core import project as projects
from ralph_mem.core.errors import StoreError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core import sense
    from ralph_mem.core.event import Event
    from ralph_mem.core.project import Project

DURABLE = True
WAIT_MS = store.PROMPT_WAIT_MS
PROMPT_CHARACTERS = 4000


def records(event: "Event", project: "Project", settings: "dict[str, Any]") -> "list[dict[str, Any]]":
    """Return the turn; its prompt is kept only where it is the user's own words."""
    prompt = event.text("prompt")
    if privacy.PASTED in prompt:
        prompt = privacy.without_paste_marks(prompt)
    kind = _kind(prompt)
    words = prompt if kind == "prompt" else ""
    (prompt,), redactions = privacy.protect([words], project, settings, event.text("cwd"))
    branch, commit = projects.head(project)
    turn = event.turn or f"prompt:{event.session}:{event.at}"
    return [{
        "verb": "turn", "session": event.session, "turn": turn, "at": event.at, "kind": kind, "origin": "user",
        "prompt": privacy.shorten(prompt, PROMPT_CHARACTERS), "branch": branch, "commit_id": commit,
        "redactions": redactions, "redaction_version": redact.RULES_VERSION,
    }]  # fmt: skip


def _kind(prompt: str) -> str:
    """Return the kind of the turn; a headless loop has put into its prompt what is remembered."""
    return "loop" if paths.LOOP in posix.environ else turns.kind_of(prompt)


def answer(opened: "store.Store", event: "Event", project: "Project", settings: "dict[str, Any]") -> "dict[str, Any] | None":
    """Return the memories that the prompt may mean, or nothing."""
    prompt = privacy.without_paste_marks(privacy.without_injected(event.text("prompt")))
    if not settings["memory.auto_inject"] or _kind(prompt) != "prompt" or not index_text.terms(prompt):
        return None
    # only a prompt with words to look up needs the rest
    from ralph_mem.core import context, prompting

    number, since, tag, turn = opened.one(
        "SELECT id, context_since, fence, (SELECT max(id) FROM turns WHERE session_id = s.id) FROM sessions AS s"
        " WHERE client_session = ?",
        (event.session,),
    )
    budget = settings["memory.inject_tokens_prompt"]
    window = prompting.Window(number, since, receipts.told(opened, number))
    stores = [opened, *_shared(project)]
    text, items = prompting.build(stores, project, settings, prompt, window, event.at, _sense())
    if items:
        receipts.add(opened, number, turn, "UserPromptSubmit", event.at, budget, items)
    return output("UserPromptSubmit", context.fence(text, tag, project, settings)) if text else None


def _sense() -> "sense.Sense | None":
    """Return what tells meaning, where embeddings are set up."""
    if not paths.exists(paths.data_home() + paths.MODEL):
        return None
    from ralph_mem.core import sense

    return sense.open_sense()


def _shared(project: "Project") -> "list[store.Store]":
    """Open the memory of all projects, if there is one."""
    try:
        opened = store.connect_global(store.TOOL_WAIT_MS)
    except StoreError as error:  # the project's own memory is recalled all the same
        from ralph_mem.core import trouble

        trouble.note(project.root, f"the memory of all projects could not be read ({error})")
        return []
    return [opened] if opened else []


def output(name: str, text: str) -> "dict[str, Any]":
    """Return the answer that adds text to the model's context; the client drops it unless it names its event."""
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": text}}
