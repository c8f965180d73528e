import pytest
from hypothesis import given
from hypothesis import strategies as st

from ralph_mem.ralph.criteria import evidence
from tests.folded import folded
from tests.ralph.made import a_verdict

# Two failures of one kind, and what stays the same of them.
ALIKE = {
    "KeyError: 'tax'": ("KeyError: 'tax'", "KeyError: 'tax'"),
    "numbers": ("got 12 rows in table orders", "got 7 rows in table orders"),
    "an address": ("<Cart object at 0x7f3a2b> is not callable", "<Cart object at 0x55d01c> is not callable"),
    "a folder": ("No such file: '/tmp/pytest-12/a/prices.json'", "No such file: 'C:\\data\\prices.json'"),
    "a place": ("src/cart.ts(12,5): error TS2322: no such type", "cart.ts(99,1): error TS2322: no such type"),
    "durations": ("timed out after 1.52s (limit 200 ms)", "timed out after 30 seconds (limit 1 s)"),
    "kinds of quotes": ('No module named "shop"', "No module named \u2018shop\u2019"),
    "a value in quotes": ("invalid date: 'May the 1st'", "invalid date: 'June 2'"),
    "a commit": ("commit 3f2a91bc77 is gone", "commit 0a1b2c3d4e5f is gone"),
    "an id": ("job 123e4567-e89b-12d3-a456-426614174000 died", "job 00000000-0000-4000-8000-000000000001 died"),
    "an address of the net": ("refused: http://127.0.0.1:4512/x", "refused: http://localhost/y?z"),
    "colours": ("\x1b[31mTypeError: no cart\x1b[0m", "TypeError: no cart"),
    "lists of numbers": ("shapes (1, 2, 3) differ in cart", "shapes (4, 5) differ in cart"),
    "what stands around it": ("\n=====\nTypeError: no cart\n\n  at x", "TypeError:   no cart"),
    "moments": ("token expired at 2026-01-31T10:20:30.123Z", "token expired at 2025-12-01 00:00:00"),
    "a new temporary folder": ("no config in /tmp/tmpab12_x9", "no config in /tmp/tmpqq7_zz1"),
    "a port": ("refused by localhost:4512", "refused by localhost:50001"),
    "words in capitals": ("TYPEERROR: no cart", "TypeError: no cart"),
}
UNLIKE = {
    "what is missing": ("KeyError: 'tax'", "KeyError: 'price'"),
    "what kind of error": ("KeyError: 'tax'", "AttributeError: 'tax'"),
    "which module": ("No module named 'shop'", "No module named 'cart'"),
    "the number of a diagnostic": ("error TS2322: no", "error TS2345: no"),
    "a name that ends in a number": ("utf8 expected in cart", "utf16 expected in cart"),
    "the file": ("cart.py: no such tax", "till.py: no such tax"),
}


@folded("what", ALIKE)
def test_the_same_failure_has_one_signature_whatever_differs(what):
    one, other = ALIKE[what]
    assert evidence.signature_of("test_a", one) == evidence.signature_of("test_b", other)


@pytest.mark.parametrize("what", UNLIKE)
def test_another_failure_has_another_signature(what):
    one, other = UNLIKE[what]
    assert evidence.signature_of("test_a", one) != evidence.signature_of("test_a", other)


@pytest.mark.parametrize(
    "message",
    [
        "assert 3 == 4",
        "AssertionError",
        "Expected: 3",
        "",
        "exit code 1",
        "assert [1, 2] == [1]",
        "open",
        "assert '2.5 s' == '3 s'",
    ],
)
def test_a_message_that_says_nothing_is_told_apart_by_the_name_of_its_test(message):
    total = evidence.signature_of("tests/test_cart.py::TestCart::test_total[eur]", message)
    assert total == evidence.signature_of("other/test_cart.py::test_total", message)
    assert total != evidence.signature_of("tests/test_cart.py::test_tax", message)


def test_failures_are_told_by_criterion_and_test_and_what_passed_is_none():
    verdicts = [a_verdict({"a::b": "boom"}), a_verdict(name="ruff"), a_verdict({"x": ""}, name="go test", why="1 of 3 fails")]
    assert evidence.failures(verdicts) == {"pytest -q :: a::b": ("a::b", "boom"), "go test :: x": ("x", "1 of 3 fails")}


def test_a_check_without_tests_fails_with_the_first_line_that_speaks_of_an_error():
    verdict = a_verdict(name="make")._replace(status="failed", why="exit code 2", excerpt="cc -c a.c\na.c:1: error: no x\nmake: 2")
    assert evidence.failures([verdict]) == {"make": ("make", "a.c:1: error: no x")}
    assert evidence.failures([verdict._replace(excerpt="")]) == {"make": ("make", "exit code 2")}


@given(message=st.text(max_size=3000))
def test_the_signature_of_a_headline_is_that_of_the_message(message):
    assert evidence.signature_of("test_a", evidence.headline(message)) == evidence.signature_of("test_a", message)
    assert len(evidence.signature_of("test_a", message)) <= evidence.LONGEST_SIGNATURE
