"""Where Copilot CLI keeps its hooks, how they are written there, and how it works without a person (1.0.102)."""

TITLE, PROGRAM, PACKAGE = "Copilot CLI", "copilot", "@github/copilot"
HEADLESS = ("copilot", "--allow-all-tools", "--no-auto-update", "-p", "{prompt}")
FOLDER, FOLDER_NAMED_BY, BELOW = ".copilot", "COPILOT_HOME", ""
PLUGIN, PLUGIN_IN = "plugin", "installed-plugins/*/ralph-mem"  # what it calls one, and where it keeps ours
FILE, IN_PROJECT = "hooks/ralph-mem.json", ".github/hooks/ralph-mem.json"
EVENTS = (
    ("sessionStart", "session-start", 10), ("userPromptSubmitted", "user-prompt-submit", 10), ("postToolUse", "post-tool-use", 5),
    ("postToolUseFailure", "post-tool-use-failure", 5), ("agentStop", "stop", 10), ("sessionEnd", "session-end", 5),
)  # fmt: skip
GROUPED, COMMAND, TIMEOUT, PER_SECOND = False, "bash", "timeoutSec", 1
VERSION = 1
TRUST = ""
