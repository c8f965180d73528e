"""Plan files: what they say, and what is refused by line."""

import contextlib
import os
import re
import time
from pathlib import Path

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ralph_mem.core.errors import LoopError
from ralph_mem.ralph.tasks import lists, named_paths, reading
from ralph_mem.ralph.tasks.reading import WORDS

MARKDOWN = """\
# A shop

Prose, and a list that is none of tasks:
- a thing

1. [ ] Totals are `right`
   check: ./check.sh --all
   - test: `tests/test_cart.py::test_total[eur]`
   The rounding is what the bank does.
   files: shop/**, *.md
* [X] Tell of it
      after: 1
      check: grep -q total README.md => 0
```
- [ ] an example
  chek: this
```
"""
YAML = """\
---
# A shop
- title: Totals are `right`
  check: ./check.sh --all
  test: [ 'tests/test_cart.py::test_total[eur]' ]
  files:
    - shop/**
    - "*.md"
- title: Tell of it   # soon
  after: 1
  check: grep -q total README.md => 0
"""


@pytest.fixture
def read(tmp_path):
    def reads(text, name="plan.md"):
        path = tmp_path / name
        path.write_bytes(text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape"))
        return reading.read(str(tmp_path), name, 60).tasks

    return reads


@pytest.mark.parametrize(
    ("text", "name"), [(MARKDOWN, "plan.md"), (YAML, "plan.yaml"), (MARKDOWN.replace("\n", "\r\n"), "plan.md")]
)
def test_a_task_has_its_checks_its_files_and_what_it_comes_after(read, text, name):
    first, second = read(text, name)
    assert (first.number, first.title, first.files, first.after) == (1, "Totals are `right`", ("shop/**", "*.md"), ())
    assert [check.test for check in first.checks] == ["tests/test_cart.py::test_total[eur]", ""]
    assert first.checks[0].criterion.argv[-2:] == ("-q", "tests/test_cart.py::test_total[eur]")
    assert first.checks[1].criterion.argv == ("./check.sh", "--all")
    assert (second.title, second.after, second.checks[0].criterion.expected) == ("Tell of it", (1,), 0)


def test_the_paths_that_checks_name_are_known_before_anybody_has_written_them(read):
    assert named_paths(read(MARKDOWN)) == {"check.sh", "tests/test_cart.py", "README.md"}


TASK = "- [ ] One\n"
REFUSED = {
    "empty": ("", "plan.md", "holds no task"),
    "empty YAML": ("# nothing\n", "plan.yml", "holds no task"),
    "prose alone": ("- one\n- two\n", "plan.md", "holds no task"),
    "no title": ("- [ ]   \n", "plan.md", "line 1: a task without a title"),
    "unknown word": (TASK + "  chek: pytest\n", "plan.md", r"line 2: there is no word `chek:`"),
    "word above": ("check: pytest\n" + TASK, "plan.md", "line 1: `check:` stands below no task"),
    "word beside": (TASK + "check: pytest\n", "plan.md", "line 2: `check:` stands below no task"),
    "empty word": (TASK + "  check:\n", "plan.md", "line 2: nothing is said behind `check:`"),
    "empty test": (TASK + "  test: \n", "plan.md", "line 2: nothing is said behind `test:`"),
    "shell": (TASK + "  check: a && b\n", "plan.md", "line 2: && means nothing here"),
    "open quote": (TASK + "  check: grep 'x\n", "plan.md", "line 2: the command of custom cannot be read"),
    "test of another tool": (TASK + "  test: test/a.spec.js::adds\n", "plan.md", "line 2: .* names no test that can be run"),
    "test outside": (TASK + "  test: ../x/test_a.py::test_b\n", "plan.md", "line 2: .* names no test"),
    "same title": (TASK + "\n- [x]  One\n", "plan.md", "line 3: the title `One` is that of line 1 too"),
    "after nobody": (TASK + "  after: 2\n", "plan.md", "line 2: `after: 2` names no task"),
    "after words": (TASK + "  after: Two\n", "plan.md", "line 2: `after: Two` names no task"),
    "after itself": (TASK + "  after: 1\n", "plan.md", "line 2: task 1 comes after itself"),
    "circle": (TASK + "  after: 2\n- [ ] Two\n  after: 3\n- [ ] Three\n  after: 1\n", "plan.md", "each other: 1 after 2 after 3"),
    "binary": (b"- [ ] One\n\0\0\n", "plan.md", "line 2: no text, but binary"),
    "latin": (b"- [ ] One\n- [ ] Caf\xe9\n", "plan.md", "line 2: not UTF-8 text"),
    "huge": (b"x" * 10_000_000, "plan.md", "is larger than 2 MiB"),
    "many": ("".join(f"- [ ] {number}\n" for number in range(10_001)), "plan.md", "has 10,001 tasks"),
    "YAML mapping": ("title: One\n", "plan.yaml", "line 1: a line that belongs to no task"),
    "YAML of texts": ("- One\n", "plan.yaml", "line 1: `key: value` is needed"),
    "YAML twice": ("- title: One\n  check: a\n  check: b\n", "plan.yaml", "line 3: `check` stands in this task a second time"),
    "YAML word": ("- title: One\n  tests: a\n", "plan.yaml", "line 2: there is no word `tests`"),
    "YAML tab": ("- title: One\n\tcheck: a\n", "plan.yaml", "line 2: "),
    "YAML depth": ("- title: One\n  check:\n    - - a\n", "plan.yaml", "line 3: "),
    "YAML no title": ("- check: a\n", "plan.yaml", "line 1: a task without a title"),
    "YAML flag": ("- title: yes\n", "plan.yaml", "line 1: True is no text"),
    "YAML anchor": ("- &a title: One\n", "plan.yaml", "line 1: "),
    "YAML empty list": ("- title: One\n  check: []\n", "plan.yaml", "line 2: nothing is said behind `check:`"),
}  # fmt: skip


@pytest.mark.parametrize(("text", "name", "says"), REFUSED.values(), ids=REFUSED.keys())
def test_a_plan_that_cannot_be_worked_through_is_refused_by_line_and_stays_as_it_was(read, tmp_path, text, name, says):
    with pytest.raises(LoopError, match=says) as refused:
        read(text, name)
    assert refused.value.hint
    assert (tmp_path / name).read_bytes() == (text if isinstance(text, bytes) else text.encode())


@pytest.mark.parametrize("name", ["gone.md", ".", "../plan.md", "pipe.md", "link.md"])
def test_what_is_no_file_of_the_project_is_no_plan(tmp_path, name):
    (tmp_path / "top").mkdir()
    (tmp_path / "plan.md").write_text(TASK)
    (tmp_path / "top" / "link.md").symlink_to("../plan.md")
    os.mkfifo(tmp_path / "top" / "pipe.md")
    with pytest.raises(LoopError):
        reading.read(str(tmp_path / "top"), name, 60)


@pytest.mark.check
def test_ten_thousand_tasks_are_read_in_seconds(read):
    text = "".join(f"- [ ] task {at}\n  test: tests/test_a.py::test_{at}\n  after: {max(1, at)}\n" for at in range(1, 10_000))
    started = time.process_time()
    assert len(read("- [ ] first\n  check: true\n" + text)) == 10_000
    assert time.process_time() - started < 20


# Whatever the file


LINES = st.lists(
    st.one_of(
        st.text(max_size=30),
        st.sampled_from(
            ["- [ ] ", "- [x] a", "  check: ", "  after: 1", "```", "- title: a", "  test: [a", "    - b", "  files:", "---"]
        ),
    ),
    max_size=12,
)


@given(lines=LINES, name=st.sampled_from(["plan.md", "plan.yaml"]))
@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_nothing_but_a_loop_error_is_raised_whatever_a_file_says(read, lines, name):
    with contextlib.suppress(LoopError):
        read("\n".join(lines).encode("utf-8", "replace"), name)


WORD = st.text("abcxyz0189-_./*", min_size=1, max_size=12).filter(str.strip)
TITLE = st.text(st.characters(codec="utf-8", exclude_categories=("C", "Z")) | st.just(" "), min_size=1).map(
    lambda text: " ".join(text.split())
)
ITEM = st.tuples(TITLE.filter(bool), st.booleans(), st.lists(st.tuples(st.sampled_from(sorted(WORDS)), WORD), max_size=4))


def in_markdown(items):
    """Return tasks as a person would write them."""
    return "".join(
        f"- [{'x' if ticked else ' '}] {title}\n" + "".join(f"  {word}: {value}\n" for word, value in words)
        for title, ticked, words in items
    )


@given(items=st.lists(ITEM, max_size=5))
@settings(max_examples=200)
def test_what_is_written_in_markdown_is_read_again(items):
    found = lists.read_markdown("plan.md", in_markdown(items), WORDS)
    assert [(item.title, item.ticked, [(word, value) for _, word, value in item.words]) for item in found] == items


@given(
    lines=st.lists(
        st.tuples(
            st.sampled_from(["- title: ", "  check: ", "  test:\n    - ", "  files: [", "  after: ", "# "]),
            st.text("ab1 :#'\"[],-{}&|", max_size=8),
        ),
        max_size=6,
    )
)
@settings(max_examples=600)
def test_what_is_read_of_yaml_is_what_pyyaml_reads(lines):
    text = "\n".join(before + value + ("]" if before.endswith("[") else "") for before, value in lines)
    try:
        found = lists.read_yaml("plan.yaml", text, WORDS)
    except LoopError:
        return
    told = yaml.safe_load(text) or []
    assert [" ".join(str(each["title"]).split()) for each in told] == [item.title for item in found]
    for item, each in zip(found, told, strict=True):
        rest = {
            word: [str(value) for value in values] if isinstance(values, list) else str(values) for word, values in each.items()
        }
        assert {word: value for _, word, value in item.words if value != []} == {
            k: v for k, v in rest.items() if k != "title" and v not in ([], "None")
        }


def test_the_examples_of_the_documentation_say_the_same():
    page = (Path(__file__).parents[3] / "docs" / "loop.md").read_text()
    markdown, inyaml = (re.search(rf"```{form}\n(.*?)```", page, re.DOTALL)[1] for form in ("markdown", "yaml"))
    found = [reading.parse("/", name, text, 60).tasks for name, text in (("plan.md", markdown), ("plan.yaml", inyaml))]
    first, second = (
        [(task.title, task.files, task.after, [check.test for check in task.checks]) for task in tasks] for tasks in found
    )
    assert first == second and len(first) == 3
