"""Read the stream of records that an unattended client prints.

Words never decide anything here: a file about rate limits that the agent reads is no rate limit. What is not known is passed over.
"""

import json
import time

from ralph_mem.core.redaction import terminal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

MOST_MESSAGE = 100_000  # the tail of it, where a promise stands; a model's longest answer is shorter
MOST_LINE = 200  # what a line of the live display shows of one thing
# Statuses and names of the API for "not now": too many requests, and overloaded.
NOT_NOW = (429, 529, "rate_limit", "overloaded")
# And for "not you": a key or a login that is not accepted, or may not do this.
NOT_YOU = (401, 403, "authentication_failed")
# A login that has run out is renewed by the client in that time, and a request of it refused once for that.
RENEWAL_S = 5.0
# An API moment in seconds, and the same in ms: the client gives seconds.
SECONDS_OF_NOW, MS_OF_NOW = range(10**9, 10**11), range(10**12, 10**14)


class Stream:
    """What a client has told so far.

    `result` is the last record of that type, None while more of the conversation came after it. `failure` is what the API refused
    last, as `(status, name)`; `retry` is the client's last announcement that it will try again, None once it went on. `refused`
    maps the id of a refused call to `(tool, input)`; `meant` holds those that a rule or a hook forbids, `fixed` those that no
    rule allows.
    """

    def __init__(self, told: "Callable[[str], None] | None" = None) -> None:
        self.told = told
        self.result: dict[str, Any] | None = None
        self.failure: tuple[int, str] | None = None
        self.retry: dict[str, Any] | None = None
        self.message = self.session = self.version = ""
        self.cost: float | None = None
        self.turns = self.resets_at = self.refusals = 0
        self.refused_at = 0.0
        self.refused: dict[str, tuple[str, dict[str, Any]]] = {}
        self.meant: set[str] = set()
        self.fixed: set[str] = set()
        self._billed: dict[str, int] = {}
        self._of_messages: dict[str, int] = {}

    def hear(self, line: bytes) -> None:
        """Take in one line; a line that is no record, or is not understood, changes nothing."""
        try:
            record = _mapping(json.loads(line))
        except (ValueError, RecursionError):
            return
        self.session = text_of(record, "session_id") or self.session
        takes = {
            "system": self._system, "assistant": self._assistant, "user": self._user, "rate_limit_event": self._limit,
            "result": self._result,
        }.get(text_of(record, "type"))  # fmt: skip
        if takes:
            takes(record)

    def tokens(self) -> int:
        """Return the tokens that went in and out so far, those read from a cache included."""
        return sum(self._billed.values()) or sum(self._of_messages.values())

    def waits_ms(self) -> int:
        """Return how long the client waits before it asks the API again, which said "not now"; 0 when it does not."""
        retry = self.retry or {}
        limited = retry.get("error_status") in NOT_NOW or retry.get("error") in NOT_NOW
        return count(retry, "retry_delay_ms") if limited else 0

    def is_limited(self) -> bool:
        """Say whether the last that the API said was "not now"."""
        status = (self.result or {}).get("api_error_status")
        return status in NOT_NOW if is_number(status) else any([word in NOT_NOW for word in self.failure or ()])

    def is_locked_out(self) -> bool:
        """Say whether the API does not accept who asks, and not because a login is just being renewed."""
        if self.result is None:
            return self.refusals > 1 or (self.refusals == 1 and time.monotonic() - self.refused_at > RENEWAL_S)
        return self.result.get("api_error_status") in NOT_YOU or any([word in NOT_YOU for word in self.failure or ()])

    def status(self) -> int:
        """Return the status with which the API refused something last, 0 where it is not told."""
        return count(self.result or {}, "api_error_status") or (self.failure or (0,))[0] or count(self.retry or {}, "error_status")

    def reached_the_model(self) -> bool:
        """Say whether the model was asked at all: a hook can keep a prompt from it, a command is answered by the client."""
        return bool(self.turns or self.tokens() or (self.result or {}).get("num_turns") is None)

    def missing(self) -> "list[tuple[str, dict[str, Any]]]":
        """Return the refused calls that would have gone through if somebody had been there to say yes."""
        return [call for name, call in self.refused.items() if name not in self.meant | self.fixed]

    def forbidden(self) -> "list[tuple[str, dict[str, Any]]]":
        """Return the refused calls that no permission could have let through."""
        return [call for name, call in self.refused.items() if name in self.meant | self.fixed]

    def _system(self, record: "dict[str, Any]") -> None:
        kind = text_of(record, "subtype")
        if kind == "init":
            self.version = text_of(record, "claude_code_version")
        elif kind == "api_retry":
            self.retry = record
            self._refused(record)
            self._tell(f"the API said {text_of(record, 'error')}: trying again in {count(record, 'retry_delay_ms') // 1000} s")
        elif kind == "permission_denied":
            self._denied(record)

    def _refused(self, record: "dict[str, Any]") -> None:
        """Count how often in a row the API did not accept who asks."""
        if record.get("error_status") not in NOT_YOU and record.get("error") not in NOT_YOU:
            self.refusals = 0
            return
        self.refused_at = self.refused_at if self.refusals else time.monotonic()
        self.refusals += 1

    def _denied(self, record: "dict[str, Any]") -> None:
        call, reason = text_of(record, "tool_use_id"), text_of(record, "decision_reason_type")
        if reason in {"rule", "hook"}:
            self.meant.add(call)
        elif reason == "safetyCheck":  # a hook of git, the client's own settings: asked about each time, whatever is allowed
            self.fixed.add(call)
        self._tell(f"refused: {text_of(record, 'tool_name')}")

    def _assistant(self, record: "dict[str, Any]") -> None:
        self.retry = None
        message = _mapping(record.get("message"))
        if record.get("is_api_error_message") is True:
            self.failure = (count(record, "api_error_status"), text_of(record, "error"))
            self._resets(_mapping(_mapping(record.get("api_error_params")).get("rate_limit_info")))
            return
        self.refusals = 0
        self._of_messages[text_of(message, "id")] = _tokens(_mapping(message.get("usage")))
        if record.get("parent_tool_use_id") is None:
            self.result = self.failure = None
        self._said(_mappings(message.get("content")), is_own=record.get("parent_tool_use_id") is None)

    def _said(self, blocks: "list[dict[str, Any]]", is_own: bool) -> None:
        for block in blocks:
            text = text_of(block, "text").strip()
            if block.get("type") == "text" and text and is_own:
                self.message = text[-MOST_MESSAGE:]
            if is_own or block.get("type") == "tool_use":
                self._tell(told_of(block))

    def _user(self, record: "dict[str, Any]") -> None:
        for about in _mappings(record.get("tool_result_meta")):
            if about.get("non_execution_kind") == "permission-rule":
                self.meant.add(text_of(about, "id"))

    def _limit(self, record: "dict[str, Any]") -> None:
        self._resets(_mapping(record.get("rate_limit_info")))

    def _resets(self, info: "dict[str, Any]") -> None:
        if info.get("status") == "rejected":
            moment = count(info, "resetsAt")
            self.resets_at = moment * 1000 if moment in SECONDS_OF_NOW else moment if moment in MS_OF_NOW else self.resets_at

    def _result(self, record: "dict[str, Any]") -> None:
        """Take in the end of a turn; one that a background task starts afterwards has an end of its own."""
        self.result, self.retry = record, None
        if record.get("is_error") is False and text_of(record, "result").strip():
            self.message = text_of(record, "result").strip()[-MOST_MESSAGE:]
        if is_number(record.get("total_cost_usd")):
            self.cost = max(self.cost or 0.0, float(record["total_cost_usd"]))
        self.turns += count(record, "num_turns")
        self._bill(record)
        for denial in _mappings(record.get("permission_denials")):
            name = text_of(denial, "tool_use_id") or f"unnamed {len(self.refused)}"
            self.refused[name] = (text_of(denial, "tool_name"), _mapping(denial.get("tool_input")))

    def _bill(self, record: "dict[str, Any]") -> None:
        """Note the tokens per model, which run on from turn to turn; `usage` is empty where the budget was used up."""
        used = _mapping(record.get("modelUsage"))
        if used:
            self._billed = {model: _tokens(_mapping(of_model)) for model, of_model in used.items()}
        elif not self._of_messages:
            self._billed = {"": _tokens(_mapping(record.get("usage")))}

    def _tell(self, text: str) -> None:
        if self.told and text:
            self.told(in_one_line(text, MOST_LINE))


def told_of(block: "dict[str, Any]") -> str:
    """Return what a block of a message tells in a line: a call of a tool, or what was said; nothing for any other."""
    if block.get("type") == "tool_use":
        return in_one_line(f"{text_of(block, 'name')}: {gist(_mapping(block.get('input')))}", MOST_LINE)
    return in_one_line(text_of(block, "text").strip(), MOST_LINE) if block.get("type") == "text" else ""


def in_one_line(text: str, most: int) -> str:
    """Return the text in one line of at most so many characters, without anything that moves a terminal."""
    # cut first, since a text can be a whole file; twice as much is kept for what the line loses
    line = " ".join(terminal.plain(text[: 2 * most]).split())
    if len(line) <= most and len(text) <= 2 * most:
        return line
    # between words: half of a secret is one that nobody recognises
    return f"{line[: most - 3].rpartition(' ')[0]}..."


def gist(call: "dict[str, Any]") -> str:
    """Return what tells one call of a tool from another."""
    told = (
        text_of(call, key) for key in ("command", "file_path", "notebook_path", "pattern", "url", "query", "description", "skill")
    )
    return next(filter(None, told), "")


def _tokens(usage: "dict[str, Any]") -> int:
    """Add up a usage, in the spelling of the API or in that of the client."""
    return sum(_counts(usage, ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"))) or sum(
        _counts(usage, ("inputTokens", "outputTokens", "cacheReadInputTokens", "cacheCreationInputTokens"))
    )


def _counts(of: "dict[str, Any]", keys: "Iterable[str]") -> "list[int]":
    return [count(of, key) for key in keys]


def count(of: "dict[str, Any]", key: str) -> int:
    """Return a whole number of a record, 0 where there is none."""
    value = of.get(key)
    return int(value) if is_number(value) else 0  # type: ignore[arg-type]


def is_number(value: object) -> bool:
    """Say whether it is a number that can be counted on: JSON as Python reads it has infinities as well."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value < 10**15


def text_of(of: "dict[str, Any]", key: str) -> str:
    """Return a text fit for UTF-8, empty where there is none: JSON can spell half a character."""
    value = of.get(key)
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else ""


def _mapping(value: object) -> "dict[str, Any]":
    return value if isinstance(value, dict) else {}


def _mappings(value: object) -> "list[dict[str, Any]]":
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
