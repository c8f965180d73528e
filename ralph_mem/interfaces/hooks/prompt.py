"""The user says something: tell the model what it may be about."""

from ralph_mem.core import fast, paths
from ralph_mem.core.redaction import privacy
from ralph_mem.core.settings import effective
from ralph_mem.memory import capture
from ralph_mem.memory.rows import index_text, receipts, turns
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Activity, Project
    from ralph_mem.memory.recall import embeddings_client

DURABLE = True
WAIT_MS = connection.PROMPT_WAIT_MS


def answer(opened: "connection.Store", seen: "Activity", project: "Project", settings: "dict[str, Any]") -> "dict[str, str]":
    """Return the memories that the prompt may mean, or nothing."""
    prompt = privacy.without_injected(seen.text)
    if not effective.tells(settings) or capture.kind_here(prompt) != "prompt" or not index_text.terms(prompt):
        return {}
    from ralph_mem.memory.inject import block, prompting  # lazy: only for a prompt with words to look up

    number, since, tag, turn = turns.window(opened, seen.session)
    budget = settings["memory.inject_tokens_prompt"]
    window = prompting.Window(number, since, receipts.told(opened, number), seen.instructions)
    stores = [opened, *_shared(project)]
    text, items = prompting.build(stores, project, settings, prompt, window, seen.at, _sense())
    if items:
        receipts.add(opened, number, turn, receipts.AT_PROMPT, seen.at, budget, items)
    return {"context": block.fence(text, tag, project, settings)} if text else {}


def _sense() -> "embeddings_client.Sense | None":
    """Return what tells meaning, where embeddings are set up."""
    if not paths.exists(paths.data_home() + paths.MODEL):
        return None
    from ralph_mem.memory.recall import embeddings_client  # lazy: only where embeddings are set up

    return embeddings_client.open_sense()


def _shared(project: "Project") -> "list[connection.Store]":
    """Open the memory of all projects, if there is one."""
    try:
        opened = connection.connect_global(connection.TOOL_WAIT_MS)
    except fast.errors().StoreError as error:  # the project's own memory is recalled all the same
        from ralph_mem.core import notices  # lazy: only when the memory of all projects cannot be read

        notices.note(project.root, f"the memory of all projects could not be read ({error})")
        return []
    return [opened] if opened else []
