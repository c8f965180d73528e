"""What the tests promise of themselves: a folded table tells each cell that fails, and nothing skips unseen."""

import pytest

from tests import clock
from tests.folded import folded
from tests.tiers import is_excused


@folded("number, wanted", [(1, 1), (2, 3), (3, 4)], ids=["one", "two", "three"])
def a_table(number, wanted):
    assert number == wanted


def test_a_folded_table_names_every_cell_that_fails():
    with pytest.raises(pytest.fail.Exception, match=r"2 of 3 cells:\n\[two\] AssertionError: [\s\S]*\n\[three\] AssertionError: "):
        a_table()


def test_a_table_without_cells_is_a_mistake():
    with pytest.raises(AssertionError, match="proves nothing"):
        folded("number", [])


@pytest.mark.parametrize("reason", ["tmux is not installed", "node is not installed", "npm install of the client 1.2 failed: x"])
def test_the_want_of_a_tool_is_not_excused(reason):
    assert not is_excused(reason)


def test_a_package_of_a_gigabyte_is_excused():
    assert is_excused("the extra `embeddings` is not installed")


A_TEST_THAT_SKIPS = "import pytest\n{}\ndef test_it():\n    pytest.skip('tmux is not installed')\n"


@pytest.mark.parametrize("ci", ["true", ""])
@pytest.mark.parametrize("top", ["", "pytest.importorskip('no_such_package', reason='it is not installed')"])
def test_a_test_that_skips_fails_where_ci_is_true(pytester, monkeypatch, ci, top):
    monkeypatch.setenv("CI", ci)
    names = "pytest_collection_modifyitems, pytest_make_collect_report, pytest_runtest_makereport"
    pytester.makeconftest(f"from tests.tiers import {names}")
    pytester.makepyfile(A_TEST_THAT_SKIPS.format(top))
    outcomes = pytester.runpytest_inprocess("-p", "no:cacheprovider").parseoutcomes()
    assert outcomes == ({"skipped": 1} if not ci else {"errors": 1} if top else {"failed": 1})


@pytest.mark.parametrize("wanted", ["not check and not nightly", "not nightly"])
def test_a_file_for_a_longer_run_is_not_even_read_in_a_shorter_one(pytester, wanted):
    pytester.makeconftest("from tests.tiers import pytest_ignore_collect")
    pytester.makepyfile(test_quick="def test_it(): pass")
    pytester.makepyfile(test_long="import pytest\npytestmark = [\n    pytest.mark.check,\n]\n\nassert not 'read'")
    outcomes = pytester.runpytest_inprocess("-p", "no:cacheprovider", "-m", wanted).parseoutcomes()
    assert outcomes == ({"passed": 1} if "check" in wanted else {"errors": 1})


def test_the_clock_stands_still_only_while_something_waits():
    watch = clock.Watch()
    assert 0 <= watch.lost() <= watch.seconds() and 0 <= watch.free() <= watch.seconds()
