"""What commands print every day: seldom a reason to load the rules, or to cut anything out."""

from pathlib import Path

from ralph_mem.core.redaction import gate

FOLDER = Path(__file__).resolve().parents[1] / "fixtures" / "outputs"
# The gate was tuned on the first fifty alone; the second fifty were written afterwards.
HALVES = ("first", "second")
TRIPPING_SHARE = 0.15


def outputs(half):
    """Return the outputs by the name of what printed them; each begins with a line `=== name`."""
    pieces = ("\n" + (FOLDER / f"{half}.txt").read_text()).split("\n=== ")[1:]
    return dict(piece.split("\n", 1) for piece in pieces)


def test_ordinary_output_seldom_trips_the_gate():
    assert [len(outputs(half)) for half in HALVES] == [50, 50]
    for half in HALVES:
        tripping = [name for name, text in outputs(half).items() if gate.trips(text)]
        assert len(tripping) <= TRIPPING_SHARE * 50, tripping


def test_nothing_is_cut_out_of_ordinary_output():
    texts = {name: text for half in HALVES for name, text in outputs(half).items()}
    assert [name for name, text in texts.items() if gate.redact(text) != (text, {})] == []


def test_a_secret_in_ordinary_output_trips_the_gate_all_the_same():
    secret = "h7Kq" + "z9Xw" * 7
    assert all(gate.trips(f"{text}\nexport API_TOKEN={secret}\n") for half in HALVES for text in outputs(half).values())
