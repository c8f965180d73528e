"""Read from its output how a check ended whose exit code is hidden. Where there are not enough marks of it, nothing is told."""

from ralph_mem.core.command_lines import exit_codes
from ralph_mem.core.outputs import marks
from ralph_mem.core.redaction import terminal

MOST_LINES = 1_000  # the client shows a hook some 30,000 characters; more takes longer than a person should wait
# A check that is started by the name of a tool speaks with its marks alone; every other may speak with any.
TOOLS = {
    "pytest": "pytest", "py.test": "pytest", "unittest": "unittest", "nose2": "unittest", "go": "go", "jest": "jest",
    "vitest": "vitest", "mocha": "mocha", "ava": "ava tap", "tap": "tap", "prove": "tap", "mypy": "mypy", "ruff": "ruff black",
    "pyright": "pyright", "pylint": "pylint", "flake8": "flake8", "black": "black", "eslint": "eslint", "tsc": "tsc ruff",
    "prettier": "prettier", "rspec": "rspec", "phpunit": "phpunit", "ctest": "ctest", "tox": "tox", "nox": "nox",
    "shellcheck": "shellcheck", "gcc": "make", "g++": "make", "cc": "make", "c++": "make", "clang": "make javac",
    "clang++": "make javac", "javac": "make javac", "rustc": "cargo", "mvn": "maven", "mvnw": "maven", "gradle": "maven sum",
    "gradlew": "maven sum", "golangci-lint": "golangci-lint", "phpstan": "phpstan",
}  # fmt: skip
ONE_SUITE = frozenset("npm yarn pnpm bun".split())  # what runs the script of a package, which mostly is one tool
WHOLE = frozenset("tee cat less more ts nl col tr strings sponge unbuffer".split())
SEARCHING = frozenset("grep egrep fgrep rg ag ack".split())
# What a tool that prints a sum for each part of its work would print for another part that failed.
OTHERWISE = {
    "cargo": "test result: FAILED. 1 passed; 1 failed; 0 ignored", "go": "FAIL\texample.com/shop\t0.1s", "mocha": "  1 failing",
    "sum": "3 tests, 1 failure, 1 failed, failures: 1, errors: 1", "ava": "1 test failed", "dotnet": "Failed!  - Failed: 1",
}  # fmt: skip
GOING_ON = ("--no-fail-fast", "--workspaces", "-ws", "-r", "--recursive", "-k", "--keep-going", "--no-bail", "-i")


def of(command: str, output: str) -> "str | None":
    """Return `error`, `success`, or `tool_use` where `output`, all of it, tells nothing; None where the line's exit code does."""
    found = exit_codes.checks(command)
    hidden = [check for check in found if check.hidden]
    if not hidden:
        return None
    lines = terminal.plain(output).split("\n")
    lines = [line.rstrip() for line in lines[: MOST_LINES // 4] + lines[MOST_LINES // 4 :][-MOST_LINES:]]
    marked = [each for each in [marks.of(line) for line in lines if line] if each]
    said = [_told(check, lines) or _judged(check, command, lines, marked) for check in hidden]
    if marks.FAILED in said:
        return "error"
    return "success" if set(said) == {marks.PASSED} and _enough(found, marked) else "tool_use"


def _told(check: exit_codes.Check, lines: "list[str]") -> str:
    """Return what the line itself printed of a check: its exit code, or a word that stands for it."""
    said = ""
    for before, behind, passed in check.marks:
        for line in lines:
            if passed is not None and line.strip() == before:
                said = said or (marks.PASSED if passed else marks.FAILED)
            elif passed is None and line.startswith(before) and line.endswith(behind):
                code = line[len(before) : len(line) - len(behind)].strip()
                if code.isdigit():
                    said = marks.PASSED if code == "0" and said != marks.FAILED else marks.FAILED
    return said


def _tools(check: exit_codes.Check) -> "frozenset[str] | None":
    """Return whose marks count for a check; None for those of any tool."""
    words = [word.rpartition("/")[2] for word in check.words]
    if "cargo" in words:
        return frozenset(("cargo", "sum") if {"test", "t", "nextest"}.intersection(words) else ("cargo", "cargo build"))
    if "--test" in words:
        return frozenset(("tap",))
    named = next((TOOLS[word] for word in words if word in TOOLS), "")
    return frozenset(named.split()) if named else None


def _judged(check: exit_codes.Check, command: str, lines: "list[str]", marked: "list[tuple[str, str]]") -> str:
    """Return what the marks of its tool say of a check, or nothing."""
    tools = _tools(check)
    own = [each for each in marked if _counts(each[0], tools, check, lines)]
    if tools is None and any([tool != "sum" and kind != marks.HINT for tool, kind in own]):
        own = [each for each in own if each[0] != "sum"]  # what a program counts beside its tests
    says = [kind for _, kind in own]
    if marks.FATAL in says:
        return marks.FAILED
    if (
        tools == frozenset(("pytest",)) and not check.again and command.count("pytest") == 1
    ):  # what it prints before is of a test's own runs
        sums = [kind for kind in says if kind in (marks.PASSED, marks.FAILED)]
        says = sums[-1:] or says
    if marks.FAILED in says:
        return marks.FAILED
    if marks.PASSED in says:
        return marks.PASSED if any([kind == marks.PASSED and _is_whole(check, tool, lines) for tool, kind in own]) else ""
    failing = marks.HINT in says or any([kind == marks.HINT and tool == "shell" for tool, kind in marked])
    return marks.FAILED if failing or _is_finding(tools, lines) else ""


def _counts(tool: str, tools: "frozenset[str] | None", check: exit_codes.Check, lines: "list[str]") -> bool:
    if tools is not None:
        return tool in tools
    if tool == "unittest":  # its `OK` is short for a sum
        return any([line.startswith("Ran ") and " test" in line for line in lines]) or any(
            ["python" in word for word in check.words]
        )
    if tool in ("cargo build", "dotnet build"):
        return not any(["test" in word for word in check.words])
    return tool != "yarn" or "yarn" in check.words


def _is_finding(tools: "frozenset[str] | None", lines: "list[str]") -> bool:
    """Say whether a linter that prints no sum names a place: `a.py:1:8: F401 ...`, `./a.go:2:15: ...`."""
    if not tools or tools.isdisjoint(("flake8", "go", "make", "mypy")):
        return False
    for line in lines:
        parts = line.split(":")
        if len(parts) > 3 and parts[1].isdigit() and parts[2].isdigit() and "." in parts[0] and " " not in parts[0]:
            return "flake8" in tools or "go" in tools or " error" in line
    return False


def _is_whole(check: exit_codes.Check, tool: str, lines: "list[str]") -> bool:
    """Say whether a sum says all: nothing that failed can stand where the output was cut away."""
    direct = _tools(check) is not None or any([word in ONE_SUITE for word in check.words])
    if check.filters and tool not in marks.FINAL and not {*GOING_ON}.isdisjoint(check.words):
        return False
    if tool == "cargo" and "2>/dev/null" in check.words and "--no-fail-fast" in check.words:
        return False
    return all([_shows(words, tool, direct, len(lines)) for words in check.filters])


def _shows(words: "list[str]", tool: str, direct: bool, number: int) -> bool:
    """Say whether a command through which the output went leaves what is needed of it."""
    name, rest = words[0].rpartition("/")[2] if words else "", words[1:]
    if name == "tail":
        return True
    if name in WHOLE or (name == "sed" and "-n" not in rest and not any([word.rstrip("'").endswith(("d", "q")) for word in rest])):
        return True
    final = direct and tool in marks.FINAL
    if name in SEARCHING:
        return final or (direct and tool in OTHERWISE and _lets_through(rest, OTHERWISE[tool]))
    return final or (name == "head" and number <= _number(rest))


def _number(words: "list[str]") -> int:
    digits = ["".join([char for char in word if char.isdigit()]) for word in words]
    return int(next((each for each in digits if each), "10")[:9])


def _lets_through(words: "list[str]", line: str) -> bool:
    """Say whether a search for lines finds this one, as far as plain words in its expression tell."""
    options = [word for word in words if word[:1] == "-"]
    patterns = [word for word in words if word[:1] != "-"]
    if any(["i" in option for option in options]):
        line, patterns = line.lower(), [pattern.lower() for pattern in patterns]
    pieces = [piece.strip("^$()\\ ") for piece in (patterns or [""])[0].replace("\\|", "|").split("|")]
    found = any([piece and piece.replace(".*", "").replace("\\t", "\t") in line for piece in pieces])
    return found != any([option[1:2] != "-" and "v" in option for option in options])


def _enough(found: "list[exit_codes.Check]", marked: "list[tuple[str, str]]") -> bool:
    """Say whether there are as many sums as checks that would print one: none stands for another's."""
    passed = [tool for tool, kind in marked if kind == marks.PASSED]
    wanted = [check for check in found if not check.marks]
    for check in [check for check in wanted if _tools(check) is not None]:
        own = next((tool for tool in passed if tool in (_tools(check) or ())), None)
        if own:
            passed.remove(own)
        elif check.hidden:
            return False
    return len(passed) >= len([check for check in wanted if _tools(check) is None and check.hidden])
