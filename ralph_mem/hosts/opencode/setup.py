"""Where OpenCode keeps its plugins, and how it works without a person (1.18.33)."""

TITLE, PROGRAM, PACKAGE = "OpenCode", "opencode", "opencode-ai"
HEADLESS = ("opencode", "run", "{prompt}")
FOLDER, FOLDER_NAMED_BY, BELOW = ".config/opencode", "XDG_CONFIG_HOME", "/opencode"
FILE, IN_PROJECT = "plugins/ralph-mem.js", ".opencode/plugins/ralph-mem.js"
COPIED = "integrations/opencode/ralph-mem.js"  # it has no hooks that are commands: this file of ours starts them
TRUST = ""
