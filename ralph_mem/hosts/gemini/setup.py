"""Where Gemini CLI keeps its hooks, how they are written there, and how it works without a person (0.61.0)."""

TITLE, PROGRAM, PACKAGE = "Gemini CLI", "gemini", "@google/gemini-cli"
# It ends at once in a folder that nobody has trusted, as that of a loop's room never is.
HEADLESS = ("gemini", "--skip-trust", "--approval-mode=yolo", "-p", "{prompt}")
FOLDER, FOLDER_NAMED_BY, BELOW = ".gemini", "GEMINI_CLI_HOME", "/.gemini"  # which it makes in what that names
PLUGIN, PLUGIN_IN = "extension", "extensions/ralph-mem"  # what it calls one, and where it keeps ours
FILE, IN_PROJECT = "settings.json", ".gemini/settings.json"
# What it calls a compaction comes before every request, and is not asked for.
EVENTS = (
    ("SessionStart", "session-start", 10), ("BeforeAgent", "user-prompt-submit", 10), ("AfterTool", "post-tool-use", 5),
    ("AfterAgent", "stop", 10), ("SessionEnd", "session-end", 5),
)  # fmt: skip
GROUPED, COMMAND, TIMEOUT, PER_SECOND = True, "command", "timeout", 1000
NAMED = "ralph-mem"  # stands beside what a hook says to a person, in place of its whole line
VERSION = 0
TRUST = ""
