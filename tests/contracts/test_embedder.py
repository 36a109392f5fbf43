"""One contract, every embedder."""

import json
import shutil
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

import numpy as np
import pytest

from mags.models.embed.hashing import HashEmbedder
from mags.models.embed.onnx import MOST_TOKENS, SHIPPED, OnnxEmbedder
from mags.models.embed.openai import EmbeddingServer, OpenAIEmbedder
from mags.models.embed.sentence_transformers import SentenceTransformersEmbedder
from mags.ports.embedder import CachedEmbedder, Embedder, token_embedder

SHIPPED_EMBEDDER = OnnxEmbedder()

TEXTS = [
    "I moved to Oslo in May.",
    "Where does Alice live?",
    "ok",
    "My sister Anna, who is a nurse in Bergen, adopted two cats and named them Fig and Plum.",
    "Das Wetter ist schön; 今日は暑い 😀",
    "room 12",
    "room 14",
]
ODD_TEXTS = {
    "empty": "",
    "blank": " \t\n ",
    "one character": "a",
    "emoji": "😀🎉👩‍👩‍👧",
    "right to left": "أنا أعيش في أوسلو",
    "combining marks": "Z̸̢͎a̶͖l̷g̵o̴",
    "NUL": "before\0after",
    "half a surrogate": "broken \ud83d text",
    "ten thousand letters": "a" * 10_000,
    "ten thousand characters": "A word and another. " * 500,
}


class _Handler(BaseHTTPRequestHandler):
    """`/v1/embeddings` as OpenAI specifies it, answered by the hashing embedder."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if self.path != "/v1/embeddings" or not all(asked["input"]):
            self.send_error(400)
            return
        rows = HashEmbedder(48).embed(asked["input"]).tolist()
        data = [
            {"object": "embedding", "index": index, "embedding": row}
            for index, row in enumerate(rows)
        ]
        body = json.dumps(
            {
                "object": "list",
                "data": data[::-1],
                "model": asked["model"],
                "usage": {"prompt_tokens": 1, "total_tokens": 1},
            }
        ).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


def sentence_transformers_folder(path: Path) -> Path:
    """A folder as sentence-transformers writes it, around the shipped model."""
    (path / "onnx").mkdir(parents=True)
    (path / "1_Pooling").mkdir()
    (path / "onnx" / "model.onnx").symlink_to(SHIPPED.model)
    shutil.copy(SHIPPED.tokenizer, path / "tokenizer.json")
    (path / "sentence_bert_config.json").write_text('{"max_seq_length": 256}')
    (path / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
    kinds = {"Transformer": "", "Pooling": "1_Pooling", "Normalize": "2_Normalize"}
    modules = [
        {"idx": i, "name": str(i), "path": where, "type": f"sentence_transformers.models.{kind}"}
        for i, (kind, where) in enumerate(kinds.items())
    ]
    (path / "modules.json").write_text(json.dumps(modules))
    return path


@pytest.fixture(scope="module")
def server_url() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


@pytest.fixture(scope="module", params=["shipped", "hash", "cached", "folder", "server"])
def embedder(
    request: pytest.FixtureRequest, server_url: str, tmp_path_factory: pytest.TempPathFactory
) -> Embedder:
    if request.param == "shipped":
        return SHIPPED_EMBEDDER
    if request.param == "hash":
        return HashEmbedder()
    if request.param == "cached":
        return CachedEmbedder(SHIPPED_EMBEDDER, max_bytes=20_000)
    if request.param == "folder":
        folder = sentence_transformers_folder(tmp_path_factory.mktemp("models") / "minilm")
        return SentenceTransformersEmbedder(folder)
    return OpenAIEmbedder(EmbeddingServer(model="hash", base_url=server_url, batch_texts=3))


def test_rows_are_unit_vectors_of_the_named_dimension(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)

    assert vectors.shape == (len(TEXTS), embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.abs(np.linalg.norm(vectors, axis=1) - 1).max() < 1e-6


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    vectors = embedder.embed([])

    assert vectors.shape == (0, embedder.dimension)
    assert vectors.dtype == np.float32


def test_the_same_text_gives_the_same_vector_whatever_stands_beside_it(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS)
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    in_another_order = embedder.embed([*TEXTS[::-1], "A long neighbour that pads. " * 60])

    assert np.einsum("ij,ij->i", together, alone).min() > 0.99999
    assert np.einsum("ij,ij->i", together, in_another_order[:-1][::-1]).min() > 0.99999


def test_different_texts_give_different_vectors(embedder: Embedder) -> None:
    vectors = embedder.embed(TEXTS)

    assert (vectors @ vectors.T)[~np.eye(len(TEXTS), dtype=bool)].max() < 0.999


def test_a_text_repeated_in_a_call_has_one_vector(embedder: Embedder) -> None:
    first, other, again = embedder.embed(["Plum", "Fig", "Plum"])

    assert first @ again > 0.99999
    assert first @ other < 0.999


def test_a_text_is_nearer_to_its_like_than_to_another(embedder: Embedder) -> None:
    lives, lives_too, weather = embedder.embed(
        ["Alice lives in Oslo", "Alice lives in a flat in Oslo", "It rained on Tuesday"]
    )

    assert lives @ lives_too > lives @ weather + 0.2


def test_the_end_of_a_long_text_counts(embedder: Embedder) -> None:
    filler = "The meeting went on and nothing was decided about the budget. " * 180
    plain, with_fact = embedder.embed(
        [filler, filler + "Alice keeps a tortoise called Plum. " * 20]
    )
    fact = embedder.embed(["Alice keeps a tortoise called Plum."])[0]

    assert len(filler.split()) > 1900
    assert with_fact @ fact > plain @ fact + 0.02


@pytest.mark.parametrize("text", ODD_TEXTS.values(), ids=ODD_TEXTS.keys())
def test_any_string_has_a_vector(embedder: Embedder, text: str) -> None:
    vector = embedder.embed(["before", text, "after"])[1]

    assert abs(np.linalg.norm(vector) - 1) < 1e-6
    assert vector @ embedder.embed([text])[0] > 0.99999


def test_the_name_stays_when_texts_were_embedded(embedder: Embedder) -> None:
    name = embedder.name
    embedder.embed(TEXTS)

    assert embedder.name == name
    assert name.isprintable()
    assert name


@pytest.mark.parametrize("wrap", [OnnxEmbedder, lambda: CachedEmbedder(OnnxEmbedder())])
def test_the_words_of_a_text_are_the_same_made_alone_or_by_the_pass_that_embeds_it(
    wrap: Callable[[], Embedder],
) -> None:
    texts = [*TEXTS, *ODD_TEXTS.values()]
    first, other = token_embedder(wrap()), token_embedder(wrap())
    assert first is not None
    assert other is not None
    alone = [first.tokens([text])[0] for text in texts]
    other.tokens(["asked for once"])
    other.embed(texts)

    for one, together in zip(alone, other.tokens(texts), strict=True):
        assert one.rows.shape == together.rows.shape
        assert one.rows.shape[0] <= MOST_TOKENS
        assert np.abs(one.rows.astype(int) - together.rows).max(initial=0) <= 2
        assert np.allclose(one.weights, together.weights, atol=0.02)
    assert first.look == other.look != ""


def test_what_knows_no_words_says_so() -> None:
    assert token_embedder(HashEmbedder()) is None
    assert token_embedder(CachedEmbedder(HashEmbedder())) is None
    assert token_embedder(OnnxEmbedder(constants={"any": np.zeros(1)})) is None
