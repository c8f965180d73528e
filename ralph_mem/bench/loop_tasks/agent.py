"""A stub agent that changes one line of one function, as its prompt says.

Started as `python3 -I -S agent.py SEED PROMPT_FILE` in the project. It reads its prompt and the files in its folder; it knows no
more than a few ways to write each kind of line, as a model does, and not which of them a project wants. It draws one of
them, the same one for the same seed and iteration. What the prompt tells it makes the difference: a way that it says fixed the same
failure before is taken first, one that it says did not fix this test is not taken again, one that did not help elsewhere last.
"""

import random
import re
import sys
from pathlib import Path

# For each complaint the ways to write the line that returns; {v} stands for the parameter of the function.
WAYS = {
    "is rounded wrongly": (
        "round({v})", "int({v})", "int({v} + 0.5)", "-int(-{v} // 1)", "round({v}, 1)", "int({v} // 5 * 5)",
    ),
    "are in the wrong order": (
        "sorted({v})", "sorted({v}, key=str.lower)", "sorted({v}, key=len)", "sorted({v}, reverse=True)",
        "sorted({v}, key=lambda each: each[::-1])", "list(reversed({v}))",
    ),
    "is not cleaned as agreed": (
        "{v}.strip()", "{v}.strip().lower()", "{v}.strip().title()", "' '.join({v}.split())", "{v}.replace(' ', '')",
        "{v}.strip('-_ ')",
    ),
    "is read wrongly": (
        "float({v})", "float({v}.replace(',', '.'))", "float({v}.replace(',', ''))", "float({v}.strip('$ '))",
        "float({v}.replace(' ', ''))", "float({v}.rstrip('%')) / 100",
    ),
    "is not the one that is meant": (
        "{v}[0]", "{v}[-1]", "max({v})", "min({v})", "sorted({v})[len({v}) // 2]", "{v}[len({v}) // 2]",
    ),
    "are counted wrongly": (
        "len({v})", "len(set({v}))", "len([each for each in {v} if each])", "len({v}) - 1", "sum({v})", "max({v}, default=0)",
    ),
    "is split wrongly": (
        "{v}.split(',')", "{v}.split(';')", "{v}.split()", "{v}.split('|')", "[each.strip() for each in {v}.split(',')]",
        "{v}.split('-')",
    ),
}  # fmt: skip
FAILING = re.compile(r"^- .*?\btest_(\w+)(.*)$", re.MULTILINE)
ITERATION = re.compile(r"^Iteration (\d+) of \d+\.$", re.MULTILINE)
ATTEMPT = re.compile(r"^Iteration \d+ .*(?:\n  .*)*", re.MULTILINE)
FUNCTION = r"^def {}\((\w+)\):\n    return (.*)$"


def main(seed: str, prompt: str) -> str:
    """Change one line; returns what was done."""
    found = [(name, _complaint(said) or _complaint(_output(prompt, name))) for name, said in FAILING.findall(prompt)]
    fault = next(((name, complaint) for name, complaint in found if complaint), None)
    if not fault:
        return "I do not know what is wrong."
    function, complaint = fault
    place = _place(function)
    if not place:
        return f"I cannot find {function}."
    path, text, line = place
    now = _way(complaint, line[2])
    way = _choice(prompt, function, complaint, now, f"{seed} {ITERATION.findall(prompt)} {function}")
    path.write_text(text.replace(line[0], line[0].replace(f"return {line[2]}", "return " + way.replace("{v}", line[1]))))
    return f"I changed {function} in {path}."


def _output(prompt: str, function: str) -> str:
    """Return what the check printed of a test: what stands there is not told a second time."""
    found = re.search(rf"^FAIL: test_{function}\b.*?(?=^FAIL: |^Ran |\Z)", prompt, re.MULTILINE | re.DOTALL)
    return found[0] if found else ""


def _complaint(said: str) -> str:
    return next((complaint for complaint in WAYS if complaint in said), "")


def _place(function: str) -> "tuple[Path, str, re.Match[str]] | None":
    """Return the file that defines a function, its text, and the function in it."""
    for path in sorted(Path().rglob("*.py")):
        text = path.read_text()
        found = re.search(FUNCTION.format(function), text, re.MULTILINE)
        if found:
            return path, text, found
    return None


def _choice(prompt: str, function: str, complaint: str, now: str, seed: str) -> str:
    """Return the way to be tried: of those that nothing speaks against the one that helped before, else any."""
    failed = _failed(prompt, function, complaint)
    helped, vain = _told(prompt, complaint)
    left = [way for way in WAYS[complaint] if way not in failed and way != now]
    left = left or [way for way in WAYS[complaint] if way != now]  # all were tried; it has to do something
    best = [way for way in left if way in helped] or [way for way in left if way not in vain] or left
    return random.Random(seed).choice(best)  # noqa: S311 - no secret


def _failed(prompt: str, function: str, complaint: str) -> "set[str]":
    """Return the ways that the prompt says were tried for a test and did not fix it."""
    found = set()
    for attempt in ATTEMPT.findall(prompt):
        if re.search(rf"^  did not fix: .*\btest_{function}\b", attempt, re.MULTILINE):
            found |= _ways(complaint, attempt.splitlines())
    return found


def _told(prompt: str, complaint: str) -> "tuple[set[str], set[str]]":
    """Return the ways that the prompt says fixed this complaint in earlier work, and those that did not help."""
    helped: set[str] = set()
    vain: set[str] = set()
    about, into = False, None
    for line in [line[2:] for line in prompt.splitlines() if line.startswith("  ")]:
        if line.startswith(("failed: ", "still failing: ")):
            about = complaint in line or (about and into is None)
            into = None
        elif line.startswith("fixed by: "):
            into = helped
        elif line.startswith("did not help: "):
            into = vain
        elif about and into is not None:
            into |= _ways(complaint, [line])
    return helped, vain


def _ways(complaint: str, lines: "list[str]") -> "set[str]":
    """Return the ways that stand in the added lines of a diff."""
    added = [line.strip()[1:].strip() for line in lines if line.strip().startswith("+")]
    return {way for line in added if line.startswith("return ") for way in [_way(complaint, line[7:])] if way}


def _way(complaint: str, written: str) -> str:
    """Return which way an expression is, whatever its parameter is called."""
    for way in WAYS[complaint]:
        first, *rest = [re.escape(piece) for piece in way.split("{v}")]
        pattern = first + r"(\w+)" + r"\1".join(rest)
        if re.fullmatch(pattern, written.strip()):
            return way
    return ""


if __name__ == "__main__":
    print(main(sys.argv[1], Path(sys.argv[2]).read_text()))  # noqa: T201 - its last message
