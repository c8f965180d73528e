"""Preparing a model of another make than the default: from a folder, with another kind of vocabulary and pooling."""

import errno
import json
import os
import posix
import subprocess
import sys
from importlib.util import find_spec
from types import SimpleNamespace

import pytest

np = pytest.importorskip("numpy", reason="the extra `embeddings` is not installed")
pytest.importorskip("onnxruntime", reason="the extra `embeddings` is not installed")
if not find_spec("torch"):
    pytest.skip("torch is not installed, with which a model is prepared", allow_module_level=True)

from ralph_mem.core.errors import RalphMemError  # noqa: E402
from ralph_mem.memory.embeddings.vectors import Embedder  # noqa: E402
from ralph_mem.memory.recall import embeddings_client  # noqa: E402
from tests.memory.embeddings.conftest import BELOW_HOME, MINUTES_S, REPOSITORY  # noqa: E402

pytestmark = pytest.mark.check  # torch takes seconds to load

# Makes a model with random weights: it knows nothing, but has all that a multilingual one has.
MAKE = """
import sys, torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import Pooling, Transformer
from tokenizers import Tokenizer, models, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast, XLMRobertaConfig, XLMRobertaModel

folder, vocabulary = sys.argv[1], "the lamp is dark lantern Licht Gr\\u00f6\\u00dfe \\u96fb\\u7403 \\u4ea4\\u63db fuse box".split()
torch.manual_seed(1)
made = Tokenizer(models.Unigram([(token, -1.0 - at) for at, token in enumerate(
    ["<s>", "<pad>", "</s>", "<unk>", *["\\u2581" + word for word in vocabulary], *sorted(set("".join(vocabulary)))])], unk_id=3))
made.pre_tokenizer = pre_tokenizers.Metaspace()
made.post_processor = processors.TemplateProcessing(single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
names = dict(bos_token="<s>", eos_token="</s>", pad_token="<pad>", unk_token="<unk>", cls_token="<s>", sep_token="</s>")
tokenizer = PreTrainedTokenizerFast(tokenizer_object=made, model_max_length=64, **names)
sizes = dict(hidden_size=32, num_hidden_layers=2, num_attention_heads=2, intermediate_size=64, max_position_embeddings=70)
XLMRobertaModel(XLMRobertaConfig(vocab_size=len(tokenizer), **sizes)).save_pretrained(folder + "/parts")
tokenizer.save_pretrained(folder + "/parts")
parts = [Transformer(folder + "/parts", max_seq_length=32), Pooling(32, pooling_mode="cls")]
SentenceTransformer(modules=parts, prompts={"query": "ask: ", "document": ""}).save(folder + "/model")
"""


def run(home, *order):
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONPATH": str(REPOSITORY), "HF_HUB_OFFLINE": "1"}
    ran = subprocess.run([sys.executable, *order], env=environment, cwd=home, capture_output=True, text=True, timeout=MINUTES_S)
    assert ran.returncode == 0, ran.stderr
    return ran


@pytest.fixture(scope="module")
def a_prepared_folder(tmp_path_factory):
    """Make such a model once and set it up; returns the home and what setup said."""
    home, made = tmp_path_factory.mktemp("other-home"), tmp_path_factory.mktemp("other-model")
    run(home, "-c", MAKE, str(made))
    ran = run(
        home, "-m", "ralph_mem.interfaces.cli", "embeddings", "setup", "--json", "--idle", "7", "--model", str(made / "model")
    )
    assert ran.stderr == ""
    return home, json.loads(ran.stdout)


@pytest.fixture
def the_other_model(a_prepared_folder, monkeypatch):
    """Have that model in force."""
    monkeypatch.setattr(posix, "environ", {b"HOME": os.fsencode(a_prepared_folder[0])})
    return embeddings_client.described()


def test_a_folder_of_another_kind_of_model_is_prepared_as_well(a_prepared_folder):
    _, said = a_prepared_folder
    assert said["likeness"] >= 0.999 and said["model"].startswith("model@")
    assert (said["pooling"], said["dims"], said["static_dims"], said["max_tokens"]) == ("cls", 32, 32, 32)
    assert (said["lower"], said["idle_seconds"], said["query_prompt"]) == (False, 7, "ask: ")


def test_what_is_written_is_for_the_owner_alone(a_prepared_folder):
    for path in (a_prepared_folder[0] / BELOW_HOME).rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_its_table_knows_words_and_what_stands_inside_of_them(the_other_model):
    table = embeddings_client.Table(the_other_model)
    assert any(table.sum_of(["Größe"])) and any(table.sum_of(["電"]))
    assert table.sum_of(["lampfuse"]) != table.sum_of(["lamp"])
    assert table.sum_of(["zzz"]) == [0] * 32


def test_its_vectors_have_their_own_size(the_other_model):
    short, long = Embedder(the_other_model).of_texts(["the lamp is dark", "lantern " * 500])
    assert short.shape == long.shape == (32,)


def test_a_question_has_the_prompt_that_the_model_wants(the_other_model):
    embedder = Embedder(the_other_model)
    assert not np.allclose(embedder.of_query("lamp"), embedder.of_texts(["lamp"])[0])


def test_rare_words_weigh_more_than_common_ones_and_letters_least():
    from ralph_mem.memory.embeddings import preparation  # lazy: brings torch

    common, rare, letter, inside, ideograph = preparation.weights(["the", "zeppelin", "x", "##y", "\u96fb"])
    assert letter == inside < rare and common < rare < ideograph


@pytest.mark.parametrize(
    "error", [OSError(errno.ENOSPC, "No space left on device"), Exception("No space left on device (os error 28)")]
)
def test_a_full_disk_is_no_fault_of_the_model(a_home, error):
    from ralph_mem.memory.embeddings import export

    def full(*_, **__):
        raise error

    model = SimpleNamespace(tokenizer=full)
    with pytest.raises(RalphMemError, match=r"^cannot write to .*: No space left on device"):
        export.write(export.Loaded(model, "mean", 16, 8, "", ""), a_home)
