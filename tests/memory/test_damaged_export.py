"""An export with anything wrong in it is refused by line, and changes nothing."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mags
from mags.memory.memory import Memory
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules.policy import RulePolicy
from mags.settings import Settings
from tests.memory.replaying import assert_whole


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    path = tmp_path_factory.mktemp("export") / "m.jsonl"
    memory = mags.open(None, embedder=HashEmbedder(16), settings=Settings(), policy=RulePolicy())
    memory.observe("I live in Oslo.", speaker="Ana", session="s", at="2024-01-01")
    memory.observe("My dog is named Rex.", speaker="Ana", session="s", at="2024-01-02")
    memory.export(path)
    return path.read_text(encoding="utf-8").splitlines()


VALUES = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**70), 2**70), st.floats(), st.text(max_size=6),
    st.just([]), st.just({}), st.just("inf"), st.just("-inf"), st.just("nan"), st.just(2**63),
)  # fmt: skip


@settings(
    max_examples=200,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(data=st.data())
def test_any_value_put_in_its_place_is_taken_or_refused(
    lines: list[str], tmp_path: Path, data: st.DataObject
) -> None:
    number = data.draw(st.integers(0, len(lines) - 1))
    line = json.loads(lines[number])
    part = next((line[name] for name in ("node", "arc") if name in line), line)
    holder = data.draw(st.sampled_from([line, part]))
    holder[data.draw(st.sampled_from(sorted(holder)))] = data.draw(VALUES)
    path = tmp_path / "spoilt.jsonl"
    path.write_text("\n".join([*lines[:number], json.dumps(line), *lines[number + 1 :]]))
    with mags.open(
        None, embedder=HashEmbedder(16), settings=Settings(), policy=RulePolicy()
    ) as memory:
        try:
            memory.import_(path)
        except mags.InvalidInput:
            assert memory.log() == []
        else:
            memory.recall("Where does Ana live?")
            memory.facts()
        assert_whole(memory)


def test_a_file_that_is_not_there_is_named(opened: Callable[..., Memory], tmp_path: Path) -> None:
    with pytest.raises(mags.InvalidInput, match=r"none\.jsonl"):
        opened().import_(tmp_path / "none.jsonl")
