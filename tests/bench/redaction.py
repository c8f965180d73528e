"""What redaction reaches, from a seed that is printed: recall over kinds and contexts, false hits, and its price."""

import os
import random
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from ralph_mem.core.redaction import context, gate
from tests.core.redaction import leaking, secret_contexts, secret_corpus, secret_outputs, unseen_outputs
from tests.core.redaction.ordinary_outputs import ORDINARY

ROOT = Path(__file__).resolve().parents[2]
LEAKING, FALSE_HITS_PER_MB_OF_PROSE = 0.03, 1
DOCUMENTS, LARGEST_DOCUMENT, PROSE_BYTES = (".md", ".rst", ".txt"), 600_000, 12_000_000
RECALL, FALSE_HITS_PER_MB, MS_PER_4_KIB, EGRESS_MS_PER_4_KIB = 0.99, 2, 0.5, 5
CERTAIN = ("prefix", "pem", "url")
GIT_BYTES = 3_000_000
ORDINARY_COPIES = 8
PIECE = 4096
# Tests and the rules themselves hold made-up secrets, which are found as they should be.
HISTORY = (
    "log",
    "-p",
    "--no-color",
    "--",
    "ralph_mem",
    "hooks",
    "Makefile",
    "pyproject.toml",
    ":!ralph_mem/core/*secret*",
    ":!ralph_mem/core/redaction",
)
LOCKFILES, HASHES = ("package-lock", "go.sum", "uv.lock", "Cargo.lock"), ("git log", "uuids")
ASSETS, LOGS = ("image", "certificate", "public key", "ssh public key"), ("pytest", "jest")

Redacting = Callable[[str], tuple[str, dict[str, int]]]
Figure = tuple[str, str, str, bool]


def rows(seed: int | None = None) -> list[Figure]:
    """Return each figure as (name, figure, must, whether it is met); the first says the seed, a new one each day."""
    chosen = int(os.environ.get("RALPH_MEM_SEED", time.time() // 86_400)) if seed is None else seed
    return [("redaction, seed", str(chosen), "", True), *_recall(chosen), *_leaks(chosen), *_false_hits(chosen), *_price()]


def _recall(seed: int) -> Iterator[Figure]:
    every: Counter[str] = Counter()
    caught: Counter[str] = Counter()
    kinds = set()
    for case in secret_contexts.cases(seed):
        kinds.add(case.kind)
        every[case.group] += 1
        caught[case.group] += not secret_corpus.survives(case.secret, secret_corpus.passed(gate, case))
    yield (
        f"kinds x contexts ({every.total()} cases)",
        f"{len(kinds)} x {len(secret_contexts.CONTEXTS)}",
        "60 x 36",
        len(kinds) >= 60,
    )
    yield _share("recall, all", caught.total(), every.total(), RECALL)
    for group in every:
        yield _share(f"recall, {group}", caught[group], every[group], 1 if group in CERTAIN else RECALL)
    held = [case for case in secret_corpus.held_out(seed) if case.group == "held-out labelled"]
    kept = [case for case in held if secret_corpus.survives(case.secret, secret_corpus.passed(gate, case))]
    yield _share("recall, kinds never seen, with a label", len(held) - len(kept), len(held), RECALL)


def _leaks(seed: int) -> Iterator[Figure]:
    """Count the outputs of which a hook stores a secret, by class; the rules were made with these in sight."""
    outputs = [
        *secret_outputs.LISTED,
        *secret_outputs.HELD_BACK,
        *unseen_outputs.FIRST,
        *unseen_outputs.SECOND,
        *unseen_outputs.THIRD,
    ]
    outputs += unseen_outputs.FOURTH
    every = Counter(output.group for output in outputs)
    kept = Counter(group for group, _, _ in leaking.leaking(outputs, seed))
    for group, count in [*every.items(), ("all", every.total())]:
        number = kept.total() if group == "all" else kept[group]
        must = 0 if group in CERTAIN else LEAKING
        yield f"outputs that leave a secret, {group}", f"{number} of {count}", f"{must:.2f}", number <= must * count
    hits = sum("[REDACTED" in leaking.stored(*each) + leaking.pasted(*each) for each in ORDINARY)
    yield "ordinary outputs that lose something", f"{hits} of {len(ORDINARY)}", "0", hits == 0


def _share(name: str, part: int, whole: int, must: float) -> Figure:
    return name, f"{part / whole:.4f}", f"{must:.2f}", part / whole >= must


def _false_hits(seed: int) -> Iterator[Figure]:
    """Count what is cut out of texts without a secret, by a hook and by the long list; <private> is the user's word."""
    for rules, redacting in (("hook", gate.redact), ("long list", context.redact_whole)):
        for name, texts in (("code", _source()), ("git output", _history())):
            hits, size = _hits(texts, redacting)
            figure = f"{hits / size * 1e6:.2f} per MB of {size / 1e6:.1f} MB" if size else "no git here"
            yield f"false hits, {name}, {rules}", figure, str(FALSE_HITS_PER_MB), hits <= FALSE_HITS_PER_MB * size / 1e6
        hits, size = _hits(_prose(), redacting)
        figure = f"{hits / size * 1e6:.2f} per MB of {size / 1e6:.1f} MB"
        yield (
            f"false hits, documentation, {rules}",
            figure,
            str(FALSE_HITS_PER_MB_OF_PROSE),
            hits <= FALSE_HITS_PER_MB_OF_PROSE * size / 1e6,
        )
        groups = {"lockfiles": LOCKFILES, "hashes, UUIDs": HASHES, "base64 assets": ASSETS, "test logs": LOGS}
        for name, members in groups.items():
            hits, size = _hits(_ordinary(seed, members), redacting)
            yield f"false hits, {name}, {rules}", f"{hits} in {size / 1e6:.2f} MB", "0", hits == 0


def _hits(texts: Iterator[str], redacting: Redacting) -> tuple[int, int]:
    hits = size = 0
    for text in texts:
        kept, blocks = gate.drop_blocks(gate.clean(text))
        hits += sum(redacting(kept)[1].values()) + blocks.get("private-key", 0)
        size += len(text)
    return hits, size


def _source() -> Iterator[str]:
    """Return the standard library with its tests, which hold made-up passwords and cookies: most of the hits are these."""
    for path in sorted(Path(os.__file__).parent.rglob("*.py")):
        if "site-packages" not in path.parts:
            yield path.read_text("utf-8", "replace")


def _prose() -> Iterator[str]:
    """Return the documentation of this project and what comes with installed packages, as far as it is enough."""
    folders = [ROOT / "docs", *(Path(folder) for folder in sys.path if folder.endswith("site-packages"))]
    size = 0
    for path in (path for folder in folders for path in sorted(folder.rglob("*"))):
        is_one = path.suffix in DOCUMENTS or path.name == "METADATA"
        if is_one and size < PROSE_BYTES and path.is_file() and path.stat().st_size < LARGEST_DOCUMENT:
            text = path.read_text("utf-8", "replace")
            size += len(text)
            yield from (text[at : at + 4 * PIECE] for at in range(0, len(text), 4 * PIECE))


def _history() -> Iterator[str]:
    run = subprocess.run(["git", "-C", str(ROOT), *HISTORY], capture_output=True, check=False)
    text = run.stdout.decode("utf-8", "replace")[:GIT_BYTES]
    yield from (text[at : at + 4 * PIECE] for at in range(0, len(text), 4 * PIECE))


def _ordinary(seed: int, names: tuple[str, ...]) -> Iterator[str]:
    for copy in range(ORDINARY_COPIES):
        texts = secret_corpus.ordinary(random.Random(seed + copy))
        yield from (texts[name] for name in names)


def _price() -> Iterator[Figure]:
    log = "tests/memory/store/test_connection.py::test_a_row_is_written PASSED  [ 12%]\n" * 64
    source = Path(os.__file__).read_text("utf-8")[:PIECE]
    texts = {"log": log[:PIECE], "source": source, "source with a secret": f"DB_PASSWORD=hunter22x\n{source}"[:PIECE]}
    for name, text in texts.items():
        took = _milliseconds(lambda text=text: gate.redact(gate.drop_blocks(gate.clean(text))[0]))  # type: ignore[misc]
        yield f"ms per 4 KiB, {name}", f"{took:.2f}", str(MS_PER_4_KIB), took <= MS_PER_4_KIB
    took = _milliseconds(lambda: context.redact_whole(texts["source with a secret"]))
    yield "ms per 4 KiB, long list", f"{took:.2f}", str(EGRESS_MS_PER_4_KIB), took <= EGRESS_MS_PER_4_KIB


def _milliseconds(call: Callable[[], object]) -> float:
    """Return the median of what a call takes, in time of the processor: others may be at work."""
    times = []
    for _ in range(60):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return statistics.median(times) * 1000


if __name__ == "__main__":
    for name, figure, must, met in rows(int(sys.argv[1]) if len(sys.argv) > 1 else None):
        print(f"{name:<44} {figure:>24} {must:>8}  {'met' if met else 'MISSED'}")
