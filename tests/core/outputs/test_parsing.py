"""What tools print, as exact reports: samples are of real runs, but for go, Maven, Gradle, bun, gcc, Rails, RSpec and PHP."""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ralph_mem.core.outputs import parsing
from ralph_mem.core.outputs import report as plain
from ralph_mem.core.outputs.report import Report
from ralph_mem.ralph.criteria import TEST_PASS, Criterion, finding
from tests.folded import folded

OUTPUTS = Path(__file__).parent / "printed"

REPORTS = {
    "bun-failing": Report(2, {"shop > price is right": ""}, skipped=("skipped-1",)),
    "cargo-compile": Report(None, diagnostics=2),
    "cargo-failing": Report(
        4,
        {"shop > tests::price": "assertion `left == right` failed: price is wrong", "outer > outer": "assertion failed: false"},
        skipped=("shop > tests::later",),
    ),
    "cargo-none": Report(0),
    "cargo-passing": Report(4, skipped=("shop > tests::later",)),
    "clippy-broken": Report(None, diagnostics=2),
    "clippy-failing": Report(None, diagnostics=2),
    "ctest-failing": Report(3, {"bad": "price.c:7: price is 2, want 3", "two": ""}, skipped=("skips",)),
    "ctest-none": Report(0),
    "ctest-passing": Report(1),
    "eslint-failing": Report(None, diagnostics=3),
    "eslint-warning": Report(None, diagnostics=1),
    "flake8-failing": Report(None, diagnostics=2),
    "gcc-failing": Report(None, diagnostics=2),
    "go-build": Report(0, {"example.com/shop": "./shop.go:4:9: undefined: price"}, diagnostics=2),
    "go-failing": Report(3, {"example.com/shop.TestPrice/net": "price is 2, want 3"}, skipped=("example.com/shop.TestLater",)),
    "go-none": Report(0),
    "go-panic": Report(1, {"example.com/shop.TestSums": "panic: runtime error: index out of range [3] with length 2 [recovered]"}),
    "go-passing": Report(1),
    "go-plain-failing": Report(
        None, {"example.com/shop.TestPrice/net": "price is 2, want 3", "example.com/shop/tax": "[build failed]"}
    ),
    "go-plain-none": Report(0),
    "go-plain-verbose": Report(1, skipped=("example.com/shop.TestLater",)),
    "go-vet-failing": Report(None, diagnostics=2),
    "gradle-failing": Report(
        4,
        {
            "ShopTest > price()": "org.opentest4j.AssertionFailedError at ShopTest.java:5",
            "ShopTest > Nested > boom()": "java.lang.IllegalStateException at ShopTest.java:6",
        },
        skipped=("skipped-1",),
    ),
    "gradle-none": Report(0),
    "gradle-passing": Report(None),
    "javac-failing": Report(None, diagnostics=2),
    "jest-failing": Report(
        3,
        {
            "shop.test.js > shop > prices > price is right": "expect(received).toBe(expected) // Object.is equality "
            "Expected: 2 Received: 1",
            "other.test.js > b": "boom",
            "broken.test.js": "Cannot find module './nothing' from 'broken.test.js'",
        },
        skipped=("skipped-1", "skipped-2"),
    ),
    "jest-none-passing": Report(0),
    "jest-none": Report(0),
    "jest-passing": Report(1, skipped=("skipped-1", "skipped-2", "skipped-3")),
    "maven-compile": Report(None, diagnostics=2),
    "maven-failing": Report(
        3,
        {
            "shop.ShopTest.price": "org.opentest4j.AssertionFailedError: price is wrong ==> expected: <3> but was: <2>",
            "shop.ShopTest.boom": "java.lang.IllegalStateException: boom",
        },
        skipped=("skipped-1",),
    ),
    "maven-none": Report(0),
    "maven-old-failing": Report(2, {"shop.ShopTest.price": "java.lang.AssertionError: price is wrong expected:<3> but was:<2>"}),
    "maven-passing": Report(1, skipped=("skipped-1",)),
    "meson-failing": Report(2, {"x:bad one": "exit status 1"}, skipped=("x:skips",)),
    "meson-passing": Report(1),
    "minitest-failing": Report(
        5,
        {
            "shop prices#test_0001_adds up": "Expected: 2 Actual: 1 [test/test_s.rb:11]",
            "TestS#test_msg": "price is wrong. Expected: 3 Actual: 2 [test/test_s.rb:7]",
            "TestS#test_boom": "ArgumentError: price is missing [test/test_s.rb:6]",
            "TestS#test_one": "Expected: 3 Actual: 2 [test/test_s.rb:3]",
        },
        skipped=("skipped-1",),
    ),
    "minitest-none": Report(0),
    "minitest-skipped": Report(0, skipped=("skipped-1",)),
    "mocha-failing": Report(
        3,
        {"top": "Error: boom", "shop > prices > price is right": "AssertionError [ERR_ASSERTION]: 1 == 2"},
        skipped=("skipped-1", "skipped-2"),
    ),
    "mocha-missing": Report(0),
    "mocha-none": Report(0),
    "mocha-passing": Report(1),
    "mypy-failing": Report(None, diagnostics=2),
    "mypy-passing": Report(None, diagnostics=0),
    "node-spec-failing": Report(
        3,
        {"shop > prices > price is right": "AssertionError [ERR_ASSERTION]: 1 == 2", "top": "Error: boom"},
        skipped=("skipped-1", "skipped-2"),
    ),
    "node-spec-none": Report(0),
    "node-spec-passing": Report(1, skipped=("skipped-1", "skipped-2", "skipped-3", "skipped-4")),
    "node-tap-empty-file": Report(0),
    "node-tap-failing": Report(
        3,
        {"shop > prices > price is right": "1 == 2", "top": "boom"},
        skipped=("shop > prices > later", "shop > prices > write me"),
    ),
    "node-tap-none": Report(0),
    "node-tap-passing": Report(
        1, skipped=("shop > prices > later", "shop > prices > price is right", "shop > prices > write me", "top")
    ),
    "node-tap-syntax": Report(1, {"/home/ann/node/n2/a.test.js": "test failed"}),
    "pest-failing": Report(
        2,
        {"Tests\\Unit\\ShopTest > it adds prices": "Failed asserting that 2 is identical to 3. [tests/Unit/ShopTest.php:8]"},
        skipped=("skipped-1",),
    ),
    "pest-none": Report(0),
    "phpunit-failing": Report(
        3,
        {
            "ShopTest::testMissing": "RuntimeException: price is missing [Shop.php:9]",
            "ShopTest::testTotal with data set #0 (1, 2)": "Failed asserting that 2 matches expected 3. [ShopTest.php:12]",
        },
        skipped=("skipped-1", "skipped-2"),
    ),
    "phpunit-none": Report(0),
    "phpunit-passing": Report(3),
    "phpunit-skipped": Report(0, skipped=("skipped-1", "skipped-2", "skipped-3")),
    "pyright-failing": Report(None, diagnostics=2),
    "pytest-and-jest": Report(2, skipped=("skipped-1", "skipped-2", "skipped-3")),
    "pytest-conftest": Report(None, {"/home/ann/py/crash/conftest.py": "RuntimeError: 1"}),
    "pytest-crash": Report(None),
    "pytest-deselected": Report(0),
    "pytest-failing": Report(0, {"test_broken.py": ""}),
    "pytest-interrupted": Report(0),
    "pytest-none": Report(0),
    "pytest-passing": Report(1),
    "pytest-shop": Report(
        5,
        {
            "test_shop.py::TestTotal::test_price[2]": "AssertionError: price is wrong",
            "test_shop.py::test_multi": "ValueError: first line",
            "test_shop.py::test_error": "",
        },
        skipped=("skipped-1", "skipped-2"),
    ),
    "pytest-skipped": Report(0, skipped=("skipped-1",)),
    "rails-failing": Report(
        2,
        {
            "PriceTest#test_net_price": "Expected: 3 Actual: 2 [test/models/price_test.rb:6]",
            "PriceTest#test_tax": "NoMethodError: undefined method `tax' for nil:NilClass [app/models/price.rb:4]",
        },
        skipped=("skipped-1",),
    ),
    "rspec-broken": Report(0, {"spec/shop_spec.rb": "NameError: uninitialized constant Shop"}),
    "rspec-failing": Report(
        3,
        {
            "spec/shop_spec.rb > Shop adds prices": "expected: 3 got: 2 [spec/shop_spec.rb:3]",
            "spec/shop_spec.rb > Shop behaves like a list has a size": "ArgumentError: price is missing",
        },
        skipped=("skipped-1",),
    ),
    "rspec-none": Report(0),
    "ruff-failing": Report(None, diagnostics=3),
    "ruff-passing": Report(None, diagnostics=0),
    "tap-bailed": Report(1, {"Bail out!": "Bail out! no database"}),
    "tap-failing": Report(3, {"price is right": "got 2, expected 3"}, skipped=("a test without a name", "write me")),
    "test-unit-failing": Report(
        5,
        {
            "TestU#test: with words (really)": "<3> was expected to be nil. [tu/test_u.rb:9]",
            "TestU#test_boom": "ArgumentError: price is missing [tu/test_u.rb:7]",
            "TestU#test_long": 'price is wrong <"a long text that is one thing"> expected but was '
            '<"a long text that is another thing"> [tu/test_u.rb:8]',
            "TestU#test_one": "<3> expected but was <2> [tu/test_u.rb:3]",
        },
        skipped=("skipped-1", "skipped-2"),
    ),
    "test-unit-passing": Report(1),
    "tsc-failing": Report(None, diagnostics=2),
    "tsc-pretty": Report(None, diagnostics=2),
    "unittest-failing-39": Report(
        4,
        {
            "test_shop.TestTotal.test_error": "ValueError: boom",
            "test_shop.TestTotal.test_price": "AssertionError: 1 != 2 : price is wrong",
            "test_shop.TestTotal.test_sub (n=0)": "AssertionError: 0 != 1",
            "test_shop.TestTotal.test_sub (n=2)": "AssertionError: 2 != 1",
        },
        skipped=("skipped-1",),
    ),
    "unittest-failing": Report(
        4,
        {
            "test_shop.TestTotal.test_error": "ValueError: boom",
            "test_shop.TestTotal.test_price": "AssertionError: 1 != 2 : price is wrong",
            "test_shop.TestTotal.test_sub (n=0)": "AssertionError: 0 != 1",
            "test_shop.TestTotal.test_sub (n=2)": "AssertionError: 2 != 1",
        },
        skipped=("skipped-1",),
    ),
    "unittest-import": Report(0, {"test_b": "ModuleNotFoundError: No module named 'nope'"}),
    "unittest-none": Report(0),
    "unittest-passing": Report(1),
    "vitest-failing": Report(
        2,
        {
            "broken.test.js": "Error: Cannot find module './nothing.js' imported from /home/ann/node/v/broken.test.js",
            "shop.test.js > shop > prices > price is right": "AssertionError: expected 1 to be 2 // Object.is equality",
        },
        skipped=("skipped-1", "skipped-2"),
    ),
    "vitest-none-passing": Report(0),
    "vitest-none": Report(0),
    "vitest-passing": Report(1, skipped=("skipped-1", "skipped-2", "skipped-3")),
}
# Samples that are told apart from all others by the command line alone.
COMMANDS = {
    **dict.fromkeys(["pytest-shop", "pytest-none", "pytest-failing"], ("poetry", "run", "python", "-m", "pytest")),
    **dict.fromkeys(["unittest-failing", "unittest-none"], ("python3", "-m", "unittest")),
    **dict.fromkeys(["cargo-failing", "cargo-none", "cargo-compile"], ("cargo", "test")),
    **dict.fromkeys(["go-failing", "go-build", "go-none"], ("go", "test", "-json", "./...")),
    **dict.fromkeys(["maven-failing", "maven-none"], ("./mvnw", "-B", "test")),
    **dict.fromkeys(["gradle-failing", "gradle-none"], ("./gradlew", "test")),
    **dict.fromkeys(["jest-failing", "jest-none"], ("npx", "--no-install", "jest")),
    **dict.fromkeys(["vitest-failing", "vitest-none"], ("npx", "vitest", "run")),
    **dict.fromkeys(["rspec-failing", "rspec-none"], ("bundle", "exec", "rspec")),
    **dict.fromkeys(["phpunit-failing", "phpunit-none"], ("vendor/bin/phpunit",)),
    **dict.fromkeys(["pest-failing", "pest-none"], ("./vendor/bin/pest",)),
    "mocha-failing": ("node_modules/.bin/mocha",),
    "eslint-failing": ("npx", "eslint", "."),
}
BILLION = """<?xml version="1.0"?><!DOCTYPE lolz [<!ENTITY a "lol"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>
<testsuite><testcase classname="a" name="&b;"/></testsuite>"""
JUNIT = '<testsuites><testsuite><testcase classname="a" name="b"/></testsuite></testsuites>'


def sample(name):
    return (OUTPUTS / name).read_text(encoding="utf-8")


def read_xml(name):
    return parsing.read_junit((OUTPUTS / name).read_bytes())


# Text


def test_every_sample_has_its_report():
    assert sorted(path.stem for path in OUTPUTS.glob("*.txt")) == sorted(REPORTS)


@folded("name", REPORTS)
def test_an_output_of_an_unknown_command_is_recognised(name):
    assert parsing.parse(("./check.sh",), 1, sample(name + ".txt")) == REPORTS[name]


@folded("name", COMMANDS)
def test_an_output_of_a_known_tool_says_the_same(name):
    assert parsing.parse(COMMANDS[name], 1, sample(name + ".txt")) == REPORTS[name]


@folded("name", [name for name in REPORTS if "-none" in name or name.endswith(("-deselected", "-missing"))])
def test_a_run_without_a_single_test_is_told_as_none(name):
    assert parsing.parse((), 0, sample(name + ".txt")).total == 0


@folded(
    "words",
    ["", "done", "1..10", "1..3 of 7", "ok then", "5 passed away", "Tests: none", "100 tests later", "1..3 of 7\nok 1 more"],
)
def test_words_that_are_no_tools_say_nothing(words):
    assert parsing.parse((), 0, words) == Report()


def test_what_a_test_prints_is_not_taken_for_another_tool():
    noise = "Tests:       7 passed, 7 total\nRan 9 tests in 1s\n\nOK\n1..1\nok 1 - mine\n" + sample("pytest-passing.txt")
    assert parsing.parse(("pytest", "-q"), 0, noise) == Report(1)


def test_a_target_named_after_unit_tests_may_run_any_tool():
    assert parsing.parse(("make", "test-unit"), 0, sample("pytest-passing.txt")) == Report(1)


def test_a_sum_of_surefire_may_tell_of_tests_that_passed_again():
    assert parsing.parse(("mvn", "test"), 0, "[WARNING] Tests run: 3, Failures: 0, Errors: 0, Skipped: 1, Flakes: 1\n").total == 2


def test_a_linter_that_finds_nothing_and_says_nothing_found_none():
    assert parsing.parse(("npx", "--no-install", "tsc", "--noEmit"), 0, "").diagnostics == 0
    assert parsing.parse(("npx", "--no-install", "tsc", "--noEmit"), 2, "").diagnostics is None
    assert parsing.parse(("./check.sh",), 0, "").diagnostics is None


def test_what_a_passing_test_prints_is_not_counted_as_a_finding():
    assert parsing.parse((), 0, "Found 3 errors.\n" + sample("pytest-passing.txt")).diagnostics is None
    assert parsing.parse((), 1, "Found 3 errors.\n" + sample("pytest-none.txt")).diagnostics == 3


def test_findings_that_a_tool_has_counted_are_not_counted_again():
    assert parsing.parse((), 1, "a.py:1:8: F401 [*] `os` imported but unused\nFound 1 error.\n").diagnostics == 1


def test_a_line_is_read_up_to_a_limit():
    assert [len(line) for line in plain.plain_lines("a" * 5_000 + "\nb")] == [plain.LONGEST_LINE, 1]


def test_names_of_crates_are_found_where_the_two_streams_are_apart():
    lines = sample("cargo-failing.txt").splitlines(keepends=True)
    names = [line for line in lines if line.startswith(("     Running", "   Doc-tests"))]
    apart = "".join([line for line in lines if line not in names] + names)
    assert parsing.parse(("cargo", "test"), 101, apart) == REPORTS["cargo-failing"]


def test_the_parameters_of_a_test_may_hold_what_parts_it_from_its_message():
    said = "=== short test summary info ===\nFAILED test_a.py::test_b[x - y] - assert 1 == 2\nFAILED test_a.py::test_c[p - q]\n"
    said += "FAILED test_a.py::test_d - in [a - b] - c\n3 failed in 0.1s\n"
    assert parsing.parse(("pytest",), 1, said).failing == {
        "test_a.py::test_b[x - y]": "assert 1 == 2", "test_a.py::test_c[p - q]": "", "test_a.py::test_d": "in [a - b] - c",
    }  # fmt: skip


def test_a_test_that_is_expected_to_fail_counts_as_skipped():
    assert parsing.parse(("pytest",), 0, "=== 2 passed, 1 skipped, 3 xfailed, 1 xpassed in 1.20s (0:01:20) ===") == Report(
        3, {}, ("skipped-1", "skipped-2", "skipped-3", "skipped-4")
    )
    assert parsing.parse((), 0, "Ran 5 tests in 0.1s\n\nOK (skipped=1, expected failures=2)").total == 2


def test_a_message_is_one_line_of_bounded_length():
    said = "=== short test summary info ===\nFAILED a.py::b - " + "x " * 500 + "\n1 failed in 1.0s"
    (message,) = parsing.parse(("pytest",), 1, said).failing.values()
    assert len(message) == plain.LONGEST_MESSAGE and message.endswith("...")


@pytest.mark.check
@settings(max_examples=150, deadline=None)
@given(st.text(max_size=400), st.sampled_from(sorted(COMMANDS.values())))
def test_any_text_can_be_read(text, argv):
    told = [parsing.parse(argv, 1, text), parsing.parse((), 0, text)]
    assert all(report.total is None or report.total >= 0 for report in told)


def _mutated(data, names):
    text = sample(data.draw(st.sampled_from(names)))
    for _ in range(data.draw(st.integers(1, 8))):
        at, length = data.draw(st.integers(0, len(text))), data.draw(st.integers(0, 200))
        piece = data.draw(
            st.one_of(st.text(max_size=30), st.sampled_from(["9" * 40, "\n", "\r", " > ", "(", "\x1b[", "{", '"', "not ok 1"]))
        )
        text = text[:at] + piece + text[at + length :]
    return text


def _can_be_read(data):
    text = _mutated(data, [f"{name}.txt" for name in REPORTS])
    report = parsing.parse(data.draw(st.sampled_from([(), *COMMANDS.values()])), 1, text)
    assert report.total is None or report.total >= 0
    assert all("\n" not in message and len(message) <= plain.LONGEST_MESSAGE for message in report.failing.values())
    assert len(set(report.skipped)) == len(report.skipped)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_damaged_output_can_be_read(data):
    _can_be_read(data)


@pytest.mark.nightly
@settings(max_examples=10_000, deadline=None)
@given(st.data())
def test_any_damaged_output_can_be_read_ten_thousand_times(data):
    _can_be_read(data)


@settings(max_examples=100, deadline=None)
@given(st.data())
def test_any_damaged_report_can_be_read(data):
    parsing.read_junit(_mutated(data, ["pytest-shop.xml", "gradle-report.xml"]).encode("utf-8", "surrogatepass"))


@pytest.mark.check
@folded("piece", ["a", " ", "1 a, ", "(", "a.go:1:", "a:1:1", "/x", " > ", "=", "☃ \x1b[", "E  ", "ok 1 ", "1, ", "a - "])
def test_a_line_of_a_megabyte_takes_no_longer_than_its_length(piece):
    line = piece * (1_000_000 // len(piece))
    text = line + "\n" + "\n".join([piece * (2_000 // len(piece))] * 20)
    began = time.process_time()
    parsing.parse((), 1, text)
    assert time.process_time() - began < 5


# Reports in files


def test_a_report_of_pytest_has_the_ids_of_pytest_itself():
    told = read_xml("pytest-shop.xml")
    assert told == Report(
        5,
        {
            "test_shop.py::TestTotal::test_price[2]": "AssertionError: price is wrong",
            "test_shop.py::test_error": "fixture 'missing_fixture' not found",
            "test_shop.py::test_multi": "ValueError: first line",
        },
        ("test_shop.py::test_known", "test_shop.py::test_later"),
    )
    assert told.failing.keys() == REPORTS["pytest-shop"].failing.keys()


def test_a_file_that_cannot_be_collected_is_named_and_is_no_test():
    assert read_xml("pytest-failing.xml") == Report(
        0, {"test_broken.py": "ModuleNotFoundError: No module named 'nothing_like_this'"}
    )


def test_a_report_of_gradle_is_read_where_its_text_tells_no_number(tmp_path):
    folder = tmp_path / "app" / "build" / "test-results" / "test"
    folder.mkdir(parents=True)
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    shutil.copyfile(OUTPUTS / "gradle-report.xml", folder / "TEST-shop.ShopTest.xml")
    told = parsing.parse_files(str(scratch), ("./gradlew", "test"), str(tmp_path))
    message = "org.opentest4j.AssertionFailedError: price is wrong ==> expected: <3> but was: <2>"
    assert told == Report(2, {"shop.ShopTest.price()": message}, ("shop.ShopTest.later()",))
    assert parsing.parse_files(str(scratch), ("make", "test"), str(tmp_path)) is None
    os.utime(folder / "TEST-shop.ShopTest.xml", (1, 1))
    assert parsing.parse_files(str(scratch), ("./gradlew", "test"), str(tmp_path)) is None  # failures of an earlier run
    (folder / "TEST-shop.ShopTest.xml").write_text(JUNIT)
    os.utime(folder / "TEST-shop.ShopTest.xml", (1, 1))
    assert parsing.parse_files(str(scratch), ("./gradlew", "test"), str(tmp_path)) == Report(1)  # the task is up to date


@pytest.mark.parametrize(
    "data",
    [
        BILLION.encode(),
        BILLION.replace('version="1.0"', 'version="1.0" encoding="utf-16"').encode("utf-16"),
        JUNIT.replace("<testsuites>", '<!DOCTYPE testsuites SYSTEM "http://example.com/a.dtd"><testsuites>').encode(),
        JUNIT[:-20].encode(),
        b"",
        b"<html><body/></html>",
        JUNIT.replace('"b"', '"b\xe9"').encode("latin-1"),
    ],
)
def test_a_report_that_is_dangerous_or_none_is_not_read(data):
    assert parsing.read_junit(JUNIT.encode()) == Report(1)
    assert parsing.read_junit(data) is None


def test_the_encoding_that_a_report_claims_is_not_looked_up():
    assert parsing.read_junit(b'<?xml version="1.0" encoding="nothing"?>' + JUNIT.encode()) == Report(1)


def test_a_huge_report_is_not_read(monkeypatch):
    monkeypatch.setattr(parsing, "LARGEST", len(JUNIT) - 1)
    assert parsing.read_junit(JUNIT.encode()) is None


# Tools that are there


def run(argv, folder, **environment):
    found = subprocess.run(argv, cwd=folder, capture_output=True, text=True, env={**os.environ, **environment}, timeout=60)
    return found.returncode, found.stdout + found.stderr


@pytest.mark.check
def test_pytest_writes_a_report_whose_ids_it_takes_back(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_shop.py").write_text(
        "import pytest\nclass TestPrice:\n    @pytest.mark.parametrize('name', ['a - b', 'c/d::e'])\n"
        "    def test_name(self, name):\n        assert name == 'a - b'\n@pytest.mark.skip\ndef test_later(): pass\n"
    )
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    plain = (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", str(tmp_path))
    criterion = Criterion(TEST_PASS, "pytest", plain, str(tmp_path), 60.0, 0, "", "")
    argv = finding.with_details(criterion, str(scratch))
    code, text = run(argv, tmp_path)
    told = parsing.parse_files(str(scratch), argv, str(tmp_path))
    assert (told.total, told.skipped, code) == (2, ("tests/test_shop.py::test_later",), 1)
    assert list(told.failing) == ["tests/test_shop.py::TestPrice::test_name[c/d::e]"]
    assert list(parsing.parse(argv, code, text).failing) == list(told.failing)
    again = run([*plain, *told.failing], tmp_path)[1]
    assert parsing.parse(plain, 1, again).total == 1


@pytest.mark.parametrize("reporter", ["tap", "spec"])
def test_node_tells_what_failed(tmp_path, reporter):
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    (tmp_path / "shop.test.js").write_text(
        "const { describe, it } = require('node:test'); const assert = require('assert');\n"
        "describe('shop', () => { it('adds', () => {}); it.skip('later', () => {});\n"
        "  it('has prices', () => assert.equal(1, 2)); });\n"
    )
    code, text = run(["node", "--test", f"--test-reporter={reporter}", "shop.test.js"], tmp_path, NODE_OPTIONS="")
    told = parsing.parse(("node", "--test"), code, text)
    assert (told.total, list(told.failing), len(told.skipped), code) == (2, ["shop > has prices"], 1, 1)


def test_unittest_tells_what_failed(tmp_path):
    (tmp_path / "test_shop.py").write_text(
        "import unittest\nclass Prices(unittest.TestCase):\n"
        "    def test_a(self): self.assertEqual(1, 2)\n    def test_b(self): pass\n"
    )
    code, text = run([sys.executable, "-m", "unittest"], tmp_path)
    told = parsing.parse((sys.executable, "-m", "unittest"), code, text)
    assert told == Report(2, {"test_shop.Prices.test_a": "AssertionError: 1 != 2"})
