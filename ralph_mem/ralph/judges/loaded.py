"""Find the files that the settings of runners load into every test, whatever their names are."""

import os
import re

from ralph_mem.ralph.judges import kinds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from ralph_mem.ralph.judges.named import Text

# Settings of the runners of Node, and of pytest.
OF_NODE = re.compile(
    r"(^|/)(package\.json|(jest|vitest|vite|playwright|cypress|ava)\.(config|workspace|setup)[^/]*"
    r"|\.mocharc[^/]*|karma\.conf[^/]*)$"
)
OF_PYTEST = re.compile(r"(^|/)(\.?pytest\.(ini|toml)|tox\.ini|setup\.cfg|pyproject\.toml|conftest\.py)$")
# What they name behind these runs with the tests, or takes part in how they are judged. What else they name may be the product.
KEYS = (
    r"(?:setupFiles\w*|global(?:Setup|Teardown)|testEnvironment|environment|(?:test)?[rR]unner|reporters?|transform|resolver"
    r"|snapshot(?:Resolver|Serializers|Environment)|test(?:Sequencer|ResultsProcessor)|require|import|file|loader|preset|extends)"
)
# Of Babel all is, as it makes each test anew.
OF_BABEL, KEYS_OF_BABEL = re.compile(r"(^|/)(babel\.config[^/]*|\.babelrc[^/]*)$"), r"(?:plugins|presets|extends)"
LISTED = r"""\[(?:"[^"\n]*"|'[^'\n]*'|[^\]"'])*\]"""  # a pattern in it may have such brackets
VALUE = rf"""(?<![\w.])["']?{{keys}}["']?\s*:\s*({LISTED}|\{{{{[^}}}}]*\}}}}|[^,\n}}}}]*)"""
IN_YAML = r"^\s*{keys}\s*:[ \t]*([^\s\[{{][^\n]*|(?:\n\s*-[^\n]*)+)"
QUOTED, WORD = re.compile(r"""["'`]([^"'`\n]+)["'`]"""), re.compile(r"[\w@./*{},-]+")
ENDS = ("", ".js", ".cjs", ".mjs", ".ts", ".cts", ".mts", ".jsx", ".tsx", "/index.js", "/index.ts")
IMPORTED = re.compile(r"""(?:\brequire\(|\bfrom\s|\bimport\s|\bimport\()\s*["'](\.{1,2}/[^"'\n]+)["']""")
# What such a file imports may be the product, unless its name says that it helps to test, to set or to build.
HELPS = re.compile(
    r"(^|[/_.-])(tests?|specs?|testing|helpers?|support|setup|mocks?|stubs?|fakes?|fixtures?|config|configs|tools?|scripts|build|base"
    r"|presets?|plugins?|jest|vitest|mocha|babel)([/_.-]|$)"
)
MAKEFILE = re.compile(r"(^|/)([Mm]akefile|GNUmakefile|[^/]+\.mk)$")
INCLUDES = re.compile(r"^[ \t]*(?:-|s)?include[ \t]+([^\n#]+)", re.MULTILINE)
DEEPEST = 4  # of files that import files
PLUGIN = re.compile(r"(?<![\w-])-p[ \t=]*['\"]?([A-Za-z_][\w.]*)")
PLUGINS = re.compile(r"^pytest_plugins\s*(?::[^=\n]*)?=\s*(\[[^\]]*\]|\([^)]*\)|[^\n]*)", re.MULTILINE)
# A conftest takes hooks over from what it imports whole.
STARRED = re.compile(r"^from[ \t]+([\w.]+)[ \t]+import[ \t]+\*", re.MULTILINE)
BY_ENVIRONMENT = re.compile(r"\bPYTEST_PLUGINS\s*[:?]?=\s*[\"']?([\w.,]+)")
OFFERS_PLUGINS = re.compile(r"pytest11")  # then a plugin is what is being made


def is_setting(path: str) -> bool:
    """Say whether a file of this name may name what is loaded."""
    return bool(OF_NODE.search(path) or OF_PYTEST.search(path) or OF_BABEL.search(path))


def of(paths: "Iterable[str]", text: "Text") -> "frozenset[str]":
    """Return those that the settings and tests among some paths load; `text` says what a path says, None where there is none."""
    every = list(paths)
    of_node = [path for path in every if OF_NODE.search(path) or OF_BABEL.search(path)]
    found = {name for path in of_node for name in _of_node(path, text(path) or "", text)}
    found |= _imported([*of_node, *found], text)
    settings = {path: text(path) or "" for path in every if OF_PYTEST.search(path) or _is_python_test(path)}
    if not any([OFFERS_PLUGINS.search(said) for said in settings.values()]):
        found |= {name for path, said in settings.items() for name in _of_pytest(path, said, text)}
    return frozenset(found)


def included(paths: "Iterable[str]", text: "Text") -> "frozenset[str]":
    """Return what the Makefiles among some paths include, whatever its name is."""
    found: set[str] = set()
    new = {path for path in paths if MAKEFILE.search(path)}
    for _ in range(DEEPEST):
        named = [(path, word) for path in new for said in INCLUDES.findall(text(path) or "") for word in said.split()]
        tried = {os.path.normpath(os.path.join(place, word)) for path, word in named for place in ("", os.path.dirname(path))}
        new = {path for path in tried if not path.startswith(("..", "/")) and text(path) is not None} - found
        found |= new
    return frozenset(found)


def by_command(texts: "Iterable[str]", text: "Text") -> "frozenset[str]":
    """Return the plugins of pytest that are set in an environment by command lines and scripts."""
    names = [name for said in texts for value in BY_ENVIRONMENT.findall(said) for name in value.split(",")]
    return frozenset(_modules(names, "", text))


def words(path: str, said: str, keys: str) -> "list[str]":
    """Return the words behind some keys, an expression for their names, in a file of settings."""
    found = [word for value in re.findall(VALUE.format(keys=keys), said) for word in QUOTED.findall(value)]
    if path.endswith((".yml", ".yaml", ".mocharc")):
        found += [word for value in re.findall(IN_YAML.format(keys=keys), said, re.MULTILINE) for word in WORD.findall(value)]
    return found


def _of_node(path: str, said: str, text: "Text") -> "set[str]":
    keys = KEYS_OF_BABEL if OF_BABEL.search(path) else KEYS
    return {found for word in words(path, said, keys) if (found := _there(os.path.dirname(path), word, text))}


def _imported(files: "list[str]", text: "Text") -> "set[str]":
    """Return what these import, and what that imports, as far as it is none of the product."""
    found: set[str] = set()
    new = {path for path in files if not path.endswith(".json")}
    for _ in range(DEEPEST):
        named = [(os.path.dirname(path), word) for path in new for word in IMPORTED.findall(text(path) or "")]
        new = {path for folder, word in named if (path := _there(folder, word, text)) and _helps(path)} - found
        found |= new
    return found


def _helps(path: str) -> bool:
    return bool(HELPS.search(path)) and path.partition("/")[0] not in kinds.PRODUCT


def _there(folder: str, word: str, text: "Text") -> str:
    """Return the path of a file that is named, empty where it is a package's or not there."""
    path = os.path.normpath(os.path.join(folder, word.replace("<rootDir>", ".").removeprefix("file://")))
    if path.startswith(("..", "/")) or path == ".":
        return ""
    return next((path + end for end in ENDS if text(path + end) is not None), "")


def _of_pytest(path: str, said: str, text: "Text") -> "set[str]":
    names = PLUGIN.findall(said) if not path.endswith(".py") else []
    if path.endswith(".py"):
        names = [name for value in PLUGINS.findall(said) for name in QUOTED.findall(value)]
    found = _modules(names, os.path.dirname(path), text)
    starred = STARRED.findall(said) if path.endswith("conftest.py") else []
    return found | {module for module in _modules(starred, os.path.dirname(path), text) if _helps(module)}


def _is_python_test(path: str) -> bool:
    return path.endswith(".py") and bool(kinds.TEST_FILE.search(path))


def _modules(names: "Iterable[str]", folder: str, text: "Text") -> "set[str]":
    """Return the paths of modules that are imported by their names from the top, from `src` or from a folder."""
    places = [os.path.join(root, name.replace(".", "/")) for name in names for root in (folder, "", "src")]
    tried = [place + end for place in places for end in (".py", "/__init__.py")]
    return {found for found in tried if text(found) is not None}
