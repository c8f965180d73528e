"""A Node project: the scripts of its package.json, run by the package manager whose lock file lies there."""

import os
import re
import shlex

from ralph_mem.ralph.criteria import BUILD_SUCCESS, LINT_CLEAN, TEST_PASS, TYPE_CHECK, configuration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.criteria.finding import Check, Place

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


def is_one(place: "Place") -> bool:
    """Say whether a folder holds a Node project."""
    return place.has("package.json", "tsconfig.json")


def checks(place: "Place", kind: str) -> "list[Check]":
    """Return the checks of one type that the project has: its script for that, or else the tool itself."""
    described = configuration.of_json(os.path.join(place.folder, "package.json"))
    scripts = configuration.below(described, "scripts")
    for name in SCRIPTS.get(kind, ()):
        if scripts.get(name, "").strip() and NO_TEST not in scripts[name]:
            # `bun test` is bun's own runner, whatever the script says
            words = ["test"] if name == "test" and _manager(place) != "bun" else ["run", name]
            argv = (_manager(place), *words)
            return [place.check(shlex.join(argv), argv, "package.json", definition(place, name))]
    if kind == TYPE_CHECK and place.has("tsconfig.json"):
        settings = configuration.text(os.path.join(place.folder, "tsconfig.json"))
        projects = ("-b",) if POINTS_ELSEWHERE.search(settings) else ()
        return [_tool(place, ("tsc", *projects, "--noEmit"), "tsconfig.json", settings)]
    needed = {**configuration.below(described, "dependencies"), **configuration.below(described, "devDependencies")}
    for name, command in TOOLS.get(kind, ()):
        if name in needed and (name != "eslint" or place.has(*ESLINT_FILES) or "eslintConfig" in described):
            return [_tool(place, command, "package.json", f"{name} {needed[name]}")]
    return []


def covers(place: "Place") -> bool:
    """Say whether its checks see the packages below it."""
    described = configuration.of_json(os.path.join(place.folder, "package.json"))
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


def definition(place: "Place", name: str) -> str:
    """Return a script with those that run before and after it, and those that it names."""
    scripts = configuration.below(configuration.of_json(os.path.join(place.folder, "package.json")), "scripts")
    wanted, known = [name], set()
    while wanted:
        one = wanted.pop()
        if one in scripts and one not in known:
            known.add(one)
            wanted += [f"pre{one}", f"post{one}", *re.findall(r"[\w:.-]+", scripts[one])]
    return "\n".join(f"{one}: {scripts[one]}" for one in sorted(known))
