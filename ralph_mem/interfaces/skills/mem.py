"""The command `/mem VERB`, and the short commands of its four most used verbs."""

from ralph_mem.core import paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.interfaces import skills, verbs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from ralph_mem.interfaces.skills import Asked

BEFORE = "/mem "
# Which module has the function of a verb, which is called as the verb, but for the words of Python.
MODULES = {
    "memory": ("search", "timeline", "show", "sessions", "why", "preview", "review"),
    "correcting": ("inject", "edit", "pin", "wrong", "undo"),
    "facts": ("facts", "learn", "relations"),
    "upkeep": ("status", "pause", "resume", "config", "trust", "import", "doctor", "page", "setup"),
    "mem_forget": ("forget",),
}
MODULE_OF = {verb: module for module, names in MODULES.items() for verb in names}


def answer(asked: "Asked") -> str:
    """Carry out a verb with its words; without one, say how it stands and which there are."""
    name, rest = [*asked.text.split(None, 1), "", ""][:2]
    if not name:
        return "\n".join([_function("status")(asked), "", *verbs.listed(BEFORE)])
    if name == "help" or name in verbs.HELP:
        return _help(rest.strip())
    return _carried_out(asked, name, asked.text[len(name) :].lstrip(" \t") if rest else "")


def search(asked: "Asked") -> str:
    """Carry out `/mem-search`."""
    return _carried_out(asked, "search", asked.text, "/mem-")


def status(asked: "Asked") -> str:
    """Carry out `/mem-status`."""
    return _carried_out(asked, "status", asked.text, "/mem-")


def inject(asked: "Asked") -> str:
    """Carry out `/mem-inject`."""
    return _carried_out(asked, "inject", asked.text, "/mem-")


def forget(asked: "Asked") -> str:
    """Carry out `/mem-forget`."""
    return _carried_out(asked, "forget", asked.text, "/mem-")


def _carried_out(asked: "Asked", name: str, text: str, before: str = BEFORE) -> str:
    verb = _found(name)
    if verbs.wants_help(verb, text):
        return "\n".join(verbs.explained(verb, before))
    if verb.changes and not _is_a_person(asked):
        raise RalphMemError(f"only a person can type {before}{name}", "ask them to; what only looks, such as search, may be run")
    asked.text, asked.for_model = text, verb.for_model
    return _function(verb.name)(asked)


def _help(name: str) -> str:
    return "\n".join(verbs.explained(_found(name), BEFORE) if name else verbs.listed(BEFORE))


def _found(name: str) -> verbs.Verb:
    if name in verbs.OF:
        return verbs.OF[name]
    if name in verbs.IN_A_TERMINAL:
        raise RalphMemError(f"there is no /mem {name}", f"in a terminal: ralph-mem {name}")
    near = verbs.nearest(name)
    hint = f"did you mean /mem {near}? " if near else ""
    raise RalphMemError(f"there is no /mem {name[:40]}", f"{hint}/mem help lists what there is")


def _is_a_person(asked: "Asked") -> bool:
    """Say whether a person typed it: an event says so, and no loop's agent or check has started us."""
    if not asked.typed or paths.environment(paths.LOOP.decode()):
        return False
    from ralph_mem.ralph import leftovers  # lazy: only for what changes something

    return not leftovers.around_us()


def _function(verb: str) -> "Callable[[Asked], str]":
    file = MODULE_OF[verb]
    name = "import_" if verb == "import" else "answer" if verb == "forget" else verb
    module = __import__(f"{skills.__name__}.{file}", None, None, (name,))  # lazy: a verb loads its own file alone
    return getattr(module, name)  # type: ignore[no-any-return]
