"""The verifier: that it finds a text in whatever wrapping, proven by hiding it; and that it is a process of its own."""

import base64
import json
import os
import random
import sqlite3
import sys
import textwrap
import zlib
from contextlib import closing

import pytest

from ralph_mem.maintenance.forget import verifier

TEXT = "The tungsten is in the cellar, said the Foreman of the night shift"
CJK = "夜光灯塔の鍵は地下室の棚の上にあります"
EMOJI = "the 🔑 of the 🏰 lies below the 🌵 on the sill"
TEXTS = (TEXT, CJK, EMOJI)


def wide(order):
    return lambda text: text.encode(order)


def coded(shift, wrap=lambda coded: coded):
    """Put a text into base64 behind so many other bytes."""
    return lambda text: wrap(base64.b64encode(b"\xff\x01\x02"[:shift] + text.encode()))


def lines_of(coded):
    return "\n".join(textwrap.wrap(coded.decode(), 64)).encode()


WRAPPINGS = {
    "plain": str.encode,
    "in capitals": lambda text: text.upper().encode(),
    "in small letters": lambda text: text.lower().encode(),
    "JSON": lambda text: json.dumps({"x": f'"{text}"\n'}).encode(),
    "JSON in JSON": lambda text: json.dumps(json.dumps([text])).encode(),
    "JSON of other letters": lambda text: json.dumps(text, ensure_ascii=False).encode(),
    "base64": coded(0),
    "base64, one byte later": coded(1),
    "base64, two bytes later": coded(2),
    "base64 for addresses": lambda text: base64.urlsafe_b64encode(b"\xff\xfe\xfb" + text.encode()),
    "base64 in lines": coded(1, lambda coded: lines_of(base64.b64encode(base64.b64decode(coded) * 3))),
    "base64 behind a word": lambda text: b"path/to/" + base64.b64encode(text.encode()),
    "UTF-16": wide("utf-16-le"),
    "UTF-16, big end first": wide("utf-16-be"),
    "zlib": lambda text: zlib.compress(text.encode(), 1),
    "zlib amid other bytes": lambda text: os.urandom(777) + zlib.compress(text.encode() * 20, 9) + os.urandom(777),
    "zlib cut off": lambda text: zlib.compress(text.encode() + os.urandom(900), 1)[:500],
    "zlib in base64": lambda text: base64.b64encode(zlib.compress(text.encode())),
    "JSON in zlib": lambda text: zlib.compress(json.dumps(text).encode()),
    "across two parts": lambda text: b"." * (verifier.PART - 20) + text.encode(),
}


@pytest.mark.check
@pytest.mark.parametrize("wrapping", WRAPPINGS)
def test_a_text_is_found_in_whatever_wrapping(tmp_path, wrapping):
    files = []
    for number, text in enumerate(TEXTS):
        files.append(tmp_path / str(number))
        files[-1].write_bytes(os.urandom(100) + WRAPPINGS[wrapping]("Now: " + text + " there."))
    request = {"files": [str(path) for path in files], "needles": {"pieces": [text[:40] for text in TEXTS]}}
    wanted = {str(path): {"pieces": [text[:40]]} for path, text in zip(files, TEXTS, strict=True)}
    assert verifier.look(request)["held"] == wanted


def test_what_is_not_there_is_not_found(tmp_path):
    (tmp_path / "x").write_bytes(os.urandom(300_000) + zlib.compress(b"The basalt is in the attic" * 9) + b"A" * 9000)
    (tmp_path / "empty").write_bytes(b"")
    request = {"files": [str(tmp_path / "x"), str(tmp_path / "empty"), "/nowhere"], "needles": {"pieces": list(TEXTS)}}
    assert verifier.look(request)["held"] == {}


def test_a_packed_value_that_goes_over_several_pages_is_found_to_its_end(tmp_path):
    path = tmp_path / "store.db"
    drawn = base64.b85encode(random.Random(7).randbytes(40_000))  # of few others a broken stream is read on to its end
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TABLE blobs (id INTEGER PRIMARY KEY, data BLOB)")
        db.execute("INSERT INTO blobs (data) VALUES (?)", (zlib.compress(drawn + TEXT.encode(), 1),))
        db.commit()
    assert TEXT.encode() not in path.read_bytes()
    request = {"files": [str(path)], "needles": {"pieces": [TEXT]}}
    assert verifier.look(request)["held"] == {}  # somebody else's: its raw bytes alone are read
    request["databases"] = {str(path): f"file://{path}?mode=ro"}
    assert verifier.look(request)["held"] == {str(path): {"pieces": [TEXT]}}


def test_it_is_a_process_of_its_own_and_is_told_nothing_on_its_command_line(tmp_path, monkeypatch):
    (tmp_path / "x").write_text(TEXT)
    orders = []
    run = verifier.subprocess.run
    monkeypatch.setattr(verifier.subprocess, "run", lambda order, **how: orders.append(order) or run(order, **how))
    told = verifier.ask([str(tmp_path / "x")], {"pieces": [TEXT]})
    assert told["process"] != os.getpid() and told["held"] and told["bytes"] == len(TEXT)
    assert orders == [[sys.executable, "-I", "-S", os.path.abspath(verifier.__file__)]]


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to("/etc/hostname")
    paths = [str(tmp_path / name) for name in ("folder", "link")]
    assert verifier.look({"files": paths, "needles": {"pieces": [TEXT]}})["unread"] == paths


def test_without_an_answer_nothing_is_taken_for_proven(monkeypatch):
    monkeypatch.setattr(verifier.sys, "executable", "/nowhere/python3")
    with pytest.raises(verifier.Unverified):
        verifier.ask(["/etc/hostname"], {"pieces": [TEXT]})
