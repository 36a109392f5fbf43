"""The page as it is served: whole, and under a policy that lets nothing else run."""

import re
from pathlib import Path

import httpx
import pytest

from mags.recall.ranking import NAMES
from mags.recall.recall import STEPS


def test_the_page_and_all_it_names_is_served(client: httpx.Client):
    page = client.get("/")
    assert page.status_code == 200
    files = re.findall(r'(?:src|href)="(/[^"]+)"', page.text)
    assert {name.rpartition(".")[2] for name in files} == {"js", "css", "svg"}
    for name in files:
        found = client.get(name)
        assert found.status_code == 200, name
        assert "immutable" in found.headers["cache-control"]


def test_nothing_runs_that_the_server_did_not_ship(client: httpx.Client):
    page = client.get("/")
    policy = page.headers["content-security-policy"]
    assert "unsafe" not in policy
    assert "script-src 'self'" in policy
    assert "default-src 'none'" in policy
    assert not re.search(r"<script(?![^>]*\ssrc=)", page.text)
    assert " on" not in re.sub(r"(?s)<noscript>.*?</noscript>|content=\"[^\"]*\"", "", page.text)


@pytest.mark.parametrize("name", ["../__init__.py", "%2e%2e/__init__.py", "none.js"])
def test_only_files_of_the_bundle_are_served(client: httpx.Client, name: str):
    assert client.get(f"/assets/{name}").status_code == 404


def test_without_the_laboratory_there_are_no_games_and_the_page_is_told_so(client: httpx.Client):
    assert client.get("/memories").json()["joined"] == []
    assert client.get("/games").status_code == 404


def test_every_feature_of_the_ranking_has_words_on_the_page(root: Path):
    table = (root / "web" / "src" / "words.ts").read_text().partition("];\n")[0]
    named = re.findall(r'"([a-z_]+)"', table)
    assert sorted(named) == sorted((*NAMES, *STEPS))


def test_memories_are_listed_by_how_their_names_begin_a_page_at_a_time(client: httpx.Client):
    for name in ("ana", "bo", "bob", "bobby", "Bo"):
        client.post(f"/memories/{name}/turns", json={"text": "Ana lives in Oslo."})

    def names(**asked: object) -> list[str]:
        return client.get("/memories", params=asked).json()["memories"]

    assert names() == ["Bo", "ana", "bo", "bob", "bobby"]
    assert names(prefix="bo") == ["bo", "bob", "bobby"]
    assert names(prefix="bo", limit=2) == ["bo", "bob"]
    assert names(prefix="bo", limit=2, after="bob") == ["bobby"]
    assert names(prefix="zoe") == []
    assert client.get("/memories", params={"limit": 0}).status_code == 422
