"""Where Codex keeps its hooks, how they are written there, and how it works without a person (0.169.0)."""

TITLE, PROGRAM, PACKAGE = "Codex", "codex", "@openai/codex"
HEADLESS = ("codex", "exec", "--skip-git-repo-check", "--sandbox", "workspace-write", "-")  # in the folder alone, without a network
FOLDER, FOLDER_NAMED_BY, BELOW = ".codex", "CODEX_HOME", ""
PLUGIN, PLUGIN_IN = "plugin", "plugins/cache/*/ralph-mem/*"  # what it calls one, and where it keeps ours
FILE, IN_PROJECT = "hooks.json", ".codex/hooks.json"
# Its name of an event, ours, and after how many seconds it gives up. It asks for trust again whenever a line of these changes.
EVENTS = (
    ("SessionStart", "session-start", 10), ("UserPromptSubmit", "user-prompt-submit", 10), ("PostToolUse", "post-tool-use", 5),
    ("Stop", "stop", 10), ("PreCompact", "pre-compact", 5), ("SessionEnd", "session-end", 3),
)  # fmt: skip
GROUPED, COMMAND, TIMEOUT, PER_SECOND = True, "command", "timeout", 1
VERSION = 0  # of the file's format, 0 where it names none
TRUST = "Codex runs no hook that you have not granted: trust them when it asks at its next start, or type /hooks in it"
