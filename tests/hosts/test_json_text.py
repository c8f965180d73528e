"""What is put into JSON that somebody has written stands at the end, and taken out again leaves every byte as it was."""

import json

from hypothesis import assume, given
from hypothesis import strategies as some

from ralph_mem.hosts import json_text

NAMES = some.text(max_size=3)
VALUES = some.recursive(
    some.none() | some.integers() | some.text(max_size=5) | some.just('},]\\"'),
    lambda inner: some.lists(inner, max_size=3) | some.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
OURS = {"Start": [{"hooks": [{"command": "x\n"}]}], "Stop": [{"a": 1}]}


@some.composite
def written(draw):
    """Return an object as some program or person may have written it."""
    values = draw(some.dictionaries(NAMES, VALUES, max_size=3))
    indent = draw(some.sampled_from([None, 0, 2, 3, "\t"]))
    text = json.dumps(values, indent=indent, separators=draw(some.sampled_from([(",", ":"), (" , ", " : "), (",\n\n", ":\n")])))
    ends = draw(some.sampled_from(["", "\n", "\n\n", " "]))
    text = text.replace("{}", draw(some.sampled_from(["{}", "{ }", "{\n }"]))) if "\\" not in text else text
    return (text + ends).replace("\n", draw(some.sampled_from(["\n", "\r\n"])))


@given(written(), some.sampled_from(["hooks", "\u00e9"]))
def test_a_member_is_put_at_the_end_and_cut_with_all_that_was_made_for_it(text, name):
    assume(name not in json.loads(text))
    put = json_text.put(text, (), {name: OURS})
    assert list(json.loads(put).items()) == [*json.loads(text).items(), (name, OURS)]
    for way in ((name, "Start", 0), (name, "Stop", 0)):
        put = json_text.cut(put, way)
    assert put == text


@given(written())
def test_an_item_is_put_into_each_list_and_object_and_cut_again(text):
    for key, value in json.loads(text).items():
        if isinstance(value, list):
            put, now, way = json_text.put(text, (key,), [OURS]), [*value, OURS], len(value)
        elif isinstance(value, dict):
            put, now, way = json_text.put(text, (key,), {"ours": OURS}), {**value, "ours": OURS}, "ours"
        else:
            continue
        assert json.loads(put)[key] == now and json_text.cut(put, (key, way)) == text


def test_what_was_made_by_it_goes_as_a_whole():
    text = json_text.made({"hooks": OURS})
    for way in (("hooks", "Stop", 0), ("hooks", "Start", 0)):
        text = json_text.cut(text, way)
    assert text == ""


def test_what_is_put_looks_as_what_is_there():
    assert json_text.put('{\n    "a": 1\n}\n', (), {"b": {"c": [1]}}) == (
        '{\n    "a": 1,\n    "b": {\n        "c": [\n            1\n        ]\n    }\n}\n'
    )
    assert json_text.put('{"a": 1}', (), {"b": {"c": [1]}}) == '{"a": 1, "b": { "c": [ 1 ] }}'
