"""Prompts that occur in any project and that no project's memory answers, each with the voice that says it.

They were written for the benchmark, in `everyday.jsonl` beside this file; those about technology keep away from what the
public sets are about.
"""

import json
from pathlib import Path

FILE = Path(__file__).with_suffix(".jsonl")


def prompts() -> list[tuple[str, str]]:
    """Return each voice with what it says."""
    said = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    return [(each["voice"], each["text"]) for each in said]
