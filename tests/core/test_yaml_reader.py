"""The small reader of config files. What it accepts it reads as PyYAML would; the rest it refuses by line."""

import contextlib

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ralph_mem.core import yaml_reader
from ralph_mem.core.errors import ConfigError

# The values are those of PyYAML's safe_load, with the keys joined by dots.
ACCEPTED = {
    "": {},
    "\n\n# only a comment\n": {},
    "---\na: 1": {"a": 1},
    "a: 1": {"a": 1},
    "a:   1  ": {"a": 1},
    "a : 1": {"a": 1},
    "a: 1 # why": {"a": 1},
    "a: 1\r\nb: 2\r\n": {"a": 1, "b": 2},
    "\ufeffa: 1": {"a": 1},
    "a.b: 1": {"a.b": 1},
    '"a": 1': {"a": 1},
    "'a b': 1": {"a b": 1},
    "a:\n  b: 1\n  c:\n    d: 2\n  e: 3\nf: 4": {"a.b": 1, "a.c.d": 2, "a.e": 3, "f": 4},
    "a:\n    b: 1\nc:\n d: 2": {"a.b": 1, "c.d": 2},
    # words
    "a: true\nb: True\nc: TRUE\nd: yes\ne: on": dict.fromkeys("abcde", True),
    "a: false\nb: False\nc: NO\nd: no\ne: off\nf: Off": dict.fromkeys("abcdef", False),
    "a: null\nb: ~\nc: Null\nd:": dict.fromkeys("abcd"),
    "a: y\nb: truely\nc: none": {"a": "y", "b": "truely", "c": "none"},
    # numbers
    "a: 0\nb: -1\nc: +1\nd: 1_000": {"a": 0, "b": -1, "c": 1, "d": 1000},
    "a: 1.5\nb: .5\nc: -0.25\nd: 1.": {"a": 1.5, "b": 0.5, "c": -0.25, "d": 1.0},
    "a: 1.2.3\nb: 12 lamps\nc: 1-2\nd: -x": {"a": "1.2.3", "b": "12 lamps", "c": "1-2", "d": "-x"},
    # text
    "a: two words": {"a": "two words"},
    "a: it's": {"a": "it's"},
    "a: C#": {"a": "C#"},
    "a: http://lamps.example/#top": {"a": "http://lamps.example/#top"},
    "a: 'true'\nb: \"1\"": {"a": "true", "b": "1"},
    "a: 'it''s'\nb: 'no # comment'": {"a": "it's", "b": "no # comment"},
    'a: "say \\"yes\\""': {"a": 'say "yes"'},
    'a: "\\\\d+ \\\\\\\\"': {"a": "\\d+ \\\\"},
    "a: '\\d+\\'": {"a": "\\d+\\"},
    "a: ''\nb: \"\"": {"a": "", "b": ""},
    'a: "# no comment" # a comment': {"a": "# no comment"},
    # lists
    "a:\n  - 1\n  - two\n  - 'three'": {"a": [1, "two", "three"]},
    "a:\n- 1\n- 2\nb: 3": {"a": [1, 2], "b": 3},
    "a:\n  -   1\n\n  # between\n  - 2": {"a": [1, 2]},
    "a:\n  -\n  - ~": {"a": [None, None]},
    "a:\n  b:\n    - 1\n  c: 2": {"a.b": [1], "a.c": 2},
    "a: [1, two, 'three']": {"a": [1, "two", "three"]},
    "a: []\nb: [ ]": {"a": [], "b": []},
    "a: [1, 2,]": {"a": [1, 2]},
    "a: ['x'] # why": {"a": ["x"]},
    "a:\n  - secret/**\n  - \"*.pem\"\n  - '[a-z]{32}'": {"a": ["secret/**", "*.pem", "[a-z]{32}"]},
}  # fmt: skip

# Line that is named, text.
REFUSED = [
    (1, "no colon"),
    (1, "a:1"),
    (2, "a: 1\nb"),
    (1, "a: 1\n\tb: 2".partition("\n")[2]),
    (2, "a:\n\tb: 1"),
    (2, "a:\n  \tb: 1"),
    (2, "a: 1\na: 2"),
    (3, "a:\n  b: 1\n  b: 2"),
    (1, "- 1"),
    (2, "a: 1\n- 2"),
    (2, "a: 1\n  - 2"),
    (1, "a: &anchor 1"),
    (2, "a: 1\nb: *anchor"),
    (1, "a: !tag 1"),
    (1, "a: !!python/object:os.system x"),
    (1, "a: |"),
    (1, "a: >-"),
    (1, "a: {b: 1}"),
    (2, "a:\n  - {b: 1}"),
    (1, "a: %x"),
    (1, "a: @x"),
    (1, "a: `x`"),
    (1, "a: 'open"),
    (1, 'a: "open'),
    (1, "a: 'one' two"),
    (1, "a: [1, 2"),
    (1, "a: ['x, y']"),
    (1, "a: 'it''s # no comment'"),
    (1, "%YAML 1.2"),
    (2, "a: 1\n..."),
    # what would otherwise be read as something else than PyYAML reads
    (2, "a:\n  - b: 1"),
    (2, "a:\n  - [1, 2]"),
    (2, "a:\n  - - 1"),
    (1, "a: [[1], 2]"),
    (1, "a: b: c"),
    (1, "a: 'b' 'c'"),
    (2, "a: 1\n  b: 2"),
    (2, "a: 1\n---\nb: 2"),
    (1, "a: 017"),
    (1, 'a: "one\\ntwo"'),
]


def flat(values):
    """Leave out the keys that only stand above others."""
    return {key: value for key, value in values.items() if value is not None or not any(k.startswith(key + ".") for k in values)}


@pytest.mark.parametrize("text", ACCEPTED)
def test_what_is_accepted_reads_as_with_pyyaml(text):
    read = flat(yaml_reader.read(text))
    assert read == ACCEPTED[text]
    assert [type(value) for value in read.values()] == [type(value) for value in ACCEPTED[text].values()]


@pytest.mark.parametrize(("line", "text"), REFUSED)
def test_what_is_refused_is_named_with_its_line(line, text):
    with pytest.raises(ConfigError, match=f"^line {line}: "):
        yaml_reader.read(text)


LINES = st.lists(
    st.sampled_from(["", " ", "  ", "\t", "    "]).flatmap(
        lambda indent: st.sampled_from(
            ["a", "a:", "b: ", "- ", "-", "a: 1", "- a: 1", "[", "'", '"', "#", "---", "é: ü", "a: [1, ']"]
        ).map(lambda rest: indent + rest)
    ),
    max_size=8,
).map("\n".join)


@given(LINES | st.text() | st.text(alphabet="ab:- \n\t#'\"[]{},&*!|>%@`~0123456789.\\"))
@example("a: " + "1" * 5000)
@example("a: -" + "9" * 400 + ".0")
@example(":")
@example("- ")
@example(" :\n  - x")
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(ConfigError):
        assert all(isinstance(key, str) for key in yaml_reader.read(text))
