"""Projects that are built before they are tested: Rust, Go, and Java with Maven or Gradle."""

import os

from ralph_mem.ralph.criteria import BUILD_SUCCESS, LINT_CLEAN, TEST_PASS, TYPE_CHECK, configuration

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.criteria.finding import Check, Place

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


def is_one(place: "Place") -> bool:
    """Say whether a folder holds a project of one of these kinds."""
    return place.has(*COMMANDS)


def checks(place: "Place", kind: str) -> "list[Check]":
    """Return the checks of one type, one for each kind of project in the folder."""
    found = {}
    for file, commands in COMMANDS.items():
        words = commands.get(kind)
        if words and place.has(file) and words not in found:
            argv = _with_workspace(place, file, words)
            argv = (*_wrapper(place, argv[0]), *argv[1:])
            found[words] = place.check(" ".join(words).partition(" -- ")[0], argv, file, "")
    return list(found.values())


def covers(place: "Place") -> bool:
    """Say whether its checks see the projects below it: a workspace of crates, modules of Maven or Gradle; not modules of Go."""
    if place.has("Cargo.toml"):
        return "workspace" in configuration.sections(os.path.join(place.folder, "Cargo.toml"))
    return any(word in configuration.text(os.path.join(place.folder, file)) for file, word in MODULES.items())


def _with_workspace(place: "Place", file: str, words: "tuple[str, ...]") -> "tuple[str, ...]":
    if file != "Cargo.toml" or not covers(place):
        return words
    return (*words[:2], "--workspace", *words[2:])


def _wrapper(place: "Place", tool: str) -> "tuple[str, ...]":
    for folder, name in ((place.folder, WRAPPERS.get(tool, "")), (place.top, WRAPPERS.get(tool, ""))):
        path = os.path.join(folder, name)
        if name and os.path.isfile(path):
            path = f"./{name}" if folder == place.folder else path
            return (path,) if os.access(os.path.join(place.folder, path), os.X_OK) else ("sh", path)
    return (tool,)
