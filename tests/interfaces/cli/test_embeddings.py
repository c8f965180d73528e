"""embeddings: what is said where nothing is set up, the extra or the model is missing, and what is removed."""

import json
import signal
import sqlite3
import sys
from importlib.util import find_spec

import pytest

from ralph_mem.interfaces.cli import embeddings
from ralph_mem.memory.store import schema
from tests.hook import REPOSITORY

MODEL = {
    "model": "tiny@1",
    "folder": "tiny-1",
    "dims": 8,
    "static_dims": 4,
    "max_tokens": 16,
    "python": "/nowhere",
    "idle_seconds": 60,
}
KEYS = {
    *("set_up", "model", "worker", "trouble", "dims", "static_dims", "max_tokens", "folder", "python", "idle_seconds", "bytes"),
    *("project", "memories", "embedded", "failed", "missing"),
}
PACKAGES = ("numpy", "onnxruntime", "tokenizers", "torch", "sentence_transformers", "transformers", "huggingface_hub")

needs_the_extra = pytest.mark.skipif(
    not all(map(find_spec, PACKAGES)), reason="the extra `embeddings` is not installed, with which a model is prepared"
)


@pytest.fixture
def without_the_extra(tmp_path):
    """Return the environment of a Python that has none of the packages."""
    folder = tmp_path / "hidden"
    folder.mkdir()
    for name in PACKAGES:
        (folder / f"{name}.py").write_text(f"raise ModuleNotFoundError('no module {name}', name='{name}')\n")
    return {"PYTHONPATH": f"{folder}:{REPOSITORY}"}


@pytest.fixture
def a_model(a_person):
    """Set a model up for the person, of which there is no more than its description and a table."""
    folder = a_person.data / "embeddings"
    (folder / "tiny-1").mkdir(parents=True)
    (folder / "model.json").write_text(json.dumps(MODEL))
    with sqlite3.connect(folder / "tiny-1" / "static.db") as db:
        db.execute("CREATE TABLE tokens (token TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID")
    db.close()
    return folder


# status


def test_where_nothing_is_set_up_the_status_says_how(a_person):
    lines = a_person.reads("embeddings", "status").splitlines()
    assert lines[0].startswith("No embeddings are set up")
    assert lines[-1] == "  ralph-mem embeddings setup"
    assert a_person.json("embeddings", "status") == {"set_up": False, "model": None, "worker": None, "trouble": ""}


def test_a_status_counts_the_memories_of_the_project(a_person, a_model):
    found = a_person.json("embeddings", "status")
    assert found.keys() == KEYS
    assert (found["model"], found["embedded"], found["failed"], found["worker"]) == ("tiny@1", 0, 0, None)
    assert found["memories"] == found["missing"] > 0


def test_a_status_needs_no_package(a_person, a_model, without_the_extra):
    said = a_person.cli("embeddings", "status", **without_the_extra)
    assert (said.code, said.err) == (0, "") and "memories embedded" in said.out


def test_a_status_of_a_project_without_a_memory_counts_none(a_newcomer, tmp_path):
    folder = a_newcomer.data / "embeddings"
    folder.mkdir(parents=True)
    (folder / "model.json").write_text(json.dumps(MODEL))
    assert a_newcomer.json("embeddings", "status")["memories"] == 0
    assert not a_newcomer.memory.exists()


def test_a_status_tells_what_the_worker_met_and_not_that_one_comes(a_person, a_model):
    (a_model / "trouble").write_text("the model cannot be loaded")
    told = a_person.reads("embeddings", "status")
    assert "\nworker: none can do its work\ntrouble: the model cannot be loaded\n" in told and "comes when" not in told


def test_a_status_says_that_no_worker_can_come_where_it_could_write_nothing(a_person, a_model, as_an_ordinary_owner):
    (a_model / "model.json").write_text(json.dumps(MODEL | {"python": sys.executable}))
    for name in ("model.onnx", "tokenizer.json"):
        (a_model / "tiny-1" / name).touch()
    assert "worker: comes when there is something to do" in a_person.reads("embeddings", "status")
    as_an_ordinary_owner(a_person, a_model)
    assert f"trouble: it cannot write in {a_model}\n" in a_person.reads("embeddings", "status")
    assert f"tiny@1, but no worker can do its work: it cannot write in {a_model}\n" in a_person.reads("status")
    assert f"it cannot write in {a_model}" in a_person.cli("doctor").out


# setup, rebuild


@pytest.mark.parametrize("command", [("setup",), ("rebuild",)])
def test_without_the_extra_one_line_says_what_to_install(a_person, a_model, without_the_extra, command):
    said = a_person.cli("embeddings", *command, **without_the_extra)
    assert (said.code, said.out) == (1, "")
    assert said.err.startswith("ralph-mem: embeddings need the package ")
    assert said.err.endswith(f" -m pip install '{REPOSITORY}[embeddings]'\n")


def test_a_rebuild_without_a_model_is_one_line(a_person):
    assert a_person.fails("embeddings", "rebuild") == "ralph-mem: no embeddings are set up"


@pytest.mark.check
@needs_the_extra
def test_a_model_that_is_not_here_is_not_fetched_without_being_asked(a_person):
    assert (
        a_person.fails("embeddings", "setup", "--model", "no-such-model")
        == "ralph-mem: the model no-such-model is not on this machine"
    )
    assert not (a_person.data / "embeddings").exists()


@pytest.mark.check
@needs_the_extra
def test_a_model_that_cannot_be_had_leaves_the_one_in_force(a_person, a_model):
    before = (a_model / "model.json").read_bytes()
    said = a_person.fails("embeddings", "setup", "--model", "no-such-model", "--yes", HF_HUB_OFFLINE="1")
    assert said.startswith("ralph-mem: the model no-such-model cannot be loaded: ")
    assert (a_model / "model.json").read_bytes() == before
    assert sorted(path.name for path in a_model.iterdir()) == ["model.json", "tiny-1"]


@pytest.mark.check
@needs_the_extra
def test_a_setup_that_is_ended_takes_its_draft_along(a_home, monkeypatch):
    from ralph_mem.memory.embeddings import preparation

    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr(preparation, "_make", lambda *_: signal.raise_signal(signal.SIGTERM))
    with pytest.raises(SystemExit):
        embeddings._prepared(preparation, str(a_home), True, 60, print)
    signal.signal(signal.SIGTERM, before)
    assert list((a_home / ".local" / "share" / "ralph-mem" / "embeddings").iterdir()) == []


@pytest.mark.check
@needs_the_extra
def test_a_folder_that_holds_no_model_is_one_line(a_person, tmp_path):
    (tmp_path / "empty").mkdir()
    said = a_person.fails("embeddings", "setup", "--model", str(tmp_path / "empty"))
    assert said.startswith(f"ralph-mem: the model {tmp_path}/empty cannot be loaded: ")


@needs_the_extra
def test_a_rebuild_with_a_damaged_model_is_one_line_and_loses_nothing(a_person, a_model):
    assert a_person.fails("embeddings", "rebuild").startswith("ralph-mem: the model tiny@1 cannot be loaded: ")
    assert a_person.reads("search", "login timezone")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_rebuild_that_is_broken_off_leaves_the_rest_to_the_worker(monkeypatch, number):
    before, woken = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM)}, []
    signal.signal(signal.SIGINT, signal.default_int_handler)  # who runs the tests in the background has it ignored
    monkeypatch.setattr(embeddings.embeddings_client, "wake", woken.append)
    with pytest.raises((KeyboardInterrupt, SystemExit)), embeddings._rest_to_the_worker("/shop/.ralph-mem"):
        signal.raise_signal(number)
    for each, handler in before.items():
        signal.signal(each, handler)
    assert woken == ["/shop/.ralph-mem"]


# off


def test_off_shows_first_what_it_would_remove(a_person, a_model):
    assert a_person.reads("embeddings", "off").startswith("Would remove the model, ")
    assert (a_model / "model.json").exists()


def test_off_removes_the_model_and_no_memory(a_person, a_model):
    before = a_person.raw()
    assert a_person.reads("embeddings", "off", "--confirm").startswith("Removed ")
    assert not a_model.exists() and a_person.raw() == before
    assert a_person.reads("embeddings", "off", "--confirm") == "Nothing to do: no embeddings are set up.\n"


# doctor


def findings(person):
    said = person.cli("doctor", "--json")
    return {each["check"]: (each["state"], each["seen"]) for each in json.loads(said.out)}


def test_the_doctor_is_content_without_embeddings(a_person):
    assert findings(a_person)["embeddings"] == ("ok", "not set up")


def test_the_doctor_warns_of_missing_files_and_of_a_worker_that_cannot_start(a_person, a_model):
    state, seen = findings(a_person)["embeddings"]
    assert state == "warning" and "model.onnx, tokenizer.json missing" in seen
    for name in ("model.onnx", "tokenizer.json"):
        (a_model / "tiny-1" / name).write_text("x")
    assert findings(a_person)["embeddings"] == ("warning", "the worker does not start under /nowhere")


def test_the_doctor_has_nothing_installed_for_an_interpreter_that_is_gone(a_person, a_model):
    for name in ("model.onnx", "tokenizer.json"):
        (a_model / "tiny-1" / name).write_text("x")
    found = json.loads(a_person.cli("doctor", "--json").out)
    assert [each["do"] for each in found if each["check"] == "embeddings"] == [
        "`ralph-mem embeddings setup` prepares it again; without, memories are found by their words"
    ]


def test_the_doctor_warns_of_a_description_that_cannot_be_read_and_of_texts_that_failed(a_person, a_model):
    with a_person.connect() as db:
        db.execute(schema.ON_DEMAND["vectors"])
        db.execute("INSERT INTO vectors VALUES (1, 'tiny@1', 1, NULL, NULL, 1, 0)")
    assert findings(a_person)["vectors"] == ("warning", "1 text could not be embedded")
    (a_model / "model.json").write_text("{")
    state, seen = findings(a_person)["embeddings"]
    assert state == "warning" and seen.endswith("model.json cannot be read")
