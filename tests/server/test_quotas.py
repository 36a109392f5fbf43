"""What a tenant may ask for: text, work, memories, room; and what it is told when that is all."""

from dataclasses import replace
from pathlib import Path

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mags
from mags.engram import conflict
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules.policy import RulePolicy
from mags.ports.likeness import take_apart
from mags.server.auth import EVERYTHING, Scope
from mags.server.quotas import Quotas, TooMuch, TooMuchWork, WorkLimits, tenant_of
from mags.server.settings import ServerLimits
from mags.settings import Settings
from tests.server.serving import serving


def limited(**limits: float) -> ServerLimits:
    return ServerLimits(work=WorkLimits(**limits))  # type: ignore[arg-type]


def tell(client: httpx.Client, text: str, memory: str = "a") -> httpx.Response:
    return client.post(f"/memories/{memory}/turns", json={"text": text})


def test_a_text_that_is_too_long_is_refused_on_every_way_in_with_what_to_do(folder: Path):
    with serving(folder, limits=limited(turn_chars=100)) as served, served.client() as client:
        assert tell(client, "I live in Oslo.").status_code == 201
        long = "I like tea. " * 20
        bodies = {
            "turns": {"text": long},
            "turns/bulk": {"turns": [{"text": "I like tea."}, {"text": long}]},
            "converse": {"text": long},
            "recall": {"query": long},
            "ask": {"question": long},
            "ask ": {"question": long, "stream": True},
            "corrections": {"id": 1, "right": long},
        }
        for path, body in bodies.items():
            answer = client.post(f"/memories/a/{path.strip()}", json=body)
            assert answer.status_code == 413, path
            assert "split it" in answer.json()["detail"]
            assert answer.json()["characters"] == 100
        assert client.get("/memories/a/stats").json()["nodes"]["episode"] == 1
        vectors = client.post("/v1/embeddings", json={"input": long, "model": "x"})
        assert vectors.status_code == 413
        assert "split it" in vectors.json()["error"]["message"]


def test_more_turns_than_a_request_may_have_are_refused_together(folder: Path):
    with serving(folder, limits=limited(turns=2)) as served, served.client() as client:
        turns = [{"text": f"I have {n} cats."} for n in range(3)]
        answer = client.post("/memories/a/turns/bulk", json={"turns": turns})
        assert answer.status_code == 413
        assert "several" in answer.json()["detail"]
        assert client.get("/memories").json()["memories"] == []
        assert client.post("/memories/a/turns/bulk", json={"turns": turns[:2]}).is_success


def test_who_has_used_its_processor_time_is_told_when_to_come_back_and_others_are_served(
    folder: Path,
):
    limits = limited(cpu_s=0.02)
    with serving(folder, limits=limits, need_key=True) as served:
        ring = served.service.keys
        keys = [ring.add(name, ["*"], Scope.WRITE, 0.0) for name in ("greedy", "modest")]
        with served.client(keys[0]) as greedy, served.client(keys[1]) as modest:
            turns = [{"text": f"Ana lives in Town{n} and likes tea."} for n in range(40)]
            assert greedy.post("/memories/a/turns/bulk", json={"turns": turns}).is_success
            for path, body in (("turns", {"text": "I am here."}), ("recall", {"query": "Ana"})):
                refused = greedy.post(f"/memories/b/{path}", json=body)
                assert refused.status_code == 429
                assert int(refused.headers["retry-after"]) == refused.json()["retry_after"] > 1
                assert "ask again in" in refused.json()["detail"]
            assert tell(modest, "I am here.", "a").status_code == 201


def test_without_keys_each_memory_is_a_tenant_and_there_is_no_limit_on_work(folder: Path):
    assert tenant_of(EVERYTHING, "a") == "a"
    assert tenant_of(replace(EVERYTHING, name="phone", digest="x"), "a") == "phone"
    quotas = Quotas(WorkLimits())
    quotas.pay("a", 1e9)
    quotas.check_work("a")


def test_a_full_memory_takes_nothing_more_and_is_read_and_emptied_all_the_same(folder: Path):
    with serving(folder, limits=limited(memory_bytes=1)) as served, served.client() as client:
        # Empty memories have bytes, too: counted before the first turn, none is taken.
        refused = tell(client, "I live in Oslo.")
        assert refused.status_code == 413
        assert "forget" in refused.json()["detail"]
        assert refused.json()["bytes"] > 1
    with serving(folder) as served, served.client() as client:
        assert tell(client, "I live in Oslo.").is_success
    with serving(folder, limits=limited(memory_bytes=1)) as served, served.client() as client:
        assert tell(client, "I live in Porto.").status_code == 413
        assert client.post("/memories/a/import", content=b"{}").status_code == 413
        assert client.post("/memories/a/recall", json={"query": "Oslo"}).json()["hits"]
        assert client.post("/memories/a/forget", json={"what": "Oslo"}).is_success


def test_a_key_makes_so_many_memories_and_no_more(folder: Path):
    with serving(folder, limits=limited(memories=2)) as served, served.client() as client:
        assert [tell(client, "I am here.", name).status_code for name in "aabc"] == [
            201, 201, 201, 413,
        ]  # fmt: skip
        assert client.get("/memories").json()["memories"] == ["a", "b"]
        assert client.delete("/memories/a").status_code == 204
        assert tell(client, "I am here.", "c").status_code == 201


@given(st.lists(st.text(max_size=40), max_size=12), st.integers(1, 30), st.integers(1, 10))
def test_what_is_within_the_limits_is_taken_and_what_is_not_is_refused(said, chars, turns):
    quotas = Quotas(WorkLimits(turn_chars=chars, turns=turns))
    if len(said) > turns or any(len(text) > chars for text in said):
        with pytest.raises(TooMuch):
            quotas.check_text(said)
    else:
        quotas.check_text(said)


@given(st.floats(0.0, 100.0), st.floats(1.0, 60.0))
def test_only_who_owes_work_waits_and_so_long_as_it_owes(used_s, cpu_s):
    quotas = Quotas(WorkLimits(cpu_s=cpu_s))
    quotas.pay("a", used_s)
    if used_s <= cpu_s:
        quotas.check_work("a")
    elif used_s > cpu_s + 1.0:
        with pytest.raises(TooMuchWork) as refused:
            quotas.check_work("a")
        owed_s = (used_s - cpu_s) * 60.0 / cpu_s
        assert abs(refused.value.facts["retry_after"] - owed_s) <= 1.5


def test_turns_of_many_sentences_are_compared_with_those_before_within_bounds(monkeypatch):
    compared = []

    def counted(new: str, old: str, cosine: float) -> float:
        compared.append(len(take_apart(new).stems) * len(take_apart(old).stems))
        return probability(new, old, cosine)

    probability = conflict.probability
    monkeypatch.setattr(conflict, "probability", counted)
    with mags.open(
        None, settings=Settings(), embedder=HashEmbedder(16), policy=RulePolicy()
    ) as memory:
        for number in range(3):
            said = (f"Alice no longer likes the tea of shop {number * n}." for n in range(300))
            memory.observe(" ".join(said))
    assert 0 < sum(compared) <= 3 * conflict.MOST_COMPARED
