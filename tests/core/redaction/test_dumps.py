"""A secret in the bytes that a tool dumps is cut out with the letters beside them; the other rows stay."""

from ralph_mem.core.redaction import gate

SETTINGS = b"PDB1\0\0server=pos1.local;uid=kassa;pwd=PeptoBismo;\0\0\0\0\0\0end"


def dump(data, width, group):
    """Return a dump as `xxd` (group 2) or `hexdump -C` (group 1) prints it."""
    lines = []
    for at in range(0, len(data), width):
        row = data[at : at + width]
        groups = [row[begin : begin + group].hex() for begin in range(0, len(row), group)]
        letters = "".join([chr(code) if 32 <= code < 127 else "." for code in row])
        lines.append(f"{at:08x}: {' '.join(groups):<48} {letters}")
    return "\n".join(lines) + "\n"


def test_a_secret_that_two_rows_share_is_cut_out_of_both():
    safe = gate.redact(dump(SETTINGS, 16, 2))[0]
    assert "5065" not in safe
    assert "PeptoBis" not in safe
    assert "00000000: 5044 4231" in safe


def test_single_bytes_are_read_as_well():
    safe = gate.redact(dump(SETTINGS, 16, 1))[0]
    assert "50 65 70 74" not in safe
    assert "31 2e 6c 6f 63 61 6c" in safe


def test_a_dump_without_a_secret_stays_as_it_is():
    text = dump(b"the token of a parser, the password field of a form, a key in a map.", 16, 2)
    assert gate.redact(text)[0] == text


def test_hashes_in_a_column_are_no_dump():
    text = "0000000a 4f3c2b1a passwd file.txt\n0000000b 9f8e7d6c passwd other.txt\n"
    assert gate.redact(text)[0] == text
