"""Find keys that are written as lists of numbers, one for each byte, as debuggers print and code writes them."""

from ralph_mem.core.redaction.names import OPEN_KEYS, kind_of_name, words_of
from ralph_mem.core.redaction.values import places

TYPE_CHECKING = False
if TYPE_CHECKING:
    Span = tuple[int, int, str]

OPENING = {"[": "]", "{": "}", "(": ")", "<": ">"}
KEYS = frozenset("key seed privkey prvkey psk hmackey clave llave schluessel schlüssel clef cle clé chave chiave nonce".split())
NAME_BYTES = {code: " " for code in range(128) if not chr(code).isalnum() and chr(code) != "_"}
# Characters before a list in which its name stands, and of a list at most; a key has 96 bits or more, of which few are equal.
BEFORE, LONGEST, FEWEST, FEWEST_DIFFERENT = 96, 4096, 12, 9


def find(text: str, _folded: str) -> "list[Span]":
    """Find the spans (start, end, kind) of lists of bytes behind a name of a key."""
    spans: list[Span] = []
    end = 0
    for at in sorted([place for sign in OPENING for place in places(text, sign)]):
        if at < end:
            continue
        close = text.find(OPENING[text[at]], at + 1, at + LONGEST)
        if close - at > 2 * FEWEST and _are_bytes(text[at + 1 : close]) and _is_key(text[max(0, at - BEFORE) : at]):
            spans.append((at + 1, close, "key"))
            end = close
    return spans


def _are_bytes(inside: str) -> bool:
    """Say whether a list holds nothing but numbers of bytes, and in no order."""
    pieces = [piece.strip().removeprefix("(byte)").strip() for piece in inside.split(",") if piece.strip()]
    if len(pieces) < FEWEST or not all([_is_byte(piece) for piece in pieces]):
        return False
    numbers = [int(piece.lower().removesuffix("u8").removesuffix("_"), 0) for piece in pieces]
    return all([-129 < number < 256 for number in numbers]) and len({*numbers}) >= FEWEST_DIFFERENT and sorted(numbers) != numbers


def _is_byte(piece: str) -> bool:
    number = piece.lower().removesuffix("u8").removesuffix("_")
    bare = number.removeprefix("-")
    if bare[:2] == "0x":
        return 2 < len(bare) < 5 and not bare[2:].strip("0123456789abcdef")
    return bare.isdecimal() and bare.isascii() and len(bare) < 4 and (bare[0] != "0" or bare == "0")


def _is_key(before: str) -> bool:
    """Say whether a name of a key stands before a list, on its line or at the end of the one above it."""
    lines = before.rsplit("\n", 2)
    near = lines[-1] if lines[-1].strip() or len(lines) < 2 else lines[-2]
    if not near.rstrip().endswith(("=", ":", "{", "(", "[", "]", ",", "<", "f", "&", "b64", "rray", "ytes", "uffer")):
        return False
    names = near.translate(NAME_BYTES).split()
    return any([_names_key(name, owner) for owner, name in zip(["", *names], names)])


def _names_key(name: str, owner: str) -> bool:
    words = words_of(name)
    is_open = any([f" {word.lower()} " in OPEN_KEYS for word in (owner, *words)])
    return not is_open and (kind_of_name(name) != "" or any([word in KEYS for word in words[-1:]]))
