"""Read a plan file into tasks, and refuse one that cannot be worked through, by line."""

import hashlib
import os
import re
import shlex
import stat
from collections import namedtuple

from ralph_mem.core.errors import ConfigError, LoopError
from ralph_mem.ralph.criteria import CUSTOM, TEST_PASS, finding, python_project
from ralph_mem.ralph.tasks import Check, Task, lists, wrong

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.tasks import Item

# Ten thousand tasks with a check each take half of it.
MOST_BYTES = 2_097_152
MOST_TASKS = 10_000
CHECK, TEST, FILES, AFTER = "check", "test", "files", "after"
WORDS = frozenset((CHECK, TEST, FILES, AFTER))
NAMES_A_FILE = "--plan FILE names a list of tasks in this project, in Markdown or YAML"
IN_YAML = (".yaml", ".yml")

Plan = namedtuple("Plan", "name tasks")
Plan.__doc__ = """A plan: its file as seen from the project, and its tasks in their order."""
NO_PLAN = Plan("", ())
TEST_HINT = (
    "name it as tests/test_cart.py::test_total, or in Go as cart/cart_test.go::TestTotal; for other tools write `check: COMMAND`"
)
GO_NAME = re.compile(r"Test\w*(?:/[\w./-]+)?")


def read(top: str, name: str, seconds: float) -> Plan:
    """Return the plan of a file, named as seen from the project; checks have so many seconds. Raises LoopError."""
    return parse(top, name, text_of(top, name), seconds)


def parse(top: str, name: str, text: str, seconds: float) -> Plan:
    """Return the plan of a text, as the file of that name would have it. Raises LoopError."""
    read_list = lists.read_yaml if name.endswith(IN_YAML) else lists.read_markdown
    items = read_list(name, text, WORDS)
    if not items:
        raise LoopError(f"the plan {name} holds no task", "a task is a line like `- [ ] what is to be done`, in YAML `- title: it`")
    if len(items) > MOST_TASKS:
        raise LoopError(f"the plan {name} has {len(items):,} tasks, more than {MOST_TASKS:,}", "make several plans of it")
    maker = _Maker(top, name, seconds, len(items))
    tasks = [maker.task(number, item) for number, item in enumerate(items, 1)]
    _refuse_twins(name, items)
    _refuse_circles(name, tasks, items)
    return Plan(name, tuple(tasks))


def text_of(top: str, name: str) -> str:
    """Return the text of a plan file. Raises LoopError for one that is none, or too large."""
    path = os.path.realpath(os.path.join(top, name))
    if not path.startswith(os.path.realpath(top).rstrip("/") + "/"):
        raise LoopError(f"the plan {name} lies outside of the project", NAMES_A_FILE)
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # a FIFO would wait for ever
        try:
            regular = stat.S_ISREG(os.fstat(file).st_mode)
            data = os.pread(file, MOST_BYTES + 1, 0) if regular else b""
        finally:
            os.close(file)
    except (OSError, ValueError) as error:
        raise LoopError(f"cannot read the plan {name}: {getattr(error, 'strerror', error)}", NAMES_A_FILE) from error
    if not regular:
        raise LoopError(f"the plan {name} is no file", NAMES_A_FILE)
    if len(data) > MOST_BYTES:
        raise LoopError(f"the plan {name} is larger than {MOST_BYTES // 1_048_576} MiB", "say less of each task")
    return _decoded(name, data)


def _decoded(name: str, data: bytes) -> str:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise wrong(name, data.count(b"\n", 0, error.start) + 1, "not UTF-8 text", NAMES_A_FILE) from error
    if "\0" in text:
        raise wrong(name, text.count("\n", 0, text.index("\0")) + 1, "no text, but binary", NAMES_A_FILE)
    return text.removeprefix("\ufeff")


def key_of(title: str) -> str:
    """Return what a task is known by in a record, wherever it stands in its file."""
    return hashlib.sha256(title.encode("utf-8", "replace")).hexdigest()[:12]


class _Maker:
    """Makes tasks of what a file says. What many tasks name is looked up once."""

    __slots__ = ("commands", "found", "name", "number", "seconds", "top")

    def __init__(self, top: str, name: str, seconds: float, number: int) -> None:
        self.top, self.name, self.seconds, self.number = os.path.realpath(top), name, seconds, number
        self.commands = NamedTests(self.top)
        self.found: dict[tuple[str, str], Check] = {}

    def task(self, number: int, item: "Item") -> Task:
        """Return the task of an item. Raises LoopError."""
        said: dict[str, list[tuple[int, str]]] = {word: [] for word in WORDS}
        for line, word, value in item.words:
            said[word] += [(line, each) for each in (value if isinstance(value, list) else [value])]
            if not all([each.strip() for _, each in said[word]]) or value == []:
                raise wrong(self.name, line, f"nothing is said behind `{word}:`", f"say it, or leave out `{word}:`")
        checks = [self._check(number, line, kind, each) for kind in (TEST, CHECK) for line, each in said[kind]]
        after = tuple(sorted({self._earlier(number, line, each) for line, text in said[AFTER] for each in text.split(",")}))
        files = tuple([each.strip() for _, text in said[FILES] for each in text.split(",") if each.strip()])
        return Task(number, key_of(item.title), item.title, tuple(dict.fromkeys(checks)), files, after, item.ticked)

    def _earlier(self, number: int, line: int, text: str) -> int:
        text = text.strip()
        if not (text.isascii() and text.isdigit() and len(text) < 7 and 1 <= int(text) <= self.number):
            hint = f"tasks are numbered in their order, here from 1 to {self.number}: `after: 1, 3`"
            raise wrong(self.name, line, f"`after: {text[:40]}` names no task", hint)
        if int(text) == number:
            raise wrong(self.name, line, f"task {number} comes after itself", "take its own number out of `after:`")
        return int(text)

    def _check(self, number: int, line: int, kind: str, text: str) -> Check:
        try:
            found = self.found.get((kind, text)) or self._made(kind, text)
        except (ConfigError, LoopError) as error:
            raise wrong(self.name, line, str(error), error.hint) from error
        self.found[kind, text] = found
        return found._replace(criterion=found.criterion._replace(name=f"task {number}: {found.criterion.name}"))

    def _made(self, kind: str, text: str) -> Check:
        item = f"{CUSTOM}={text}"
        if kind == TEST:
            item = f"{TEST_PASS}={self.commands.of(text.strip())}"
        criterion = finding.given(self.top, item, self.seconds)._replace(source=self.name)
        if kind == TEST:
            return Check(criterion._replace(name=text.strip()), text.strip())
        return Check(criterion, "")


def _refuse_twins(name: str, items: "list[Item]") -> None:
    seen: dict[str, int] = {}
    for item in items:
        if item.title in seen:
            what = f"the title `{item.title[:60]}` is that of line {seen[item.title]} too"
            raise wrong(name, item.line, what, "give each task a title of its own: its box is found by it")
        seen[item.title] = item.line


def _refuse_circles(name: str, tasks: "list[Task]", items: "list[Item]") -> None:
    """Raise LoopError where tasks wait for each other: each has to come after those that it names, in some order."""
    waiting = {task.number: set(task.after) for task in tasks}
    followers: dict[int, list[int]] = {}
    for task in tasks:
        for number in task.after:
            followers.setdefault(number, []).append(task.number)
    ready = [number for number, before in waiting.items() if not before]
    while ready:
        number = ready.pop()
        del waiting[number]
        for follower in followers.get(number, ()):
            waiting[follower].discard(number)
            ready += [] if waiting[follower] else [follower]
    if waiting:
        circle = _circle(waiting)
        told = " after ".join([str(number) for number in [*circle, circle[0]]])
        raise wrong(name, items[circle[0] - 1].line, f"tasks wait for each other: {told}", "take one of them out of `after:`")


def _circle(waiting: "dict[int, set[int]]") -> "list[int]":
    """Return the shortest end of a walk through tasks that wait, which has to come back to itself."""
    path, at = [], min(waiting)
    while at not in path:
        path.append(at)
        at = min(waiting[at])
    return path[path.index(at) :][:10]


class NamedTests:
    """Makes command lines of the names of tests, which may not be there yet; the project's runner is looked for once."""

    __slots__ = ("starter", "top")

    def __init__(self, top: str) -> None:
        self.top = top
        self.starter: tuple[tuple[str, ...], bool] | None = None

    def of(self, name: str) -> str:
        """Return the command line of a test. Raises LoopError for a name that is none."""
        file, _, test = name.partition("::")
        if not file or file.startswith(("/", "-")) or ".." in file.split("/") or not name.isprintable():
            raise LoopError(f"`{name[:80]}` names no test", TEST_HINT)
        if file.endswith(".py"):
            return shlex.join(self._python(file, test))
        if file.endswith("_test.go") and GO_NAME.fullmatch(test):
            pattern = "/".join([f"^{part}$" for part in test.split("/")])
            return shlex.join(["go", "test", "-count=1", "-v", "-run", pattern, f"./{file.rpartition('/')[0]}"])
        raise LoopError(f"`{name[:80]}` names no test that can be run by itself", TEST_HINT)

    def _python(self, file: str, test: str) -> "tuple[str, ...]":
        self.starter = self.starter or python_project.test_starter(finding.Place(self.top, self.top))
        words, takes_dotted = self.starter
        if takes_dotted:
            return (*words, ".".join([*file[:-3].split("/"), *filter(None, test.split("::"))]))
        return (*words, f"{file}::{test}" if test else file)
