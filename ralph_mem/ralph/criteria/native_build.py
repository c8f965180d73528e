"""Find the checks of a project that CMake or Meson builds."""

import os
import re

from ralph_mem.ralph.criteria import BUILD_SUCCESS, TEST_PASS, build_files

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ralph_mem.ralph.criteria import Criterion
    from ralph_mem.ralph.criteria.finding import Check, Place

CMAKE, MESON = "CMakeLists.txt", "meson.build"
# What tells of tests; they may be added in folders below, which the top then names.
CMAKE_TESTS = re.compile(r"^\s*(?:enable_testing|include)\s*\(\s*(?:CTest\b)?|^\s*add_test\s*\(", re.MULTILINE | re.IGNORECASE)
MESON_TESTS = re.compile(r"^\s*(?:test|subdir)\s*\(", re.MULTILINE)
# Where a person has built it already, their settings are those that count.
FOLDERS = ("build", "_build", "builddir", "cmake-build-debug", "out/build")
CONFIGURED = {CMAKE: "CMakeCache.txt", MESON: "build.ninja"}
# What is changed has to be built before it is tested; a run without a test is no success.
STEPS = {
    (CMAKE, BUILD_SUCCESS): "cmake -S . -B {0} && cmake --build {0}",
    (CMAKE, TEST_PASS): "cmake -S . -B {0} && cmake --build {0} && ctest --test-dir {0} --output-on-failure --no-tests=error",
    (MESON, BUILD_SUCCESS): "meson setup {0} && meson compile -C {0}",
    (MESON, TEST_PASS): "meson setup {0} && meson test -C {0} --print-errorlogs",
}
NAMES = {(CMAKE, TEST_PASS): "ctest", (MESON, TEST_PASS): "meson test", (CMAKE, BUILD_SUCCESS): "cmake --build"}

# These run what lies in a build folder, which git ignores: an agent has built that, and its list of tests.
RUNS_BUILT = re.compile(
    r"(?:^|[;&|(]\s*|\b(?:ba|da|z)?sh\s+(?:-\w+\s+)+|\b(?:env|exec|time|nice|timeout|xvfb-run)\s+(?:[^\s;&|]+\s+)*?)(?:[\w./-]*/)?(?:ctest|meson\s+test\s(?:[^;&|]*\s)?--no-rebuild)(?=$|[\s;&|)])"
)
WARNING = "runs tests and builds nothing that can be seen: it should build first, as nothing built before counts as a success"
SHELLS = ("sh", "bash", "dash", "zsh")
BUILDS = re.compile(
    r"(?:^|[\s;&|(/])(?:cmake\s(?:\S+\s+)*?(?:--build|--workflow|-P)|g?make|ninja|meson(?!\s+test\s(?:[^;&|]*\s)?--no-rebuild)|ctest\s(?:[^;&|]*\s)?(?:--build-and-test|-S|-SP|--script))"
    r"(?=$|[\s;&|)=])"
)


def is_of_what_was_built(argv: "tuple[str, ...]") -> bool:
    """Say whether a command runs tests as somebody has built them, and builds nothing."""
    text = " ".join(argv)
    return bool(RUNS_BUILT.search(text)) and not BUILDS.search(text)


def building(argv: "tuple[str, ...]") -> str:
    """Return what builds before it runs the tests that such a command runs as they are."""
    source = MESON if "--no-rebuild" in " ".join(argv) else CMAKE
    return f'sh -c "{STEPS[source, TEST_PASS].format(FOLDERS[0])}"'


def is_told_to_build_nothing(criterion: "Criterion") -> bool:
    """Say whether the script or the rules behind a criterion run what was built, and no tool that builds stands there."""
    words = criterion.argv[1:2] if criterion.argv[:1] and criterion.argv[0].rpartition("/")[2] in SHELLS else criterion.argv[:1]
    script = build_files.text(os.path.join(criterion.folder, words[0])) if words else ""
    lines = [line.strip(" \t@-+") for line in f"{criterion.definition}\n{script}".splitlines() if not line.lstrip().startswith("#")]
    return any([RUNS_BUILT.search(line) for line in lines]) and not any([BUILDS.search(line) for line in lines])


def warnings(criteria: "list[Criterion]") -> "list[str]":
    """Return a line for each criterion that seems to run what was built before: a person should know before a loop begins."""
    return [f"{each.name} {WARNING}" for each in criteria if is_told_to_build_nothing(each)]


def is_one(place: "Place") -> bool:
    """Say whether a folder is built by one of these."""
    return place.has(CMAKE, MESON)


def checks(place: "Place", kind: str) -> "list[Check]":
    """Return how it is built, or how its tests are run where it has any."""
    source = CMAKE if place.has(CMAKE) else MESON
    steps, described = STEPS.get((source, kind)), build_files.text(os.path.join(place.folder, source))
    if not steps or (kind == TEST_PASS and not _has_tests(source, described)):
        return []
    built = next((name for name in FOLDERS if os.path.exists(os.path.join(place.folder, name, CONFIGURED[source]))), FOLDERS[0])
    return [place.check(NAMES.get((source, kind), "meson compile"), ("sh", "-c", steps.format(built)), source, "")]


def _has_tests(source: str, described: str) -> bool:
    if source == MESON:
        return bool(MESON_TESTS.search(described))
    return any("CTest" in found or "test" in found.lower() for found in CMAKE_TESTS.findall(described))


# A folder below belongs to the one above.
NATIVE = build_files.Tools(is_one, checks, is_one)
