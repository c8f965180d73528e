"""Find the lines by which an output itself says whether a check passed, without regular expressions, for a hook."""

PASSED, FAILED, HINT, FATAL = "passed", "failed", "hint", "fatal"
# FAILED and PASSED are sums that a tool prints; a HINT decides only where no sum is seen, since a test may print the like; what
# is FATAL fails a run whose sum is fine, such as too little coverage.

# By their beginning: the tool, what the line begins with, and what it says.
BEGINNINGS = tuple(
    (beginning, tool, says)
    for tool, says, beginnings in (
        ("pytest", FATAL, ("FAIL Required test coverage", "ERROR: Coverage failure")),
        ("pytest", FAILED, ("INTERNALERROR>", "!!!!!!!!!!")),
        ("pytest", HINT, ("ERROR: ", "E   ", "ImportError while loading conftest")),
        ("unittest", FAILED, ("NO TESTS RAN",)),
        ("cargo", PASSED, ("test result: ok.",)),
        ("cargo", FAILED, ("test result: FAILED.", "error: test failed", "error: could not compile", "error: aborting due to")),
        ("cargo", FAILED, ("error: doctest failed", "error: test run failed", "error: build failed")),
        ("cargo", HINT, ("error[E", "error: ", "Diff in ")),
        ("cargo build", PASSED, ("    Finished ",)),
        ("go", PASSED, ("ok  \t",)),
        ("go", FAILED, ("FAIL\t", "--- FAIL: ")),
        ("go", HINT, ("panic: ", "go: ", "vet: ")),
        ("jest", FAILED, ("No tests found, exiting with code 1",)),
        ("jest", PASSED, ("No tests found, exiting with code 0",)),
        ("jest", HINT, ("FAIL ", "Jest: ")),
        ("vitest", FAILED, ("No test files found, exiting with code 1",)),
        ("vitest", HINT, (" FAIL ",)),
        ("mocha", FAILED, ("Error: No test files found",)),
        ("tap", FAILED, ("Bail out!", "Result: FAIL")),
        ("tap", PASSED, ("All tests successful.", "Result: PASS")),
        ("mypy", PASSED, ("Success: no issues found",)),
        ("ruff", PASSED, ("All checks passed!",)),
        ("ruff", HINT, ("[*] ",)),
        ("black", FAILED, ("Oh no! ",)),
        ("eslint", FATAL, ("ESLint found too many warnings",)),
        ("prettier", PASSED, ("All matched files use Prettier code style",)),
        ("prettier", FAILED, ("[warn] Code style issues", "[error] ")),
        ("make", FAILED, ("ninja: build stopped", "-- Configuring incomplete, errors occurred")),
        ("make", PASSED, ("ninja: no work to do.", "[100%] Built target ")),
        ("make", HINT, ("CMake Error", "FAILED: ", "collect2: error:")),
        ("ctest", FAILED, ("The following tests FAILED:", "Errors while running CTest")),
        ("phpunit", PASSED, ("OK, but incomplete, skipped, or risky tests!",)),
        ("phpunit", FAILED, ("FAILURES!", "ERRORS!")),
        ("rspec", HINT, ("rspec ./",)),
        ("maven", PASSED, ("[INFO] BUILD SUCCESS", "BUILD SUCCESSFUL")),  # Gradle's and Ant's is the second one
        ("maven", FAILED, ("[INFO] BUILD FAILURE", "[ERROR] BUILD FAILURE", "BUILD FAILED", "FAILURE: Build failed")),
        ("maven", HINT, ("[ERROR] ",)),
        ("sbt", PASSED, ("[success] ",)),
        ("sbt", FAILED, ("[error] (",)),
        ("dotnet", PASSED, ("Passed! ", "Test Run Successful.")),
        ("dotnet", FAILED, ("Failed! ", "Test Run Failed.", "Build FAILED.", "Build failed with ")),
        ("dotnet build", PASSED, ("Build succeeded",)),
        ("xcode", PASSED, ("** TEST SUCCEEDED **", "** BUILD SUCCEEDED **", "Build complete!")),
        ("xcode", FAILED, ("** TEST FAILED **", "** BUILD FAILED **")),
        ("gtest", PASSED, ("[  PASSED  ] ", "All tests passed (", "[doctest] Status: SUCCESS!")),
        ("gtest", FAILED, ("[  FAILED  ] ", "[doctest] Status: FAILURE!")),
        ("dart", PASSED, ("All tests passed!", "All specs passed!")),
        ("dart", FAILED, ("Some tests failed.",)),
        ("deno", FAILED, ("FAILED | ",)),
        ("npm", FAILED, ("npm ERR! ", "npm error ", "error Command failed with exit code", 'error: script "', "lerna ERR!")),
        ("yarn", PASSED, ("Done in ", "lerna success run")),
        ("bundle", FAILED, ("error during build:", "Failed to compile", "Build failed in ")),
        ("bundle", PASSED, ("\u2713 built in ",)),
        ("golangci-lint", PASSED, ("0 issues.",)),
        ("phpstan", PASSED, ("[OK] No errors",)),
        ("phpstan", FAILED, ("[ERROR] Found ",)),
        ("nox", HINT, ("nox > Command ",)),
    )
    for beginning in beginnings
)
ANY_BEGINNING = tuple([beginning for beginning, _, _ in BEGINNINGS])  # most lines begin with none, which is seen at once
# By what stands in them somewhere.
INSIDE = (
    ("]: *** ", "make", FAILED), ("make: *** ", "make", FAILED), ("make: Nothing to be done for ", "make", PASSED),
    ("' is up to date.", "make", PASSED), ("congratulations :)", "tox", PASSED), ("evaluation failed :(", "tox", FAILED),
    ("would be reformatted", "black", FAILED), ("error TS", "tsc", FAILED), (" FAILED [", "pytest", HINT),
    ("coverage threshold for ", "jest", FATAL), ("does not meet global threshold", "vitest", FATAL),
    ("Test suite failed to run", "jest", HINT), (" ... FAILED", "cargo", HINT), (" ELIFECYCLE ", "npm", FAILED),
    ("ERR_PNPM", "npm", FAILED), (": command not found", "shell", HINT), ("command not found: ", "shell", HINT),
    (": No module named ", "shell", HINT), (": fatal error: ", "make", HINT), (": error: ", "make", HINT),
    ("undefined reference to ", "make", HINT), ("^-- SC", "shellcheck", HINT), (" compiled successfully", "bundle", PASSED),
    ("fails locally", "bazel", FAILED), ("Build did NOT complete successfully", "bazel", FAILED),
    ("......Failed", "pre-commit", FAILED), ("Successfully ran target", "nx", PASSED),
)  # fmt: skip
TRIED = ("failed", "failures", "failure", "failing", "fail", "errors", "error", "broken")
COUNTED = frozenset(
    "passed pass passing ok success successes succeeded successful test tests example examples run runs total assertions scenario"
    " scenarios spec specs suites features feature steps checks xfailed xpassed skipped deselected warnings warning rerun reruns"
    " pending ignored todo".split()
)
ONLY_PASSED = frozenset("passed skipped xfailed xpassed".split())
FEW_WORDS = {
    "failing": ("mocha", FAILED), "test passed": ("ava", PASSED), "tests passed": ("ava", PASSED), "test failed": ("ava", FAILED),
    "tests failed": ("ava", FAILED), "error": ("javac", FAILED), "errors": ("javac", FAILED), "error generated.": ("javac", FAILED),
    "errors generated.": ("javac", FAILED), "failed": ("playwright", FAILED), "interrupted": ("playwright", FAILED),
}  # fmt: skip
SUMMED_BY = ((" example", "rspec"), ("Assertions: ", "phpunit"), ("Tests run: ", "maven"), (" warning", "pyright"))
# What a tool prints once, when all is done: nothing that failed can stand elsewhere.
FINAL = frozenset(
    "pytest unittest jest vitest tap mypy ruff pyright pylint black eslint prettier ctest rspec phpunit phpstan maven tox".split()
)


def of(line: str) -> "tuple[str, str] | None":
    """Return the tool whose mark a line is, and what it says; None for any other line."""
    if line.startswith(ANY_BEGINNING):
        return next((tool, says) for beginning, tool, says in BEGINNINGS if line.startswith(beginning))
    for part, tool, says in INSIDE:
        if part in line and not line.endswith("(ignored)"):
            return tool, says
    words = line.split()
    for read in (_pytest, _unittest, _linter, _tap, _suites, _few_words, _phrase, _sum):
        found = read(line, words)
        if found:
            return found
    return None


def _says(failed: object) -> str:
    return FAILED if failed else PASSED


def _pytest(line: str, _words: "list[str]") -> "tuple[str, str] | None":
    counted, _, took = line.strip("= ").rpartition(" in ")
    if took.partition(" ")[0][-1:] == "s" and took[:1].isdigit():
        numbers = counts(counted)
        if counted.startswith("no tests ran"):
            return "pytest", FAILED
        if numbers and counted[:1].isdigit() and all([word in COUNTED or word in TRIED for word in numbers]):
            return "pytest", _says(any([numbers.get(word) for word in TRIED]) or ONLY_PASSED.isdisjoint(numbers))
    heading = line.startswith("=====") and line.strip("= ") in ("FAILURES", "ERRORS")
    named = line.startswith(("FAILED ", "ERROR ")) and ("::" in line or ".py" in line)
    return ("pytest", HINT) if heading or named else None


def _unittest(line: str, _words: "list[str]") -> "tuple[str, str] | None":
    if line == "OK" or (line.startswith(("OK (", "PASSED (")) and "=" in line):
        return "unittest", PASSED
    if line.startswith("FAILED (") and "=" in line:
        return "unittest", FAILED
    return ("unittest", HINT) if line.startswith(("FAIL: ", "ERROR: ")) and line.endswith(")") else None


def _linter(line: str, words: "list[str]") -> "tuple[str, str] | None":
    if line.startswith("Your code has been rated at "):
        return "pylint", _says(" 10.00/10" not in line)
    if line.endswith((" would be left unchanged.", "already formatted")):
        return "black", PASSED
    if words[:1] == ["\u2716"] and "problem" in line:
        numbers = counts(line.replace("(", " "))
        return "eslint", _says(numbers.get("error", numbers.get("errors", 0)))
    if words[:1] == ["Found"] and words[1:2] and words[1].isdigit() and " error" in line:
        return ("mypy" if "source file" in line else "ruff"), _says(words[1] != "0" and "0 remaining" not in line)
    return None


def _tap(line: str, words: "list[str]") -> "tuple[str, str] | None":
    if words[:2] == ["not", "ok"] and words[2:3] and words[2].isdigit():
        return None if "# todo" in line.lower() or "# skip" in line.lower() else ("tap", FAILED)
    if words[:1] not in (["#"], ["\u2139"]) or len(words) < 3 or not words[-1].isdigit():
        return None
    if words[1] == "cancelled" and words[-1] != "0":
        return "tap", FAILED
    return ("tap", _says(words[-1] != "0")) if words[1] == "fail" else None


def _suites(line: str, words: "list[str]") -> "tuple[str, str] | None":
    """Tell what jest and vitest say: of their tests alone no success, since a file that could not be loaded has none."""
    numbers = counts(line) if words[:1] in (["Test"], ["Tests:"], ["Tests"], ["Errors"]) else {}
    if words[:2] in (["Test", "Suites:"], ["Test", "Files"]) and (numbers.get("passed") or numbers.get("failed")):
        return ("jest" if words[1] == "Suites:" else "vitest"), _says(numbers.get("failed"))
    if words[:1] in (["Tests:"], ["Tests"]) and words[1:2] and words[1].isdigit() and "Assertions:" not in line:
        alone = ("phpunit", PASSED) if line.endswith("assertions)") else None
        return ("jest", FAILED) if numbers.get("failed") else alone
    return ("vitest", FATAL) if len(words) == 3 and words[0] == "Errors" and numbers else None


def _few_words(line: str, words: "list[str]") -> "tuple[str, str] | None":
    """Tell sums of a number and a word or two."""
    if line == "FAIL" or line.lstrip().startswith("--- FAIL: "):
        return "go", FAILED
    if len(words) < 2 or not words[0].isdigit():
        return None
    rest = " ".join(words[1:])
    if rest in ("pass", "fail"):
        return ("bun", _says(words[0] != "0")) if rest == "fail" else None
    if words[1] == "passing" and (len(words) == 2 or words[2][0] == "("):
        return "mocha", PASSED
    return FEW_WORDS.get(rest) if words[0] != "0" else None


def _phrase(line: str, words: "list[str]") -> "tuple[str, str] | None":
    if words[:1] and words[0].endswith("%") and "tests passed, " in line:
        return "ctest", _says(words[0] != "100%")
    if line.startswith("nox > "):
        failed = line.endswith((" failed.", ": failed", " aborted."))
        return ("nox", _says(failed)) if failed or line.endswith("was successful.") else None
    if line.startswith("OK (") and "test" in line:
        return "phpunit", PASSED
    if line.startswith("All ") and line.endswith(("tests passed.", "tests passed")):
        return "zig", PASSED
    return ("karma", _says(line.endswith("FAILED)"))) if line.startswith("Executed ") and line.endswith(("S", "FAILED)")) else None


def _sum(line: str, _words: "list[str]") -> "tuple[str, str] | None":
    """Tell a line that is made of counts alone, as `3 examples, 0 failures` or `Tests run: 3, Failures: 0`, whoever prints it."""
    line = line.strip()
    if line.startswith(("[INFO] ", "[ERROR] ", "[WARNING] ", "ok | ")):
        line = line.partition(" ")[2].lstrip("| ")
    numbers = counts(line)
    tried = [word for word in numbers if word in TRIED]
    if not tried or len(numbers) < 2 or not (len(tried) == len(numbers) or any([word in COUNTED for word in numbers])):
        return None
    said = [word for word in line.lower().replace(":", " ").replace(",", " ").replace("|", " ").split() if word[:1].isalpha()]
    if len(said) > 3 * len(numbers):  # a sentence with numbers in it
        return None
    return next((tool for sign, tool in SUMMED_BY if sign in line), "sum"), _says(any([numbers[word] for word in tried]))


def counts(text: str) -> "dict[str, int]":
    """Return the numbers of a line by the word behind them, or, where a colon parts them, before them."""
    found: dict[str, int] = {}
    words = text.lower().replace("|", " ").replace(";", " ").replace("(", " ").replace(")", " ").split()
    for at, word in enumerate(words):
        number = word.strip(",.")
        if not number.isdigit() or len(number) > 9:
            continue
        before, behind = words[at - 1] if at else "", words[at + 1].strip(",.") if at + 1 < len(words) else ""
        name = before[:-1] if before[-1:] == ":" and behind not in COUNTED and behind not in TRIED else behind.strip(":")
        if name:
            found[name] = found.get(name, 0) + int(number)
    return found
