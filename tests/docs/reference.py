"""The reference under docs/: made from the command line's parameters, the rules of settings, and the plugin's own files.

Nothing here is rendered help, whose layout depends on a terminal and on versions of packages.
"""

import json
import re

import typer

from ralph_mem.core.settings import effective, schema
from ralph_mem.hosts.claude_code import session
from ralph_mem.interfaces import skills
from ralph_mem.interfaces.cli.app import app
from tests.docs import ROOT

FOLDER = ROOT / "docs" / "reference"
MADE = "<!-- Written by `python -m tests.docs.reference`; a test holds it to the code. -->\n"
EXAMPLE = re.compile(r"\s*Example: (.+)\Z")


def pages():
    """Return {path: text} of every page of the reference."""
    made = {"commands.md": _commands(), "configuration.md": _configuration(), "skills-and-hooks.md": _plugin()}
    return {FOLDER / name: MADE + text for name, text in made.items()}


def table(head, rows):
    """Return a table of Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"


def cell(text):
    """Return a text as a table's cell has it."""
    return " ".join(text.split()).replace("|", r"\|")


# The commands


def commands():
    """Return (name, command) of every command that does something, `config get` for one of a group."""
    return list(_below("", typer.main.get_command(app)))


def _below(name, command):
    if not hasattr(command, "commands"):
        yield name, command
        return
    for word in command.commands:
        load = getattr(command, "load", command.commands.get)
        yield from _below(f"{name} {word}".strip(), load(word))


COMMANDS = """\
# Commands

Every command of `ralph-mem`. All of them know `--help`; `ralph-mem --version` prints the version. A command leaves with 0, with 1
for what can be mended, 2 for a wrong call, 3 for a crash and 130 for Ctrl-C; a loop has
[exit codes of its own](../loop.md#when-it-stops).
"""


def _commands():
    return COMMANDS + "".join(_command(name, command) for name, command in commands())


def _command(name, command):
    told = command.help or ""
    example = EXAMPLE.search(told)
    arguments = [each for each in command.params if each.param_type_name == "argument"]
    options = [each for each in command.params if each.param_type_name == "option" and not each.hidden and each.name != "help"]
    usage = " ".join([f"ralph-mem {name}", *map(_placed, arguments), *(["[OPTIONS]"] if options else [])])
    text = f"\n## ralph-mem {name}\n\n{' '.join(EXAMPLE.sub('', told).split())}\n\n```sh\n{usage}\n"
    text += (f"{example[1].strip()}   # an example\n" if example else "") + "```\n"
    rows = [(f"`{_metavar(each)}`", _default(each), cell(each.help or "")) for each in arguments]
    rows += [(_named(each), _default(each), cell((each.help or "") + _range(each.type))) for each in options]
    return text + ("\n" + table(("argument or option", "default", "meaning"), rows) if rows else "")


def _metavar(parameter):
    return parameter.metavar or parameter.name.upper()


def _placed(argument):
    name = _metavar(argument).rstrip(".") + ("..." if argument.nargs == -1 else "")
    return name if argument.required else f"[{name}]"


def _named(option):
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    return names if option.is_flag else f"{names} `{option.metavar or ('N' if _range(option.type) else 'TEXT')}`"


def _range(kind):
    """Say which numbers an option takes; the names of types differ between versions of click."""
    least, most = getattr(kind, "min", None), getattr(kind, "max", None)
    return "" if least is None else f" From {least} to {most}." if most is not None else f" At least {least}."


def _default(parameter):
    value = getattr(parameter.default, "value", parameter.default)  # of a choice
    if parameter.required:
        return "required"
    return f"`{value}`" if isinstance(value, (int, float, str)) and value not in {"", False} else ""


# The settings


SETTINGS = """\
# Configuration reference

The keys of `config.yaml`; [configuration](../configuration.md) says where it lies and what rules over what. The variable of the
environment rules over the files. A list is written there as `a, b` or `['a', 'b, c']`. `ralph-mem setup` writes a file with
every key commented out.
"""


def _configuration():
    text = SETTINGS
    for section in dict.fromkeys(key.rpartition(".")[0] for key in schema.RULES):
        rows = [_setting(key, rule) for key, rule in schema.RULES.items() if key.rpartition(".")[0] == section]
        head = f"## {section}" if section else "## At the top of the file"
        text += f"\n{head}\n\n" + table(("key", "type and range", "default", "variable", "meaning"), rows)
    return text


def _setting(key, rule):
    default = json.dumps(effective.DEFAULTS[key]) if key in effective.DEFAULTS else "unset"
    return f"`{key}`", cell(rule.allowed()), f"`{default}`", f"`{effective.variable(key)}`", cell(rule.meaning)


# The plugin


SKILLS = """\
# Slash commands and hooks

## Slash commands

Each is also `/ralph-mem:NAME`, where another plugin has the short name.

"""
HOOKS = """
## Hooks

The events of Claude Code that the plugin answers, by `hooks/run NAME`. A hook always exits with 0.

"""


def _plugin():
    text = SKILLS + table(
        ("command", "arguments", "what it is for"), [_skill(folder) for folder in sorted((ROOT / "skills").iterdir())]
    )
    return text + HOOKS + table(("event", "name", "at most", "for"), [row for file in _manifests() for row in _hooks(file)])


def _skill(folder):
    front = (folder / "SKILL.md").read_text().split("---\n", 2)[1]
    fields = dict(line.split(": ", 1) for line in front.splitlines())
    hint = json.loads(fields.get("argument-hint", '""'))
    name = session.FOLDERS.get(folder.name, folder.name)
    command = f"`/{name}`" if name in skills.NAMES else f"{name} (for the model, not typed)"
    return command, f"`{cell(hint)}`" if hint else "", cell(fields["description"].strip('"'))


def _manifests():
    return sorted((ROOT / "hooks").glob("*.json"), key=lambda file: (file.name != "hooks.json", file.name))


def _hooks(file):
    for event, groups in json.loads(file.read_text())["hooks"].items():
        for group in groups:
            for handler in group["hooks"]:
                name = re.search(r"hooks/run\" ([\w-]+);", handler["command"])[1]
                yield event, f"`{name}`", f"{handler['timeout']} s", f"`{cell(group['matcher'])}`" if "matcher" in group else "all"


def main():
    for path, text in pages().items():
        path.write_text(text)


if __name__ == "__main__":
    main()
