"""`make bench`: what a hook costs beside a bare interpreter, what a search costs, what a memory weighs; then what is lost by
faults and what a redactor lets through, with the seeds.

Ratios come from one interleaved run, since the machine's speed drifts; read them, not the milliseconds.
"""

import random
import statistics
import sys
import tempfile
import time
from pathlib import Path

from ralph_mem.memory.recall import search
from ralph_mem.memory.store import connection
from tests.bench import memory_of, payloads, redaction, reliability
from tests.bench.processes import OUTPUT, Hooks, has, interpreter, ratios

ROUNDS = 60
TYPED = "user-prompt-expansion"
SAID = {"last_assistant_message": "Done as asked.", "stop_hook_active": False}
TRIPPING = OUTPUT + "export API_TOKEN={}\n"


def main() -> None:
    """Print the table of each part."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else ROUNDS
    with tempfile.TemporaryDirectory(prefix="ralph-mem-bench-") as folder, memory_of.at_home(Path(folder, "home")):
        words = memory_of.Words(seed=7)
        small, large = _memories(Path(folder), words)
        hooks = Hooks(small.root, Path(folder, "home"), interpreter())
        big = Hooks(large.root, Path(folder, "home"), interpreter())
        # prompts have a copy of their own: a prompt comes after a stop, not between the tool events of other cases
        asked = Hooks(memory_of.copy(small, Path(folder, "asked")).root, Path(folder, "home"), interpreter())
        asked.run(asked.direct("session-start"), asked.start())  # it learns that it is a project of its own
        # nothing has emptied its old output yet: each Stop does a little, for more rounds than there are here
        old = Hooks(memory_of.build(Path(folder, "old"), 220, 12, words).root, Path(folder, "home"), interpreter())
        old.run(old.direct("stop"), old.event("Stop", **SAID))  # which finds what is due
        _times(hooks, big, asked, old, words, rounds)
        _commands(asked, words, rounds)
        _counts(hooks)
        _searches(Path(folder), words)
        _disk(Path(folder), words)
        _tripping()
    _kept_promises()


def _say(text: str) -> None:
    print(text, flush=True)


def _progress() -> None:
    print(".", end="", file=sys.stderr, flush=True)


def _memories(folder: Path, words: memory_of.Words) -> "tuple[memory_of.project.Project, memory_of.project.Project]":
    print("filling memories of 10,000 and 100,000 turns ...", file=sys.stderr)
    small = memory_of.build(folder / "small", 10_000, 1, words)
    large = memory_of.build(folder / "large", 100_000, 1, words)
    for place in (small, large):
        memory_of.empty_what_is_due(place)  # months ago, had hooks made it
        hooks = Hooks(place.root, folder / "home", interpreter())
        for event, data in (
            ("session-start", hooks.event("SessionStart", source="startup")),
            ("user-prompt-submit", hooks.event("UserPromptSubmit", prompt="warm up")),
        ):
            hooks.run(hooks.direct(event), data)
    return small, large


def _ten_words(words: memory_of.Words) -> str:
    """Return ten words as they come in the text: common ones come along."""
    return " ".join("".join([char if char.isalnum() else " " for char in words.text(300)]).split()[:10])


def _times(small: Hooks, large: Hooks, asked: Hooks, old: Hooks, words: memory_of.Words, rounds: int) -> None:
    token = "".join(random.choices("abcdefghjkmnpqrstuvwxyz23456789", k=32))
    cases = {
        "PostToolUse": (small, small.direct("post-tool-use"), small.tool),
        "PostToolUse through hooks/run": (small, small.launched("post-tool-use"), small.tool),
        "PostToolUse, redactor tripped": (small, small.direct("post-tool-use"), lambda: small.tool(TRIPPING.format(token))),
        "Stop, 10k turns": (asked, asked.direct("stop"), lambda: asked.event("Stop", **SAID)),
        "Stop, old output due": (old, old.direct("stop"), lambda: old.event("Stop", **SAID)),
        "SessionStart, 10k turns": (small, small.direct("session-start"), small.start),
        "SessionStart, 100k turns": (large, large.direct("session-start"), large.start),
        "UserPromptSubmit, 10k turns": (asked, asked.direct("user-prompt-submit"), lambda: asked.prompt(_ten_words(words))),
        "UserPromptSubmit, 100k turns": (large, large.direct("user-prompt-submit"), lambda: large.prompt(_ten_words(words))),
        "/mem-search, 10k turns": (asked, asked.launched(TYPED), lambda: asked.typed("mem-search", _ten_words(words))),
        "/mem-status, 10k turns": (asked, asked.launched(TYPED), lambda: asked.typed("mem-status", "")),
    }
    limits = (1.45, 1.45, 1.5, 1.5, 1.7, 1.6, 1.65, 1.75, 1.8, 3.0, 3.0)

    def after_round() -> None:
        _progress()
        for hooks in (small, large, asked):
            hooks.stop()

    found = ratios(cases, small, rounds, after_round)
    _say(f"\n\n{rounds} rounds, {interpreter()}, bare `python3 -I -S -c pass` {found[''][2]:.1f} ms")
    _say(f"{'':<32} {'x bare':>7} {'quickest':>9} {'ms':>6} {'must':>6}")
    for (name, (ratio, quickest, took)), limit in zip(list(found.items())[1:], limits, strict=True):
        _say(f"{name:<32} {ratio:>7.2f} {quickest:>9.2f} {took:>6.1f} {limit:>6}")


def _commands(hooks: Hooks, words: memory_of.Words, rounds: int) -> None:
    """Print what the command line costs as a whole process; it imports what a hook may not."""
    program = [sys.executable, "-m", "ralph_mem.interfaces.cli"]
    cases = {
        "ralph-mem --version": (300, lambda: [*program, "--version"]),
        "ralph-mem search, 20k rows": (400, lambda: [*program, "search", "--layer", "1", "--", _ten_words(words)]),
        "ralph-mem search, 20k rows, layer 2": (400, lambda: [*program, "search", "--layer", "2", "--", _ten_words(words)]),
    }
    _say(f"\n{'':<36} {'ms':>6} {'p90':>6} {'must':>6}")
    for name, (limit, command) in cases.items():
        took = sorted(hooks.run(command(), b"") * 1000 for _ in range(max(rounds // 3, 5)))
        _progress()
        _say(f"{name:<36} {statistics.median(took):>6.0f} {took[int(len(took) * 0.9)]:>6.0f} {limit:>6}")


def _counts(hooks: Hooks) -> None:
    argv = hooks.direct("post-tool-use")
    if has("valgrind"):
        count = hooks.instructions(argv, hooks.tool()) / 1e6
        bare = hooks.instructions([hooks.python, "-I", "-S", "-c", "pass"], b"") / 1e6
        _say(f"\nPostToolUse: {count:.1f} million instructions, bare {bare:.1f}, ratio {count / bare:.2f} (must 34 million)")
    if has("strace"):
        _say(f"fsyncs of a tool event: {hooks.fsyncs(argv, hooks.tool())} (must 0)")
    for size, limit in ((1, 25), (100, 64)):
        data = hooks.tool("x y z " * (size * 1_000_000 // 6))
        _say(f"peak memory, payload of {size} MB: {hooks.peak_mb(argv, data):.1f} MB (must {limit})")


def _searches(folder: Path, words: memory_of.Words) -> None:
    place = memory_of.build(folder / "thousand", 1_000, 0, words)
    opened = connection.connect(place.folder, 1000)
    whole = []
    for _ in range(400):
        query = _ten_words(words)
        start = time.thread_time()
        search.hits(opened, query, memory_of.NOW_MS)
        whole.append(time.thread_time() - start)
    found = f"{statistics.median(whole) * 1e3:.2f} ms (must 2), p99 {sorted(whole)[395] * 1e3:.2f} ms"
    _say(f"\nsearch over 1,000 turns, ten words: {found}")


def _disk(folder: Path, words: memory_of.Words) -> None:
    place = memory_of.build(folder / "disk", 6_000, 10, words)
    opened = connection.connect(place.folder, 1000)
    rows = opened.one("SELECT count(*) FROM observations")[0]
    size = sum(file.stat().st_size for file in Path(place.folder).iterdir())
    _say(f"1,000 sessions, {rows:,} observations of 730 characters, 6,000 turns: {size / 1e6:.1f} MB on disk (must 100)")


def _tripping() -> None:
    for name, tripped, total in payloads.shares():
        _say(f"texts that trip the redactor, {name}: {tripped} of {total} ({100 * tripped / max(total, 1):.1f} %, aim 15 %)")


def _kept_promises() -> None:
    """Print what is lost and what is leaked, in one table; each seed stands in it."""
    rows = reliability.rows()
    _progress()
    rows += redaction.rows()
    width = max(len(name) for name, *_ in rows)
    _say(f"\n\n{'':<{width}} {'figure':>30} {'must':>18}")
    for name, figure, must, met in rows:
        _say(f"{name:<{width}} {figure:>30} {must:>18}{'' if met else '  MISSED'}")


if __name__ == "__main__":
    main()
