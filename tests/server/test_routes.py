"""Every route, as a client uses it."""

import json
import tempfile

import httpx
import pytest

from mags import caches
from mags.server.routes.history import ExportFile
from tests.server.serving import Served

MOVED = "Ana moved from Lisbon to Porto in May."


@pytest.fixture
def memory(client: httpx.Client, name: str) -> str:
    """The path of a memory that knows where Ana lives."""
    path = f"/memories/{name}"
    said = {"text": MOVED, "speaker": "Bo", "at": "2026-06-01", "key": "1"}
    answer = client.post(f"{path}/turns", json=said)
    assert answer.status_code == 201, answer.text
    return path


def test_a_turn_is_remembered_and_recalled_with_its_trace(client: httpx.Client, memory: str):
    found = client.post(f"{memory}/recall", json={"query": "Where does Ana live?"}).json()
    assert any("Porto" in hit["text"] for hit in found["hits"])
    assert found["context"].startswith("[m")
    told = client.get(f"{memory}/traces/{found['trace']}").json()
    assert told["lines"]
    assert told["trace"]["hits"][0]["id"] == found["hits"][0]["id"]


def test_a_recall_over_several_memories_names_that_of_each_hit(client: httpx.Client, memory: str):
    client.post(f"{memory}-team/turns", json={"text": "The release is on Friday."})
    team = f"{memory}-team".removeprefix("/memories/")
    asked = {"query": "When is the release?", "also": [team], "k": 3}
    found = client.post(f"{memory}/recall", json=asked).json()
    assert found["hits"][0]["memory"] == team
    assert set(found["traces"]) == {team, memory.removeprefix("/memories/")}
    explained = client.get(f"{memory}-team/traces/{found['traces'][team]}")
    assert explained.status_code == 200
    alone = client.post(f"{memory}/recall", json={"query": "When is the release?"}).json()
    assert (alone["traces"], {hit["memory"] for hit in alone["hits"]}) == ({}, {""})


def test_the_same_key_writes_once_and_says_so(client: httpx.Client, memory: str):
    said = {"text": MOVED, "speaker": "Bo", "at": "2026-06-01", "key": "1"}
    again = client.post(f"{memory}/turns", json=said)
    assert (again.status_code, again.json()["repeated"]) == (200, True)
    other = client.post(f"{memory}/turns", json={**said, "text": "Something else."})
    assert (other.status_code, other.json()["type"]) == (409, "urn:mags:KeyConflict")


def test_the_idempotency_header_stands_for_the_key(client: httpx.Client, name: str):
    path, headers = f"/memories/{name}/turns", {"Idempotency-Key": "a"}
    first = client.post(path, json={"text": "I like tea.", "at": 5}, headers=headers)
    again = client.post(path, json={"text": "I like tea.", "at": 5}, headers=headers)
    assert [first.status_code, again.status_code] == [201, 200]
    assert first.json()["episode_id"] == again.json()["episode_id"]


def test_the_idempotency_header_holds_for_facts_and_for_many_turns(client: httpx.Client, name: str):
    path, headers = f"/memories/{name}", {"Idempotency-Key": "a"}
    fact = {"subject": "Ana", "relation": "works at", "object": "Acme"}
    turns = {"turns": [{"text": "I like tea.", "at": 5}, {"text": "I like bees.", "key": "own"}]}
    for route, body in (("facts", fact), ("turns/bulk", turns)):
        first = client.post(f"{path}/{route}", json=body, headers=headers)
        again = client.post(f"{path}/{route}", json=body, headers=headers)
        assert [first.status_code, again.status_code] == [201, 200]
    assert [one["repeated"] for one in again.json()] == [True, True]
    more = {"turns": [*turns["turns"], {"text": "I like jazz.", "at": 6}]}
    answer = client.post(f"{path}/turns/bulk", json=more, headers=headers)
    assert answer.status_code == 201
    assert [one["repeated"] for one in answer.json()] == [True, True, False]
    other = client.post(f"{path}/facts", json={**fact, "object": "Initech"}, headers=headers)
    assert other.status_code == 409


def test_many_turns_are_remembered_in_order(client: httpx.Client, name: str):
    turns = [{"text": f"I saw {n} geese.", "at": n} for n in range(1, 6)]
    seen = client.post(f"/memories/{name}/turns/bulk", json={"turns": turns}).json()
    ids = [one["episode_id"] for one in seen]
    assert ids == sorted(set(ids))
    assert client.get(f"/memories/{name}/stats").json()["nodes"]["episode"] == 5


def test_turns_told_apart_take_a_tick_each(client: httpx.Client, name: str):
    turns = [{"text": f"I saw {n} geese.", "at": n} for n in range(1, 6)]
    client.post(f"/memories/{name}/turns/bulk", json={"turns": turns, "apart": True})
    assert client.get(f"/memories/{name}/stats").json()["tick"] == 5


def test_an_answer_names_what_it_rests_on_and_can_be_rewarded_once(
    client: httpx.Client, memory: str
):
    reply = client.post(f"{memory}/ask", json={"question": "Where does Ana live?"}).json()
    assert "Porto" in reply["text"]
    assert reply["citations"][0]["text"] in reply["text"]
    given = {"trace": reply["trace"], "reward": 1.0}
    first = client.post(f"{memory}/feedback", json=given).json()
    again = client.post(f"{memory}/feedback", json=given).json()
    assert again == {"credited": False}
    assert first["credited"] in (True, False)


def test_a_streamed_answer_ends_with_the_whole_of_it(client: httpx.Client, memory: str):
    asked = {"question": "Where does Ana live?", "stream": True}
    with client.stream("POST", f"{memory}/ask", json=asked) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        events = [part for part in answer.read().decode().split("\n\n") if part]
    kinds = [event.split("\n")[0] for event in events]
    assert kinds[-1] == "event: done"
    assert set(kinds[:-1]) == {"event: text"}
    pieces = "".join(json.loads(event.split("data: ")[1])["text"] for event in events[:-1])
    assert pieces == json.loads(events[-1].split("data: ")[1])["text"]


def test_a_conversation_answers_and_remembers(client: httpx.Client, memory: str):
    said = {"text": "Where does Ana live?", "speaker": "Bo"}
    reply = client.post(f"{memory}/converse", json=said).json()
    assert "Porto" in reply["text"]
    assert reply["seen"]["episode_id"] > 0


def test_a_fact_given_as_such_is_listed_and_retracted(client: httpx.Client, name: str):
    path = f"/memories/{name}/facts"
    triple = {"subject": "Ana", "relation": "works at", "object": "Acme"}
    assert client.post(path, json=triple).status_code == 201
    assert [fact["object"] for fact in client.get(path).json()] == ["Acme"]
    client.post(path, json={**triple, "retract": True})
    assert client.get(path, params={"subject": "Ana", "current": True}).json() == []


def test_names_and_ids_lead_to_profile_neighbours_and_paths(client: httpx.Client, memory: str):
    known = client.get(f"{memory}/profile", params={"of": "Ana"}).json()
    assert known["name"] == "Ana"
    beside = client.get(f"{memory}/neighbours", params={"of": f"m{known['id']}"}).json()
    assert client.get(f"{memory}/nodes/{known['id']}/neighbours").json() == beside
    path = client.get(f"{memory}/connect", params={"start": "Ana", "end": "Porto"}).json()
    assert path["texts"][0] == "Ana"
    assert path["texts"][-1] == "Porto"


def test_what_leads_from_a_question_to_options_and_memories(client: httpx.Client, memory: str):
    asked = {"question": "Where does Ana live?", "options": ["Atlantis", "Porto"]}
    [best] = client.post(f"{memory}/chains", json=asked).json()
    assert best["option"] == 1
    said = [client.get(f"{memory}/nodes/{step}").json()["text"] for step in best["steps"]]
    assert "Porto" in said[-1]
    future = {**asked, "after": {"0": 9e9, "1": 9e9}}
    assert client.post(f"{memory}/chains", json=future).json() == []
    episode = best["steps"][-1]
    ways = {"question": "Where does Ana live?", "ids": [episode]}
    assert len(client.post(f"{memory}/ways", json=ways).json()) == 1
    gone = client.post(f"{memory}/ways", json={**ways, "ids": [episode, 10**9]})
    assert gone.status_code == 404
    told = client.post(f"{memory}/latest", json={"things": ["Porto", "Atlantis"], "most": 1})
    assert told.json() == [[episode], []]


def test_a_node_is_edited_pinned_and_forgotten(client: httpx.Client, memory: str):
    node = client.get(f"{memory}/profile", params={"of": "Ana"}).json()["id"]
    path = f"{memory}/nodes/{node}"
    changed = client.patch(path, json={"importance": 0.5, "pinned": True}).json()
    assert (changed["importance"], changed["pinned"]) == (0.5, True)
    would = client.delete(path, params={"dry_run": True}).json()
    assert would["dry_run"]
    assert client.get(path).status_code == 200
    assert node in client.delete(path).json()["nodes"]["entity"]
    assert client.get(path).status_code == 404


def test_a_search_finds_what_holds_the_words_and_no_more(client: httpx.Client, memory: str):
    client.post(f"{memory}/converse", json={"text": "Where does Ana live?"})
    found = client.get(f"{memory}/search", params={"words": "Porto"}).json()
    assert (found[0]["kind"], found[0]["text"]) == ("entity", "Porto")
    assert found[1]["kind"] == "fact"
    assert all("Porto" in one["text"] for one in found)
    assert client.get(f"{memory}/search", params={"words": "xylophone"}).json() == []
    assert client.get(f"{memory}/search").status_code == 422


def test_a_correction_of_a_turn_that_told_no_fact_or_several_is_refused(
    client: httpx.Client, name: str
):
    said = {"text": "Ana lives in Porto and works at Acme.", "speaker": "Bo"}
    turn = client.post(f"/memories/{name}/turns", json=said).json()
    wrong = {"id": turn["episode_id"], "right": "Lima"}
    answer = client.post(f"/memories/{name}/corrections", json=wrong)
    assert (answer.status_code, "of one fact" in answer.json()["detail"]) == (422, True)


def test_the_text_of_a_fact_is_read_or_refused(client: httpx.Client, memory: str):
    known = client.get(f"{memory}/facts", params={"subject": "Ana"}).json()
    (fact,) = (one for one in known if one["relation"] == "lives in")
    path = f"{memory}/nodes/{fact['id']}"
    said = client.patch(path, json={"text": "Ana lives in Rome."}).json()["fact"]
    assert (said["subject"], said["relation"], said["object"]) == ("Ana", "lives in", "Rome")
    refused = client.patch(path, json={"text": "Something or other."})
    assert refused.status_code == 422
    assert "give subject, relation and object" in refused.json()["detail"]
    assert client.get(path).json()["text"] == "Ana lives in Rome."


def test_a_phrase_is_forgotten_with_all_that_holds_it(client: httpx.Client, memory: str):
    gone = client.post(f"{memory}/forget", json={"what": "Porto"}).json()
    assert gone["contents"] > 0
    found = client.post(f"{memory}/recall", json={"query": "Porto"}).json()
    assert all("Porto" not in hit["text"] for hit in found["hits"])


def test_a_preview_tells_the_texts_that_then_go(client: httpx.Client, memory: str):
    look = {"what": "Porto", "dry_run": True}
    plan = client.post(f"{memory}/forget", json=look).json()
    ids = {str(i) for i in [*plan["past"], *(i for some in plan["nodes"].values() for i in some)]}
    assert set(plan["texts"]) == ids
    assert any("Porto" in text for text in plan["texts"].values())
    gone = client.post(f"{memory}/forget", json={"what": "Porto"}).json()
    assert gone == {**plan, "dry_run": False, "texts": {}}


def test_a_trace_outlives_forgetting_without_what_was_asked(client: httpx.Client, memory: str):
    found = client.post(f"{memory}/recall", json={"query": "Who was in Porto?"}).json()
    client.post(f"{memory}/forget", json={"what": "Porto"})
    kept = client.get(f"{memory}/traces/{found['trace']}")
    assert "Porto" not in kept.text
    assert kept.json()["queries"] == []
    reward = client.post(f"{memory}/feedback", json={"trace": found["trace"], "reward": 1.0})
    assert reward.status_code == 200


def test_a_body_that_is_no_json_is_told_so_with_its_place(client: httpx.Client, memory: str):
    answer = client.post(
        f"{memory}/turns", content='{"text" "a"}', headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 422
    said = answer.json()
    assert said["detail"] == "body: it is no JSON: Expecting ':' delimiter, at character 9"
    assert said["field"] == ""


def test_a_rollback_takes_back_what_came_after_a_snapshot(client: httpx.Client, memory: str):
    assert client.post(f"{memory}/snapshots", json={"name": "then"}).status_code == 201
    client.post(f"{memory}/turns", json={"text": "Ana lives in Faro now.", "speaker": "Bo"})
    changed = client.get(f"{memory}/diff", params={"since": "then"}).json()
    assert changed["added"]
    back = client.post(f"{memory}/rollback", json={"name": "then"}).json()
    assert back["kind"] == "rollback"
    after = client.get(f"{memory}/diff", params={"since": "then"}).json()
    assert (after["added"], after["removed"], after["changed"]) == ([], [], [])
    refused = client.post(f"{memory}/snapshots", json={"name": "then"})
    assert (refused.status_code, refused.json()["name"]) == (422, "then")
    assert [mark["name"] for mark in client.get(f"{memory}/snapshots").json()] == ["then"]


def test_a_rollback_to_a_change_takes_back_what_came_after_it_and_is_undone_likewise(
    client: httpx.Client, memory: str
):
    def hobbies() -> list[str]:
        return [one["object"] for one in client.get(f"{memory}/facts").json()]

    client.post(f"{memory}/turns", json={"text": "Bo likes chess."})
    seq = client.get(f"{memory}/log").json()[0]["seq"]
    client.post(f"{memory}/turns", json={"text": "Bo likes tea."})
    before = hobbies()
    last = client.get(f"{memory}/log").json()[0]["seq"]
    assert client.post(f"{memory}/rollback", json={"seq": seq}).json()["kind"] == "rollback"
    assert set(before) - set(hobbies()) == {"tea"}
    client.post(f"{memory}/rollback", json={"seq": last})
    assert hobbies() == before
    refused = client.post(f"{memory}/rollback", json={"seq": last + 99})
    assert (refused.status_code, "the newest is" in refused.json()["detail"]) == (404, True)
    for neither in ({}, {"seq": seq, "name": "then"}):
        assert client.post(f"{memory}/rollback", json=neither).status_code == 422


def test_a_branch_goes_its_own_way(client: httpx.Client, memory: str):
    assert client.post(f"{memory}/branches", json={"name": "what if"}).status_code == 201
    there = {"branch": "what if"}
    client.post(f"{memory}/turns", json={"text": "I own a boat."}, params=there)
    episodes = [
        client.get(f"{memory}/stats", params=which).json()["nodes"]["episode"]
        for which in ({}, there)
    ]
    assert episodes == [1, 2]
    assert "what if" in [mark["name"] for mark in client.get(f"{memory}/branches").json()]
    facts = [client.get(f"{memory}/facts", params=which).json() for which in ({}, there)]
    assert [any("boat" in fact["object"] for fact in known) for known in facts] == [False, True]


def test_what_waits_to_be_sent_goes_when_something_is_forgotten():
    held = ExportFile(tempfile.TemporaryFile())  # noqa: SIM115 - closed by `pieces`
    held.file.write("a word\n" * 9)
    held.file.flush()
    pieces = held.pieces()
    caches.clear()
    assert list(pieces) == []
    caches.clear()  # what was sent whole is closed, and no matter


def test_what_is_exported_can_be_imported_elsewhere(client: httpx.Client, memory: str):
    lines = client.get(f"{memory}/export").content
    other = f"{memory}-copy"
    assert client.post(f"{other}/import", content=lines).status_code == 201
    facts = [client.get(f"{path}/facts").json() for path in (memory, other)]
    assert [[f["text"] for f in some] for some in facts] == [
        [f["text"] for f in facts[0]],
        [f["text"] for f in facts[0]],
    ]


def test_a_damaged_import_changes_nothing(client: httpx.Client, memory: str):
    before = client.get(f"{memory}/stats").json()
    answer = client.post(f"{memory}/import", content=b'{"nonsense": 1}\n')
    assert answer.status_code == 422
    assert client.get(f"{memory}/stats").json()["seq"] == before["seq"]


def test_what_fails_before_anything_was_written_leaves_no_memory(
    client: httpx.Client, name: str, served: Served
):
    path = f"/memories/{name}"
    assert client.post(f"{path}/import", content=b'{"nonsense": 1}\n').status_code == 422
    assert client.post(f"{path}/turns", json={"text": "\x00"}).status_code == 422
    assert name not in client.get("/memories").json()["memories"]
    assert not list(served.service.settings.folder.glob(f"{name}.mags*"))
    assert client.post(f"{path}/turns", json={"text": "I am here."}).status_code == 201
    assert client.post(f"{path}/import", content=b"x").status_code == 422
    assert client.get(f"{path}/stats").json()["nodes"]["episode"] == 1


def test_changes_tell_what_each_delta_made(client: httpx.Client, memory: str):
    (first, *_) = client.get(f"{memory}/changes").json()
    seen = client.get(f"{memory}/log").json()[-1]
    assert (first["seq"], first["kind"]) == (seen["seq"], "observe")
    assert len(first["added"]) == seen["nodes"]
    assert {arc["kind"] for arc in first["arcs"]} >= {"mentions", "source"}
    assert first["reweighted"] == []
    assert {one["text"] for one in first["named"]} >= {"Ana", MOVED}
    client.post(f"{memory}/forget", json={"what": "Porto"})
    gone = client.get(f"{memory}/changes", params={"after": first["seq"]}).json()[-1]
    assert gone["erased_nodes"] > 0
    assert gone["named"] == []


def test_events_follow_a_memory_and_go_on_where_a_line_was_lost(client: httpx.Client, memory: str):
    with client.stream("GET", f"{memory}/events", params={"after": 0}) as stream:
        lines = stream.iter_lines()
        first = next(line for line in lines if line.startswith("id: "))
        client.post(f"{memory}/turns", json={"text": "I own a boat."})
        second = next(line for line in lines if line.startswith("id: "))
    assert int(second[4:]) > int(first[4:])
    headers = {"Last-Event-ID": first[4:]}
    with client.stream("GET", f"{memory}/events", headers=headers) as stream:
        assert next(line for line in stream.iter_lines() if line.startswith("id: ")) == second


def test_a_picture_holds_the_strongest_nodes_as_they_were(client: httpx.Client, memory: str):
    whole = client.get(f"{memory}/picture").json()
    assert len(whole["dots"]) == whole["nodes"]
    ids = {dot["id"] for dot in whole["dots"]}
    assert all(arc["src"] in ids and arc["dst"] in ids for arc in whole["lines"])
    few = client.get(f"{memory}/picture", params={"most": 2}).json()
    assert (len(few["dots"]), few["nodes"]) == (2, whole["nodes"])
    before = client.get(f"{memory}/picture", params={"recorded_as_of": "2000-01-01"}).json()
    assert before["dots"] == []


def test_sleep_reports_what_its_rules_did(client: httpx.Client, memory: str):
    slept = client.post(f"{memory}/sleep").json()
    assert slept["nodes_after"] <= slept["nodes_before"]
    assert client.get(f"{memory}/log").json()[0]["kind"] == "sleep"


def test_a_memory_is_listed_and_deleted(client: httpx.Client, memory: str, served: Served):
    name = memory.removeprefix("/memories/")
    assert name in client.get("/memories").json()["memories"]
    assert client.delete(memory).status_code == 204
    assert name not in client.get("/memories").json()["memories"]
    assert not list(served.service.settings.folder.glob(f"{name}.mags*"))
    assert client.get(f"{memory}/stats").status_code == 404


def test_reading_makes_no_memory(client: httpx.Client, name: str, served: Served):
    answer = client.post(f"/memories/{name}/recall", json={"query": "x"})
    assert (answer.status_code, answer.headers["content-type"]) == (404, "application/problem+json")
    assert not list(served.service.settings.folder.glob(f"{name}.mags*"))


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("turns", {"text": ""}),
        ("turns", {"text": "x", "speeker": "Ana"}),
        ("turns", {"text": "x", "at": "yesterday-ish"}),
        ("turns", {"text": "half \ud800 a pair"}),
        ("recall", {"query": "x", "k": 0}),
        ("recall", {"query": "x", "as_of": "never"}),
        ("facts", {"subject": "Ana", "relation": "likes"}),
        ("feedback", {"trace": "x", "reward": 2}),
        ("rollback", {"name": ""}),
    ],
)
def test_what_cannot_be_used_is_told_as_a_problem(
    client: httpx.Client, memory: str, path: str, body: dict[str, object]
):
    sent = json.dumps(body).encode()
    answer = client.post(
        f"{memory}/{path}", content=sent, headers={"Content-Type": "application/json"}
    )
    assert answer.status_code == 422
    assert answer.json()["status"] == 422
    assert answer.json()["detail"]


@pytest.mark.parametrize("name_", ["..", ".hidden", "a/b", "a b", "x" * 101, "end.", "%2e%2e"])
def test_a_name_that_is_no_namespace_touches_no_file(
    client: httpx.Client, name_: str, served: Served
):
    before = sorted(served.service.settings.folder.parent.rglob("*"))
    answer = client.post(f"/memories/{name_}/turns", json={"text": "x"})
    assert answer.status_code in (404, 405, 422)
    assert sorted(served.service.settings.folder.parent.rglob("*")) == before
