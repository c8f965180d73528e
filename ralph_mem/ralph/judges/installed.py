"""Notice what is done during a run to runners that no snapshot holds.

These are installed packages, programs and settings at home. Their digests are taken before the first iteration. What cannot be
put back is not confirmed either.
"""

import os
import re
import shutil
from hashlib import blake2b

from ralph_mem.core import paths
from ralph_mem.ralph.judges import kinds, node_packages

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from ralph_mem.ralph.criteria import Criterion

    # What a folder or a file of runners was, by its path.
    Marks = dict[str, str]

# Programs that a check may start without naming them in its command line.
PROGRAMS = tuple(
    "sh bash env make python python3 pytest py.test coverage tox nox uv poetry node npm npx pnpm yarn bun go cargo rustc cc".split()
)
# Where packages of the system put programs: one that comes there meanwhile counts only where a check names it.
OF_THE_SYSTEM = ("/usr/bin/", "/bin/", "/usr/sbin/", "/sbin/")
FOR_PYTHON = re.compile(r"(python|pypy|pytest|py\.test|coverage|tox|nox|mypy|ruff)")
# Packages of Python that run tests, or that these load by themselves.
RUNNERS = re.compile(
    r"(_?pytest|py\.py|pluggy|iniconfig|nose2?|coverage|_hypothesis\w*|xdist|pytest[-_]\w+|sitecustomize|usercustomize|ward|behave)(\.py|\.so)?$"
)
# Linters, of which nothing is read unless a check names them.
LINTERS = frozenset("mypy ruff flake8 pylint pyright black isort tox nox robot".split())
OF_THE_LIBRARY = ("unittest", "site.py", "doctest.py", "sitecustomize.py", "runpy.py")
# Settings of tools at home, which hold for every project.
AT_HOME = (
    ".npmrc", ".yarnrc", ".yarnrc.yml", ".config/go/env", ".cargo/config", ".cargo/config.toml", ".coveragerc", ".mypy.ini",
    ".config/mypy/config", ".config/ruff/ruff.toml", ".config/ruff/pyproject.toml", ".config/flake8", ".babelrc", ".babelrc.json",
    ".noserc", ".mocharc.json", ".eslintrc", ".eslintrc.json", ".taprc", ".bunfig.toml", ".gradle/init.gradle",
    ".gradle/gradle.properties", ".m2/settings.xml", ".mavenrc", ".pylintrc", "conftest.py", "pytest.ini", "tox.ini", "setup.cfg",
    ".proverc", ".config/git/ignore",
)  # fmt: skip
SITES = ("lib", "lib64", "local/lib")
PACKAGES = re.compile(r"(site|dist)-packages$")
DIGEST_BYTES = 12
LARGEST = 20_000_000  # of a program that is read; a larger one is known by its size and times
MOST_FILES = 4_000  # of one package


def marks(criteria: "Sequence[Criterion]", top: str, environment: "Mapping[str, str]", also: "Iterable[str]" = ()) -> "Marks":
    """Return what runs the checks, each program, folder or file with the digest of what is in it; `also` are more such paths."""
    return _marks(criteria, top, environment, dict.fromkeys(also, ""), 0)


def patched(
    before: "Marks", criteria: "Sequence[Criterion]", top: str, environment: "Mapping[str, str]", since_ns: int = 0
) -> "list[str]":
    """Return a line for each of them that is not as it was, and for each that is new; nothing for a run that kept no marks.

    A path of the tree is seen from its top. `since_ns` is when the marks were taken: what has not changed since is not read again.
    """
    if not before:
        return []
    now = _marks(criteria, top, environment, before, since_ns)
    changed = [f"{path} was changed" for path in before if before[path] and now.get(path, before[path]) != before[path]]
    gone = [f"{path} is gone" for path in before if before[path] and path not in now]
    words = _words(criteria)
    come = [path for path in now if now[path] and path not in before and not _is_harmless(path)]
    here = environment.get("PATH")
    come = [path for path in come if not node_packages.is_harmless(path, before, words, here)]
    new = [f"{path} is new" for path in come if path in words or not now[path].startswith(OF_THE_SYSTEM)]
    near = [f"{path} is new" for path in node_packages.nearer(before, top) if _changed_ns(path) >= since_ns]
    return sorted([line.removeprefix(f"{top.rstrip('/')}/") for line in {*changed, *gone, *new, *near}])


def _words(criteria: "Sequence[Criterion]") -> "set[str]":
    return {word for each in criteria for word in re.findall(r"[\w./-]+", " ".join([*each.argv, each.definition or ""]))}


def are_compiled_since(before: "Marks", since_ns: int) -> bool:
    """Say whether something in the caches of the runners is younger than the marks: it may be compiled from anything."""
    for path in before:
        has_caches = path.startswith("/") and f"/{node_packages.FOLDER}/" not in path
        for folder, _, names in os.walk(path) if has_caches else ():
            if folder.endswith("__pycache__") and any([_changed_ns(f"{folder}/{name}") >= since_ns for name in names]):
                return True
    return False


def _changed_ns(path: str) -> int:
    try:
        return os.lstat(path).st_ctime_ns
    except OSError:
        return 0


def _marks(criteria: "Sequence[Criterion]", top: str, environment: "Mapping[str, str]", before: "Marks", since_ns: int) -> "Marks":
    found = {}
    for name, path in _programs(criteria, environment).items():
        if path and _is_outside(path, top):
            known = before.get(name, "")
            held = known.rpartition(" ")[2] if known.startswith(path + " ") and not _is_younger(path, since_ns) else ""
            found[name] = f"{path} {held or _digest(path)}"
    kept = [path for path in before if path not in found and path.startswith("/") and os.path.lexists(path)]
    for path in dict.fromkeys([*_watched(criteria, top, environment), *kept]):
        found[path] = before[path] if before.get(path) and not _is_younger(path, since_ns) else _digest(path)
    return found


def _is_outside(path: str, top: str) -> bool:
    """Say whether something is in no snapshot: outside of the tree, or installed in it."""
    inside = path.removeprefix(os.path.realpath(top) + "/").removeprefix(top.rstrip("/") + "/")
    return inside == path or not kinds.INSTALLED.isdisjoint(inside.split("/"))


def _is_younger(path: str, since_ns: int) -> bool:
    """Say whether anything in it has changed since; the change time cannot be set back."""
    if not since_ns:
        return True
    try:
        every = [path, *[os.path.join(folder, name) for folder, _, names in _walk(path) for name in ["", *names]]]
        return any([os.lstat(each).st_ctime_ns >= since_ns for each in every])
    except OSError:
        return True


def sites(criteria: "Sequence[Criterion]", environment: "Mapping[str, str]") -> "list[str]":
    """Return the folders of installed Python packages that the checks may import from."""
    found: list[str] = []
    for program in _programs(criteria, environment).values():
        if program and FOR_PYTHON.match(os.path.basename(program)):
            found += _sites_of(program)
    home = environment.get("HOME", "")
    found += _below(f"{home}/.local") if home else []
    by_place = {os.path.realpath(site): site for site in reversed(found)}
    return list(by_place.values())[::-1]


def _sites_of(program: str) -> "list[str]":
    """Return the packages of an interpreter, or of the one that a script's first line names."""
    found = []
    for each in (program, _interpreter_of(program), os.path.realpath(program)):
        found += _below(os.path.dirname(os.path.dirname(each))) if each else []
    return found


def _interpreter_of(program: str) -> str:
    first = paths.read(program, 256).partition("\n")[0]
    return first[2:].split()[0] if first.startswith("#!/") and "env" not in first else ""


def _below(prefix: str) -> "list[str]":
    found = []
    for lib in [f"{prefix}/{name}" for name in SITES]:
        for version in paths.names(lib):
            if version.startswith(("python", "pypy")):
                found += [f"{lib}/{version}/{name}" for name in paths.names(f"{lib}/{version}") if PACKAGES.search(name)]
    return found


def _programs(criteria: "Sequence[Criterion]", environment: "Mapping[str, str]") -> "dict[str, str]":
    """Return the programs that the checks start, as far as their names tell, and where each is found."""
    found = {name: _found(name, "", environment) for name in PROGRAMS}
    for criterion in criteria:
        said = [*criterion.argv[:6], *re.findall(r"[\w./-]+", criterion.definition or "")[:200]]
        names = [word for at, word in enumerate(said) if at == 0 or "/bin/" in word or word in LINTERS]
        found.update({name: _found(name, criterion.folder, environment) for name in names})
    return found


def _found(name: str, folder: str, environment: "Mapping[str, str]") -> str:
    if "/" in name:
        path = os.path.join(folder, name)
        return path if os.path.isfile(path) and os.access(path, os.X_OK) else ""
    return shutil.which(name, path=environment.get("PATH")) or ""


def _watched(criteria: "Sequence[Criterion]", top: str, environment: "Mapping[str, str]") -> "Iterator[str]":
    home = environment.get("HOME", "")
    yield from [f"{home}/{name}" for name in AT_HOME if home and os.path.isfile(f"{home}/{name}")]
    said = " ".join([" ".join([*criterion.argv, criterion.definition or ""]) for criterion in criteria])
    linters = {name for name in LINTERS if name in said}
    for site in sites(criteria, environment):
        if _is_outside(site, top):
            yield from [f"{site}/{name}" for name in paths.names(site) if name in linters or _is_runner(site, name)]
            library = os.path.dirname(site)
            yield from [f"{library}/{name}" for name in OF_THE_LIBRARY if os.path.lexists(f"{library}/{name}")]
    yield from _environments(criteria, environment)
    for place in _led_to(sites(criteria, environment)):
        loads = [name for name in paths.names(place) if _loads_itself(place, name)]
        yield from [place] if os.path.isfile(place) else [f"{place}/{name}" for name in loads]
    yield from node_packages.watched(criteria, top)


def _environments(criteria: "Sequence[Criterion]", environment: "Mapping[str, str]") -> "list[str]":
    """Return the files that say of which interpreter the environments of Python are."""
    found = [f"{os.path.dirname(os.path.dirname(each))}/pyvenv.cfg" for each in _programs(criteria, environment).values() if each]
    return [path for path in dict.fromkeys(found) if os.path.isfile(path)]


def _is_runner(site: str, name: str) -> bool:
    return name.endswith(".pth") or bool(RUNNERS.match(name)) or _loads_itself(site, name)


def _loads_itself(folder: str, name: str) -> bool:
    if name.endswith((".dist-info", ".egg-info")):
        return "pytest11" in paths.read(f"{folder}/{name}/entry_points.txt")
    return name.partition(".")[0] in ("sitecustomize", "usercustomize")


def _led_to(places: "list[str]") -> "list[str]":
    """Return the folders and archives that come last on the path of an interpreter since a file among its packages names them."""
    found = []
    for place in places:
        for name in [name for name in paths.names(place) if name.endswith(".pth")]:
            lines = [line.strip() for line in paths.read(f"{place}/{name}", LARGEST).splitlines()]
            found += [os.path.join(place, line) for line in lines if line and not line.startswith(("import ", "import\t", "#"))]
    return [path for path in dict.fromkeys(found) if os.path.exists(path)]


def _is_harmless(path: str) -> bool:
    """Say whether something new only names folders, which come last on the path of an interpreter, or was made by a runner."""
    if not path.endswith(".pth") or os.path.getsize(path) > LARGEST:
        return False
    return not any([line.startswith(("import ", "import\t")) for line in paths.read(path, LARGEST).splitlines()])


def _digest(path: str) -> str:
    """Return what tells a file or folder from any other; compiled files, which a run writes anew, are told by their source."""
    told = blake2b(digest_size=DIGEST_BYTES)
    for number, file in enumerate(_files(path)):
        if number > MOST_FILES:
            break
        _tell(told, file)
    return told.hexdigest() if os.path.lexists(path) else ""


def _files(path: str) -> "Iterable[str]":
    if not os.path.isdir(path) or os.path.islink(path):
        return [path]
    return [os.path.join(folder, name) for folder, _, names in _walk(path) for name in sorted(names)]


def _walk(path: str) -> "Iterator[tuple[str, list[str], list[str]]]":
    for folder, folders, names in os.walk(path):
        folders[:] = sorted([name for name in folders if name not in ("__pycache__", ".cache", "node_modules")])
        yield folder, folders, [name for name in names if not name.endswith((".pyc", ".pyo"))]


def _tell(told: "blake2b", file: str) -> None:
    try:
        told.update(os.fsencode(file))
        if os.path.islink(file):
            told.update(os.fsencode(os.readlink(file)))
        st = os.stat(file)
        if st.st_size > LARGEST:
            told.update(b"%d %d" % (st.st_size, st.st_mtime_ns))
            return
        with open(file, "rb") as opened:
            told.update(opened.read())
    except OSError:
        told.update(b"?")
