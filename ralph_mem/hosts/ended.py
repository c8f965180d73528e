"""Say in the words of Claude Code how a tool's call of another client ended, by what that printed."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Fields = dict[str, Any]

TOOL, FAILED = "post-tool-use", "post-tool-use-failure"  # a call that came back, and one that is known to have failed
# The lines around the output of a command as Gemini and Qwen report it.
BEFORE, EMPTY = ("Command: ", "Directory: "), "(empty)"
BEHIND = ("Error: ", "Exit Code: ", "Signal: ", "Background PIDs: ", "Process Group PGID: ")
OPEN, CLOSED = "<untrusted_context>\n", "\n</untrusted_context>"
NONE, NO_SIGNAL = "(none)", ("(none)", "0")


def failed(told: "Fields", code: object, output: str) -> str:
    """Note that a command ended with a code other than 0; returns the event which that is to us."""
    told["error"] = f"Exit code {code}\n{output}"
    return FAILED


def passed(told: "Fields", output: str) -> str:
    """Note that a command is known to have ended with 0; returns the event which that is to us."""
    told["tool_response"] = {"stdout": output, "stderr": ""}
    return TOOL


def unknown(told: "Fields", output: str) -> str:
    """Note what a command printed, of which nobody said how it ended; returns the event which that is to us."""
    told["tool_response"] = output
    return TOOL


def by_report(told: "Fields", text: str) -> str:
    """Read the report of a command, with the lines around its output; returns the event which that is to us.

    A report without its last line was cut off: how the command ended is not known then.
    """
    inner = text.removeprefix(OPEN)
    lines = inner.removesuffix(CLOSED).split("\n")
    found: dict[str, str] = {}
    while lines and lines[-1].startswith(BEHIND):
        label, _, value = lines.pop().partition(": ")
        found.setdefault(label, value)
    output = "\n".join(lines)
    if "Output: " in output:
        before, _, behind = output.partition("Output: ")
        output = behind if not before or before.startswith(BEFORE) else output
    output = "" if output == EMPTY else output
    error = found.get("Error", NONE)
    output = output if error == NONE else f"{output}\n{error}".lstrip("\n")
    return _by_lines(told, found, output, whole=inner.endswith(CLOSED) or "Process Group PGID" in found)


def _by_lines(told: "Fields", found: "dict[str, str]", output: str, *, whole: bool) -> str:
    code = found.get("Exit Code", "0" if whole and "Error" not in found else "")
    if not code.isdigit() or found.get("Signal", NONE) not in NO_SIGNAL or "Background PIDs" in found:
        return unknown(told, output)
    return passed(told, output) if code == "0" else failed(told, code, output)


def edited(told: "Fields", diff: object, *, is_new: bool = False) -> str:
    """Note the changed lines of an edit by its unified diff, none for a new file; returns the event which that is to us."""
    lines = diff.split("\n") if isinstance(diff, str) and not is_new else []
    body = [line for line in lines if not line.startswith(("--- ", "+++ ", "===", "Index: "))]
    told["tool_response"] = {"structuredPatch": [{"lines": body}]} if body else {}
    return TOOL


def read(told: "Fields", text: object) -> str:
    """Note what was read or found; returns the event which that is to us."""
    told["tool_response"] = {"content": text if isinstance(text, str) else ""}
    return TOOL
