import gc
import hashlib
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from mags.errors import CorruptFile, ModelError
from mags.models.embed.onnx import SHIPPED, OnnxEmbedder, open_session, with_output

# Printed in the documentation of Sentence Transformers for the fp32 model.
KNOWN_PAIRS = [
    ("The weather is lovely today.", "It's so sunny outside!", 0.6660),
    ("The weather is lovely today.", "He drove to the stadium.", 0.1046),
    ("It's so sunny outside!", "He drove to the stadium.", 0.1411),
    ("The cat sits outside", "The dog plays in the garden", 0.2838),
    ("A man is playing guitar", "A woman watches TV", -0.0327),
    ("The new movie is awesome", "The new movie is so great", 0.8939),
]


@pytest.fixture(scope="module")
def embedder() -> OnnxEmbedder:
    return OnnxEmbedder()


@pytest.mark.parametrize(("left", "right", "known"), KNOWN_PAIRS)
def test_known_pairs_are_as_near_as_the_authors_say(
    embedder: OnnxEmbedder, left: str, right: str, known: float
) -> None:
    a, b = embedder.embed([left, right])

    assert a @ b == pytest.approx(known, abs=0.02)


def test_the_shipped_files_are_those_of_the_script(root: Path) -> None:
    script = (root / "scripts" / "make_embedder.py").read_text()
    pins = dict(re.findall(r'^(\w+) = "([0-9a-f]{64})"$', script, re.MULTILINE))

    assert hashlib.sha256(SHIPPED.model.read_bytes()).hexdigest() == SHIPPED.model_sha256
    assert pins["SHIPPED"] == SHIPPED.model_sha256
    assert pins["TOKENIZER"] == SHIPPED.tokenizer_sha256
    assert SHIPPED.model.stat().st_size < 25_000_000


def test_the_name_holds_the_checksum() -> None:
    assert OnnxEmbedder().name == f"all-minilm-l6-v2-int8:{SHIPPED.model_sha256[:8]}"


def test_importing_and_making_an_embedder_opens_nothing() -> None:
    program = (
        "import sys; from mags.models.embed.onnx import OnnxEmbedder as E; E().name; E().dimension;"
        "print([m for m in ('onnxruntime', 'openai', 'torch') if m in sys.modules])"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)

    assert done.stderr == ""
    assert done.stdout == "[]\n"


def test_a_missing_model_file_is_told_with_what_to_do(tmp_path: Path) -> None:
    gone = replace(SHIPPED, model=tmp_path / "gone.onnx")

    with pytest.raises(CorruptFile, match=r"gone\.onnx.*reinstall mags") as caught:
        OnnxEmbedder(gone).embed(["text"])

    assert caught.value.facts["path"] == tmp_path / "gone.onnx"


@pytest.mark.parametrize("which", ["model", "tokenizer"])
def test_a_damaged_file_is_refused(tmp_path: Path, which: str) -> None:
    damaged = tmp_path / which
    content = bytearray(getattr(SHIPPED, which).read_bytes())
    content[1000] ^= 1
    damaged.write_bytes(content)

    with pytest.raises(CorruptFile, match=f"{which} is damaged"):
        OnnxEmbedder(replace(SHIPPED, **{which: damaged})).embed(["text"])


def test_a_file_that_onnxruntime_refuses_is_a_model_error(tmp_path: Path) -> None:
    foreign = tmp_path / "foreign.onnx"
    foreign.write_bytes(b"not a graph")
    file = replace(SHIPPED, model=foreign, model_sha256=hashlib.sha256(b"not a graph").hexdigest())

    with pytest.raises(ModelError, match="onnxruntime cannot open"):
        OnnxEmbedder(file).embed(["text"])


def test_threads_change_nothing_but_the_time(embedder: OnnxEmbedder) -> None:
    texts = [f"Room {n} of the house in Oslo has {n * n} books." for n in range(40)]

    assert np.abs(OnnxEmbedder(threads=2).embed(texts) - embedder.embed(texts)).max() < 1e-5


def test_one_embedder_serves_several_threads() -> None:
    fresh = OnnxEmbedder()
    texts = [f"Room {n} of the house." for n in range(16)]

    with ThreadPoolExecutor(4) as threads:
        rows = list(threads.map(lambda text: fresh.embed([text])[0], texts))

    assert np.abs(np.stack(rows) - fresh.embed(texts)).max() < 1e-5


def test_texts_that_differ_in_one_digit_are_near_but_not_one(embedder: OnnxEmbedder) -> None:
    twelve, fourteen = embedder.embed(["room 12", "room 14"])

    assert 0.8 < twelve @ fourteen < 0.99


GAIN = "encoder.layer.5.output.LayerNorm/gain"


def constant(name: str) -> NDArray[np.float32]:
    graph = with_output(SHIPPED.model.read_bytes(), name)
    feed = dict.fromkeys(("input_ids", "attention_mask"), np.ones((1, 1), dtype=np.int64))
    (found,) = open_session(graph, SHIPPED.model, threads=1).run([name], feed)
    return np.asarray(found)


def test_an_embedder_reads_the_constants_it_is_given_after_their_giver_is_gone() -> None:
    plain = OnnxEmbedder()
    twice = OnnxEmbedder(constants={GAIN: 2 * constant(GAIN)})
    text = "Mira lives in Oslo."
    twice.token_states(text)
    twice._constants = {}
    gc.collect()
    first, second = (one.token_states(text).states.reshape(-1, 3, 384) for one in (plain, twice))
    np.testing.assert_array_equal(first[:, :2], second[:, :2])
    shift = constant(GAIN.replace("gain", "shift"))
    np.testing.assert_allclose(second[:, 2] - shift, 2 * (first[:, 2] - shift), atol=1e-4)
