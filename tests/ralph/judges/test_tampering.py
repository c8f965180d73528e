from ralph_mem.ralph import iteration_files
from ralph_mem.ralph.criteria import Criterion
from ralph_mem.ralph.judges import tampering
from ralph_mem.ralph.snapshot import Change
from tests.folded import folded

CHECK = Criterion("custom", "./check.sh", ("./check.sh", "--all"), "/shop", 60, 0, "--criteria", "")
NPM = Criterion("test_pass", "npm test", ("npm", "test"), "/shop", 60, 0, "package.json", "jest")


def looked(path, old, new, *criteria):
    """Look at one file that was one text (or None) and is another."""
    what = "added" if old is None else "deleted" if new is None else "changed"
    change = Change(path.encode(), what, None, None)
    sides = [None if each is None else each.encode() for each in (old, new)]
    return tampering.told([change], lambda _: sides[0], lambda _: sides[1], criteria)


JUDGES = {
    "tests/test_cart.py": "a test", "src/cart.test.ts": "a test", "cart_test.go": "a test", "src/test/java/CartTest.java": "a test",
    "spec/cart_spec.rb": "a test", "conftest.py": "a test", "src/__tests__/cart.js": "a test",
    ".github/workflows/ci.yml": "CI settings", ".gitlab-ci.yml": "CI settings", ".pre-commit-config.yaml": "CI settings",
    "Jenkinsfile": "CI settings", "pytest.ini": "settings of the checks", "pyproject.toml": "settings of the checks",
    "web/tsconfig.build.json": "settings of the checks", ".eslintrc.cjs": "settings of the checks",
    "eslint.config.mjs": "settings of the checks", "ruff.toml": "settings of the checks", "tox.ini": "settings of the checks",
    "mypy.ini": "settings of the checks", "jest.config.js": "settings of the checks",
    "Makefile": "a build file that defines checks", "Cargo.toml": "a build file that defines checks",
}  # fmt: skip
ORDINARY = (
    "src/cart.py",
    "src/contest.py",
    "latest/cart.go",
    "docs/testing.md",
    "src/attest.ts",
    "README.md",
    "ci.py",
    "src/makefile.c",
)


@folded("path", JUDGES)
def test_a_change_of_a_file_that_judges_is_said(path):
    assert looked(path, "a = 1\n", "a = 2\n") == [f"changed {path}, {JUDGES[path]}"]
    assert looked(path, "a = 1\n", None)[0] == f"deleted {path}, {JUDGES[path]}"


@folded("path", ORDINARY)
def test_a_change_of_any_other_file_is_nobody_s_business(path):
    assert looked(path, "a = 1\n", "a = 2\n") == []


def test_a_new_test_is_welcome_and_a_new_conftest_is_said():
    assert looked("tests/test_tax.py", None, "def test_tax():\n    assert tax() == 1\n") == []
    assert looked("tests/conftest.py", None, "import pytest\n") == ["added tests/conftest.py, a test"]


def test_a_file_that_tells_what_the_checks_are_is_said():
    assert looked("check.sh", "pytest\n", "true\n", CHECK) == ["changed check.sh, which tells what the checks are"]
    assert looked("check.sh", "pytest\n", "true\n", NPM) == []


def test_a_source_that_a_check_compiles_is_the_work_that_is_asked_for():
    check = CHECK._replace(argv=("python3", "-m", "compileall", "-q", "cart.py"))
    assert looked("cart.py", "a = 1\n", "a = 2\n", check) == []


@folded("words", ("grep -q done f.txt", "test -f f.txt", "[ -s f.txt ]", "rg -qf patterns.txt f.txt"))
def test_a_file_that_a_check_only_looks_into_is_the_work_that_is_asked_for(words):
    check = CHECK._replace(argv=tuple(words.split()))
    assert looked("f.txt", "a\n", "done\n", check) == []
    patterns = ["changed patterns.txt, which tells what the checks are"] if "patterns" in words else []
    assert looked("patterns.txt", "a\n", "b\n", check) == patterns


def test_a_package_json_is_said_where_its_scripts_changed_and_not_for_a_new_dependency():
    before = '{"scripts": {"test": "jest"}, "dependencies": {}}'
    script, dependency = before.replace("jest", "true"), before.replace("{}", '{"left-pad": "1"}')
    assert looked("package.json", before, script, NPM) == ["changed package.json, which tells what the checks are"]
    assert looked("package.json", before, script) == ["changed package.json, a build file that defines checks"]
    assert looked("package.json", before, dependency, NPM) == looked("package.json", before, dependency) == []
    assert looked("package.json", before, "no json", NPM) == ["changed package.json, which tells what the checks are"]


SKIPS = (
    "@pytest.mark.skip", "@pytest.mark.skipif(True)", "@pytest.mark.xfail", "    pytest.skip('later')", "@unittest.skip('x')",
    "@unittest.expectedFailure", "    self.skipTest('x')",
    "it.skip('adds', () => {", "test.only('adds', () => {", "describe.skip('cart', f)", "it.todo('adds')",
    "xit('adds', f)", "fdescribe('cart', f)", "\tt.Skip()", '\tt.Skipf("x")', "#[ignore]", '#[ignore = "slow"]',
    "@Disabled", '@Disabled("slow")', "@Ignore", '[Ignore("slow")]',
)  # fmt: skip
IGNORES = (
    "x = 1  # noqa", "x = 1  # noqa: E501", "x = y  # type: ignore", "x = y  # type: ignore[arg-type]", "# pyright: ignore",
    "x = f()  # nosec", "# pylint: disable=all", "# ruff: noqa", "x = 1  # pragma: no cover", "// eslint-disable-next-line",
    "/* eslint-disable */", "// @ts-ignore", "// @ts-nocheck", "// @ts-expect-error", "#[allow(dead_code)]", "#![allow(unused)]",
    "//nolint", "x() // nolint:errcheck", '@SuppressWarnings("all")', "/* istanbul ignore next */", "// biome-ignore lint: x",
)  # fmt: skip
HARMLESS = (
    "skip = 3", "def skip_rows(n):", "it('skips a row', () => {", "submit('x')", "# not of this type", "allow = ['a']", "profit(3)",
    "ignored = []", "items.only(3)", "exit(2)", "t.skipped += 1",
)  # fmt: skip


@folded("line", SKIPS)
def test_a_new_skip_marker_is_said_and_one_that_was_there_is_not(line):
    assert looked("src/lib.rs", "a\n", f"a\n{line}\n") == [f"src/lib.rs skips a test: {line.strip()}"]
    assert looked("src/lib.rs", f"{line}\n", f"a\n  {line}\n") == []


@folded("line", IGNORES)
def test_a_new_lint_ignore_is_said_and_one_that_was_there_is_not(line):
    assert looked("src/cart", "a\n", f"a\n{line}\n") == [f"src/cart silences a check: {' '.join(line.split())}"]
    assert looked("src/cart", f"{line}\n", f"a\n  {line}\n") == []


@folded("line", HARMLESS)
def test_what_only_looks_like_one_is_not_said(line):
    assert looked("src/cart", "a\n", f"a\n{line}\n") == []


def test_an_ignore_whose_line_changed_is_not_new_and_a_second_one_is():
    assert looked("a.py", "x = 1  # noqa\n", "x = 2  # noqa\n") == []
    assert looked("a.py", "x = 1  # noqa\n", "x = 1  # noqa\nx = 1  # noqa\n") == ["a.py silences a check: x = 1 # noqa"]


def test_a_check_that_may_end_well_whatever_happens_is_said_and_a_program_that_exits_is_not():
    assert "ci.mk may end with success anyway: pytest || true" in looked("ci.mk", "test:\n", "test:\n\tpytest || true\n")
    assert "tests/conftest.py may end with success anyway: os._exit(0)" in looked(
        "tests/conftest.py", "", "import os\nos._exit(0)\n"
    )
    assert looked("src/cli.py", "", "sys.exit(0)\n") == []


def test_tests_that_are_gone_are_named_and_renamed_or_moved_ones_are_not():
    two = "def test_tax():\n    assert tax() == 1\n\n\ndef test_sum():\n    assert 3\n"
    assert looked("tests/test_cart.py", two, two.replace("def test_tax", "def helper"))[1:] == [
        "tests/test_cart.py lost 1 test: test_tax"
    ]
    swapped = "def test_sum():\n    assert 3\n\n\ndef test_tax():\n    assert tax() == 1\n"
    assert looked("tests/test_cart.py", two, swapped) == ["changed tests/test_cart.py, a test"]


def test_assertions_that_are_gone_are_counted_and_changed_ones_are_not():
    before = "def test_tax():\n    x = tax()\n    assert x == 1\n    assert x > 0\n"
    assert looked("tests/test_cart.py", before, before.replace("    assert x > 0\n", ""))[1:] == [
        "tests/test_cart.py lost 1 assertion"
    ]
    assert looked("tests/test_cart.py", before, before.replace("x == 1", "x == 2")) == ["changed tests/test_cart.py, a test"]
    node = "it('adds', () => {\n  expect(add(1, 2)).toBe(3);\n});\n"
    assert looked("cart.test.js", node, node.replace("  expect(add(1, 2)).toBe(3);\n", ""))[1:] == ["cart.test.js lost 1 assertion"]


def test_bytes_that_are_no_text_and_files_that_are_not_kept_do_no_harm():
    change = Change(b"tests/\xff.py", "changed", None, None)
    assert tampering.told([change], lambda _: b"\xff\xfe\x00", lambda _: None, [])[0] == "changed tests/\ufffd.py, a test"


def test_of_very_many_lines_the_rest_is_counted():
    edited = [Change(f"tests/test_{number}.py".encode(), "changed", None, None) for number in range(100)]
    lines = tampering.told(edited, lambda _: b"a", lambda _: b"b", [])
    assert len(lines) == tampering.MOST_TOLD + 1 and lines[-1] == "and 80 more"


def test_a_line_is_cut_and_its_control_characters_do_not_reach_a_terminal_as_line_ends():
    (line,) = looked("a.py", "", "x = 1  # noqa " + "y" * 5000 + "\x0b\x0cz")
    assert len(line) < 300 and "\n" not in line


@folded(
    ("pattern", "path", "is_protected"),
    [
        ("tests/**", "tests/unit/test_a.py", True), ("tests/", "tests/test_a.py", True), ("tests/**", "src/tests.py", False),
        ("*.lock", "web/yarn.lock", True), ("/Makefile", "Makefile", True), ("/Makefile", "sub/Makefile", False),
        ("conftest.py", "tests/conftest.py", True), ("src/*.py", "src/a/b.py", False),
    ],
)  # fmt: skip
def test_protected_paths_are_matched_as_in_a_gitignore(pattern, path, is_protected):
    assert iteration_files.is_protected(path.encode(), [pattern]) is is_protected


def test_the_changes_of_protected_paths_are_those_to_put_back():
    edited = [b"a.py", b"tests/\xff.py", b"tests/b.py"]
    assert [path for path in edited if iteration_files.is_protected(path, ["tests/"])] == edited[1:]
    assert not any(iteration_files.is_protected(path, []) for path in edited)
