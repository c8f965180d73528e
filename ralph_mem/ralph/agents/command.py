"""Give a prompt to any agent by a command line of the user, and read its answer."""

import json
import os
import re
import shlex
import tempfile
from pathlib import Path

from ralph_mem.core import process
from ralph_mem.core.errors import LoopError
from ralph_mem.hosts.claude_code import launch
from ralph_mem.hosts.claude_code.launch import stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

PROMPT, PROMPT_FILE = "{prompt}", "{prompt_file}"
# Linux takes no argument of 128 KiB or more.
MOST_ARGUMENT_BYTES = 131_071
MOST_BYTES = 1_048_576  # its head and tail: a last message is at the end, and a whole log is not wanted


def run(  # noqa: PLR0913, PLR0917 - each is a limit or a wish of its own
    template: str, prompt: str, folder: str, environment: "Mapping[str, str]", seconds: float,
    told: "Callable[[str], None] | None" = None, stopped: "Callable[[], bool] | None" = None, silence: "float | None" = None,
) -> launch.Answer:  # fmt: skip
    """Give any agent a prompt by the command line of `--agent`, such as `my-agent --message-file {prompt_file}`.

    The template is split into words as a shell would, once, and no shell ever sees it. In a word `{prompt}` stands for the prompt
    and `{prompt_file}` for a file that holds it, its owner's alone and gone afterwards; with neither it is given on stdin.

    The end of what it prints is its message, and an exit code other than 0 is an error. If its last line is a JSON object with
    `result` (the message), `is_error`, `cost_usd` or `total_cost_usd`, `tokens`, `num_turns` or `session_id`, these are understood.
    """
    try:
        words = parse(template)
    except LoopError as error:
        return launch.Answer(launch.MISSING, why=f"{error}: {error.hint}")
    if any([PROMPT in word for word in words]) and len(prompt.encode("utf-8", "replace")) > MOST_ARGUMENT_BYTES - len(template):
        return launch.Answer(launch.ERROR, why=f"the prompt is too long for an argument: write {PROMPT_FILE} for {PROMPT}")
    teller = _teller(told)
    path = _file_with(prompt) if any([PROMPT_FILE in word for word in words]) else ""
    try:
        outcome = process.run(
            [_filled(word, prompt, path) for word in words],
            folder,
            launch.without_outer_session(environment),
            seconds,
            most_bytes=MOST_BYTES,
            stdin=None if any([PROMPT in word or PROMPT_FILE in word for word in words]) else prompt.encode("utf-8", "replace"),
            on_line=teller,
            stopped=stopped,
            silence=silence,
        )
    finally:
        if path:
            Path(path).unlink(missing_ok=True)
    if teller and not outcome.out.strip():  # all that it printed went to stderr
        for line in outcome.err.splitlines():
            teller(line)
    return answer_of(outcome)


def parse(template: str) -> "list[str]":
    """Return the words of a template; raises LoopError for one that nothing can be made of."""
    try:
        words = shlex.split(template)
    except ValueError as error:
        raise LoopError(f"--agent {template} cannot be read ({error})", "quote it as for a shell") from error
    if not words or PROMPT in words[0]:
        raise LoopError("--agent names no program", f"write a command line, such as `my-agent {PROMPT_FILE}`")
    return words


def _filled(word: str, prompt: str, path: str) -> str:
    """Fill both places in one go: a prompt may hold the name of the other."""
    return re.sub(r"\{prompt(_file)?\}", lambda found: path if found[1] else prompt, word)


def _file_with(prompt: str) -> str:
    """Write the prompt to a file outside the project, which is the owner's alone."""
    number, path = tempfile.mkstemp(prefix="ralph-mem-prompt-", suffix=".md")
    with os.fdopen(number, "wb") as file:
        file.write(prompt.encode("utf-8", "replace"))
    return path


def _teller(told: "Callable[[str], None] | None") -> "Callable[[bytes], None] | None":
    if told is None:
        return None

    def tell(line: bytes) -> None:
        text = stream.in_one_line(line[: 2 * stream.MOST_LINE].decode("utf-8", "replace"), stream.MOST_LINE)
        if text:
            told(text)

    return tell


def answer_of(outcome: process.Outcome) -> launch.Answer:
    """Return what an end means: by exit code, who ended it, and the report in the last line."""
    text = outcome.out.decode("utf-8", "replace").strip()
    given = _report(text.rpartition("\n")[2])
    message = stream.text_of(given, "result") if isinstance(given.get("result"), str) else text
    cost = next((given[key] for key in ("cost_usd", "total_cost_usd") if stream.is_number(given.get(key))), None)
    kind, why = _kind(outcome, given)
    return launch.Answer(
        kind,
        message[-stream.MOST_MESSAGE :],
        cost=None if cost is None else float(cost),
        tokens=stream.count(given, "tokens"),
        turns=stream.count(given, "num_turns"),
        session=stream.text_of(given, "session_id"),
        seconds=outcome.seconds,
        why=stream.in_one_line(why, launch.MOST_WHY),
    )


def _kind(outcome: process.Outcome, given: "dict[str, Any]") -> "tuple[str, str]":
    if outcome.ended_by == "start":
        return launch.MISSING, outcome.err.decode("utf-8", "replace")
    if outcome.ended_by == "stop":
        return launch.STOPPED, "it was stopped"
    if outcome.ended_by:
        return launch.ended_early(outcome)
    if outcome.code:
        return launch.ERROR, f"the agent {launch.how_it_ended(outcome)}{launch.last_words(outcome.err)}"
    if given.get("is_error") is True:
        return launch.ERROR, f"the agent reports: {given.get('result')}"
    return launch.DONE, ""


def _report(line: str) -> "dict[str, Any]":
    """Return the JSON object that a line is, empty where it is something else."""
    try:
        given = json.loads(line) if line.startswith("{") else {}
    except (ValueError, RecursionError):
        return {}
    return given if isinstance(given, dict) else {}
