"""Check by the client's own files whether it has the plugin and runs its hooks. Only the keys named here are read."""

import os
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ralph_mem
from ralph_mem.core import fast, paths
from ralph_mem.core.finding import Finding, ok, problem, warning
from ralph_mem.core.process import printed_by
from ralph_mem.core.project import Project
from ralph_mem.hosts.claude_code import event, launch

# The oldest in which all of this works, and the one that each change is tried with. Before the first a client does not know
# UserPromptExpansion: it records and tells, and typed commands are not answered.
OLDEST, TESTED = "2.1.116", "2.1.329"
PLUGIN = "ralph-mem"
CHECKOUT = Path(ralph_mem.__file__).resolve().parents[1]
MANAGED = ("/etc/claude-code/managed-settings.json", "/Library/Application Support/ClaudeCode/managed-settings.json")
MOST_BYTES = 4_194_304
# Where other clients keep plugins, Codex, Copilot, Gemini, Qwen, Cursor and Goose: below the home.
ELSEWHERE = (".codex/plugins", ".copilot", ".gemini/extensions", ".qwen/extensions", ".cursor/plugins", ".agents/plugins")
DEEPEST = 6  # cache/MARKET/PLUGIN/VERSION, and two to spare
SKIPPED = ("node_modules", ".git", "ralph_mem", "tests")
OLD_WORD = "${CLAUDE_PLUGIN_ROOT}/hooks/run"  # among the arguments of the old form, and of no other plugin's


def version(_: Project) -> Iterator[Finding]:
    """Look at the version of the client, where it is on PATH."""
    client = shutil.which("claude")
    if not client:
        yield ok("claude code", "not looked at: no `claude` on PATH")
        return
    told = _told_version(client)
    if not told:
        yield warning("claude code", f"{client} does not tell its version", f"run {shlex.quote(client)} --version yourself")
    elif launch.numbers(told) < launch.numbers(OLDEST):
        seen = f"{told}, older than {OLDEST}, the oldest that is supported: typed commands such as /mem-inject are not answered"
        yield warning("claude code", seen, "`claude update`")
    else:
        yield ok("claude code", f"{told}, {client}")


def _told_version(client: str) -> str:
    word = printed_by([client, "--version"], DISABLE_AUTOUPDATER="1").partition(" ")[0].strip()
    return word if launch.numbers(word) else ""


def plugin(project: Project) -> Iterator[Finding]:
    """Look whether the plugin is installed and switched on for a project, and its hooks with it."""
    installed = _installed()
    if not installed:
        how = " and ".join(f"`{line}`" for line in commands())
        yield problem("plugin", f"not installed in {config_folder()}", f"in Claude Code: {how} (or start it with --plugin-dir)")
        return
    settings = _settings(project)
    name = next((name for name in installed if _value(settings, "enabledPlugins", name) is True), "")
    off = [file for file, values in settings if values.get("disableAllHooks") is True]
    if not name:
        some = next(iter(installed))
        yield problem("plugin", f"{some} is installed, but not switched on here", f"in Claude Code: `/plugin enable {some}`")
    elif off:
        yield problem("plugin", f"all hooks are switched off in {off[-1]}", "take `disableAllHooks` out of it")
    else:
        yield _at(name, _folder(name, installed[name]))


def _at(name: str, folder: Path) -> Finding:
    """Look at the plugin's files where the client reads them."""
    if not (folder / "hooks" / "run").is_file():
        return problem("plugin", f"{name} is installed, but {folder} is gone", f"in Claude Code: `/plugin install {name}` again")
    told = _json(folder / ".claude-plugin" / "plugin.json").get("version")
    seen = f"{name} {told}, switched on, read from {folder}"
    if told == ralph_mem.__version__:
        return ok("plugin", seen)
    return warning("plugin", f"{seen}; this command is {ralph_mem.__version__}", "update the older of the two")


def old_copies(_: Project) -> Iterator[Finding]:
    """Look for copies of releases whose hooks need `args`: a client that knows none hands the event to the shell instead."""
    ours = config_folder() / "plugins"
    for base in (ours, *(Path(paths.environment("HOME") or "/nowhere", each) for each in ELSEWHERE)):
        for folder in _plugins_below(base):
            if any(_is_old(file) for file in sorted(folder.glob("hooks/*.json"))):
                seen = f"{folder} is of an old release: a client other than Claude Code runs what an event holds as a script"
                yield (warning if base == ours else problem)("old copy", seen, "update the plugin there, or remove that folder")


def _plugins_below(base: Path) -> list[Path]:
    """Return the folders below a client's own in which hooks of a plugin lie, links not followed."""
    found = []
    for place, folders, _ in os.walk(base):
        deep = len(Path(place).relative_to(base).parts) >= DEEPEST
        found += [Path(place)] if "hooks" in folders else []
        folders[:] = [] if deep else [name for name in folders if name not in SKIPPED]
    return found


def _is_old(file: Path) -> bool:
    events = _json(file).get("hooks")
    groups = [group for each in events.values() if isinstance(each, list) for group in each] if isinstance(events, dict) else []
    lists = [group.get("hooks") for group in groups if isinstance(group, dict)]
    handlers = [each for some in lists if isinstance(some, list) for each in some if isinstance(each, dict)]
    return any(OLD_WORD in each["args"] for each in handlers if isinstance(each.get("args"), list))


def is_installed() -> bool:
    """Say whether the client has the plugin, switched on or not."""
    return bool(_installed())


def commands() -> list[str]:
    """Return what to type in the client to install the plugin, from the checkout that this command runs from."""
    from_here = (CHECKOUT / ".claude-plugin" / "marketplace.json").is_file()
    place = CHECKOUT if from_here else "<the repository: a path or owner/name>"
    return [f"/plugin marketplace add {place}", f"/plugin install {PLUGIN}@{PLUGIN}"]


def config_folder() -> Path:
    """Return the folder of the client's settings."""
    return Path(event.config_folder())


def _installed() -> dict[str, dict[str, Any]]:
    """Return the client's entries of our plugin by its full name, such as `ralph-mem@ralph-mem`."""
    listed = _json(config_folder() / "plugins" / "installed_plugins.json").get("plugins")
    ours = {name: told for name, told in listed.items() if name.startswith(PLUGIN + "@")} if isinstance(listed, dict) else {}
    # an entry for each scope; older clients knew one
    entries = {name: told[-1] if isinstance(told, list) and told else told for name, told in ours.items()}
    return {name: entry for name, entry in entries.items() if isinstance(entry, dict)}


def _folder(name: str, entry: dict[str, Any]) -> Path:
    """Return where the client reads the plugin: its own copy, but for a marketplace that is a local folder that folder."""
    market = _json(config_folder() / "plugins" / "known_marketplaces.json").get(name.partition("@")[2])
    source = market.get("source") if isinstance(market, dict) else None
    if isinstance(source, dict) and source.get("source") == "directory":
        return Path(str(source.get("path")))
    return Path(str(entry.get("installPath")))


def _settings(project: Project) -> list[tuple[Path, dict[str, Any]]]:
    """Return the client's settings with their files; a later one rules."""
    own = Path(project.top, ".claude")
    files = [config_folder() / "settings.json", own / "settings.json", own / "settings.local.json", *map(Path, MANAGED)]
    return [(file, _json(file)) for file in files]


def _value(settings: list[tuple[Path, dict[str, Any]]], key: str, name: str) -> object:
    mappings = [values.get(key) for _, values in settings]
    told = [mapping[name] for mapping in mappings if isinstance(mapping, dict) and name in mapping]
    return told[-1] if told else None


def _json(file: Path) -> dict[str, Any]:
    try:
        value = fast.loads(paths.read(str(file), MOST_BYTES))
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}
