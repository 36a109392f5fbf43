"""The router's training: what it is taught, that it is learned, and that files come out alike."""

from pathlib import Path

import numpy as np
import pytest

from mags.errors import InvalidInput
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.router import opened
from mags.ports.policy import Intent
from mags_lab.talk.routes import (
    KINDS,
    Example,
    by_hand,
    embedded,
    fit,
    save,
    served,
    split_of,
)

TAUGHT = [one for one in by_hand() if one.split == "train"][::5]


def test_every_kind_is_written_by_hand_and_every_line_stands_once() -> None:
    found = list(by_hand())
    assert {one.kinds for one in found} == {(kind,) for kind in KINDS}
    assert len({one.text for one in found}) == len(found)
    assert {one.split for one in found} == {"train", "dev", "test"}


def test_a_line_stays_in_its_split_whatever_stands_beside_it() -> None:
    assert [split_of(one.text) for one in by_hand()] == [one.split for one in by_hand()]


def test_an_unknown_kind_is_named(tmp_path: Path) -> None:
    path = tmp_path / "routes.txt"
    path.write_text("== gossip\nhave you heard\n", encoding="utf-8")
    with pytest.raises(InvalidInput, match="gossip"):
        list(by_hand(path))


def test_what_is_taught_is_learned_and_the_same_turns_give_the_same_file(tmp_path: Path) -> None:
    embedder = HashEmbedder()
    vectors = embedded(TAUGHT, embedder)
    paths = [tmp_path / "a.npz", tmp_path / "b.npz"]
    for path in paths:
        save(fit(TAUGHT, vectors, embedder.name), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()
    router = opened(paths[0])
    for seen in (True, False):
        likely = [
            router.probabilities(one.text, vectors[i] if seen else None)
            for i, one in enumerate(TAUGHT)
        ]
        best = [max(one, key=lambda kind: one[kind]) for one in likely]
        right = np.mean([got in one.kinds for got, one in zip(best, TAUGHT, strict=True)])
        assert right > 0.95


def test_a_turn_in_doubt_is_served_where_it_tells() -> None:
    told = Example(text="I moved.", kinds=("tell",), split="dev", by_hand=True)
    asked = Example(text="where do i live", kinds=("ask",), split="dev", by_hand=True)
    assert served(told, Intent())
    assert not served(asked, Intent())
    assert served(asked, Intent(kind="ask", sure=True))
