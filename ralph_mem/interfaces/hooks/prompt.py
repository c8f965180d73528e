"""Tell the model what a prompt of the user may be about."""

from ralph_mem.core import fast, paths
from ralph_mem.core.settings import effective
from ralph_mem.memory import conversation
from ralph_mem.memory.rows import query_text, receipts, turns
from ralph_mem.memory.store import connection

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.project import Activity, Project
    from ralph_mem.memory.recall import embeddings_client

DURABLE = True
WAIT_MS = connection.PROMPT_WAIT_MS
LONGEST_SENTENCE = 300  # characters: what is longer was pasted, or is a task
PLEASE, SENTENCES = "please ", (". ", "! ", "; ", "\t")
FORGETTING, LONGEST_OPENING = (
    "forget ", "please forget ", "stop remembering ", "ok forget ", "we no longer ", "vergiss", "oublie", "olvida", "esquece",
    "dimentica",
), 40  # fmt: skip
KEPT = "ralph-mem has kept that as the note {}; nothing more needs to be stored."


def answer(opened: "connection.Store", seen: "Activity", project: "Project", settings: "dict[str, Any]") -> "dict[str, str]":
    """Return the memories that the prompt may mean, or nothing; a sentence that is to be remembered is kept as a note."""
    said = _recalled(opened, seen, project, settings)
    if len(seen.text) > LONGEST_SENTENCE or not effective.attended():
        return said
    if seen.text[:LONGEST_OPENING].lstrip().lower().startswith(FORGETTING):
        opened.drop(connection.LEARNED_AT)  # what it says to forget holds no longer from the end of this turn on
    sentence = _to_remember(seen.text, settings["memory.remember"])
    if not sentence or conversation.kind_here(seen.text) != "prompt":
        return said
    from ralph_mem.memory import notes_by_hand  # lazy: only for a sentence that is to be remembered

    name = notes_by_hand.keep(opened, project, settings, seen.session, seen.at, sentence)
    if not name:
        return said
    shown = [said.get("message") or "ralph-mem:", f"kept as {name}; /mem undo takes it back"]
    context = [each for each in (said.get("context"), KEPT.format(name)) if each]
    return {"message": ("; " if said.get("message") else " ").join(shown), "context": "\n".join(context)}


def _to_remember(text: str, openings: "list[str]") -> str:
    """Return what stands behind "remember that" in a prompt of one typed sentence, nothing for a question or a paste."""
    sentence = text.strip()
    if "?" in sentence or "\n" in sentence or any([mark in sentence for mark in SENTENCES]):
        return ""
    plain = sentence[len(PLEASE) :].lstrip() if sentence[: len(PLEASE)].lower() == PLEASE else sentence
    if not plain.lower().startswith(tuple([opening.lower() for opening in openings])):
        return ""
    from ralph_mem.memory import notes_by_hand  # lazy: only for a prompt that may begin so

    return notes_by_hand.asked_for(plain, openings)


def _recalled(opened: "connection.Store", seen: "Activity", project: "Project", settings: "dict[str, Any]") -> "dict[str, str]":
    prompt = conversation.asked(seen.text)
    if not effective.tells(settings) or conversation.kind_here(prompt) != "prompt" or not query_text.terms(prompt):
        return {}
    from ralph_mem.memory.inject import prompting  # lazy: only for a prompt with words to look up

    opened.execute(connection.FEW_PAGES)
    number, since, tag, turn = turns.window(opened, seen.session)
    budget = settings["memory.inject_tokens_prompt"]
    window = prompting.Window(number, since, receipts.told(opened, number), seen.instructions)
    stores = [opened, *_shared(project)]
    sense = _sense()
    text, items = prompting.build(stores, project, settings, prompt, window, seen.at, sense)
    if sense and sense.silent:  # after a pause: this prompt goes by its words, the next one has a worker
        sense.wake(opened.folder)
    if items:
        receipts.add(opened, number, turn, receipts.AT_PROMPT, seen.at, budget, items)
    if not text:
        return {}
    from ralph_mem.interfaces.hooks import line  # lazy: only for a prompt that is told something
    from ralph_mem.memory.inject import block  # lazy: as above

    said = {"context": block.fence(text, tag, project, settings)}
    if line.is_wanted(settings):
        said["message"] = "ralph-mem: " + line.at_prompt(settings, items, said["context"])
    return said


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
