"""Start `ralph-mem` in a terminal from where the plugin lies, as far as this Python can."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from ralph_mem.core import background, paths
from ralph_mem.core.release import VERSION
from ralph_mem.hosts import asker
from ralph_mem.hosts.claude_code import session as client_session
from ralph_mem.interfaces import skills, verbs
from ralph_mem.interfaces.skills import mem
from ralph_mem.memory import extras

OLDEST = (3, 10)
PACKAGES = ("typer", "rich", "yaml")
MORE = "All commands are there after: {}"
UNINSTALL = "uninstall"
BY_HAND = (
    "ralph-mem: uninstall needs more packages; without them: `ralph-mem setup status-line --off`, `ralph-mem setup shim --off`,"
    " then /plugin uninstall ralph-mem@ralph-mem in Claude Code; what is left is {}, {}, and .ralph-mem in each project"
)


def main(words: "list[str]") -> int:
    """Hand over to the command line where its packages are; else carry out a verb of the memory. Returns the exit code."""
    background.restart_in_utf8()
    if sys.version_info >= OLDEST and not extras.missing(PACKAGES):
        import runpy  # lazy: only where its packages are

        runpy.run_module("ralph_mem.interfaces.cli", run_name="__main__", alter_sys=True)
        return 0
    try:
        code = _verb(words)
        sys.stdout.flush()
    except BrokenPipeError:  # `ralph-mem help | head -1`
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # or Python would try again at its end
        return 0
    return code


def _verb(words: "list[str]") -> int:
    """Carry out a verb as `/mem` would, for a person at a terminal."""
    name = words[0] if words else ""
    if name == "--version":
        print(f"ralph-mem {VERSION}")
        return 0
    if name in ("", *verbs.HELP, "help") or name not in verbs.OF:
        wrong = _wrong(name)
        print(*([wrong] if wrong else []), *([] if name == UNINSTALL else verbs.listed("ralph-mem ")), sep="\n")
        print(MORE.format(extras.installation()))
        return 2 if wrong else 0
    made: list[skills.Asked] = []

    def asked() -> skills.Asked:
        made.append(skills.Asked(os.getcwd(), " ".join(words), client_session.session(), typed=not asker.is_a_model()))
        made[0].no_model = True
        return made[0]

    text = skills.answered("mem", asked)
    failed = not made or made[0].failed
    if failed or not made[0].for_model:  # our own words alone
        text = text.replace(mem.BEFORE, "ralph-mem ")
    (sys.stderr if failed else sys.stdout).write(skills.plain(text))
    return int(failed)


def _wrong(name: str) -> str:
    """Say why a first word is no command here, nothing where it asks for help."""
    if name in ("", *verbs.HELP, "help"):
        return ""
    if name == UNINSTALL:
        return BY_HAND.format(paths.data_home(), paths.config_home())
    return f"ralph-mem: {'without more packages ' * (name in verbs.IN_A_TERMINAL)}there is no {name[:40]}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
