"""The guard: at the end of each turn of a session the checks are run once, and what fails is handed to whoever goes on.

For the client's own goal loop, which judges by what it reads in the session: this puts evidence there that was run, not claimed.
"""

from ralph_mem.criteria import PASSED, passed
from ralph_mem.ralph import passing, prompt, runs, signatures
from ralph_mem.ralph.loop import Loop

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.core.event import Event
    from ralph_mem.core.project import Project
    from ralph_mem.criteria import Verdict
    from ralph_mem.ralph.run import Run
    from ralph_mem.ralph.runs import Live

# The client cuts what is longer than 10,000 characters: thirty lines of these, and the output of the first check that failed.
MOST_TESTS, MOST_LINE, MOST_OUTPUT = 30, 160, 3_500


def step(event: "Event", project: "Project", settings: "dict[str, Any]", live: "Live") -> "dict[str, Any] | None":
    """Answer a Stop with what fails, once a turn; nothing where all checks pass, or where they were told already."""
    if event.fields.get("stop_hook_active"):
        return None
    loop = Loop(project, settings, live.run)
    verdicts = passing.judge(loop, event.text("last_assistant_message"))
    if passed(verdicts):
        return None
    return {"hookSpecificOutput": {"hookEventName": "Stop", "additionalContext": evidence(verdicts, loop.run)}}


def evidence(verdicts: "list[Verdict]", run: "Run") -> str:
    """Return what fails, as it was run just now: evidence for the agent, not the person's words."""
    failing, tag = signatures.failures(verdicts), prompt.tag_of(run)
    lines = [f"- {' '.join(f'{label}: {message}'.split())[:MOST_LINE]}" for label, (_, message) in failing.items()]
    more = [f"- and {len(lines) - MOST_TESTS} more"] if len(lines) > MOST_TESTS else []
    first = next((verdict for verdict in verdicts if verdict.status != PASSED and verdict.excerpt.strip()), None)
    output = [f"<output-{tag}>", first.excerpt.replace(tag, "")[-MOST_OUTPUT:], f"</output-{tag}>"] if first else []
    opening = "ralph-mem ran the checks of this project just now, and they do not pass. What fails is not done:"
    return "\n".join([opening, *lines[:MOST_TESTS], *more, *output])


def stop(project: "Project", session: str) -> bool:
    """Take the guard away from a session; says whether there was one."""
    live = runs.live(project)
    if not live or live.owner != session:
        return False
    runs.clear_live(project, live.run)
    return True
