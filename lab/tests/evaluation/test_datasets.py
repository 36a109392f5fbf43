"""The loaders, on small files of the sets' own shapes."""

import gzip
import json

import pytest

from mags.cli.files import parse_turns
from mags.errors import InvalidInput, NotFound
from mags_lab.evaluation.datasets.editing import (
    load_distractors,
    load_letta,
    load_mquake,
    relation_phrase,
)
from mags_lab.evaluation.datasets.locomo import evidence_ids, load_locomo
from mags_lab.evaluation.datasets.longmemeval import load_longmemeval
from mags_lab.evaluation.datasets.multihop import load_hotpotqa, load_musique
from mags_lab.evaluation.datasets.source import moment
from mags_lab.evaluation.datasets.turns import main, read_turns


def written(path, value):
    text = json.dumps(value) if path.name.count("jsonl") == 0 else "\n".join(map(json.dumps, value))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def question(evidence, category=1):
    return {"question": "What?", "answer": "x", "evidence": evidence, "category": category}


@pytest.fixture
def conversation(tmp_path):
    said = [
        {"speaker": "Ana", "dia_id": "D1:1", "text": "I paint."},
        {
            "speaker": "Ben",
            "dia_id": "D1:2",
            "text": "Look.",
            "blip_caption": "a red boat",
            "query": "boat",
        },
    ]
    talk = {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": said,
        "session_2_date_time": "2:00 pm on 9 May, 2023",
    }
    qa = [
        question(["D1:1; D1:2"], 1),
        question(["D:1:02", "D9:9", "D"], 2),
        question([], 3),
        question(["D1:1"], 5),
    ]
    raw = [{"sample_id": "conv-1", "conversation": talk, "qa": qa}]
    return written(tmp_path / "locomo.json.gz", raw)


def test_evidence_is_read_leniently():
    assert evidence_ids("D8:6; D9:17") == ("D8:6", "D9:17")
    assert evidence_ids("D:11:026") == ("D11:26",)
    assert evidence_ids("D") == ()


def test_locomo_counts_what_it_drops_and_leaves_adversarial_questions_out(conversation):
    (found,) = load_locomo(conversation)
    assert [p.gold for p in found.probes] == [{"conv-1/D1:1", "conv-1/D1:2"}, {"conv-1/D1:2"}]
    assert [p.kind for p in found.probes] == ["multi-hop", "temporal"]
    assert (found.dropped, found.unanswerable) == (2, 1)


def test_locomo_turns_carry_captions_and_the_time_of_their_session(conversation):
    (found,) = load_locomo(conversation)
    assert [t.text for t in found.turns] == [
        "I paint.",
        "Look. [picture: a red boat (searched: boat)]",
    ]
    assert found.turns[0].at.isoformat() == "2023-05-08T13:56:00+00:00"


def test_the_audit_mends_the_gold(conversation, tmp_path):
    audit = [{"question_id": "locomo_0_qa2", "correct_evidence": ["D1:1"]}]
    (found,) = load_locomo(conversation, audit=written(tmp_path / "audit.json", audit))
    assert found.probes[2].gold == {"conv-1/D1:1"}
    assert found.unanswerable == 0


def test_a_missing_file_names_the_variable_to_set(tmp_path):
    with pytest.raises(NotFound, match="MAGS_DATA"):
        load_locomo(tmp_path / "absent.json")


def test_an_unreadable_time_is_refused():
    assert moment("2023/05/27 (Sat) 22:10", "%Y/%m/%d %H:%M").hour == 22
    with pytest.raises(InvalidInput):
        moment("soon", "%Y/%m/%d %H:%M")


def test_longmemeval_puts_evidence_among_haystacks_once(tmp_path):
    haystack = {
        "steps": [
            {
                "step_type": "add_messages",
                "session_id": "s1",
                "messages": [
                    {
                        "peer_id": "user",
                        "content": "Hello. I moved to Oslo.",
                        "created_at": "2023-05-20T06:13:00",
                    }
                ],
            }
        ]
    }
    written(tmp_path / "hay" / "a.json.gz", haystack)
    base = {"question_type": "t", "question": "?", "question_date": "2023/05/27 (Sat) 22:10"}
    said = {"date": "2023/05/01 (Mon) 10:00", "turns": [{"role": "user", "content": "I ski."}]}
    again = {
        "date": "2023/05/20 (Sat) 06:13",
        "turns": [{"role": "user", "content": "I moved to Oslo."}],
    }
    evidence = [
        base
        | {
            "question_id": "q1",
            "abstention": False,
            "answer_session_ids": ["s1", "s2"],
            "evidence_sessions": [again, said],
        },
        base
        | {
            "question_id": "q2",
            "abstention": True,
            "answer_session_ids": [],
            "evidence_sessions": [],
        },
    ]
    found = load_longmemeval(written(tmp_path / "e.jsonl.gz", evidence), tmp_path / "hay")
    assert [t.id for t in found.turns] == ["s2#0", "s1#0"]
    assert [p.gold for p in found.probes] == [{"s1#0", "s2#0"}]
    assert found.abstentions == 1


def test_musique_gold_and_triples_share_the_passage_ids(tmp_path):
    corpus = [{"title": "A", "text": "a."}, {"title": "A", "text": "b."}]
    paragraphs = [
        {"title": "A", "paragraph_text": "b.", "is_supporting": True},
        {"title": "A", "paragraph_text": "a.", "is_supporting": False},
    ]
    openie = {
        "docs": [corpus[1] | {"extracted_triples": [["A", "is", "b"], ["A", "is"], ["", "x", "y"]]}]
    }
    found = load_musique(
        written(tmp_path / "q.json", [{"id": "q", "question": "?", "paragraphs": paragraphs}]),
        written(tmp_path / "c.json", corpus),
        written(tmp_path / "o.json", openie),
    )
    assert found.probes[0].gold == {"p1"}
    assert dict(found.triples) == {"p1": (("A", "is", "b"),)}


def test_hotpotqa_passages_are_known_by_their_titles(tmp_path):
    raw = [
        {"_id": "q", "question": "?", "supporting_facts": [["A", 0], ["A", 1]], "type": "bridge"}
    ]
    found = load_hotpotqa(
        written(tmp_path / "q.json", raw), written(tmp_path / "c.json", {"A": ["One.", " Two."]})
    )
    assert found.turns[0].text == "A\nOne. Two."
    assert found.probes[0].gold == {"A"}


@pytest.mark.parametrize(
    ("template", "phrase"),
    [
        ("{} was founded by", "was founded by"),
        ("The official language of {} is", "official language"),
        ("{}'s child is", "child"),
        (
            "The headquarters of {} is located in the city of",
            "headquarters is located in the city of",
        ),
        ("The univeristy where {} was educated is", "university where was educated"),
        (
            "The name of the current head of the {} government is",
            "name of the current head of the government",
        ),
    ],
)
def test_a_template_becomes_a_relation_as_one_would_say_it(template, phrase):
    assert relation_phrase(template) == phrase


def hop(case, subject, old, new):
    rewrite = {
        "prompt": "The capital of {} is",
        "relation_id": "P36",
        "subject": subject,
        "target_new": {"str": new},
        "target_true": {"str": old},
    }
    return {
        "case_id": case,
        "questions": ["?"],
        "requested_rewrite": [rewrite],
        "orig": {
            "edit_triples": [["Q1", "P36", "Q3"]],
            "triples": [["Q1", "P36", "Q2"]],
            "triples_labeled": [[subject, "capital", old]],
            "new_triples": [["Q1", "P36", "Q3"]],
            "new_triples_labeled": [[subject, "capital", new]],
        },
    }


def test_mquake_tells_first_facts_then_edits_and_knows_what_went_stale(tmp_path):
    raw = [hop(1, "Peru", "Lima", "Oslo"), hop(2, "Peru", "Lima", "Oslo")]
    found = load_mquake(written(tmp_path / "m.json", raw))
    assert [s.text for s in found.before] == ["The capital of Peru is Lima"]
    assert [s.key for s in found.edits] == ["Peru|capital|Oslo"]
    (case,) = found.cases
    assert case.chain == ("Peru|capital|Oslo",)
    assert case.stale == {"Peru|capital|Lima"}
    assert (found.repeated, found.ambiguous) == (1, 0)


def test_a_slot_that_two_edits_fill_leaves_its_questions_out(tmp_path):
    raw = [hop(1, "Portal", "a", "b"), hop(2, "Portal", "a", "c"), hop(3, "Peru", "a", "b")]
    found = load_mquake(written(tmp_path / "m.json", raw))
    assert [c.id for c in found.cases] == ["3"]
    assert found.ambiguous == 2


def test_distractors_never_fill_an_edited_slot(tmp_path):
    line = {"sub_label": "Peru", "rel_label": "capital", "rel": "P36", "obj_label": "Cusco"}
    lines = [line, line | {"sub_label": "Chad"}, line | {"sub_label": "Chad"}]
    written(tmp_path / "train" / "x.jsonl", lines)
    found = load_distractors(tmp_path, taken={("Peru", "P36")})
    assert [s.text for s in found] == ["Chad capital Cusco"]


def test_letta_cases_keep_their_ten_facts_and_the_contradiction(tmp_path):
    extra = {
        "facts": ["a", "b"],
        "contradicting_fact": "c",
        "contradicting_answer": "d",
        "supporting_fact_indices": [1],
    }
    raw = [{"input": "?", "ground_truth": "d", "agent_args": {"extra": extra}}]
    (case,) = load_letta(written(tmp_path / "l.jsonl.gz", raw))
    assert (case.id, case.facts, case.contradicted) == ("letta-0", ("a", "b"), (1,))


def test_the_turns_of_each_form_of_a_file_are_told_as_lines_that_observe_reads(
    conversation, tmp_path, capsys
):
    evidence = {
        "answer_session_ids": ["s2"],
        "evidence_sessions": [
            {"date": "2023/05/21 (Sun) 13:07", "turns": [{"role": "user", "content": "I ski."}]}
        ],
    }
    questions = [{**evidence, "question_id": one} for one in ("q1", "q2")]
    haystack = {
        "haystack_session_ids": ["s1"],
        "haystack_dates": ["2023/05/21 (Sun) 13:07"],
        "haystack_sessions": [[{"role": "assistant", "content": "Hi"}]],
    }
    files = {
        "locomo": conversation,
        "evidence": written(tmp_path / "evidence.jsonl", questions),
        "haystack": written(tmp_path / "haystack.json", [haystack]),
    }
    told = {}
    for name, path in files.items():
        main(path)
        told[name] = list(parse_turns(capsys.readouterr().out, "auto", speaker="me"))

    assert [(t.speaker, t.key, t.at) for t in told["locomo"]] == [
        ("Ana", "conv-1/D1:1", 1_683_554_160.0),
        ("Ben", "conv-1/D1:2", 1_683_554_160.0),
    ]
    assert [(t.text, t.key) for t in told["evidence"]] == [
        ("I ski.", "q1/s2#0"),
        ("I ski.", "q2/s2#0"),
    ]
    (turn,) = told["haystack"]
    assert (turn.speaker, turn.text, turn.session) == ("assistant", "Hi", "s1")
    assert turn.at == 1_684_674_420.0


def test_turns_of_an_unknown_file_are_refused(tmp_path):
    with pytest.raises(InvalidInput, match="no LoCoMo or LongMemEval file"):
        list(read_turns(written(tmp_path / "other.json", {"text": "Hi"})))
