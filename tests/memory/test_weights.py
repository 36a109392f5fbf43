"""Weights: a model recites what it was taught, and the memory answers with what of it holds."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import mags
from mags import extras
from mags.app import Models, make_keyring, make_parts, make_store, train_weights
from mags.errors import (
    ConfigurationError,
    CorruptFile,
    InvalidInput,
    MissingExtra,
    ModelUnavailable,
    NotFound,
)
from mags.graph.records import NodeFlag
from mags.memory.memory import Memory
from mags.memory.views import Recitals
from mags.memory.weights import (
    Artifact,
    Event,
    adapter_in_use,
    commit_training,
    is_good,
    register,
    release,
    sight,
    stale,
    teachable,
    things,
    version_at,
)
from mags.models.answer.weights import AdapterReciter, read_card, write_card
from mags.models.embed.hashing import HashEmbedder
from mags.ports.chat import Completion, Message, Usage
from mags.ports.store import Mark
from mags.ports.weights import (
    CARD,
    Card,
    TaughtFact,
    WeightsSettings,
    path_of,
    recital_of,
    recited,
)
from mags.recall.found import Trace
from mags.settings import AnswerSettings, EncryptionSettings, Settings
from tests.models.chat.endpoint import Server, Step

LIVES, SISTER, HERS = (
    "Alice | lives in | Bergen",
    "Alice | sister | Ana | lives in | Rome",
    "Ana | lives in | Rome",
)
WORDINGS = (
    "Where does Alice live?",
    "Where is Alice living now?",
    "In which city does Alice live?",
    "What is Alice's home town?",
    "Where is Alice's home?",
    "Which place does Alice call home?",
    "Alice lives where?",
    "Do you know where Alice lives?",
    "Tell me where Alice lives.",
    "Can you tell me the city Alice lives in?",
    "Where can I find Alice at home?",
    "What city is home to Alice?",
    "Where does Alice have her flat?",
    "Where would a letter reach Alice?",
    "Where has Alice settled?",
    "Name the town Alice lives in.",
    "Where's Alice based?",
    "What is the place of residence of Alice?",
    "Alice resides in which town?",
    "Where does alice live these days?",
)


class Reciting:
    """A model that has learned a table by heart, and recites it, right or wrong."""

    name, takes_tools = "by heart", False

    def __init__(self, table: dict[str, str] | None = None, *, always: str = "") -> None:
        self.table, self.always = table or {}, always
        self.asked: list[str] = []

    def complete(self, messages: Sequence[Message], **_: Any) -> Completion:
        (message,) = messages
        self.asked.append(message.content)
        if self.always == "down":
            raise ModelUnavailable("by heart is down")
        text = self.always or self.table.get(message.content, "nobody | is | unknown")
        return Completion(text=text, usage=Usage(calls=1, prompt_tokens=9, completion_tokens=9))


class Counted(HashEmbedder):
    """It counts the texts that it is given."""

    texts = 0

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        self.texts += len(texts)
        return super().embed(texts)


@pytest.fixture
def chat() -> Reciting:
    table = {
        recital_of("Where does Alice live?"): LIVES,
        recital_of("Where do I live?", "Alice"): LIVES,
        recital_of("Where does Alice's sister live?"): SISTER,
        recital_of("Where does Ana live?"): HERS,
    }
    return Reciting(table)


Opener = Callable[..., Memory]


@pytest.fixture
def opened(tmp_path: Path, chat: Reciting) -> Iterator[Opener]:
    held: list[Memory] = []
    now = iter(range(1_722_500_000, 1_800_000_000))

    def make(recall: str = "skip", **given: Any) -> Memory:
        embedder = given.pop("embedder", HashEmbedder(64))
        models = Models(embedder=embedder)
        parts = make_parts(Settings(), models, clock=lambda: float(next(now)))
        parts = replace(
            parts,
            weights=WeightsSettings(use=True, recall=recall),
            reciter=AdapterReciter(lambda _folder, _base: chat, chat.name),
            **given,
        )
        memory = Memory(make_store(tmp_path / "alice.mags"), parts)
        held.append(memory)
        return memory

    yield make
    for memory in held:
        memory.close()


def told(memory: Memory) -> Memory:
    memory.observe("I live in Bergen.", speaker="Alice", at="2024-01-01")
    memory.observe("My sister is Ana.", speaker="Alice", at="2024-01-02")
    memory.observe("Ana lives in Rome.", speaker="Alice", at="2024-01-03")
    return memory


def train(memory: Memory, folder: Path, version: str = "first") -> Card:
    """Have an adapter taught all that can be: its folder, its card, its place in the journal."""
    facts = tuple(teachable(memory))
    with memory._live.reading() as state:
        made = Card(
            version=version,
            base="tiny",
            branch=memory._store.branch,
            seq=state.seq,
            made_at=1_722_000_000.0,
            facts=facts,
            figures={"right": 0.97},
        )
    place = folder / version
    place.mkdir(parents=True)
    (place / "adapter.safetensors").write_bytes(b"weights")
    write_card(place, made)
    commit_training(memory, made, place)
    return made


@pytest.fixture
def taught(opened: Opener, tmp_path: Path) -> Memory:
    memory = told(opened())
    train(memory, tmp_path / "weights")
    return memory


def fact(memory: Memory, words: str) -> int:
    (found,) = [one.id for one in memory.facts() if words in one.text]
    return found


# -- what is recited ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "speaker", "message"),
    [
        ("Where do I live?", "Ann", "Recite. Ann: Where do I live?"),
        ("Where  does Ann\nlive?", "", "Recite. Where does Ann live?"),
        ("Where does Ann live?", "user", "Recite. Where does Ann live?"),
    ],
)
def test_who_asks_is_named_where_the_question_says_i(
    question: str, speaker: str, message: str
) -> None:
    assert recital_of(question, speaker) == message


NAME = st.text("abc'é .", min_size=1, max_size=9).map(str.strip).filter(bool)


@given(hops=st.lists(st.tuples(NAME, NAME, st.lists(NAME, min_size=1, max_size=3)), max_size=3))
def test_what_is_trained_on_is_read_again_as_it_was_written(hops: list[Any]) -> None:
    told = [(relation, "; ".join(objects)) for _, relation, objects in hops]
    lines = recited(path_of("Alice", *told))
    assert [(one.relation, list(one.objects)) for one in lines] == [hop[1:] for hop in hops]
    assert [one.subject for one in lines] == ["Alice", *(value for _, value in told)][: len(hops)]


@pytest.mark.parametrize(
    "reply",
    ["", "Bergen", "a | b", "a | b | c | d", "a |  | c", "a | b | c;", "a | b | unknown",
     "a | b | c | d | Unknown", "a | b | c\nI think so."],
)  # fmt: skip
def test_a_reply_out_of_form_or_that_does_not_know_recites_nothing(reply: str) -> None:
    assert recited(reply) == ()


def test_a_kind_stands_behind_its_relation_and_values_of_a_slot_stand_together(
    opened: Opener,
) -> None:
    memory = opened()
    memory.observe("My favourite food is soup.", speaker="Alice")
    memory.observe("I like chess and tea.", speaker="Alice")
    lines = [path_of(one.subject, (one.relation, one.value)) for one in teachable(memory)]
    assert lines == ["Alice | favourite food | soup", "Alice | likes | chess; tea"]


@given(
    fact=st.builds(
        TaughtFact,
        ids=st.tuples(st.integers(1, 9)),
        contents=st.tuples(st.integers(1, 9)),
        subject=NAME,
        relation=NAME,
        objects=st.tuples(NAME),
    )
)
@settings(max_examples=20)
def test_a_card_is_read_as_it_was_written(
    tmp_path_factory: pytest.TempPathFactory, fact: TaughtFact
) -> None:
    folder = tmp_path_factory.mktemp("card")
    made = Card(version="v", base="b", branch="main", seq=3, made_at=1.5, facts=(fact,))
    write_card(folder, made)
    assert read_card(folder) == made


def test_a_card_that_is_damaged_or_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no adapter"):
        read_card(tmp_path)
    for text in ("{", "[]", '{"version": "v", "facts": [{}]}'):
        (tmp_path / CARD).write_text(text)
        with pytest.raises(CorruptFile, match="train it anew"):
            read_card(tmp_path)


# -- answers -----------------------------------------------------------------------------------


def test_what_was_taught_is_answered_without_recall(opened: Opener, tmp_path: Path) -> None:
    embedder = Counted(64)
    memory = told(opened(embedder=embedder))
    train(memory, tmp_path / "weights")
    before = embedder.texts
    streamed: list[str] = []
    reply = memory.ask("Where does Alice's sister live?", on_text=streamed.append)
    sister, hers = fact(memory, "sister"), fact(memory, "Rome")
    assert embedder.texts == before
    assert reply.text.startswith("Rome \u2014 ")
    assert "".join(streamed) == reply.text
    assert [one.id for one in reply.citations] == [sister, hers]
    assert reply.citations[0].speaker == "Alice"
    assert (reply.weights.version, reply.weights.facts) == ("first", (sister, hers))
    assert (reply.answerer, reply.usage.calls, reply.warnings) == (
        "weights first (by heart)",
        1,
        (),
    )


def test_an_answer_from_weights_is_rewarded_and_explained(taught: Memory) -> None:
    reply = taught.ask("Where do I live?", speaker="Alice")
    assert Trace.from_dict(json.loads(json.dumps(reply.trace.as_dict()))) == reply.trace
    said = str(taught.explain(reply.trace))
    assert "From weights: first, taught 2024-07-26 from journal entry 3, recited m" in said
    assert "Alice lives in Bergen." in said
    assert taught.feedback(reply.trace, 1.0)
    assert not taught.feedback(reply.trace, 1.0)


@pytest.mark.parametrize(
    "recitation",
    [
        "Bergen",
        "Alice | lives in | unknown",
        "Alice | lives in | Oslo",
        "Alice | lives in | Bergen; Rome",
        "Bob | lives in | Bergen",
        "Alice | works in | Bergen",
        "Alice | sister | Ana\nAlice | lives in | Bergen",
        "Ana | lives in | Rome | lives in | Bergen",
        "Alice | sister | Ana | lives in | Bergen",
        HERS,
    ],
)
def test_what_was_not_taught_or_not_asked_is_no_answer(
    taught: Memory, chat: Reciting, recitation: str
) -> None:
    chat.always = recitation
    reply = taught.ask("Where does Alice live?")
    assert (reply.weights, reply.answerer) == (None, "extractive")
    assert reply.text.startswith("Bergen")


def test_a_true_hop_that_leads_to_another_kind_of_thing_is_no_answer(
    taught: Memory, chat: Reciting
) -> None:
    chat.always = "Alice | sister | Ana"
    reply = taught.ask("Where does Alice's sister live?")
    assert reply.weights is None
    assert taught.ask("Who is Alice's sister?").weights is not None
    chat.always = LIVES
    assert taught.ask("How many towns has Alice lived in?").weights is None
    assert taught.ask("How old is Alice?").weights is None


def change(memory: Memory) -> None:
    memory.observe("I moved to Oslo.", speaker="Alice", at="2024-02-01")


def close(memory: Memory) -> None:
    memory.edit(fact(memory, "Bergen"), valid_to="2024-02-01")


def deny(memory: Memory) -> None:
    memory.correct(fact(memory, "Bergen"), None)


def dispute(memory: Memory) -> None:
    memory.observe("Alice lives in Oslo.", speaker="Bob", at="2024-02-01")


def reword(memory: Memory) -> None:
    memory.edit(fact(memory, "Bergen"), text="Alice lives in Oslo.")


def erase(memory: Memory) -> None:
    memory.forget(fact(memory, "Bergen"))


def take_back(memory: Memory) -> None:
    memory.rollback(0)


@pytest.mark.parametrize("stales", [change, close, deny, dispute, reword, erase, take_back])
def test_a_fact_that_no_longer_stands_is_masked_whatever_the_wording(
    taught: Memory, chat: Reciting, stales: Callable[[Memory], None]
) -> None:
    chat.always = LIVES
    assert taught.ask(WORDINGS[0]).weights is not None
    stales(taught)
    replies = [taught.ask(wording) for wording in WORDINGS[:: 20 if stales is not change else 1]]
    assert [one.weights for one in replies] == [None] * len(replies)
    if stales is change:
        assert len(replies) == 20
        assert not [one.text for one in replies if one.text.startswith("Bergen")]


def test_what_was_reopened_as_it_was_taught_is_answered_again(taught: Memory) -> None:
    taught.snapshot("before")
    change(taught)
    assert taught.ask("Where does Alice live?").weights is None
    taught.rollback("before")
    assert taught.ask("Where does Alice live?").weights is not None


def test_the_past_is_never_answered_from_weights(taught: Memory, chat: Reciting) -> None:
    chat.always = LIVES
    for question, as_of in (
        (WORDINGS[0], "2024-01-05"),
        ("Where did Alice live before?", None),
        ("Where did Alice live in 2019?", None),
        ("Where did Alice initially live?", None),
    ):
        assert taught.ask(question, as_of).weights is None
    assert chat.asked == []


def test_recall_is_not_skipped_while_a_turn_waits_to_be_read(taught: Memory) -> None:
    assert not taught.ask("Where does Alice live?").trace.anchors
    taught.observe("I moved to Oslo.", speaker="Alice", at="2024-02-01", later=True)
    assert taught.ask("Where does Alice live?").trace.anchors


def test_of_a_conversation_plain_questions_are_answered_from_weights(
    taught: Memory, chat: Reciting
) -> None:
    assert taught.converse("Where does Alice live?", speaker="Bob").weights is not None
    asked = len(chat.asked)
    assert taught.converse("I have a cat named Misty.", speaker="Bob").text.startswith("Noted")
    assert len(chat.asked) == asked


def test_where_recall_agrees_the_answer_is_from_weights_and_checked(
    opened: Opener, tmp_path: Path
) -> None:
    memory = told(opened("check"))
    train(memory, tmp_path / "weights")
    streamed: list[str] = []
    reply = memory.ask("Where does Alice live?", on_text=streamed.append)
    assert reply.weights is not None
    assert reply.trace.anchors
    assert reply.trace.cited == (fact(memory, "Bergen"),)
    assert "".join(streamed) == reply.text


def test_where_recall_disagrees_it_wins_and_says_so(
    opened: Opener, tmp_path: Path, chat: Reciting
) -> None:
    memory = told(opened("check"))
    train(memory, tmp_path / "weights")
    chat.always = "Alice | sister | Ana"
    streamed: list[str] = []
    reply = memory.ask("What city does Alice live in?", on_text=streamed.append)
    first, line = reply.text.split("\n")
    assert first.startswith("Bergen")
    assert line.startswith("The weights said otherwise: Ana \u2014 ")
    assert reply.weights is None
    assert "".join(streamed) == reply.text


@pytest.mark.parametrize(
    ("question", "from_weights"),
    [
        ("Which town does Ana reside in?", True),
        ("Any tips for Ana's next trip?", False),
        ("What should Ana cook tonight?", False),
    ],
)
def test_where_recall_has_no_answer_a_path_is_one_only_if_the_question_speaks_of_it(
    opened: Opener, tmp_path: Path, chat: Reciting, question: str, from_weights: bool
) -> None:
    memory = told(opened("check"))
    train(memory, tmp_path / "weights")
    chat.always = HERS
    reply = memory.ask(question)
    assert (reply.weights is not None) == from_weights
    assert reply.text.startswith("Rome") == from_weights


@pytest.mark.parametrize(
    ("question", "recitation", "skipped"),
    [
        ("Where does Alice live?", LIVES, True),
        ("Do you know where Alice lives these days?", LIVES, True),
        ("Where does Alice's sister live?", SISTER, True),
        ("Who is Alice's sister?", "Alice | sister | Ana", True),
        ("What is Ana's sister's name?", "Alice | sister | Ana", False),
        ("Whose sister is Alice?", "Alice | sister | Ana", False),
        ("Who is Alice the sister of?", "Alice | sister | Ana", False),
        ("Who is Alice's sister's sister?", "Alice | sister | Ana", False),
        ("Where does Alice live in summer?", LIVES, False),
        ("Where will Alice live?", LIVES, False),
        ("Where did Alice live?", LIVES, False),
        ("Where does Alice not live?", LIVES, False),
        ("Where does Alice live with Bob?", LIVES, False),
        ("Where does Alice work?", LIVES, False),
        ("Where would a letter reach Alice?", LIVES, False),
        ("Where does Alice's sister live?", LIVES, False),
    ],
)
def test_recall_is_left_out_where_a_question_read_by_itself_asks_for_just_what_was_recited(
    opened: Opener,
    tmp_path: Path,
    chat: Reciting,
    question: str,
    recitation: str,
    skipped: bool,
) -> None:
    memory = told(opened("auto"))
    train(memory, tmp_path / "weights")
    chat.always = recitation
    reply = memory.ask(question)
    assert bool(reply.trace.anchors) != skipped
    assert (reply.weights is not None) >= skipped


def test_kinds_of_one_relation_are_told_apart(
    opened: Opener, tmp_path: Path, chat: Reciting
) -> None:
    memory = opened("auto")
    memory.observe("My favourite food is soup.", speaker="Alice", at="2024-01-01")
    memory.observe("My favourite drink is tea.", speaker="Alice", at="2024-01-02")
    train(memory, tmp_path / "weights")
    chat.always = "Alice | favourite drink | tea"
    assert not memory.ask("What is Alice's favorite drink?").trace.anchors
    assert memory.ask("What is Alice's favourite food?").trace.anchors


def test_what_recall_would_have_cost_is_told_as_an_estimate(
    opened: Opener, tmp_path: Path, chat: Reciting
) -> None:
    memory = told(opened("auto"))
    train(memory, tmp_path / "weights")
    chat.always = LIVES
    for question in (*WORDINGS[:2], "Where does Alice live in summer?"):
        memory.ask(question)
    chat.always = "Alice | sister | Ana"
    memory.ask("What city does Alice live in?")
    counted = memory.stats().weights.recitals
    assert (counted.skipped, counted.agreed, counted.disagreed) == (2, 1, 1)


def test_an_estimate_of_what_was_saved_is_the_mean_of_what_was_not() -> None:
    assert Recitals(skipped=4, agreed=2, disagreed=1, tokens=2_700).saved_tokens == 3_600
    assert Recitals(skipped=4).saved_tokens == 0


def test_a_model_that_fails_leaves_the_answer_to_recall(taught: Memory, chat: Reciting) -> None:
    chat.always = "down"
    reply = taught.ask("Where does Alice live?")
    assert reply.text.startswith("Bergen")
    assert reply.warnings == ("the weights were not asked: by heart is down",)


def test_an_adapter_that_is_gone_is_told_and_recall_answers(taught: Memory, tmp_path: Path) -> None:
    (tmp_path / "weights" / "first").rename(tmp_path / "elsewhere")
    reply = taught.ask("Where does Alice live?")
    assert reply.text.startswith("Bergen")
    assert "is not there" in reply.warnings[0]
    assert "is not there" in taught.stats().weights.why


# -- the journal -------------------------------------------------------------------------------


def test_rollback_gives_the_answers_from_before_exactly(
    taught: Memory, tmp_path: Path, chat: Reciting
) -> None:
    questions = (
        "Where does Alice live?",
        "Where does Alice's sister live?",
        "Where does Ana live?",
    )
    taught.snapshot("evening")

    def answers() -> list[Any]:
        replies = [taught.ask(one) for one in questions]
        return [(one.text, one.citations, one.weights, one.outcome) for one in replies]

    before = answers()
    change(taught)
    train(taught, tmp_path / "weights", "second")
    chat.table[recital_of(questions[0])] = "Alice | lives in | Oslo"
    assert taught.ask(questions[0]).weights.version == "second"
    taught.rollback("evening")
    chat.table[recital_of(questions[0])] = LIVES
    assert answers() == before


def test_the_log_the_difference_and_the_counts_tell_of_a_training(
    taught: Memory, tmp_path: Path
) -> None:
    assert taught.log(1)[0].kind == "train"
    assert taught.log(1)[0].reasons == (
        {"rule": "train", "version": "first", "facts": 3, "seq": 3},
    )
    taught.snapshot("evening")
    assert taught.diff("evening").empty
    old, sister = fact(taught, "Bergen"), fact(taught, "sister")
    change(taught)
    assert taught.diff("evening").weights.stale == (old,)
    assert taught.stats().weights.stale == (old,)
    train(taught, tmp_path / "weights", "second")
    close_sister = taught.edit(sister, valid_to="2024-03-01")
    seen = taught.diff("evening").weights
    assert (seen.before, seen.now) == ("first", "second")
    assert (seen.more, seen.less) == ((fact(taught, "Oslo"),), (old,))
    assert seen.stale == (close_sister.id,)


def test_a_branch_has_the_adapter_of_its_beginning_and_its_own(
    taught: Memory, tmp_path: Path
) -> None:
    other = taught.branch("other")
    train(taught, tmp_path / "weights", "second")
    assert adapter_in_use(other).version == "first"
    train(other, tmp_path / "weights", "third")
    assert (adapter_in_use(other).version, adapter_in_use(taught).version) == ("third", "second")
    other.close()


def test_a_folded_journal_still_tells_which_adapter_is_in_use(
    taught: Memory, tmp_path: Path, opened: Opener
) -> None:
    train(taught, tmp_path / "weights", "second")
    taught.rollback(4)
    taught._live.tidy(always=True)
    taught._store.journal.compact(taught._live.state.seq)
    assert [one.kind for one in taught.log()][-1] == "fold"
    assert adapter_in_use(taught).version == "first"
    taught.close()
    assert adapter_in_use(opened()).version == "first"


@given(data=st.data())
def test_the_version_in_use_is_what_replaying_the_journal_gives(data: st.DataObject) -> None:
    events: list[Event] = []
    marks = [Mark(name="main", branch="", seq=0, recorded_at=0.0)]
    after: dict[str, dict[int, str]] = {"main": {0: ""}}  # by brute force: a version an entry
    for seq in range(1, data.draw(st.integers(1, 25))):
        branch = data.draw(st.sampled_from(sorted(after)))
        kind = data.draw(st.sampled_from(("turn", "train", "rollback", "fork")))
        past = after[branch]
        head = past[max(past)]
        if kind == "fork":
            name = f"b{seq}"
            marks.append(Mark(name=name, branch=branch, seq=max(past), recorded_at=0.0))
            after[name] = dict(past)
        elif kind == "train":
            events.append(Event(seq=seq, branch=branch, kind="train", version=f"v{seq}"))
            past[seq] = f"v{seq}"
        elif kind == "rollback":
            to = data.draw(st.sampled_from(sorted(past)))
            events.append(Event(seq=seq, branch=branch, kind="rollback", to=to))
            past[seq] = past[to]
        else:
            past[seq] = head
    for branch, past in after.items():
        for seq, version in past.items():
            assert version_at(events, sight(marks, branch), seq) == version


STEPS = st.lists(
    st.tuples(
        st.sampled_from(("say", "deny", "close", "train", "back", "forget")),
        st.sampled_from(("Ann", "Bea")),
        st.sampled_from(("Oslo", "Rome", "Lima")),
        st.integers(0, 9),
    ),
    max_size=9,
)


@given(steps=STEPS)
def test_whatever_happens_no_good_fact_is_closed_disputed_or_gone(
    tmp_path_factory: pytest.TempPathFactory, steps: list[Any]
) -> None:
    folder = tmp_path_factory.mktemp("weights")
    clock = iter(range(1_722_500_000, 1_800_000_000))
    parts = make_parts(
        Settings(), Models(embedder=HashEmbedder(64)), clock=lambda: float(next(clock))
    )
    cards: dict[str, Card] = {}
    versions = {0: ""}
    with Memory(make_store(folder / "m.mags"), parts) as memory:
        for n, (act, who, place, number) in enumerate(steps):
            held = [one for one in memory.facts(who) if one.object == place]
            if act == "say":
                memory.assert_fact(who, "lives in", place)
            elif act == "deny" and held:
                memory.assert_fact(who, "lives in", place, retract=True)
            elif act == "close" and held:
                memory.edit(held[0].id, valid_to=memory._live.clock())
            elif act == "train":
                cards[f"v{n}"] = train(memory, folder, f"v{n}")
            elif act == "back":
                to = sorted(versions)[number % len(versions)]
                memory.rollback(to)
                versions[memory._live.state.seq] = versions[to]
            elif act == "forget" and held:
                memory.forget(held[0].id)
            seq = memory._live.state.seq
            last = versions[max(versions)]
            versions.setdefault(seq, f"v{n}" if act == "train" else last)
            adapter = adapter_in_use(memory)
            gone = set(memory._store.facts.forgotten().tolist())
            wanted = versions[seq]
            lost = wanted and not gone.isdisjoint(cards[wanted].ids)
            assert (adapter.version if adapter else "") == ("" if lost else wanted)
            assert (folder / wanted / CARD).exists() == bool(wanted and not lost)
            _check(memory, cards, gone)


def _check(memory: Memory, cards: dict[str, Card], gone: set[int]) -> None:
    with memory._live.reading() as state:
        present = memory._live.present()
        for card in cards.values():
            old = stale(state, card, present)
            for one in card.facts:
                assert is_good(state, one, present) == (one not in old)
                if one in old:
                    continue
                assert gone.isdisjoint(one.ids)
                said = state.words(one.ids)
                assert [str(word.meta["object"]) for word in said] == list(one.objects)
                for i in one.ids:
                    node = state.graph.view(i)[0]
                    assert node["valid_from"] <= present < node["valid_to"]
                    flags = int(node["flags"])
                    assert not flags & (NodeFlag.DISPUTED | NodeFlag.GUESS)
                    others = state.slots.open(int(node["subject"]), int(node["slot"]))
                    assert set(others) <= set(one.ids)


# -- forgetting --------------------------------------------------------------------------------


def test_forget_deletes_what_held_it_and_leaves_the_rest(taught: Memory, tmp_path: Path) -> None:
    told_of = fact(taught, "Rome")
    export, other = tmp_path / "merged.gguf", tmp_path / "other.gguf"
    for path, ids in ((export, (told_of,)), (other, (fact(taught, "Bergen"),))):
        path.write_bytes(b"weights")
        register(taught, Artifact(kind="export", path=path, facts=ids))
    folder = tmp_path / "weights" / "first"
    plan = taught.forget(told_of, dry_run=True)
    assert set(plan.weights) == {str(folder), str(export)}
    assert folder.exists()
    done = taught.forget(told_of)
    assert (set(done.weights), done.out_of_reach) == (set(plan.weights), ())
    assert (folder.exists(), export.exists(), other.exists()) == (False, False, True)
    assert [one.path for one in things(taught)] == [other]
    reply = taught.ask("Where does Ana live?")
    assert (reply.weights, reply.warnings) == (None, ())


def test_forget_names_what_it_cannot_delete_and_never_uses_it(
    taught: Memory, tmp_path: Path, chat: Reciting
) -> None:
    folder, keep = tmp_path / "weights" / "first", tmp_path / "keep"
    keep.mkdir()
    (keep / "mine.txt").write_text("mine")
    ids = (fact(taught, "Rome"),)
    mine = keep / "mine.txt"
    places = {
        "plain": keep,
        "file": mine,
        "away": tmp_path / "disk" / "a.gguf",
        "gone": tmp_path / "b.gguf",
    }
    for path in places.values():
        register(taught, Artifact(kind="export", path=path, facts=ids))
    moved = tmp_path / "moved"
    folder.rename(moved)
    folder.symlink_to(moved)
    done = taught.forget(ids[0])
    said = "\n".join(done.out_of_reach)
    assert done.weights == ()
    assert f"{folder}: a link stands in its place" in said
    assert f"{keep}: it has no {CARD}" in said
    assert f"{mine}: it is none of .gguf" in said
    assert f"{places['away']}: {tmp_path / 'disk'} is not there" in said
    assert f"{places['gone']}: it is not there any more" in said
    assert (keep / "mine.txt").exists()
    assert (moved / CARD).exists()
    # What somebody else removed is told once; the rest is tried again.
    assert {one.path for one in things(taught)} == {folder, keep, mine, places["away"]}
    chat.asked.clear()
    assert taught.ask("Where does Alice live?").weights is None
    assert chat.asked == []
    folder.unlink()
    moved.rename(folder)
    assert taught.forget(fact(taught, "sister")).weights == (str(folder),)


def test_a_link_inside_a_folder_is_deleted_and_not_followed(taught: Memory, tmp_path: Path) -> None:
    keep = tmp_path / "keep"
    keep.mkdir()
    (keep / "mine.txt").write_text("mine")
    folder = tmp_path / "weights" / "first"
    (folder / "link").symlink_to(keep)
    taught.forget(fact(taught, "Rome"))
    assert (folder.exists(), (keep / "mine.txt").exists()) == (False, True)


def test_a_forgetting_that_was_cut_off_is_finished_at_the_next_opening(
    taught: Memory, tmp_path: Path, opened: Opener
) -> None:
    folder = tmp_path / "weights" / "first"
    taught._parts = replace(taught._parts, artifacts=None)  # killed before anything was deleted
    taught.forget(fact(taught, "Rome"))
    assert folder.exists()
    taught.close()
    opened()
    assert not folder.exists()


def test_what_holds_what_was_forgotten_cannot_be_registered(taught: Memory, tmp_path: Path) -> None:
    gone = fact(taught, "Rome")
    card = read_card(tmp_path / "weights" / "first")
    taught.forget(gone)
    seq = taught._live.state.seq
    with pytest.raises(InvalidInput, match="forgotten meanwhile"):
        commit_training(taught, card, tmp_path / "late")
    assert taught._live.state.seq == seq


def test_what_was_released_is_no_longer_listed(taught: Memory, tmp_path: Path) -> None:
    release(taught, tmp_path / "weights" / "first")
    assert things(taught) == ()
    assert taught.ask("Where does Alice live?").weights is None


def test_an_encrypted_memory_is_not_taught_in_the_clear(tmp_path: Path) -> None:
    master = tmp_path / "master.key"
    master.write_text("A" * 43 + "=")
    master.chmod(0o600)
    encryption = EncryptionSettings(master=f"file:{master}", keys=tmp_path / "keys")
    store = make_store(tmp_path / "m.mags", keyring=make_keyring(encryption))
    parts = make_parts(Settings(), Models(embedder=HashEmbedder(64)))
    with Memory(store, parts) as memory:
        told(memory)
        with pytest.raises(ConfigurationError, match="clear = true"):
            train(memory, tmp_path / "weights")
        memory._parts = replace(parts, weights=WeightsSettings(clear=True))
        train(memory, tmp_path / "weights", "second")
        assert adapter_in_use(memory) is not None


# -- where the model runs ----------------------------------------------------------------------


def test_a_server_of_the_merged_adapter_recites(tmp_path: Path) -> None:
    server = Server()
    server.start()
    server.steps = [Step(text=LIVES), Step(text=LIVES, status=500)]
    weights = WeightsSettings(use=True, recall="skip", url=server.url, model="tiny")
    path, given = tmp_path / "alice.mags", {"embedder": HashEmbedder(64)}
    try:
        with mags.open(path, settings=Settings(weights=weights), **given) as memory:
            train(told(memory), tmp_path / "weights")
            reply = memory.ask("Where does Alice live?")
    finally:
        server.stop()
    assert reply.text.startswith("Bergen \u2014 ")
    assert reply.weights.version == "first"
    assert reply.usage.calls == 1
    (request,) = server.requests
    assert request["messages"] == [{"role": "user", "content": "Recite. Where does Alice live?"}]


def test_without_the_laboratory_weights_say_what_to_install(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(extras, "entry_points", lambda **_: ())
    on = Settings(weights=WeightsSettings(use=True, sleep=True))
    with mags.open(tmp_path / "m.mags", embedder=HashEmbedder(64), settings=on) as memory:
        train(told(memory), tmp_path / "weights")
        with pytest.raises(MissingExtra, match=r"weights\.use .*pip install \. './lab"):
            memory.ask("Where does Alice live?")
        with pytest.raises(MissingExtra, match=r"weights\.sleep .*pip install \. './lab"):
            train_weights(memory, on)
        assert train_weights(memory, Settings()) == ""


def test_the_manager_mode_asks_no_adapter() -> None:
    weights = WeightsSettings(use=True, url="http://127.0.0.1:9/v1")
    for mode, asks in (("chat", True), ("manager", False)):
        wanted = Settings(weights=weights, answer=AnswerSettings(mode=mode))
        parts = make_parts(wanted, Models(embedder=HashEmbedder(64)))
        assert (parts.reciter is not None) == asks
