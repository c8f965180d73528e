"""Where Qwen Code keeps its hooks, how they are written there, and how it works without a person (0.24.4)."""

TITLE, PROGRAM, PACKAGE = "Qwen Code", "qwen", "@qwen-code/qwen-code"
HEADLESS = ("qwen", "--yolo", "-p", "{prompt}")
FOLDER, FOLDER_NAMED_BY, BELOW = ".qwen", "QWEN_HOME", ""
PLUGIN, PLUGIN_IN = "extension", "extensions/ralph-mem"  # what it calls one, and where it keeps ours
FILE, IN_PROJECT = "settings.json", ".qwen/settings.json"
EVENTS = (
    ("SessionStart", "session-start", 10), ("UserPromptSubmit", "user-prompt-submit", 10), ("PostToolUse", "post-tool-use", 5),
    ("PostToolUseFailure", "post-tool-use-failure", 5), ("Stop", "stop", 10), ("PreCompact", "pre-compact", 5),
    ("SessionEnd", "session-end", 5),
)  # fmt: skip
GROUPED, COMMAND, TIMEOUT, PER_SECOND = True, "command", "timeout", 1000
VERSION = 0
TRUST = ""
