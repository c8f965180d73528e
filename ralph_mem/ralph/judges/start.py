"""Say what the start of a run tells of its judges, and show them by kinds and counts."""

import os
import re

from ralph_mem.core.format import count
from ralph_mem.core.redaction import path_rules
from ralph_mem.ralph.judges import comparisons, doctests, kinds, loaded, named, placed, shadows
from ralph_mem.ralph.snapshot import FILE, FOLDER, LINK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ralph_mem.ralph.criteria import Criterion
    from ralph_mem.ralph.snapshot import Entry
    from ralph_mem.ralph.snapshot.store import Snapshots

    # The paths of each kind.
    Judges = dict[str, list[str]]

MOST_BYTES = 262_144  # of a script that is read for what it runs
MOST_LINKS = 1_000  # of the tree that are followed
# Linters that leave out what git ignores.
LINTS_BY_GIT = re.compile(r"(?:^|[\s/;&|(])(ruff|black|prettier|biome|rg)(?=\s|$)", re.MULTILINE)
# A file that a rule of make has a recipe for.
RULE = re.compile(r"^([^\s#:=][^:=\n]*?)\s*::?(?![=:])[^\n]*(?:\n\t|;)", re.MULTILINE)
MOST_TESTS = 200  # tests that are read
SCRIPTS = "scripts"
ONE_OF = {
    kinds.TESTS: "test file",
    kinds.SETTINGS: "settings file",
    kinds.BUILDS: "build file",
    SCRIPTS: "script that a check runs",
}
MOST_NAMED = 3


class Start:
    """What the start of a run says about its judges."""

    def __init__(
        self, snapshots: "Snapshots", number: int, criteria: "Sequence[Criterion]", top: str, tests: "Iterable[str]" = ()
    ) -> None:
        self.snapshots = snapshots
        self.number = number
        self.criteria = criteria
        self.top = top
        self._links: list[tuple[str, str]] | None = None
        self.named = named.of(criteria, top, self.text)
        self.loaded = loaded.of([*self.settings(), *self.tests_of_python()], self.text) | loaded.by_command(self.texts, self.text)
        self.included = loaded.included(self.paths(), self.text)
        self.placed = placed.of(criteria, top, self.settings(), self.text)
        self.tests = [*tests, *[word for each in criteria for word in each.argv or () if "::" in word]]

    @property
    def texts(self) -> "list[str]":
        """Return what the checks say: their command lines, what is behind these, and the scripts."""
        told = [" ".join([*(each.argv or ()), each.definition or ""]) for each in self.criteria]
        return [*told, *[self.text(path) or "" for path in sorted(self.named.scripts)]]

    @property
    def run_modules(self) -> "frozenset[str]":
        """Return the modules that the checks, or the scripts behind them, run by `-m`."""
        return shadows.run_by(self.texts)

    def lints_by_git(self) -> bool:
        """Say whether a check leaves out what git ignores."""
        return any([LINTS_BY_GIT.search(said) for said in self.texts])

    def makes(self, path: str) -> bool:
        """Say whether a rule behind a check makes a file."""
        rules = [(each.folder or self.top, words) for each in self.criteria for words in RULE.findall(each.definition or "")]
        top = os.path.realpath(self.top)
        return any(
            [os.path.join(os.path.realpath(folder), name) == f"{top}/{path}" for folder, words in rules for name in words.split()]
        )

    def runs_examples(self) -> bool:
        """Say whether the checks run the examples in sources and documents."""
        settings = [path for path in self.settings() if loaded.OF_PYTEST.search(path)]
        return any(
            [doctests.RUN_BY.search(said or "") for said in (*self.texts, *map(self.text, [*settings, *self.tests_of_python()]))]
        )

    def tests_of_python(self) -> "list[str]":
        """Return the paths of the first tests in Python: they are read for what they load and run."""
        return [path for path in self.paths() if kinds.TEST_FILE.search(path) and path.endswith(".py")][:MOST_TESTS]

    def settings(self) -> "list[str]":
        """Return the paths that set or define checks."""
        return [path for path in self.paths() if loaded.is_setting(path)]

    def paths(self, kind: str = FILE) -> "list[str]":
        """Return the paths of all files, or of another kind."""
        rows = self.snapshots.query(
            "SELECT path FROM entries WHERE first <= ?1 AND (last IS NULL OR last >= ?1) AND kind = ?2", (self.number, kind)
        )
        return [os.fsdecode(row[0]) for row in rows]

    def names_of(self, path: str) -> "list[str]":
        """Return a path, and what it is called by links to it or to folders above it."""
        if self._links is None:
            self._links = [(link, self._led(link)) for link in self.paths(LINK)[:MOST_LINKS]]
        return [path, *[f"{link}{path[len(led) :]}" for link, led in self._links if led and f"{path}/".startswith(f"{led}/")]]

    def _led(self, link: str) -> str:
        """Return where a link of the tree leads in it; empty for elsewhere, and where tests are given the product by it."""
        if kinds.TEST.search(f"{os.path.dirname(link)}/"):
            return ""
        entry = self.entry(os.fsencode(link))
        target = os.fsdecode(self.snapshots.content(entry)) if entry and entry.stored else "/"
        led = os.path.normpath(os.path.join(os.path.dirname(link), target))
        is_product = led.partition("/")[0] in kinds.PRODUCT
        return "" if is_product or led.startswith(("..", "/")) or led == "." else led

    def tests_in(self, path: str) -> "list[str]":
        """Return the names of the tests of a file that a person has named."""
        return [test for file, _, test in [each.partition("::") for each in self.tests] if file == path and test]

    def entry(self, path: bytes) -> "Entry | None":
        """Return a path as it was."""
        return self.snapshots.some(self.number, [path]).get(path)

    def text(self, path: str) -> "str | None":
        """Return the text of a file as it was, None where there was none that could be read."""
        entry = self.entry(os.fsencode(path))
        if entry is None or entry.kind != FILE or not entry.stored or entry.size > MOST_BYTES:
            return None
        return self.snapshots.content(entry).decode("utf-8", "replace")

    def is_of_others(self, path: str) -> bool:
        """Say whether a file belongs to a package of somebody else that is kept with the project."""
        return any([self.entry(os.fsencode(name)) for name in kinds.signs_of_others(path)])

    def has_files_in(self, folder: str) -> bool:
        """Say whether there was anything in a folder."""
        return bool(self.snapshots.query(
            "SELECT 1 FROM entries WHERE path > ?1 AND path < ?2 AND first <= ?3 AND (last IS NULL OR last >= ?3)"
            " AND kind = 'file' LIMIT 1", (os.fsencode(folder), os.fsencode(folder[:-1] + "0"), self.number),
        ))  # fmt: skip


def judges_of(
    snapshots: "Snapshots", number: int, criteria: "Sequence[Criterion]", top: str, may_change: "Sequence[str]"
) -> "Judges":
    """Return what judges in a snapshot, without what a person lets be changed."""
    start = Start(snapshots, number, [each for each in criteria if each.argv], top)
    found: Judges = {name: [] for name in ONE_OF}
    for path, entry in sorted(snapshots.entries(number).items()):
        name = os.fsdecode(path)
        is_script = name in start.named.scripts | start.loaded | start.included or name.startswith(tuple(start.named.folders))
        named = getattr(kinds.of(name), "name", "") if kinds.judges(name) else ""
        kind = SCRIPTS if is_script else named or (kinds.TESTS if _is_test(start, name) else "")
        if kind and entry.kind != FOLDER and not any([path_rules.matches(name, pattern) for pattern in may_change]):
            found[kind].append(name)
    return {kind: names for kind, names in found.items() if names}


def _is_test(start: Start, path: str) -> bool:
    return placed.has(start.placed, path) or comparisons.is_reference(start.named.references, path)


def judges_in_lines(judges: "Judges", may_change: "Sequence[str]", has_snapshots: bool) -> "list[str]":
    """Return what judges in lines for people."""
    if not has_snapshots:
        return ["not confirmed: without snapshots a success counts with whatever the tests are then"]
    parts = [f"{count(len(names), ONE_OF[kind])} ({_some(names)})" for kind, names in judges.items()]
    found = [f"a success is confirmed by what is now: {', '.join(parts) or 'no file of the project judges'}"]
    return [*found, *[f"  changes of these count: {pattern}" for pattern in may_change]]


def _some(names: "list[str]") -> str:
    return ", ".join([*names[:MOST_NAMED], *([f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else [])])
