"""The small reader of config files. What it accepts it reads as PyYAML does; the rest it refuses by line."""

import contextlib
import os

import pytest
import yaml
from hypothesis import event, example, given, settings
from hypothesis import strategies as st

from ralph_mem.core.errors import ConfigError
from ralph_mem.core.settings import yaml_subset
from tests.folded import folded

# What ordinary config files use.
ACCEPTED = {
    "": {},
    "\n\n# only a comment\n": {},
    "---\na: 1": {"a": 1},
    "# a comment\n--- # another\na: 1": {"a": 1},
    "a: 1": {"a": 1},
    "a:   1  ": {"a": 1},
    "a : 1": {"a": 1},
    "a: 1 # why": {"a": 1},
    "# a comment may\thave a tab\na: 1 # here\ttoo": {"a": 1},
    "a: 1\r\nb: 2\r\n": {"a": 1, "b": 2},
    "\ufeffa: 1": {"a": 1},
    "a.b: 1": {"a.b": 1},
    '"a": 1': {"a": 1},
    "'a b': 1": {"a b": 1},
    "'yes': 1\n\"1\": 2": {"yes": 1, "1": 2},
    "a:\n  b: 1\n  c:\n    d: 2\n  e: 3\nf: 4": {"a.b": 1, "a.c.d": 2, "a.e": 3, "f": 4},
    "a:\n    b: 1\nc:\n d: 2": {"a.b": 1, "c.d": 2},
    # words
    "a: true\nb: True\nc: TRUE\nd: yes\ne: on": dict.fromkeys("abcde", True),
    "a: false\nb: False\nc: NO\nd: no\ne: off\nf: Off": dict.fromkeys("abcdef", False),
    "a: null\nb: ~\nc: Null\nd:": dict.fromkeys("abcd"),
    "a: y\nb: truely\nc: none": {"a": "y", "b": "truely", "c": "none"},
    # numbers
    "a: 0\nb: -1\nc: +1\nd: 1000": {"a": 0, "b": -1, "c": 1, "d": 1000},
    "a: 1.5\nb: 0.5\nc: -0.25\nd: +1.0": {"a": 1.5, "b": 0.5, "c": -0.25, "d": 1.0},
    "a: 12 lamps\nb: 3rd\nc: -x\nd: .env": {"a": "12 lamps", "b": "3rd", "c": "-x", "d": ".env"},
    # text
    "a: two words": {"a": "two words"},
    "a: it's": {"a": "it's"},
    "a: C#": {"a": "C#"},
    "a: don 't # x'": {"a": "don 't"},
    "a: http://lamps.example/#top": {"a": "http://lamps.example/#top"},
    "a: ~/secrets\nb: \\d{4}\nc: ^x+$\nd: (a|b)": {"a": "~/secrets", "b": "\\d{4}", "c": "^x+$", "d": "(a|b)"},
    "a: ü\nb: 日本\nc: \u0663": {"a": "ü", "b": "日本", "c": "\u0663"},
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
    "a:\n  b:\n  - 1\n  c: 2": {"a.b": [1], "a.c": 2},
    "a: [1, two, 'three']": {"a": [1, "two", "three"]},
    "a: []\nb: [ ]": {"a": [], "b": []},
    "a: [1, 2,]": {"a": [1, 2]},
    "a: ['x'] # why": {"a": ["x"]},
    "a: ['x, y', \"z\" , http://lamps/]": {"a": ["x, y", "z", "http://lamps/"]},
    "a: ['it''s # no comment']": {"a": ["it's # no comment"]},
    "a:\n  - secret/**\n  - \"*.pem\"\n  - '[a-z]{32}'": {"a": ["secret/**", "*.pem", "[a-z]{32}"]},
    # lists of flat mappings
    "a:\n  - b: 1\n    c: 'x' # why\n  # between\n\n  - b: 2\n  - d\ne: 3": {"a": [{"b": 1, "c": "x"}, {"b": 2}, "d"], "e": 3},
    "a:\n- b: 1\n  c:\n- d: two words\ne: 3": {"a": [{"b": 1, "c": None}, {"d": "two words"}], "e": 3},
    "a:\n  -   b: 1\n      c: 2\n  - {b: 3}": {"a": [{"b": 1, "c": 2}, {"b": 3}]},
    "a:\n  - 'b': 1\n    \"c d\": http://x#y": {"a": [{"b": 1, "c d": "http://x#y"}]},
    "a:\n  b:\n    - c: 1\n  d: 2": {"a.b": [{"c": 1}], "a.d": 2},
    "a:\n  - {b: 1, 'c': 'x, y' , d: z}": {"a": [{"b": 1, "c": "x, y", "d": "z"}]},
    "a: [{b: 1}, c, {b: two words,}] # why": {"a": [{"b": 1}, "c", {"b": "two words"}]},
    "a:\n  - {} # nothing\n  - { b : 1 }": {"a": [{}, {"b": 1}]},
    "a:\n  - it is: so\n  - # nothing\n  - 'b: c'": {"a": [{"it is": "so"}, None, "b: c"]},
    # a whole file
    "# ours\n\nrecording: on   # why not\nmemory:\n    # half of it\n    inject_tokens_prompt: 300\n\nprivacy:\n  exclude_paths:\n"
    "  - secrets/**  # theirs\n  # - old/**\n  - 'C: drive'\n  redact_patterns: []\n": {
        "recording": True, "memory.inject_tokens_prompt": 300, "privacy.exclude_paths": ["secrets/**", "C: drive"],
        "privacy.redact_patterns": [],
    },
}  # fmt: skip

# Line that is named, text.
REFUSED = [
    (1, "no colon"),
    (1, "a:1"),
    (2, "a: 1\nb"),
    (1, "\tb: 2"),
    (2, "a:\n\tb: 1"),
    (2, "a:\n  \tb: 1"),
    (2, "a: 1\n\t"),
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
    (1, "a: %x"),
    (1, "a: @x"),
    (1, "a: `x`"),
    (1, "a: 'open"),
    (1, 'a: "open'),
    (1, "a: 'one' two"),
    (1, "a: [1, 2"),
    (1, "a: ['x, y'"),
    (1, "%YAML 1.2"),
    (2, "a: 1\n..."),
    # what would otherwise be read as something else than PyYAML reads
    (3, "a:\n  - b: 1\n    b: 2"),
    (3, "a:\n  - b: 1\n   c: 2"),
    (3, "a:\n  - b: 1\n      c: 2"),
    (3, "a:\n  - b:\n      c: 2"),
    (3, "a:\n  - b:\n    - c"),
    (3, "a:\n  - b\n    c: 1"),
    (2, "a:\n  - b: [c]"),
    (2, "a:\n  - b: {c: d}"),
    (2, "a:\n  - b: c: d"),
    (2, "a:\n  - yes: 1"),
    (2, "a:\n  - - b: 1"),
    (2, "a:\n  - {b: 1"),
    (2, "a:\n  - {b: 1, b: 2}"),
    (2, "a:\n  - {b}"),
    (2, "a:\n  - {b:1}"),
    (2, "a:\n  - {b: }"),
    (2, "a:\n  - {b: [c]}"),
    (2, "a:\n  - {b: {c: 1}}"),
    (2, "a:\n  - {b: 1}: c"),
    (2, "a:\n  - {b: c]}"),
    (2, "a:\n  - {,}"),
    (2, "a:\n  - [1, 2]"),
    (2, "a:\n  - - 1"),
    (1, "a: [[1], 2]"),
    (1, "a: b: c"),
    (1, "a: 'b' 'c'"),
    (2, "a: 1\n  b: 2"),
    (2, "a: 1\n---\nb: 2"),
    (1, "a: 017"),
    (1, 'a: "one\\ntwo"'),
    (2, "a: one\n  two"),
    (2, "a:\n  one"),
    (3, "a:\n  - one\n    two"),
    (3, "a:\n  - one\n    - two"),
    (2, "a: 1\nb: [c,\n  d]"),
    (2, "a:\na:"),
    (3, "a:\n  b: 1\na:\n  c: 1"),
    (3, "a:\n  b: 1\na.b: 1"),
    (3, "a:\n    b: 1\n  c: 2"),
    (2, "  a: 1\nb: 2"),
    (2, "a: ~\n  b: 1"),
    (2, "a: ''\n  b: 1"),
    (1, " ---\na: 1"),
    (2, "---\n---\na: 1"),
    (1, "--- a: 1"),
    (9, "".join(f"{' ' * depth}a:\n" for depth in range(20))),
    (1, "a" * 200 + ": 1"),
    *[(1, f"a: {value}") for value in ("1e3", "1_000", "0x1F", "0o7", "0b1", "12:30", "1:2:3.5", "2026-01-01", "1.", ".5", "-.5")],
    *[(1, f"a: {value}") for value in (".inf", "-.INF", ".nan", "tRue", "nULL", "=", "<<", "00", "01.5", "1.2.3", "9" * 40)],
    *[
        (1, f"a: {value}")
        for value in ("? b", "?b", ", b", "]", "}", "- b", "-", ":b", "'b'#c", "[b]#c", "b\tc", "b\t", "\tb", "b:")
    ],
    *[
        (1, f"a: {value}")
        for value in ("[b", "[b,,c]", "[,]", "[b: c]", "[b?]", "[{]", "[b #c]", "['b' 'c']", "[b]]", "[-]", "[\tb]", "[{b: c} d]")
    ],
    *[
        (1, f"{key}: 1")
        for key in ("yes", "On", "null", "~", "1", "1.5", "<<", "=", "?", "? a", "-a", "a#", "a]", "'a", "''", "a\t")
    ],
    *[(2, f"a: 1\n# b{char}c: 2") for char in "\x85\u2028\u2029\x0b\x0c\x1c\x00\r\ufeff\udc80\uffff"],
]


def flat(values, above=""):
    """Join the keys of what PyYAML returns; a key that is no text must not have been accepted, and stays as it is."""
    found = {}
    for key, value in values.items():
        name = above + key if isinstance(key, str) else key
        inner = flat(value, f"{name}.") if isinstance(value, dict) and value else {name: value}
        assert not found.keys() & inner.keys()
        found |= inner
    return found


def told_apart(values):
    """Return the values in a form that tells 1 from true and from 1.0."""
    return {key: repr(value) for key, value in values.items()}


@folded("text", ACCEPTED)
def test_what_is_accepted_reads_as_with_pyyaml(text):
    read = told_apart(yaml_subset.read(text))
    assert read == told_apart(ACCEPTED[text])
    assert read == told_apart(flat(yaml.safe_load(text) or {}))


@folded(("line", "text"), REFUSED)
def test_what_is_refused_is_named_with_its_line(line, text):
    with pytest.raises(ConfigError, match=f"^line {line}: "):
        yaml_subset.read(text)


# Against PyYAML. When this was written, a million such texts and more were tried (RALPH_MEM_EXAMPLES).

KEYS = (
    *(
        "memory",
        "auto_inject",
        "recording",
        "privacy",
        "a",
        "b.c",
        "'a'",
        '"on"',
        "on",
        "yes",
        "1",
        "null",
        "é",
        "a b",
        "x-y",
        "_z",
    ),
    *("<<", "~", "a/b", "'a.b'", "-a", "? a"),
)
ORDINARY = ("1", "600", "0.5", "true", "off", "two words", "'x'", '"y"', "[a, b]", "[]", "", "secrets/**", "'it''s'", "x # why")
ODD = (
    *(
        "0",
        "-1",
        "+1",
        "017",
        ".5",
        "1.",
        "1e3",
        "1.0e+3",
        "1_000",
        "0x1F",
        "0o7",
        "0b1",
        "12:30",
        "12:30.5",
        "2026-01-01",
        "2026-1-1",
    ),
    *(
        "2026-01-01 12:00:00",
        "tRue",
        "Yes",
        "null",
        "~",
        ".inf",
        "-.inf",
        ".nan",
        "=",
        "<<",
        "'a\tb'",
        '"a\\"b"',
        '"\\\\"',
        '"\\n"',
    ),
    *(
        "it's",
        "C#",
        "a #b",
        "#c",
        "http://x/#y",
        "*.pem",
        "&a",
        "*a",
        "!x",
        "!!str x",
        "|",
        ">-",
        "{}",
        "{a: 1}",
        "%x",
        "@x",
        "`x`",
    ),
    *(
        "[1, 'x, y', \"z\"]",
        "[a,]",
        "[,]",
        "[a,,b]",
        "[[a]]",
        "[a: b]",
        "['a': b]",
        "[a",
        "a]",
        "]",
        "}",
        ",",
        "- x",
        "-",
        "-x",
        "---",
    ),
    *(
        "...",
        "? x",
        "?x",
        ":x",
        "a:",
        "a: b",
        "a:b",
        "^a+$",
        "\\d{4}",
        "'a' b",
        "'a'#b",
        "'a' # b",
        "[a] # b",
        "[a]# b",
        "[a#b]",
        "[-]",
    ),
    *(
        "[- a]",
        "[a?b]",
        "[a:]",
        "[#a]",
        "x\ty",
        "\tx",
        "x\t",
        "1 # x\ty",
        "00",
        "-0",
        "1.2.3",
        "12 lamps",
        "1-2",
        "a,b",
        "'",
        '"',
        "''",
    ),
    *(
        "'''",
        "y",
        "5ab12",
        "+",
        "-1x",
        ".x",
        "..",
        "~/x",
        "\\",
        "a\xa0b",
        "x\u2028y",
        "x\x85y",
        "x\ufeff",
        "\u0663",
        "x\x0by",
        "x\x1cy",
    ),
)
STRAY = "ab:- \n\t#'\"[]{},&*!|>@`~019.\\?=<_+eExo\r\x85\u2028\u2029\ufeff\x00\x0b\x0c\x1c\xa0\u3000\u0663"

values = st.sampled_from(ORDINARY) | st.sampled_from(ORDINARY + ODD)
indents = st.sampled_from(["", "", "", "  ", "  ", "    ", " ", "\t"])
pairs = st.tuples(indents, st.sampled_from(KEYS), st.sampled_from([": ", ": ", ": ", ":", " : ", ":  ", ":\t"]), values).map(
    "".join
)
heads = st.tuples(indents, st.sampled_from(KEYS), st.sampled_from([":", ":", ": # why"])).map("".join)
items = st.tuples(indents, st.sampled_from(["- ", "- ", "-", "-  ", "-\t"]), values).map("".join)
colons = st.sampled_from([": ", ": ", ": ", ":", " : "])
braces = st.lists(st.tuples(st.sampled_from(KEYS), colons, values).map("".join), max_size=3).map(
    lambda few: "{" + ", ".join(few) + "}"
)
mappings = st.tuples(indents, st.sampled_from(["- ", "- ", "-  "]), st.sampled_from(KEYS), colons, values).map("".join)
flows = st.tuples(indents, st.sampled_from(["- ", "a: [", "'b': [x, "]), braces, st.sampled_from(["", "]", ",]", " # why"])).map(
    "".join
)
others = st.sampled_from(["", "  ", "# why", "   # why", "# a\ttab", "---", "--- # why", " ---", "...", "plain", "\t# why"])
heaps_of_lines = st.lists(pairs | pairs | heads | items | mappings | flows | others, max_size=7)


@st.composite
def criteria(draw):
    """The lines of a list of flat mappings, as people write it."""
    outer = draw(st.sampled_from(["", "  "]))
    margin = outer + draw(st.sampled_from(["", "  ", "    "]))
    lines = [outer + "checks:"] if not outer else ["ralph:", outer + "checks:"]
    for _ in range(draw(st.integers(1, 3))):
        names = draw(st.lists(st.sampled_from(["type", "command", "'expected'", "x y"]), min_size=1, unique=True))
        spaces = draw(st.sampled_from([" ", " ", "  "]))
        texts = [f"{name}: {draw(st.sampled_from(ORDINARY) | values)}" for name in names]
        flow = margin + "- {" + ", ".join(texts) + "}"
        block = [margin + "-" + spaces + texts[0], *[margin + " " + " " * len(spaces) + text for text in texts[1:]]]
        lines += draw(st.sampled_from([block, block, [flow], [*block, "", margin + "  # why"]]))
    return [*lines, *draw(st.lists(pairs, max_size=1))]


@st.composite
def sections(draw):
    """The lines of a config as people write it, but that one value may be odd."""
    lines = []
    for name in draw(st.lists(st.sampled_from(["memory", "'q'", "é", "a b", "x.y"]), unique=True, max_size=3)):
        margin, leaf = draw(st.sampled_from([("  ", "key{}: "), (" ", "'k{}': "), ("    ", "- "), ("", "- "), ("", "")]))
        count = draw(st.integers(1, 3)) if leaf else 0
        lines += [f"{name}:" if leaf else f"{name}: {draw(st.sampled_from(ORDINARY))}"]
        lines += [margin + leaf.format(number) + draw(st.sampled_from(ORDINARY)) for number in range(count)]
    at = draw(st.integers(0, len(lines)))
    if at < len(lines) and draw(st.booleans()):
        lines[at] = lines[at][: max(lines[at].find(": ") + 2, lines[at].find("- ") + 2)] + draw(st.sampled_from(ODD))
    return [*lines[:at], *draw(st.lists(others, max_size=1)), *lines[at:]]


@st.composite
def config_texts(draw):
    """Lines joined to a text, with up to two characters written into it or over others."""
    text = draw(st.sampled_from(["\n", "\n", "\r\n", "\r"])).join([*draw(sections() | criteria() | heaps_of_lines), ""])
    for _ in range(draw(st.sampled_from([0, 0, 1, 1, 2]))):
        at = draw(st.integers(0, len(text)))
        text = text[:at] + draw(st.sampled_from(STRAY)) + text[at + draw(st.integers(0, 1)) :]
    return text


@given(config_texts())
@settings(max_examples=int(os.environ.get("RALPH_MEM_EXAMPLES", "3000")))
def test_what_is_accepted_is_what_pyyaml_reads(text):
    try:
        read = yaml_subset.read(text)
    except ConfigError:
        return
    event("accepted")
    assert told_apart(read) == told_apart(flat(yaml.safe_load(text) or {}))


@given(config_texts() | st.text() | st.text(alphabet="ab:- \n\t#'\"[]{},&*!|>%@`~0123456789.\\"))
@example("a: " + "1" * 5000)
@example("a: -" + "9" * 400 + ".0")
@example(":")
@example("- ")
@example(" :\n  - x")
@example("'")
@example('a: "\\')
def test_any_text_is_read_or_refused(text):
    with contextlib.suppress(ConfigError):
        assert all(isinstance(key, str) for key in yaml_subset.read(text))


# Files


def test_a_file_of_64_kib_is_read_and_a_larger_one_refused(tmp_path):
    file = tmp_path / "config.yaml"
    file.write_text("#" * 65_535 + "\n")
    assert len(yaml_subset.text_of(str(file))) == 65_536
    file.write_text("#" * 65_536 + "\n")
    with pytest.raises(ConfigError, match="larger than 64 KiB"):
        yaml_subset.text_of(str(file))


def test_what_is_no_file_of_text_is_refused(tmp_path):
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "latin").write_bytes("a: 1\nb: \u00e9\n".encode("latin-1"))
    (tmp_path / "loop").symlink_to("loop")
    reasons = {
        ".": "is a folder",
        "fifo": "not a regular file",
        "latin": "^line 2: not UTF-8",
        "loop": "cannot be",
        "none": "cannot be",
    }
    for name, why in reasons.items():
        with pytest.raises(ConfigError, match=why):
            yaml_subset.text_of(str(tmp_path / name))
