import pytest

from ralph_mem.core.settings import effective
from ralph_mem.ralph import changes
from ralph_mem.ralph.snapshot import Change


def described(project, files, **changed):
    """Describe files that were one text (or None) and are another."""
    given = [Change(path.encode(), "changed", None, None) for path in files]
    was, now = ({path.encode(): pair[side] for path, pair in files.items()} for side in (0, 1))
    values = {**effective.DEFAULTS, **changed}
    return changes.described(given, lambda change: was[change.path], lambda change: now[change.path], project, values)


def test_a_change_is_told_by_its_lines_and_their_number(a_tree):
    found = described(a_tree, {"shop/cart.py": (b"a = 1\nb = 2\nc = 3\n", b"a = 1\nb = 4\nc = 3\nd = 5\n")})
    assert found == [["shop/cart.py", "changed", 2, 1, "-b = 2\n+b = 4\n+d = 5"]]
    assert changes.told(found) == "shop/cart.py +2 -1"


def test_a_new_file_is_told_by_its_first_lines(a_tree):
    ((_, _, plus, minus, lines),) = described(a_tree, {"new.py": (None, b"".join(b"x = %d\n" % n for n in range(99)))})
    assert (plus, minus) == (99, 0)
    assert lines.splitlines()[0] == "+x = 0" and lines.splitlines()[-1] == "..." and lines.count("\n") == changes.MOST_LINES


def test_what_came_is_told_however_much_went(a_tree):
    ((_, _, plus, minus, lines),) = described(a_tree, {"a.py": (b"".join(b"x = %d\n" % n for n in range(99)), b"y = 1\n")})
    assert (plus, minus) == (1, 99) and "+y = 1" in lines


@pytest.mark.parametrize("content", [b"\x00\x01", None])
def test_what_is_no_text_or_is_not_kept_has_no_lines(a_tree, content):
    assert described(a_tree, {"a.bin": (content, b"\x00\x02")}) == [["a.bin", "changed", 0, 0, ""]]
    assert changes.told([["a.bin", "changed", 0, 0, ""]]) == "a.bin (changed)"


def test_a_file_of_secrets_is_named_and_not_quoted_and_an_excluded_one_not_even_named(a_tree):
    files = {".env": (b"A=1\n", b"A=2\n"), "private/x.py": (b"a\n", b"b\n")}
    assert described(a_tree, files, **{"privacy.exclude_paths": ["private/"]}) == [
        [".env", "changed", 1, 1, ""],
        ["(excluded)", "changed", 0, 0, ""],
    ]


def test_a_secret_in_a_changed_line_is_cut_out(a_tree):
    secret = "ghp_" + "a1B2" * 9
    ((*_, lines),) = described(a_tree, {"a.py": (b"", f"token = '{secret}'\n".encode())})
    assert secret not in lines and "[REDACTED" in lines


def test_of_very_many_files_the_first_are_named_and_the_rest_is_counted(a_tree):
    found = described(a_tree, {f"{number}.py": (b"a\n", b"b\n") for number in range(60)})
    assert len(found) == changes.MOST_FILES
    assert changes.told(found[:10]).endswith(", 2 more") and changes.told(found[:10], 10).endswith(", 12 more")


def test_a_long_text_is_counted_without_being_compared(a_tree):
    found = described(a_tree, {"a.txt": (b"a\n" * 150_000, b"b\n" * 150_001)})
    assert found == [["a.txt", "changed", 1, 0, ""]]


def test_changes_of_an_older_record_have_no_numbers():
    assert changes.told([["a.py", "deleted"]]) == "a.py (deleted)"
    assert changes.lines_of([["a.py", "deleted"]]) == []
