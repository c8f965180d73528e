"""Clients' own names stand in their folders below `hosts/` alone: all other modules understand activities."""

import ast
import re

import pytest

from tests.house import modules
from tests.test_architecture import ROOT

# Looked for in all text that is no docstring: names of fields, events, variables, flags and of what a client is answered.
WORDS = re.compile(
    r"\b(hook_event_name|tool_input|tool_response|tool_use_id|last_assistant_message|stop_hook_active|background_tasks|session_crons"
    r"|compact_summary|custom_instructions|is_interrupt|permission_mode|command_args|structuredPatch|old_string|new_string"
    r"|notebook_path|file_path|hookSpecificOutput|hookEventName|additionalContext|systemMessage"
    r"|SessionStart|SessionEnd|UserPromptSubmit|UserPromptExpansion|PostToolUse\w*|SubagentStop|PreCompact|PostCompact"
    r"|post-tool-use|user-prompt-\w+|subagent-stop|pre-compact|post-compact"
    r"|isSidechain|isMeta|isCompactSummary|toolUseResult|stream-json|--permission-mode|--output-format|mcp__\w*"
    r"|CLAUDE_[A-Z_]+|CLAUDECODE|task-notification|pasted_content)\b"
)
# Looked for as the whole of a text, since they are English words too: tools, and files of the client.
ALONE = re.compile(
    r"(Bash|Edit|Write|MultiEdit|NotebookEdit|Read|Glob|Grep|LS|WebFetch|WebSearch|Agent|Task)"
    r"|(\S*/)?(\.claude(/\S*)?|CLAUDE(\.local)?\.md)"
)
# Not looked for: `claude-code`, `tool_name`, `transcript_path` and `session_id`, which are names in the database; and prose.
# What is stored under a name that a client gave it, from when there was one client.
STORED = {("ralph_mem.memory.rows.receipts", "SessionStart"), ("ralph_mem.memory.rows.receipts", "UserPromptSubmit")}
STORED |= {("ralph_mem.memory.rows.row", name) for name in ("Bash", "Edit")}


def texts(tree):
    """Return (line, text) of what is written as text in a module, docstrings aside."""
    bodies = [node for node in ast.walk(tree) if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef))]
    docstrings = {id(node.body[0].value) for node in bodies if node.body and isinstance(node.body[0], ast.Expr)}
    constants = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docstrings]
    return [(node.lineno, as_text(node.value)) for node in constants if isinstance(node.value, (str, bytes))]


def as_text(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value


def imported(tree):
    return {alias.name for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) for alias in node.names}


def named(root, known="ralph_mem.hosts"):
    """Name each place outside of the folders of clients that has a name of one: all others are put into the words of the first."""
    bad = []
    for module, path in modules(root).items():
        if module.startswith(("hooks", known)):
            continue
        tree = ast.parse(path.read_text())
        defined = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | imported(tree)  # a class of ours
        for line, text in texts(tree):
            found = [match[0] for match in WORDS.finditer(text)] + ([text] if ALONE.fullmatch(text) else [])
            own = [name for name in found if (module, name) in STORED or name in defined]
            bad += [f"{path.relative_to(root)}:{line}: {name}" for name in found if name not in own]
    return bad


@pytest.mark.check
def test_only_its_own_folder_knows_the_names_of_a_client():
    assert not named(ROOT)


@pytest.mark.check
def test_the_names_are_found_where_they_stand():
    there = named(ROOT, "nobody")
    for name in ("event.py", "session.py", "transcripts.py", "client.py", "launch"):
        assert any(f"hosts/claude_code/{name}" in place for place in there), name
