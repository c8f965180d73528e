"""What `run.py` opens: a quick way to our modules, the answer to an event or a command, and nothing else on stdout."""

import _imp
import builtins
import marshal
import posix
import sys
from _thread import _count as threads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import CodeType, ModuleType

    Names = Mapping[str, object] | None

modules, Module = sys.modules, type(sys)
TYPED, LINE, SERVER = "user-prompt-expansion", "statusline", "mcp"
HEADER = sys.modules["_frozen_importlib_external"].MAGIC_NUMBER + b"\0\0\0\0"
SUFFIX, FLAGS = f".{sys.implementation.cache_tag}.pyc", posix.O_RDONLY | posix.O_CLOEXEC
MOST_BYTES = 65_536  # three times what the largest room has; to ask for its size first would cost each room more than reading it
# What a package itself holds is read for some; the others are names, and made without a look at the disk.
FACES = frozenset((
    "ralph_mem.hosts.claude_code.launch", "ralph_mem.interfaces.hooks", "ralph_mem.interfaces.skills", "ralph_mem.ralph.criteria",
    "ralph_mem.ralph.judges", "ralph_mem.ralph.snapshot", "ralph_mem.ralph.tasks",
))  # fmt: skip
PACKAGES = FACES | {
    "ralph_mem", "ralph_mem.core", "ralph_mem.core.command_lines", "ralph_mem.core.outputs", "ralph_mem.core.settings",
    "ralph_mem.core.redaction", "ralph_mem.memory", "ralph_mem.memory.store", "ralph_mem.memory.rows",
    "ralph_mem.memory.ownership", "ralph_mem.memory.recall", "ralph_mem.memory.inject", "ralph_mem.memory.facts", "ralph_mem.hosts",
    "ralph_mem.hosts.claude_code", "ralph_mem.hosts.codex", "ralph_mem.hosts.copilot", "ralph_mem.hosts.gemini",
    "ralph_mem.hosts.opencode", "ralph_mem.hosts.qwen", "ralph_mem.hosts.cursor", "ralph_mem.hosts.goose", "ralph_mem.ralph", "ralph_mem.ralph.agents", "ralph_mem.ralph.room", "ralph_mem.ralph.watching",
    "ralph_mem.maintenance", "ralph_mem.maintenance.forget", "ralph_mem.maintenance.recovery", "ralph_mem.interfaces",
    "ralph_mem.ralph.git", "ralph_mem.ralph.attribution", "ralph_mem.interfaces.mcp",
}  # fmt: skip
# Modules in C: importlib takes 25 to 120 microseconds more to find each. All that a hook needs but these two begin with "_".
BUILT_IN = frozenset(sys.builtin_module_names)
WITHOUT_A_LINE = ("fcntl", "zlib")
LIBRARY = next((path for path in sys.path if path.endswith("/lib-dynload")), "")
Spec, SUFFIX_OF_C = type(sys.__spec__), (_imp.extension_suffixes() or [""])[0]


def enter(here: str, arguments: "list[str]") -> None:
    """Handle one event, or one skill's command, and print the answer. `here` is the folder of the hooks. May raise anything."""
    _open_closed_streams()
    root = here.rpartition("/")[0] or "."
    sys.path.append(root)  # at the end, so that nobody looks through it for a module of the standard library
    builtins.__import__ = Rooms(root).bring
    import gc  # lazy: found sooner by the importer that the line above puts in place

    gc.disable()  # the process is gone before there is garbage
    name = arguments[0] if arguments else ""
    if name[:4] in ("mem", "mem-") or name in ("ralph", TYPED):
        text = _answered(name)
    else:
        text = _line() if name == LINE else _served() if name == SERVER else _handled(name, "".join(arguments[1:2]))
    data = memoryview(text.encode("utf-8", "replace"))
    while data:
        data = data[posix.write(1, data) :]


def _handled(name: str, host: str) -> str:
    from ralph_mem.interfaces import hooks  # lazy: found by the importer that the line above puts in place

    return hooks.enter(name, host)


def _line() -> str:
    from ralph_mem.interfaces import statusline  # lazy: found by the importer that the line above puts in place

    return statusline.enter()


def _served() -> str:
    from ralph_mem.interfaces.mcp import server  # lazy: found by the importer that the line above puts in place

    return server.enter()


def _answered(name: str) -> str:
    """Answer a command; a person waits for it, so that even a plugin with half of its files gone says so in a line."""
    try:
        from ralph_mem.interfaces import skills  # lazy: found by the importer that the line above puts in place

        return skills.enter(name)
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
    """Loads our modules from their .pyc files, at a third of what importlib costs with its locks, finders and specs.

    It stands in for `__import__`, and hands over what it does not know: a module of somebody else, one whose .pyc is missing or
    older than its source, and all that is loaded while a second thread runs.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self.others = builtins.__import__

    def bring(
        self,
        name: str,
        globals: "Names" = None,  # noqa: A002 - the standard library gives some of them by name
        locals: "Names" = None,  # noqa: A002
        fromlist: "Sequence[str] | None" = (),
        level: int = 0,
    ) -> "ModuleType":
        """Return what `from name import fromlist` needs. Raises ImportError, and whatever the code of a module raises."""
        if not fromlist and not level and name in BUILT_IN and name in modules:
            return modules[name]
        if level or threads():
            return self.others(name, globals, locals, fromlist, level)
        if not (fromlist and name.startswith("ralph_mem")):
            is_new = name not in modules and (name.startswith("_") or name in BUILT_IN or name in WITHOUT_A_LINE)
            return (is_new and _of_c(name)) or self.others(name, globals, locals, fromlist, level)
        module = modules.get(name) or self._load(name)
        if name in PACKAGES:
            for each in fromlist:
                if each not in module.__dict__ and f"{name}.{each}" not in modules:
                    self._load(f"{name}.{each}")
        return module

    def _load(self, name: str) -> "ModuleType":
        parent, _, child = name.rpartition(".")
        package = modules.get(parent) or (self._load(parent) if parent else None)
        folder = package.__path__[0] if package else self.root
        module = Module(name)
        if name in PACKAGES:
            folder, file_name = f"{folder}/{child}", "__init__"
            module.__path__ = [folder]
        else:
            file_name = child
        module.__file__ = f"{folder}/{file_name}.py"
        if file_name == child or name in FACES:
            code = _compiled(folder, file_name)
            if code is None:
                self.others(name, None, None, ("__name__",))
                return modules[name]
            _run(code, module)
        modules[name] = module
        if package:
            setattr(package, child, module)
        return module


def _of_c(name: str) -> "ModuleType | None":
    """Return a C module of the standard library, None where importlib has to look for it."""
    built_in = name in BUILT_IN
    spec = Spec(name, None, origin="built-in" if built_in else f"{LIBRARY}/{name}{SUFFIX_OF_C}")
    try:
        if built_in:
            module = modules[name] = _imp.create_builtin(spec)
            _imp.exec_builtin(module)
        elif LIBRARY:
            module = modules[name] = _imp.create_dynamic(spec)
            _imp.exec_dynamic(module)
        else:
            return None
    except BaseException as error:
        modules.pop(name, None)
        if isinstance(error, ImportError):
            return None
        raise
    module.__spec__ = spec
    return module


def _run(code: "CodeType", module: "ModuleType") -> None:
    modules[module.__name__] = module
    try:
        exec(code, module.__dict__)
    except BaseException:
        del modules[module.__name__]
        raise


def _compiled(folder: str, name: str) -> "CodeType | None":
    """Return the code of the source file of a name in a folder where its .pyc is up to date, else None."""
    compiled = f"{folder}/__pycache__/{name}{SUFFIX}"
    try:
        status = posix.stat(f"{folder}/{name}.py")
        file = posix.open(compiled, FLAGS)
    except OSError:
        return None
    try:
        data = posix.read(file, MOST_BYTES)
    finally:
        posix.close(file)
    size, changed = status[6], status[8]  # whole numbers; by their names the second is none, and costs more
    stamp = (size & 0xFFFFFFFF) << 32 | changed & 0xFFFFFFFF  # type: ignore[operator]  # stubs call them floats
    if not data.startswith(HEADER + stamp.to_bytes(8, "little")) or len(data) == MOST_BYTES:
        return None
    try:
        code: CodeType = marshal.loads(memoryview(data)[16:])
    except (EOFError, ValueError, TypeError):  # a full disk cut it short: nobody could ever import it again
        posix.unlink(compiled)
        return None
    return code


if __name__ == "__main__" and sys.version_info >= (3, 9):  # executed by `run`, which else goes on with run.py
    try:
        enter(sys.argv[0].rpartition("/")[0] or ".", sys.argv[1:])
    finally:
        posix._exit(0)  # without closing the database: that would cost four fsyncs
