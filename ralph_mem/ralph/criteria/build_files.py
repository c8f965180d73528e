"""Find the checks that a Makefile, a package.json or the file of a compiled project names."""

import json
import os
import re
import shlex
from collections import namedtuple

from ralph_mem.core import paths
from ralph_mem.ralph.criteria import BUILD_SUCCESS, LINT_CLEAN, TEST_PASS, TYPE_CHECK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from ralph_mem.ralph.criteria.finding import Check, Place

# How to tell one kind of project in a folder, its checks of one type, and whether these see the projects below it.
Tools = namedtuple("Tools", "is_one checks covers")
# Bytes. Files of settings have some thousands; a package.json that a program wrote may have more.
LARGEST = 1_000_000
HEADING = re.compile(r"\s*\[{1,2}([^\[\]]{1,200})\]{1,2}\s*(?:[#;].*)?$")


def text(path: str) -> str:
    """Return a file's text, nothing where it cannot be read."""
    return paths.read(path, LARGEST)


def sections(path: str) -> "dict[str, str]":
    """Return the sections of an INI or TOML file as they are written, by their names; the headings are left out.

    Python reads TOML by itself only since 3.11, and whether a section is there needs no more than this.
    """
    found: dict[str, list[str]] = {}
    name = ""
    for line in text(path).splitlines():
        heading = HEADING.match(line)
        if heading and not line.startswith((" ", "\t")):
            name = heading[1].strip().replace('"', "")
            found.setdefault(name, [])
        elif name:
            found[name].append(line)
    return {name: "\n".join(lines).strip() for name, lines in found.items()}


def of_json(path: str) -> "dict[str, Any]":
    """Return a JSON object from a file, empty where there is none."""
    try:
        value = json.loads(text(path) or "{}")
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def below(values: "dict[str, Any]", key: str) -> "dict[str, str]":
    """Return an object of texts in an object, without what is no text."""
    found = values.get(key)
    return {name: value for name, value in found.items() if isinstance(value, str)} if isinstance(found, dict) else {}


# In make's own order.
MAKEFILES = ("GNUmakefile", "makefile", "Makefile")
TARGETS = {
    TEST_PASS: ("test", "tests", "check", "unittest", "unittests", "run-tests", "run_tests", "runtests"),
    BUILD_SUCCESS: ("build", "all"),
    LINT_CLEAN: ("lint",),
    TYPE_CHECK: ("typecheck", "type-check", "types"),
}
# `name other: needed`; no assignment such as `name := value`, not for one target either, and no line of a recipe.
RULE = re.compile(r"([^\s:=#][^:=#]{0,500}?)\s*::?(?![:=])(?!\s*(?:export\s+|override\s+)*[\w.-]+\s*[:?+!]{0,3}=)(.*)$")


def has_makefile(place: "Place") -> bool:
    """Say whether a folder has a Makefile."""
    return place.has(*MAKEFILES)


def checks_of_make(place: "Place", kind: str) -> "list[Check]":
    """Return the first target of a type that the Makefile has."""
    name, rules, _ = _rules_in(place)
    for target in TARGETS.get(kind, ()):
        if target in rules:
            return [place.check(f"make {target}", ("make", target), name, definition_of_target(place, target))]
    return []


def rules_of(text: str) -> "tuple[dict[str, list[str]], list[str]]":
    """Return the lines of each target, and the lines that belong to none, such as variables and includes."""
    rules: dict[str, list[str]] = {}
    rest: list[str] = []
    targets: list[str] = []
    for line in text.replace("\\\n", " ").splitlines():
        match = RULE.match(line)
        if line.startswith("\t"):
            for target in targets:
                rules[target].append(line)
        elif match:
            targets = match[1].split()
            for target in targets:
                rules.setdefault(target, []).append(line)
        elif line.strip() and not line.startswith("#"):
            rest.append(line)
            targets = [] if not line.startswith((" ", "ifdef", "ifeq", "ifn", "else", "endif")) else targets
    return rules, rest


def definition_of_target(place: "Place", target: str) -> str:
    """Return what decides what a target does: its rule, those it needs or calls, and every variable."""
    _, rules, rest = _rules_in(place)
    wanted, known = [target], set()
    while wanted:
        one = wanted.pop()
        if one in rules and one not in known:
            known.add(one)
            wanted += [word for line in rules[one] for word in re.findall(r"[\w./%-]+", line)]
    return "\n".join([*rest, *[line for one in sorted(known) for line in rules[one]]])


def _rules_in(place: "Place") -> "tuple[str, dict[str, list[str]], list[str]]":
    name = next((name for name in MAKEFILES if place.has(name)), "")
    rules, rest = rules_of(text(os.path.join(place.folder, name)) if name else "")
    return name, rules, rest


# File that tells of a kind -> type of criterion -> words. Tests go on after a failing part, so that each run counts as many.
COMMANDS = {
    "Cargo.toml": {
        TEST_PASS: ("cargo", "test", "--no-fail-fast"),
        BUILD_SUCCESS: ("cargo", "build"),
        LINT_CLEAN: ("cargo", "clippy", "--all-targets", "--", "-D", "warnings"),
        TYPE_CHECK: ("cargo", "check", "--all-targets"),
    },
    "go.mod": {
        TEST_PASS: ("go", "test", "-json", "./..."),
        BUILD_SUCCESS: ("go", "build", "./..."),
        LINT_CLEAN: ("go", "vet", "./..."),
    },
    # without -q, which hides how many tests ran; Gradle would leave reports of the last run where tests cannot be built
    "pom.xml": {TEST_PASS: ("mvn", "-B", "-fae", "test"), BUILD_SUCCESS: ("mvn", "-B", "test-compile")},
    "build.gradle": {TEST_PASS: ("gradle", "cleanTest", "test", "--continue"), BUILD_SUCCESS: ("gradle", "assemble")},
}
COMMANDS["build.gradle.kts"] = COMMANDS["build.gradle"]
COMMANDS["settings.gradle"] = COMMANDS["settings.gradle.kts"] = COMMANDS["build.gradle"]
# Scripts in the project that bring the right version of the tool.
WRAPPERS = {"mvn": "mvnw", "gradle": "gradlew"}
# What tells of modules below.
MODULES = {"pom.xml": "<module>", "settings.gradle": "include", "settings.gradle.kts": "include"}


def is_compiled(place: "Place") -> bool:
    """Say whether a folder holds a project of one of these kinds."""
    return place.has(*COMMANDS)


def checks_of_build(place: "Place", kind: str) -> "list[Check]":
    """Return the checks of one type, one for each kind of project in the folder."""
    found = {}
    for file, commands in COMMANDS.items():
        words = commands.get(kind)
        if words and place.has(file) and words not in found:
            argv = _with_workspace(place, file, words)
            argv = (*_wrapper(place, argv[0]), *argv[1:])
            found[words] = place.check(" ".join(words).partition(" -- ")[0], argv, file, "")
    return list(found.values())


def covers_parts(place: "Place") -> bool:
    """Say whether its checks see the projects below it: a workspace of crates, modules of Maven or Gradle; not modules of Go."""
    if place.has("Cargo.toml"):
        return "workspace" in sections(os.path.join(place.folder, "Cargo.toml"))
    return any(word in text(os.path.join(place.folder, file)) for file, word in MODULES.items())


def _with_workspace(place: "Place", file: str, words: "tuple[str, ...]") -> "tuple[str, ...]":
    if file != "Cargo.toml" or not covers_parts(place):
        return words
    return (*words[:2], "--workspace", *words[2:])


def _wrapper(place: "Place", tool: str) -> "tuple[str, ...]":
    for folder, name in ((place.folder, WRAPPERS.get(tool, "")), (place.top, WRAPPERS.get(tool, ""))):
        path = os.path.join(folder, name)
        if name and os.path.isfile(path):
            path = f"./{name}" if folder == place.folder else path
            return (path,) if os.access(os.path.join(place.folder, path), os.X_OK) else ("sh", path)
    return (tool,)


MANAGERS = {"pnpm-lock.yaml": "pnpm", "yarn.lock": "yarn", "bun.lockb": "bun", "bun.lock": "bun", "package-lock.json": "npm"}
SCRIPTS = {
    TEST_PASS: ("test",),
    BUILD_SUCCESS: ("build",),
    LINT_CLEAN: ("lint",),
    TYPE_CHECK: ("typecheck", "type-check", "check-types", "types", "tsc"),
}
# What `npm init` writes where nobody has thought of tests yet.
NO_TEST = "no test specified"
# Tools that are run by themselves where no script names them: the word in devDependencies, and what to run.
TOOLS = {
    TEST_PASS: (("vitest", ("vitest", "run")), ("jest", ("jest",)), ("mocha", ("mocha",))),
    LINT_CLEAN: (("eslint", ("eslint", ".")),),
}
ESLINT_FILES = tuple(f"eslint.config.{end}" for end in ("js", "mjs", "cjs", "ts")) + tuple(
    f".eslintrc{end}" for end in ("", ".json", ".js", ".cjs", ".yml", ".yaml")
)
# A file of settings that only points to others: without -b the compiler would check nothing, and be content.
POINTS_ELSEWHERE = re.compile(r'"references"\s*:')


def is_node(place: "Place") -> bool:
    """Say whether a folder holds a Node project."""
    return place.has("package.json", "tsconfig.json")


def checks_of_node(place: "Place", kind: str) -> "list[Check]":
    """Return the checks of one type that the project has: its script for that, or else the tool itself."""
    described = of_json(os.path.join(place.folder, "package.json"))
    scripts = below(described, "scripts")
    for name in SCRIPTS.get(kind, ()):
        if scripts.get(name, "").strip() and NO_TEST not in scripts[name]:
            # `bun test` is bun's own runner, whatever the script says
            words = ["test"] if name == "test" and _manager(place) != "bun" else ["run", name]
            argv = (_manager(place), *words)
            return [place.check(shlex.join(argv), argv, "package.json", definition_of_script(place, name))]
    if kind == TYPE_CHECK and place.has("tsconfig.json"):
        settings = text(os.path.join(place.folder, "tsconfig.json"))
        projects = ("-b",) if POINTS_ELSEWHERE.search(settings) else ()
        return [_tool(place, ("tsc", *projects, "--noEmit"), "tsconfig.json", settings)]
    needed = {**below(described, "dependencies"), **below(described, "devDependencies")}
    for name, command in TOOLS.get(kind, ()):
        if name in needed and (name != "eslint" or place.has(*ESLINT_FILES) or "eslintConfig" in described):
            return [_tool(place, command, "package.json", f"{name} {needed[name]}")]
    return []


def covers_workspaces(place: "Place") -> bool:
    """Say whether its checks see the packages below it."""
    described = of_json(os.path.join(place.folder, "package.json"))
    return "workspaces" in described or place.has("pnpm-workspace.yaml", "lerna.json", "nx.json", "turbo.json")


def _manager(place: "Place") -> str:
    for folder in (place.folder, place.top):
        for lock, manager in MANAGERS.items():
            if os.path.exists(os.path.join(folder, lock)):
                return manager
    return "npm"


def _tool(place: "Place", words: "tuple[str, ...]", source: str, definition: str) -> "Check":
    # never one that is fetched from a registry while a loop is at work
    start = ("bunx", "--no-install") if _manager(place) == "bun" else ("npx", "--no-install")
    return place.check(shlex.join(words), (*start, *words), source, definition)


def definition_of_script(place: "Place", name: str) -> str:
    """Return a script with those that run before and after it, and those that it names."""
    scripts = below(of_json(os.path.join(place.folder, "package.json")), "scripts")
    wanted, known = [name], set()
    while wanted:
        one = wanted.pop()
        if one in scripts and one not in known:
            known.add(one)
            wanted += [f"pre{one}", f"post{one}", *re.findall(r"[\w:.-]+", scripts[one])]
    return "\n".join(f"{one}: {scripts[one]}" for one in sorted(known))


NODE = Tools(is_node, checks_of_node, covers_workspaces)
COMPILED = Tools(is_compiled, checks_of_build, covers_parts)
# Makefiles deeper down belong to the one above.
MAKE = Tools(has_makefile, checks_of_make, has_makefile)
