"""Run a loop with a fresh agent for each iteration, Claude Code or a command of the user."""

import json
import os
import re
import shlex
import tempfile
import time
from pathlib import Path

from ralph_mem.core import paths, process
from ralph_mem.core.errors import LoopError, SnapshotError
from ralph_mem.hosts.claude_code import launch
from ralph_mem.hosts.claude_code.launch import stream
from ralph_mem.ralph import display, files, leftovers, passing, runs, starting, stopping
from ralph_mem.ralph.record import HEADLESS
from ralph_mem.ralph.runs import MEANWHILE, now_ms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from ralph_mem.core.project import Project
    from ralph_mem.hosts.claude_code.launch import Answer
    from ralph_mem.ralph.record import Run
    from ralph_mem.ralph.runs import Loop, Told
    from ralph_mem.ralph.starting import Prospect, Wish

PROMPT, PROMPT_FILE = "{prompt}", "{prompt_file}"
# Linux takes no argument of 128 KiB or more.
MOST_ARGUMENT_BYTES = 131_071
MOST_BYTES = 1_048_576  # its head and tail: a last message is at the end, and a whole log is not wanted


def run_command(
    template: str, prompt: str, folder: str, environment: "Mapping[str, str]", seconds: float,
    told: "Callable[[str], None] | None" = None, stopped: "Callable[[], bool] | None" = None,
) -> launch.Answer:  # fmt: skip
    """Give any agent a prompt by the command line of `--agent`, such as `my-agent --message-file {prompt_file}`.

    The template is split into words as a shell would, once, and no shell ever sees it. In a word `{prompt}` stands for the prompt
    and `{prompt_file}` for a file that holds it, its owner's alone and gone afterwards; with neither it is given on stdin.

    The end of what it prints is its message, and an exit code other than 0 is an error. If its last line is a JSON object with
    `result` (the message), `is_error`, `cost_usd` or `total_cost_usd`, `tokens`, `num_turns` or `session_id`, these are understood.
    """
    try:
        words = parse_command(template)
    except LoopError as error:
        return launch.Answer(launch.MISSING, why=f"{error}: {error.hint}")
    if any([PROMPT in word for word in words]) and len(prompt.encode("utf-8", "replace")) > MOST_ARGUMENT_BYTES - len(template):
        return launch.Answer(launch.ERROR, why=f"the prompt is too long for an argument: write {PROMPT_FILE} for {PROMPT}")
    path = _file_with(prompt) if any([PROMPT_FILE in word for word in words]) else ""
    try:
        outcome = process.run(
            [_filled(word, prompt, path) for word in words],
            folder,
            launch.without_outer_session(environment),
            seconds,
            most_bytes=MOST_BYTES,
            stdin=None if _has_a_place(words) else prompt.encode("utf-8", "replace"),
            on_line=_teller(told),
            stopped=stopped,
        )
    finally:
        if path:
            Path(path).unlink(missing_ok=True)
    return answer_of(outcome)


def parse_command(template: str) -> "list[str]":
    """Return the words of a template; raises LoopError for one that nothing can be made of."""
    try:
        words = shlex.split(template)
    except ValueError as error:
        raise LoopError(f"--agent {template} cannot be read ({error})", "quote it as for a shell") from error
    if not words or PROMPT in words[0]:
        raise LoopError("--agent names no program", f"write a command line, such as `my-agent {PROMPT_FILE}`")
    return words


def _has_a_place(words: "list[str]") -> bool:
    return any([PROMPT in word or PROMPT_FILE in word for word in words])


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
    if outcome.ended_by == "time":
        return launch.TIME, f"its time was up after {outcome.seconds:.0f} s"
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


TICK_S = 0.1  # how soon a stop is noticed in a pause
# A client that does not tell when its limit ends is asked again after so long, doubled each time up to an hour.
FIRST_WAIT_MS, LONGEST_WAIT_MS = 60_000, 3_600_000
LEAST_SECONDS = 1.0


def start(
    project: "Project", values: "dict[str, Any]", wished: "Wish", prospect: "Prospect", is_wanted: "Callable[[Loop], bool]",
    told: "Told | None" = None,
) -> "Run | None":  # fmt: skip
    """Start a run and work until it ends; returns it. Its checks have been accepted. Raises LoopError and SnapshotError.

    `is_wanted` is asked where all checks pass already; where it says no, nothing is left of the run, and nothing is returned.
    """
    run_id = runs.new_id()
    with runs.Lock(project), runs.Heartbeat(project, run_id):
        begun = starting.start(project, values, wished, prospect, HEADLESS, run_id=run_id, told=told)
        if begun.green and not is_wanted(begun.loop):
            starting.discard(begun.loop)
            return None
        return _work(begun.loop)


def resume(project: "Project", values: "dict[str, Any]", run: "Run", told: "Told | None" = None, **bounds: "Any") -> "Run":
    """Let a run go on and work until it ends; returns it. `bounds` are fields of Limits. Raises LoopError."""
    stopping.check(project, run, bounds)
    last_beat = stopping.last_beat(project, run)
    with runs.Lock(project), runs.Heartbeat(project, run.id):
        return _work(stopping.resume(project, values, run, HEADLESS, last_beat, told=told, **bounds))


def _work(loop: "Loop") -> "Run":
    """Work until the run ends. Ctrl-C and a request to stop end the agent at once; what it has done is kept and told."""
    try:
        while loop.is_running():
            _pass(loop)
    except KeyboardInterrupt:
        if loop.is_running():
            passing.end(loop, "user_stop", "interrupted by Ctrl-C")
    return loop.run


def _pass(loop: "Loop") -> None:
    """Run one iteration, or wait for the end of a rate limit."""
    answer = ask(loop, passing.begin(loop))
    if answer.kind == launch.RATE_LIMITED:
        _wait(loop, answer)
        return
    if answer.kind == launch.MISSING:
        passing.end(loop, "agent_error", answer.why)
        return
    decided = passing.conclude(loop, answer)
    if decided.go_on and not _pause(loop, loop.run.limits.cooldown_ms):
        passing.end(loop, "user_stop", "asked to stop")


def ask(loop: "Loop", prompt: str) -> "Answer":
    """Give the agent its prompt and what is left of time and money."""
    seconds = max(LEAST_SECONDS, loop.seconds_left())
    around = {**os.environ, paths.LOOP.decode(): f"{loop.run.id}/{loop.run.next_number()}", leftovers.MARK: loop.run.id}
    command = shlex.join(loop.option("agent") or [])

    def told(line: str) -> None:
        loop.told(MEANWHILE + line)

    if command:
        return run_command(command, prompt, loop.project.top, around, seconds, told=told, stopped=lambda: _asked(loop))
    cost = loop.run.limits.cost
    return launch.run(
        prompt,
        loop.project.top,
        around,
        seconds,
        cost=None if cost is None else max(0.01, cost - loop.run.cost()),
        allow=allowed(loop),
        told=told,
        stopped=lambda: _asked(loop),
    )


def allowed(loop: "Loop") -> "list[str]":
    """Return the permission rules of the agent: the checks that the person accepted, and what they allowed besides."""
    checks = [f"Bash({shlex.join(each.argv)}:*)" for each in loop.criteria() if each.argv]
    return [*checks, *(loop.option("allow") or [])]


def _asked(loop: "Loop") -> bool:
    return runs.is_asked_to_stop(loop.project, loop.run.id)


def _wait(loop: "Loop", answer: "Answer") -> None:
    """Wait until a rate limit is over, which costs no iteration; a limit that outlasts the run ends it."""
    at = now_ms()
    if loop.option("snapshot"):  # what it had done by then is the loop's, also where the loop ends here
        try:
            files.take(loop, "rate limit")
        except SnapshotError as error:
            passing.end(loop, "snapshot_failed", f"{error} ({error.hint})")
            return
    unknown = at + min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** len(loop.run.waits))
    until = answer.resets_at if answer.resets_at > at else unknown
    loop.note("waiting", until=until, why=answer.why, cost=answer.cost)
    decided = passing.decide(loop)
    if decided.go_on and not _pause(loop, until - at, "the rate limit ends in"):
        passing.end(loop, "user_stop", "asked to stop")


def _pause(loop: "Loop", span_ms: int, why: str = "") -> bool:
    """Wait; returns False as soon as somebody asks the loop to stop."""
    until, said = now_ms() + span_ms, 0
    while now_ms() < until:
        if _asked(loop):
            return False
        left = -(-(until - now_ms()) // 1000)
        if why and left != said:
            loop.told(f"{MEANWHILE}{why} {display.span(left * 1000)}")
            said = left
        time.sleep(min(TICK_S, max(0.0, (until - now_ms()) / 1000)))
    return not _asked(loop)
