"""Cut out <private> passages and private keys in PEM form, whole or torn. Loaded only for a text that says "private"."""

PRIVATE, PRIVATE_KEY = "[private]", "[REDACTED:private-key]"

LONGEST_TAG = 400
# A line of a PEM body holds 64 characters, its last one anything; a torn one is not worth less.
BODY_FLOOR = 16
_DECORATION = "\"'`+-,;|│>\\ \t\r"


def without_colours(text: str) -> str:
    """Take colours that are spelled out from a text about something private: they may split its markers."""
    from ralph_mem.core.redaction import terminal  # lazy: only for text with escape sequences

    bare = terminal.without_spelled_escapes(text)
    return bare if "private" in bare.lower() else text


def cut_private(text: str, folded: str) -> "tuple[str, int]":
    """Replace <private> passages; one that is never closed reaches to the end, a stray closing tag goes alone."""
    kept, depth, passages, end = [], 0, 0, 0
    for start, after, step in _tags(folded):
        if depth == 0:
            kept.append(text[end:start])
        if depth == 0 and step > 0:
            kept.append(PRIVATE)
            passages += 1
        depth = max(0, depth + step)
        end = after
    return "".join(kept) + ("" if depth else text[end:]), passages


def cut_keys(text: str) -> "tuple[str, int]":
    """Replace private keys; of a torn one whatever of its base64 body is there."""
    kept, keys, end = [], 0, 0
    for start, after in _key_spans(text):
        if start < end:
            continue
        kept += [text[end:start], PRIVATE_KEY]
        keys += 1
        end = after
    return "".join(kept) + text[end:], keys


def _tags(folded: str) -> "list[tuple[int, int, int]]":
    """Find start, end and step (1 opens, -1 closes, 0 does neither) of every private tag."""
    tags = []
    at = folded.find("private")
    while at >= 0:
        start = _tag_start(folded, at)
        after = at + len("private")
        if start >= 0 and (after == len(folded) or folded[after] in " \t\r\n/>"):
            closing = folded.find(">", after, after + LONGEST_TAG)
            opening = folded.find("<", after, closing if closing >= 0 else after)
            if closing >= 0 and opening < 0:
                after = closing + 1
            step = -1 if "/" in folded[start:at] else 0 if folded.endswith("/>", start, after) else 1
            tags.append((start, after, step))
        at = folded.find("private", after)
    return tags


def _tag_start(folded: str, at: int) -> int:
    before = folded[max(0, at - 16) : at].rstrip(" \t\r\n/")
    return max(0, at - 16) + len(before) - 1 if before.endswith("<") else -1


def _key_spans(text: str) -> "list[tuple[int, int]]":
    """Find private keys by their marker lines: from header to footer, or the body beside a lone one."""
    spans = []
    markers = _markers(text)
    edge = 0
    for index, (start, end, is_header) in enumerate(markers):
        following = markers[index + 1] if index + 1 < len(markers) else (len(text), len(text), True)
        if is_header and not following[2]:
            spans.append((start, following[1]))
        elif is_header:
            spans.append((start, end + _body_after(text[end : following[0]])))
        elif index == 0 or not markers[index - 1][2]:
            spans.append((start - _body_before(text[edge:start]), end))
        edge = end
    return spans


def _markers(text: str) -> "list[tuple[int, int, bool]]":
    markers = []
    at = text.find("PRIVATE KEY")
    while at >= 0:
        line = max(0, at - 40)
        begin, finish = text.rfind("BEGIN ", line, at), text.rfind("END ", line, at)
        word = max(begin, finish)
        start = len(text[:word].rstrip(" ")) if word < 0 else word - _dashes_before(text[line:word])
        end = text.find("----", at, at + 40)
        if word >= 0 and start < word and end >= 0:
            end += len(text[end : end + 5]) - len(text[end : end + 5].lstrip("-"))
            markers.append((start, end, begin > finish))
        at = text.find("PRIVATE KEY", max(end, at + 1))
    return markers


def _dashes_before(text: str) -> int:
    bare = text.rstrip("- ")
    return len(text) - len(bare) if text.endswith(("----", "---- ")) else 0


def _body_after(text: str) -> int:
    end = 0
    for line in _lines(text):
        if not (_is_body(line) or _is_blank(line) or _is_field(line)):
            # a string that ends here may end in the last of it
            last = line.partition('"')[0]
            end += len(last) if _is_body(last) else 0
            break
        end += len(line) + 1
    return len(text[:end].rstrip())


def _body_before(text: str) -> int:
    *whole, last = _lines(text)
    # before the marker itself may stand a line number, a file name, a quotation mark, or the end of the body
    beside = 0 if _is_body(last) or _is_blank(last) else len(last) + 1
    size = 0
    for line in reversed(whole if beside else [*whole, last]):
        if not (_is_body(line) or _is_blank(line)):
            break
        size += len(line) + 1
    return len(text[max(0, len(text) - size - beside) :].lstrip("\n")) if size else 0


def _lines(text: str) -> "list[str]":
    # Of a key inside JSON the line ends are spelled out; both spellings keep their width.
    return text.replace("\\n", " \n").replace("\\r", "  ").split("\n")


def _is_body(line: str) -> bool:
    # The last word, so that a line number or a file name before it does no harm ("12\tMIIE...", "key.pem:2:MIIE...").
    words = [word for word in line.replace(":", " ").replace("→", " ").split() if word.strip(_DECORATION)] or [""]
    word = words[-1].strip(_DECORATION)
    core = word.rstrip("=").replace("/", "a").replace("+", "a")
    if not core.isalnum() or not core.isascii():
        return False
    return len(core) >= BODY_FLOOR or word.endswith("=") or (len(words) == 1 and not core.isalpha())


def _is_blank(line: str) -> bool:
    return not line.strip(_DECORATION)


def _is_field(line: str) -> bool:
    """Encrypted keys start with fields: Proc-Type, DEK-Info, Version, Comment."""
    name = line.strip(_DECORATION).partition(":")[0]
    return name in ("Proc-Type", "DEK-Info", "Version", "Comment", "Hash", "Subject")
