"""Start Claude Code without a person, with one prompt, in one process, for one structured answer."""

import os
import shutil
import uuid
from collections import namedtuple
from pathlib import Path

from ralph_mem.core import process
from ralph_mem.hosts.claude_code.launch import permissions, stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

# How an agent's turn ends. Missing: there is no agent to start; locked out: the API does not accept its key or login.
DONE, RATE_LIMITED, PERMISSION_DENIED, ERROR, TIME, COST, STOPPED, MISSING, SILENT, LOCKED_OUT = KINDS = (
    "done", "rate_limited", "permission_denied", "error", "time", "cost", "stopped", "missing", "silent", "locked_out",
)  # fmt: skip

Answer = namedtuple(
    "Answer",
    "kind message cost tokens turns denials resets_at session seconds why version forbidden",
    defaults=(ERROR, "", None, 0, 0, (), 0, "", 0.0, "", "", ()),
)
Answer.__doc__ = """What an agent's turn came to.

`kind` is one of those above and `why` a line for people, mostly empty when done. Denied does not mean that nothing was done: the
agent may have found another way. `message` is the last that the agent said. `cost` is in dollars, None where it is not told, as
after a time limit; `tokens` is what went in and out, caches included, and at least so many where the end is missing. `denials`
holds the rules that would have let through what was refused, such as `Bash(npm test:*)`, `forbidden` in words what no rule would
have. `resets_at` is in ms since the epoch, 0
where it is not told. `session` is the client's session id, `version` the client's own.
"""

NAMED_BY = "RALPH_MEM_CLAUDE"
# Where its own installers put it without asking the person's PATH.
PLACES = (".claude/local/claude", ".local/bin/claude")
# The first that keeps to a budget. Older ones refuse the option, and so would do nothing at all.
OLDEST = (2, 0, 28)
HOW_TO_GET = f"install Claude Code, or name it in {NAMED_BY}"

# Where a client finds what it shows the API, the first that is set before a login of its own.
KEYS = ("ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY", "CLAUDE_CODE_OAUTH_TOKEN")
# What a client (2.1.329) tells those that it starts. A client that hears it takes itself for a part of that session.
OUTER_SESSION = {
    "AI_AGENT", "CLAUDECODE", "CLAUDE_EFFORT", "CLAUDE_ENV_FILE", "CLAUDE_PID", "CLAUDE_PROJECT_DIR", "CLAUDE_PLUGIN_DATA",
    "CLAUDE_PLUGIN_ROOT", "CLAUDE_CODE_CHILD_NOTES_DIR", "CLAUDE_CODE_CHILD_SESSION", "CLAUDE_CODE_ENTRYPOINT",
    "CLAUDE_CODE_EXECPATH", "CLAUDE_CODE_MESSAGING_SOCKET", "CLAUDE_CODE_MESSAGING_TOKEN", "CLAUDE_CODE_SESSION_ATTENDED",
    "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_SSE_PORT",
}  # fmt: skip

# The client tries again by itself for some three minutes. A wait longer than this is ours: with a countdown, and off the clock.
LONGEST_WAIT_MS = 120_000
VERSION_S = 20.0  # a first start on a cold disk takes seconds
# What has a client start without tools' rules, hooks and instructions of its own.
SAFE_MODE = {"CLAUDE_CODE_SAFE_MODE": "1"}
# Where its settings are below the home.
SETTINGS = (".claude", ".claude.json")
MOST_BYTES = 131_072  # of its output only the end of stderr is used beyond the records, which are read as they come
MOST_WHY, MOST_CALL, MOST_LAST_WORDS, MOST_LAST_LINES = 300, 120, 200, 20
# What keeps an agent from changing anything by its own tools; it goes into `more`.
ONLY_READING = ("--disallowedTools", "Edit,MultiEdit,Write,NotebookEdit,Bash")
LEAST_COST = 0.0001  # the client refuses a budget of 0


def run(  # noqa: PLR0913, PLR0917 - each is a limit or a wish of its own
    prompt: str, folder: str, environment: "Mapping[str, str]", seconds: float, cost: "float | None" = None,
    allow: "Iterable[str]" = (), more: "Iterable[str]" = (), told: "Callable[[str], None] | None" = None,
    stopped: "Callable[[], bool] | None" = None, silence: "float | None" = None,
) -> Answer:  # fmt: skip
    """Give Claude Code one prompt in a folder, and return what came of it; never raises for what the client does.

    It may edit files in the folder and do what `allow` says (permission rules); what it would have to ask for is refused. `more`
    goes to its command line. `cost` is a ceiling in dollars, which the client itself overshoots by its last request. `told` hears
    a line for each thing that it does, and `silence` is for how many seconds it may tell nothing. `environment` is the whole of it,
    but for what an outer session left there.
    """
    allow, more = [rule for rule in allow if rule.strip()], list(more)
    client = find(environment)
    wrong = _why_not(prompt, allow, more)
    words = f"\n{prompt}" if prompt.startswith("/") else prompt  # or it is a command of the client, which no model is asked
    if not client or wrong:
        return Answer(ERROR, why=wrong) if wrong else Answer(MISSING, why=_why_missing(environment))
    if cost is not None and cost <= 0:
        return Answer(COST, cost=0.0, why="nothing is left to spend")
    heard = stream.Stream(told)
    outcome = process.run(
        _order(client, cost, allow, more),
        folder,
        without_outer_session(environment),
        seconds,
        most_bytes=MOST_BYTES,
        stdin=words.encode("utf-8", "replace"),
        on_line=heard.hear,
        stopped=lambda: heard.waits_ms() > LONGEST_WAIT_MS or heard.is_locked_out() or (stopped is not None and stopped()),
        silence=silence,
    )
    return answer_of(outcome, heard, folder, environment)


def find(environment: "Mapping[str, str]") -> str:
    """Return the path of the client, empty without one: as the environment names it, on PATH, or where it installs itself."""
    named = environment.get(NAMED_BY, "")
    found = shutil.which(named or "claude", path=environment.get("PATH", os.defpath))
    home = environment.get("HOME", "")
    places = [Path(home, place) for place in PLACES] if home and not named else []
    there = found or next((place for place in places if place.is_file() and os.access(place, os.X_OK)), None)
    return str(Path.cwd() / there) if there else ""


def without_outer_session(environment: "Mapping[str, str]") -> "dict[str, str]":
    """Return the environment without what a session of the client that we run in has put there."""
    return {name: value for name, value in environment.items() if name not in OUTER_SESSION}


def preflight(environment: "Mapping[str, str] | None" = None) -> "list[str]":
    """Return what stands in the way of `run`, a line for each; nothing where it can be started."""
    environment = os.environ if environment is None else environment
    client = find(environment)
    if not client:
        return [_why_missing(environment)]
    told = version(client, environment)
    if not told:
        return [f"{client} does not tell its version: run `claude --version` yourself"]
    if numbers(told) < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        return [f"{client} is version {told}, which cannot keep to a budget: {oldest} or newer is needed (`claude update`)"]
    return []


def version(client: str, environment: "Mapping[str, str]") -> str:
    """Return the version of a client, such as `2.1.329`, empty where it tells none."""
    around = {**without_outer_session(environment), "DISABLE_AUTOUPDATER": "1"}
    outcome = process.run([client, "--version"], os.sep, around, VERSION_S, most_bytes=MOST_BYTES)
    word = outcome.out.decode("utf-8", "replace").partition(" ")[0].strip()
    return word if outcome.code == 0 and numbers(word) else ""


def may(allow: "Iterable[str]" = ()) -> str:
    """Return in a line what the agent may do, for a person who is about to let it loose."""
    rules_too = ", ".join(rule for rule in allow if rule.strip())
    return f"it may edit files in this folder{f', and {rules_too}' if rules_too else ''}; what it would have to ask for is refused"


def _order(client: str, cost: "float | None", allow: "list[str]", more: "list[str]") -> "list[str]":
    budget = [] if cost is None else ["--max-budget-usd", f"{max(cost, LEAST_COST):.4f}"]
    # the rules come last: the client takes whatever follows them for one more
    rules_last = ["--allowedTools", *allow] if allow else []
    how = "-p --output-format stream-json --verbose --permission-mode acceptEdits --session-id".split()
    return [client, *how, str(uuid.uuid4()), *budget, *more, *rules_last]


def _why_not(prompt: str, allow: "list[str]", more: "list[str]") -> str:
    """Return what is wrong with an order before it is given."""
    if not prompt.strip():
        return "the prompt is empty"
    for rule in allow:
        if rule.startswith("-"):
            return f"{rule} is no permission rule: rules are written as Bash(npm test:*)"
    for option in more:
        if "dangerously" in option or "bypassPermissions" in option:
            return f"{option} is not passed on: name what the agent may do in a rule such as Bash(npm test:*)"
    return ""


def _why_missing(environment: "Mapping[str, str]") -> str:
    named = environment.get(NAMED_BY, "")
    if named:
        return f"{NAMED_BY} names {named}, which cannot be run"
    return f"claude is not on PATH, nor in ~/.claude/local or ~/.local/bin: {HOW_TO_GET}"


def answer_of(outcome: process.Outcome, heard: stream.Stream, folder: str, environment: "Mapping[str, str]") -> Answer:
    """Return what came of a client in a folder, by the records that were heard of it."""
    refused = [(call, permissions.rules_for(*call, folder)) for call in heard.missing()]
    denials = tuple(dict.fromkeys(rule for _, helping in refused for rule in helping))
    kind, why = _kind(outcome, heard)
    hopeless = [*heard.forbidden(), *(call for call, helping in refused if not helping)]
    if kind == LOCKED_OUT:
        why = _why_locked_out(heard.status(), environment)
    elif kind == DONE and denials:
        kind, why = PERMISSION_DENIED, f"it was refused what it may not do without asking: {', '.join(denials)}"
    elif kind == DONE and hopeless:
        why = f"it was refused what no permission rule allows: {', '.join(dict.fromkeys(tool for tool, _ in hopeless))}"
    return Answer(
        kind, heard.message, heard.cost, heard.tokens(), heard.turns, denials, heard.resets_at, heard.session,
        outcome.seconds, stream.in_one_line(why, MOST_WHY), heard.version,
        tuple(dict.fromkeys([_call(*call) for call in hopeless])),
    )  # fmt: skip


def _call(tool: str, given: "dict[str, Any]") -> str:
    return stream.in_one_line(f"{tool}: {stream.gist(given)}".rstrip(": "), MOST_CALL)


def _kind(outcome: process.Outcome, heard: stream.Stream) -> "tuple[str, str]":
    """Return what an end means, by records, exit code and who ended it: never by words."""
    if outcome.ended_by == "start":
        return ERROR, outcome.err.decode("utf-8", "replace")
    if outcome.ended_by == "stop":
        return _of_stop(heard)
    if heard.result is not None:
        return _of_result(heard, heard.result)
    if heard.waits_ms() or (heard.is_limited() and not outcome.ended_by):
        return RATE_LIMITED, _why_limited(heard)
    if outcome.ended_by:
        return ended_early(outcome)
    # interrupted by a signal the client leaves with code 0, and without a result
    return ERROR, f"claude {how_it_ended(outcome)} and gave no result{last_words(outcome.err)}"


def _of_stop(heard: stream.Stream) -> "tuple[str, str]":
    if heard.is_locked_out():
        return LOCKED_OUT, ""
    return (RATE_LIMITED, _why_limited(heard)) if heard.waits_ms() > LONGEST_WAIT_MS else (STOPPED, "it was stopped")


def _of_result(heard: stream.Stream, result: "dict[str, object]") -> "tuple[str, str]":
    told = result.get("result") or "; ".join(map(str, _list(result.get("errors")))) or result.get("subtype")
    if result.get("subtype") == "error_max_budget_usd" or result.get("terminal_reason") == "budget_exhausted":
        return COST, f"its budget was used up: {told}"
    if result.get("is_error") is True or str(result.get("subtype")).startswith("error"):
        if heard.is_locked_out():
            return LOCKED_OUT, ""
        return (RATE_LIMITED, _why_limited(heard)) if heard.is_limited() else (ERROR, f"claude reports: {told}")
    if not heard.reached_the_model():
        return ERROR, f"the prompt did not reach the model: {told}"
    return DONE, ""


def _why_limited(heard: stream.Stream) -> str:
    told = (heard.result or {}).get("result") or f"the client would wait {heard.waits_ms() // 1000} s"
    return f"the API takes no more for now: {told}"


def _why_locked_out(status: int, environment: "Mapping[str, str]") -> str:
    """Say whose key or login is not accepted, by the variable's name, and what to do; never what it holds."""
    named = [name for name in KEYS if environment.get(name)]
    refused = f"authentication failed{f' ({status})' if status else ''}: the API does not accept"
    if named:
        return f"{refused} what {named[0]} holds; set it anew, or unset it and log in with `claude /login`"
    return f"{refused} the login, or there is none; log in with `claude /login`"


def ended_early(outcome: process.Outcome) -> "tuple[str, str]":
    """Return what it means that we ended a program for its time or its silence."""
    if outcome.ended_by == "silence":
        return SILENT, f"it said nothing for too long, and was ended after {outcome.seconds:.0f} s"
    return TIME, f"its time was up after {outcome.seconds:.0f} s"


def how_it_ended(outcome: process.Outcome) -> str:
    """Say in words how a program ended by itself."""
    return f"was ended by signal {-outcome.code}" if outcome.code < 0 else f"ended with exit code {outcome.code}"


def last_words(err: bytes) -> str:
    """Return the end of what a program complained of, to be put after a sentence; empty where it did not."""
    lines = [line for line in err.decode("utf-8", "replace").splitlines() if line.strip()][-MOST_LAST_LINES:]
    first = next((at for at in range(len(lines)) if sum(map(len, lines[at:])) <= MOST_LAST_WORDS), len(lines) - 1)
    said = stream.in_one_line("\n".join(lines[first:]), MOST_LAST_WORDS) if lines else ""
    return f": {said}" if said else ""


def _list(value: object) -> "list[object]":
    return value if isinstance(value, list) else []


def numbers(told: str) -> "tuple[int, ...]":
    """Return a version to compare by, empty for what is none."""
    parts = told.partition("-")[0].split(".")
    return tuple(map(int, parts)) if all(part.isascii() and part.isdecimal() and len(part) < 9 for part in parts) else ()
