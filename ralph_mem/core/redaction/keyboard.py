"""Tell the names of keys of a keyboard that are pressed at once."""

HELD = frozenset("ctrl control shift alt altgr option opt cmd command meta super win windows hyper fn".split())
PRESSED = HELD.union(
    "tab enter return escape esc space spacebar backspace delete del insert ins home end pageup pagedown up down left right"
    " arrowup arrowdown arrowleft arrowright plus minus comma period slash backslash key digit numpad num kp f".split()
)
DIGITS = "0123456789"


def is_chord(value: str) -> bool:
    """Say whether a value is keys that a plus joins, the first of them one that is held: `LeftShift+F4`, `Ctrl+KeyQ`."""
    first, *others = [_bare(key) for key in value.split("+")]
    return first in HELD and all([key in PRESSED or len(key) < 2 for key in others])


def _bare(key: str) -> str:
    """Return the name of a key without its side, its number or its letter: `F4`, `RightAlt`, `KeyQ`."""
    key = key.rstrip(DIGITS) or key[-1:]
    name = key.lower()
    if name[:3] == "key" and len(key) == 4:
        return "key"
    for side in ("left", "right"):
        name = name.removeprefix(side).removesuffix(side) or name
    return name
