"""Ask a model one question, by the person's client or by the library litellm, without any tool or file."""

import contextlib
import io
import math
import os
from collections import namedtuple
from typing import Any

from ralph_mem.core import paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.hosts.claude_code import launch
from ralph_mem.hosts.claude_code.launch import stream
from ralph_mem.memory.extras import MissingExtra, installation

CLAUDE, LITELLM = "claude", "litellm:"
Said = namedtuple("Said", "text cents why")
Said.__doc__ = """What a model answered, what it cost in cents (None where nobody knows), and why there is no answer."""

SECONDS = 180.0
# What a client adds by itself to the smallest of requests, in tokens (2.1.329: some 300).
ADDED = 1_000
# Cents for a token in and one out, of a model whose price nobody tells: those of the dearest that is in common use.
PRICE_IN, PRICE_OUT = 0.0005, 0.0025
# No tool, no hook, no CLAUDE.md, no server of another plugin, and no transcript that would be recorded or imported later.
ALONE = ("--tools", "", "--strict-mcp-config", "--no-session-persistence")
QUIET = {**launch.SAFE_MODE, "RALPH_MEM_RECORDING": "off"}
MOST_NAME, MOST_WHY = 80, 200


def check(name: str) -> None:
    """Raise RalphMemError where a name stands for no model that can be asked here."""
    if name == CLAUDE:
        missing = launch.preflight()
        if missing:
            what, _, hint = missing[0].partition(": ")
            raise RalphMemError(what, hint or launch.HOW_TO_GET)
    elif name.startswith(LITELLM) and name.isprintable() and len(LITELLM) < len(name) <= MOST_NAME:
        _library()
    else:
        raise RalphMemError(f"{name[:40]} is no model", "--with claude, or --with litellm:MODEL, such as litellm:ollama/llama3")


def estimate(name: str, tokens_in: int, tokens_out: int) -> float:
    """Return what a question is likely to cost, in cents, rather too much; nothing is sent."""
    if name == CLAUDE:
        return _cents(tokens_in + ADDED, tokens_out)
    try:
        library, model = _library(), name.removeprefix(LITELLM)
        with _silence():
            costs = library.cost_per_token(model=model, prompt_tokens=tokens_in, completion_tokens=tokens_out)
        return 100.0 * float(sum(costs))
    except MissingExtra:
        raise
    except Exception:  # noqa: BLE001 - a model that the library knows no price of
        return _cents(tokens_in, tokens_out)


def ask(name: str, task: str, question: str, tokens_out: int, cents: float) -> Said:
    """Send a task and a question to a model, which may spend so many cents; never raises for what the model does.

    The caller holds the purse of `proposing`.
    """
    return _by_client(task, question, cents) if name == CLAUDE else _by_library(name, task, question, tokens_out)


def _by_client(task: str, question: str, cents: float) -> Said:
    folder = f"{paths.data_home()}/{paths.MODEL_COSTS}"  # where no project is, and which stays: who is ended leaves none behind
    more = (*ALONE, "--system-prompt", task)
    answer = launch.run(question, folder, {**os.environ, **QUIET}, SECONDS, cost=cents / 100, more=more)
    why = "" if answer.kind == launch.DONE else answer.why or answer.kind
    return Said(answer.message, None if answer.cost is None else _spent(answer.cost), why)


def _by_library(name: str, task: str, question: str, tokens_out: int) -> Said:
    library, model = _library(), name.removeprefix(LITELLM)
    messages = [{"role": "system", "content": task}, {"role": "user", "content": question}]
    more = {"timeout": SECONDS, "num_retries": 0, "temperature": 0, "drop_params": True}
    try:
        with _silence():
            answer = library.completion(model=model, messages=messages, max_tokens=tokens_out, **more)
        text = answer.choices[0].message.content
    except Exception as error:  # noqa: BLE001 - each provider fails in ways of its own
        return Said("", None, stream.in_one_line(f"{type(error).__name__}: {error}", MOST_WHY))
    return Said(text if isinstance(text, str) else "", _cost(library, answer), "")


def _cost(library: Any, answer: Any) -> "float | None":
    try:
        with _silence():
            return _spent(float(library.completion_cost(completion_response=answer)))
    except Exception:  # noqa: BLE001 - a model that the library knows no price of
        return None


def _spent(dollars: float) -> "float | None":
    """Return in cents what a question has cost; None for what no question costs, such as less than nothing."""
    return 100.0 * dollars if 0.0 <= dollars < math.inf else None


def _cents(tokens_in: int, tokens_out: int) -> float:
    return tokens_in * PRICE_IN + tokens_out * PRICE_OUT


def _library() -> Any:
    os.environ.setdefault("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or the import itself would fetch a list of prices
    try:
        with _silence():
            import litellm  # lazy: brought by the extra `models`, takes seconds, and is wanted by this alone
    except ImportError as error:
        raise MissingExtra("a model by litellm needs the package litellm", installation("models")) from error
    return litellm


def _silence() -> "contextlib.redirect_stdout[io.StringIO]":
    """Keep what the library prints by itself out of our answer, which a program may read."""
    return contextlib.redirect_stdout(io.StringIO())
