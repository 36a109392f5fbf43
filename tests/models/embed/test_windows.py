import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import Tokenizer

from mags.models.embed.onnx import (
    MOST_WINDOWS,
    SHIPPED,
    Windower,
    WindowMean,
)
from mags.ports.embedder import encodable, unit_rows

CLS, SEP = 101, 102
words = st.lists(st.sampled_from(["plum", "fig", "Oslo", "tortoise", "12", "."]), max_size=60)


def windower(
    tokens: int = 16, overlap: int = 4, batch_tokens: int = 64, call_tokens: int | None = None
) -> Windower:
    return Windower(
        Tokenizer.from_file(str(SHIPPED.tokenizer)),
        tokens=tokens,
        overlap=overlap,
        batch_tokens=batch_tokens,
        call_tokens=call_tokens,
    )


SMALL = windower()
WHOLE = windower(tokens=512)


@given(words)
def test_windows_overlap_and_together_hold_every_token(said: list[str]) -> None:
    text = " ".join(said)
    whole = WHOLE.windows([text])[0].ids[1:-1]
    pieces = [window.ids for window in SMALL.windows([text])]

    joined = list(pieces[0][1:-1])
    for piece in pieces[1:]:
        assert joined[-4:] == list(piece[1:5])
        joined += piece[5:-1]
    assert tuple(joined) == whole
    assert all(piece[0] == CLS and piece[-1] == SEP and len(piece) <= 16 for piece in pieces)


def test_of_a_long_text_windows_are_spread_from_its_first_words_to_its_last() -> None:
    text = " ".join(f"plum {number}" for number in range(2_000))
    found = SMALL.windows([text, "fig"])
    assert [window.text for window in found] == [0] * MOST_WINDOWS + [1]
    whole = windower(tokens=8_192).windows([text])[0].ids
    assert found[0].ids[:-1] == whole[: len(found[0].ids) - 1]
    assert found[MOST_WINDOWS - 1].ids[-3:] == whole[-3:]


def test_an_empty_text_has_one_window_of_special_tokens() -> None:
    assert [window.ids for window in SMALL.windows([""])] == [(CLS, SEP)]


@given(st.lists(words.map(" ".join), max_size=12))
def test_batches_hold_every_window_once_within_their_bound(texts: list[str]) -> None:
    batches = list(SMALL.batches(texts))

    in_batches = sorted(
        (int(row), tuple(ids[mask == 1].tolist()))
        for batch in batches
        for row, ids, mask in zip(batch.text, batch.ids, batch.mask, strict=True)
    )
    assert in_batches == sorted((window.text, window.ids) for window in SMALL.windows(texts))
    assert all(batch.ids.size <= 64 for batch in batches)


def test_a_window_weighs_as_many_tokens_as_it_holds() -> None:
    batch = next(windower(tokens=4, overlap=0).batches(["plum fig Oslo"]))
    assert batch.mask.sum(axis=1).tolist() == [3, 4]  # [CLS] oslo [SEP]; [CLS] plum fig [SEP]
    mean = WindowMean(1, 2)

    mean.add(batch, np.array([[7, 0], [0, 2]], dtype=np.float32))

    assert mean.vectors()[0].tolist() == pytest.approx([0.6, 0.8])


def test_a_row_of_zeros_becomes_the_first_axis() -> None:
    assert unit_rows(np.array([[0.0, 0.0], [3.0, 4.0]])).tolist() == [
        [1.0, 0.0],
        pytest.approx([0.6, 0.8]),
    ]


def test_half_a_surrogate_pair_becomes_a_question_mark() -> None:
    assert encodable("broken \ud83d text") == "broken ? text"
    assert encodable("whole 😀") == "whole 😀"


def test_texts_are_parted_where_padding_would_cost_more_than_a_call() -> None:
    careful = windower(tokens=16, overlap=0, batch_tokens=64, call_tokens=4)
    few, many = "fig", "fig plum fig plum fig plum fig plum"
    assert [len(batch.text) for batch in careful.batches([few, many])] == [1, 1]
    assert [len(batch.text) for batch in careful.batches([few, "fig plum", few])] == [3]
