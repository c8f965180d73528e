"""What `run.py` opens: a quick way to our modules, the answer to an event or a command, and nothing else on stdout."""

import gc
import marshal
import posix
import sys

Spec = type(sys.__spec__)
TYPED = "user-prompt-expansion"
HEADER = sys.modules["_frozen_importlib_external"].MAGIC_NUMBER + b"\0\0\0\0"
SUFFIX, FLAGS = f".{sys.implementation.cache_tag}.pyc", posix.O_RDONLY | posix.O_CLOEXEC
MOST_BYTES = 65_536  # three times what the largest room has; to ask for its size first would cost each room more than reading it
PACKAGES = frozenset((
    "ralph_mem", "ralph_mem.core", "ralph_mem.events", "ralph_mem.answers", "ralph_mem.ralph", "ralph_mem.criteria",
    "ralph_mem.snapshot", "ralph_mem.claude",
))  # fmt: skip


def enter(here: str, arguments: "list[str]") -> None:
    """Handle one event, or one skill's command, and print the answer. `here` is the folder of the hooks. May raise anything."""
    _open_closed_streams()
    gc.disable()  # the process is gone before there is garbage
    root = here.rpartition("/")[0] or "."
    # at the end, so that nobody looks through it for a module of the standard library
    sys.path[:] = [*sys.path[1:], root]
    sys.meta_path.insert(0, Rooms(root))  # type: ignore[arg-type]
    name = arguments[0] if arguments else ""
    text = _answered(name) if name.startswith("mem-") or name in ("ralph", TYPED) else _handled(name)
    data = memoryview(text.encode("utf-8", "replace"))
    while data:
        data = data[posix.write(1, data) :]


def _handled(name: str) -> str:
    from ralph_mem import events

    return events.enter(name)


def _answered(name: str) -> str:
    """Answer a command; a person waits for it, so that even a plugin with half of its files gone says so in a line."""
    try:
        from ralph_mem import answers

        return answers.enter(name)
    except Exception as error:
        line = "ralph-mem: it cannot start: " + "".join([char for char in str(error) if char.isprintable() and char not in '"\\'])
        if name != TYPED:
            return line + "\n"
        return f'{{"hookSpecificOutput": {{"hookEventName": "UserPromptExpansion", "additionalContext": "{line}\\n"}}}}'


def _open_closed_streams() -> None:
    """Give a closed stdin, stdout or stderr its number back, or the next file that is opened would get it, and the answer."""
    for number in (0, 1, 2):
        try:
            posix.fstat(number)
        except OSError:
            posix.open("/dev/null", posix.O_RDWR)


class Rooms:
    """Loads our modules from their .pyc files, at half of what importlib's own finder costs, which lists folders.

    Finds nothing where a .pyc is missing or older than its source; then that finder compiles it, as always.
    """

    def __init__(self, root: str) -> None:
        self.root = root

    def find_spec(self, name: str, path: object = None, target: object = None) -> object:
        """Return where a module of ours comes from, or None."""
        base = f"{self.root}/{name.replace('.', '/')}"
        source = base + "/__init__.py" if name in PACKAGES else base + ".py"
        code = _compiled(source)
        if code is None:
            return None
        spec = Spec(name, self, origin=source, is_package=name in PACKAGES)  # type: ignore[arg-type]
        spec.loader_state = code
        if name in PACKAGES:
            spec.submodule_search_locations = [base]
        return spec

    def create_module(self, spec: object) -> None:
        """Leave the making of the module to Python."""

    def exec_module(self, module: object) -> None:
        """Run a module's code in it."""
        exec(module.__spec__.loader_state, module.__dict__)  # type: ignore[attr-defined]


def _compiled(source: str) -> object:
    """Return the code of a source file where its .pyc is up to date, else None."""
    folder, _, name = source.rpartition("/")
    try:
        status = posix.stat(source)
        file = posix.open(f"{folder}/__pycache__/{name[:-3]}{SUFFIX}", FLAGS)
    except OSError:
        return None
    try:
        data = posix.read(file, MOST_BYTES)
    finally:
        posix.close(file)
    stamp = (int(status.st_mtime) & 0xFFFFFFFF).to_bytes(4, "little") + (status.st_size & 0xFFFFFFFF).to_bytes(4, "little")
    if data[:16] != HEADER + stamp or len(data) == MOST_BYTES:
        return None
    return marshal.loads(memoryview(data)[16:])
