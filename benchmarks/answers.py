"""`python -m benchmarks.answers`: what is answered about talk, without a language model.

Every dialogue of the corpus (`--corpus`, splits `train` and `dev` unless told otherwise) and every
annotated stretch of talk (`--sample`) is observed into a memory of its own and asked its questions
after the last turn. Printed by kind of question: *right*, *wrong*, *closest* with evidence quoted,
*beside* (closest, and no evidence in it), *unknown*, and how often evidence is among the ten
recalled, and served then: right, or quoted as closest. `--read N` prints questions with gold
and answer, to be judged by eye: the rule below misjudges some.

*Right*: the claim holds the words of an accepted wording (of more than two, three in five; of an
overview a third) and those of no wrong one that is not part of it. The claim is what stands before
the quotes; where nothing does, the quotes.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import pickle
import random
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import mags
from benchmarks.results import CACHE, DATA, ROOT
from benchmarks.vectors import shipped
from mags.app import make_answerer, make_policy
from mags.errors import InvalidInput, MagsError
from mags.models.answer.extractive import ExtractiveAnswerer
from mags.models.policy.rules.tokens import stems
from mags.models.policy.rules.when import COUNTED
from mags.ports.answer import Answer, Answerer, ContextItem, OnText, RecallAgain
from mags.ports.english import lemma, word_set
from mags.ports.policy import Turn
from mags.settings import read_settings
from mags_lab.talk import corpus

COMMAND = "python -m benchmarks.answers"
TEN = 10
APART = frozenset({"answer", "answer.py", "intent.py", "asking.py", "views.py", "cli", "server"})
"""Packages and modules that change nothing of what is recalled."""
OVERVIEW = 1 / 3
UNANSWERABLE = "unanswerable"
NUMBERS = {word: str(number) for word, number in COUNTED.items()}
SMALL = word_set(
    """a an the of in on at to for from by with and or but that it its is are was were be been do
    doe did have has had my her his their your our i you he she they we since not no yes"""
)
MONTHS = "january february march april may june july august september october november december"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question of a talk, with what answers it. `evidence`: ids of turns."""

    kind: str
    who: str
    text: str
    answers: tuple[str, ...]
    wrong: tuple[str, ...]
    evidence: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """Turns with their ids, and what is asked after the last one."""

    id: str
    turns: tuple[tuple[str, Turn], ...]
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """A question as a memory met it: all that its answer is made from.

    `sources`: by id of an item the turns that it comes from. `ten`: whether evidence is among the
    first ten recalled. `again`: what was recalled once more, by query.
    """

    talk: str
    question: Question
    asked: Turn
    items: tuple[ContextItem, ...]
    recent: tuple[Turn, ...]
    sources: Mapping[int, frozenset[str]]
    ten: bool
    again: Mapping[str, tuple[ContextItem, ...]]


@dataclass(slots=True)
class RecordingAnswerer:
    """An `Answerer` that keeps what it was shown, and answers as the one behind it."""

    behind: Answerer = field(default_factory=ExtractiveAnswerer)
    name: str = "listener"
    items: tuple[ContextItem, ...] = ()
    recent: tuple[Turn, ...] = ()
    asked: Turn = field(default_factory=lambda: Turn(text=""))
    again: dict[str, tuple[ContextItem, ...]] = field(default_factory=dict)

    def answer(
        self,
        question: Turn,
        items: Sequence[ContextItem],
        *,
        recent: Sequence[Turn],
        recall_again: RecallAgain,
        on_text: OnText | None = None,
    ) -> Answer:
        """Keep all that was shown, and answer."""
        self.asked, self.items, self.recent = question, tuple(items), tuple(recent)
        self.again = {}

        def recall(query: str) -> Sequence[ContextItem]:
            self.again[query] = tuple(recall_again(query))
            return self.again[query]

        return self.behind.answer(
            question, items, recent=recent, recall_again=recall, on_text=on_text
        )


def main(arguments: Sequence[str]) -> int:
    """Measure and print; return the exit status."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__)
    parser.add_argument("--corpus", type=Path, default=corpus.DATA, help="a folder of .talk files")
    parser.add_argument("--split", action="append", choices=("train", "dev", "test"))
    parser.add_argument("--sample", type=Path, help="annotated talk instead of the corpus")
    parser.add_argument("--most", type=int, default=10_000, help="dialogues")
    parser.add_argument("--read", type=int, default=0, help="answers to print")
    parser.add_argument("--only", default="", help="print those of this kind or outcome")
    parser.add_argument("--seed", type=int, default=0, help="of what is printed")
    parser.add_argument("--threshold", type=float, default=None, help="of the answerer")
    options = parser.parse_args(arguments)
    try:
        if options.sample:
            talks = list(annotated(options.sample))
        else:
            splits = options.split or ["train", "dev"]
            found = (of_corpus(d) for d in corpus.dialogues(options.corpus) if d.split in splits)
            talks = [talk for talk in found if talk.questions]
        cases = [case for talk in talks[: options.most] for case in met(talk)]
    except (MagsError, OSError) as failure:
        print(failure, file=sys.stderr)
        return 1
    quoting = quoting_answerer()
    if options.threshold is not None:
        quoting = replace(quoting, sure=options.threshold)
    judged = [(case, answer := answered(quoting, case), judge(case, answer)) for case in cases]
    print(*table(judged), sep="\n")
    wanted = [one for one in judged if options.only in ("", kind_of(one[0]), one[2])]
    for case, answer, verdict in random.Random(options.seed).sample(
        wanted, min(options.read, len(wanted))
    ):
        print(*told(case, answer, verdict), sep="\n")
    return 0


def quoting_answerer() -> ExtractiveAnswerer:
    """The answerer of the settings without a language model, with their reader."""
    settings = read_settings(os.environ)
    made = make_answerer(settings, None, make_policy(settings, None))
    if not isinstance(made, ExtractiveAnswerer):
        raise InvalidInput(f"{made.name} quotes nothing")
    return made


# The talks.


def of_corpus(dialogue: corpus.AnnotatedDialogue) -> Talk:
    """A dialogue of the corpus."""
    return Talk(
        id=dialogue.id,
        turns=tuple(
            (
                one.id,
                Turn(
                    text=one.text,
                    speaker=one.speaker,
                    at=one.at.timestamp(),
                    session=one.session,
                ),
            )
            for one in dialogue.turns
        ),
        questions=tuple(
            Question(
                kind=one.kind,
                who=one.who,
                text=one.text,
                answers=one.answers,
                wrong=one.wrong,
                evidence=frozenset(one.evidence),
            )
            for one in dialogue.questions
        ),
    )


def annotated(path: Path) -> Iterator[Talk]:
    """The stretches of a file of annotated talk that have questions, their texts read in place."""
    for one in json.loads(path.read_text(encoding="utf-8"))["stretches"]:
        rows = tuple(_rows(one))
        if one.get("questions"):
            yield Talk(
                id=one["id"],
                turns=rows,
                questions=tuple(
                    Question(
                        kind=q["kind"],
                        who=q["who"],
                        text=q["q"],
                        answers=() if q["unanswerable"] else (q["answer"], *q["also"]),
                        wrong=tuple(q["no"]),
                        evidence=frozenset(q["evidence"]),
                    )
                    for q in one["questions"]
                ),
            )


def _rows(stretch: Mapping[str, Any]) -> Iterator[tuple[str, Turn]]:
    where = stretch.get("where")
    if where is None:
        at = datetime(2026, 1, 1, 9, tzinfo=UTC)
        for one in stretch["turns"]:
            at = datetime.fromisoformat(one["at"]) if "at" in one else at + timedelta(minutes=1)
            at = at if at.tzinfo else at.replace(tzinfo=UTC)
            session = one.get("session", at.date().isoformat())
            yield one["id"], _turn(one["text"], one.get("speaker", "user"), at, session)
        return
    with gzip.open(DATA / where["file"], "rt", encoding="utf-8") as raw:
        data = json.load(raw)
    wanted = {one["id"] for one in stretch["turns"]}
    rows = _locomo(where, data) if "conv" in where else _haystack(where, data)
    yield from (row for row in rows if row[0] in wanted)


def _locomo(where: Mapping[str, Any], data: Sequence[Any]) -> Iterator[tuple[str, Turn]]:
    talk = next(one for one in data if one["sample_id"] == where["conv"])["conversation"]
    for n in range(1, 100):
        for place, one in enumerate(talk.get(f"session_{n}") or ()):
            day = f"{talk[f'session_{n}_date_time']} +0000"
            at = datetime.strptime(day, "%I:%M %p on %d %B, %Y %z") + timedelta(minutes=place)
            yield one["dia_id"], _turn(one["text"], one["speaker"], at, f"session {n}")


def _haystack(where: Mapping[str, Any], data: Sequence[Any]) -> Iterator[tuple[str, Turn]]:
    case = next(one for one in data if one["question_id"] == where["question"])
    for key in where["sessions"]:
        n = case["haystack_session_ids"].index(key)
        day = re.sub(r" \(\w+\)", "", case["haystack_dates"][n])
        begun = datetime.strptime(day, "%Y/%m/%d %H:%M").replace(tzinfo=UTC)
        for place, one in enumerate(case["haystack_sessions"][n]):
            if one["role"] == "user":
                at = begun + timedelta(minutes=place)
                yield f"{key}:{place}", _turn(one["content"], "user", at, key)


def _turn(text: str, speaker: str, at: datetime, session: str) -> Turn:
    return Turn(text=text, speaker=speaker, at=at.timestamp(), session=session)


# What a memory makes of them. It is kept until any code but the answerer's changes.


def met(talk: Talk) -> list[Met]:
    """The questions of a talk as a memory in its shipped settings met them."""
    # A set is written in another order by each process.
    asked = [(*astuple(one)[:-1], sorted(one.evidence)) for one in talk.questions]
    told = talk.id, talk.turns, asked, read_settings(os.environ).policy
    mark = hashlib.sha256(repr(told).encode())
    for path in sorted((ROOT / "src" / "mags").rglob("*.[pt][yo]*")):
        if path.suffix in (".py", ".toml") and not APART & {*path.parts}:
            mark.update(path.read_bytes())
    kept = CACHE / f"answers-{mark.hexdigest()[:20]}.pickle"
    if not kept.exists():
        found = list(_met(talk))
        CACHE.mkdir(parents=True, exist_ok=True)
        kept.write_bytes(pickle.dumps(found))
    known: list[Met] = pickle.loads(kept.read_bytes())
    return known


def _met(talk: Talk) -> Iterator[Met]:
    now = [talk.turns[0][1].at]
    listener = RecordingAnswerer()
    settings = read_settings(os.environ)
    with mags.open(
        None,
        embedder=shipped(CACHE),
        policy=make_policy(settings, None),
        answerer=listener,
        settings=settings,
        clock=lambda: now[0],
    ) as memory:
        turn_of: dict[int, str] = {}
        for id, turn in talk.turns:
            now[0] = turn.at
            seen = memory.observe(
                turn.text,
                speaker=turn.speaker,
                at=datetime.fromtimestamp(turn.at, UTC),
                session=turn.session,
            )
            turn_of[seen.episode_id] = id
        now[0] += 60
        for one in talk.questions:
            ten = memory.recall(one.text, k=TEN, speaker=one.who)
            memory.ask(one.text, speaker=one.who, session=talk.turns[-1][1].session)
            sources = {
                i: frozenset(turn_of[e] for e in (i, *memory.get(i).sources) if e in turn_of)
                for item in (*listener.items, *(x for xs in listener.again.values() for x in xs))
                for i in [item.id]
            }
            reached = {
                turn_of[e]
                for hit in ten
                for e in (hit.id, *hit.episode_ids, *hit.members)
                if e in turn_of
            }
            yield Met(
                talk=talk.id,
                question=one,
                asked=listener.asked,
                items=listener.items,
                recent=listener.recent,
                sources=sources,
                ten=bool(reached & one.evidence),
                again=dict(listener.again),
            )


def answered(quoting: ExtractiveAnswerer, case: Met) -> Answer:
    """The answer to a question, from what the memory showed."""

    def again(query: str) -> Sequence[ContextItem]:
        return case.again.get(query, case.items)

    return quoting.answer(case.asked, case.items, recent=case.recent, recall_again=again)


# Whether it is right.


def judge(case: Met, answer: Answer) -> str:
    """`right`, `wrong`, `closest`, `beside` or `unknown`; unanswerable ones `left` for the last."""
    outcome = answer.outcome
    if outcome == "unknown":
        return "unknown"
    if outcome == "closest":
        quoted = frozenset(t for i in answer.citations for t in case.sources.get(i, ()))
        return "closest" if quoted & case.question.evidence else "beside"
    if not case.question.answers:
        return "wrong"
    if case.question.kind == "overview":
        gold = {word for one in case.question.answers for word in words(one)} - SMALL
        return "right" if len(gold & {*words(answer.text)}) >= OVERVIEW * len(gold) else "wrong"
    return "right" if holds(claim(answer.text), case.question) else "wrong"


def claim(text: str) -> str:
    """What an answer claims: all before its quotes, or else the quotes, without the sources."""
    head, dash, _ = text.partition(" \N{EM DASH} ")
    claimed = head if dash else text
    return re.sub(r"\[m\d+\]|\([^()]*\)\s*$", " ", claimed)


def holds(claimed: str, question: Question) -> bool:
    """Whether a claim holds an accepted wording, and no wrong one beside it."""
    said = words(claimed)
    good = [words(one) for one in question.answers]
    polar = {"yes", "no"} & set(said[:1])
    wanted = {"yes", "no"} & {one[0] for one in good if one}
    if polar and wanted:
        return polar == wanted
    fitting = [one for one in good if within(one, said) or short(said, one)]
    if not fitting:
        return False
    held = {word for one in fitting for word in one}
    bad = (words(one) for one in question.wrong)
    return not any(within(one, said) and not {*one} <= held for one in bad)


def within(wanted: Sequence[str], said: Sequence[str]) -> bool:
    """Whether the words that tell something are all said; of more than two, three in five."""
    telling = [word for word in wanted if word not in SMALL]
    if not telling:
        return bool(wanted) and all(word in said for word in wanted)
    years = {word for word in said if re.fullmatch(r"(?:19|20)\d\d", word)}
    if years and not years & {*wanted} and any(re.fullmatch(r"(?:19|20)\d\d", w) for w in wanted):
        return False
    share = sum(word in said for word in telling) / len(telling)
    return share >= (1.0 if len(telling) <= 2 else 0.6)


def short(said: Sequence[str], wanted: Sequence[str]) -> bool:
    """Whether a claim is the beginning of an accepted wording: "Iza" of "Iza from payments"."""
    telling = [word for word in said if word not in SMALL]
    first = [word for word in wanted if word not in SMALL][:1]
    return bool(first) and first[0] in telling and {*telling} <= {*wanted}


def words(text: str) -> list[str]:
    """Words in one form: dates and numbers in one wording, verbs and plurals by their stem."""
    text = re.sub(r"(\d{4})-(\d\d)-(\d\d)", _iso, text.casefold())
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'"))
    text = re.sub(r"\b(\d+)k\b", r"\g<1>000", text)
    text = re.sub(r"\b(\d+)(?:st|nd|rd|th)\b", r"\1", text)
    found = re.findall(r"\d+:\d\d|\d+(?:\.\d+)?|[^\W\d_]+(?:'[^\W\d_]+)?", text)
    return [_plain(word) for word in found]


def _plain(word: str) -> str:
    word = word.removesuffix("'s")
    return NUMBERS.get(word) or min(stems(lemma(word)), key=len, default=word)


def _iso(found: re.Match[str]) -> str:
    return f"{int(found[3])} {MONTHS.split()[(int(found[2]) - 1) % 12]} {found[1]}"


# How it is told.


def kind_of(case: Met) -> str:
    """The kind of a question; those that nothing answers are one kind."""
    return case.question.kind if case.question.answers else UNANSWERABLE


def table(judged: Iterable[tuple[Met, Answer, str]]) -> Iterator[str]:
    """Lines of a table: by kind, of all that can be answered, and of the rest."""
    yield "| kind | n | right | wrong | closest | beside | unknown | in ten | served of these |"
    yield "|---|---|---|---|---|---|---|---|---|"
    rows: dict[str, list[tuple[Met, str]]] = {}
    for case, _, verdict in judged:
        rows.setdefault(kind_of(case), []).append((case, verdict))
    left = rows.pop(UNANSWERABLE, [])
    every = [pair for pairs in rows.values() for pair in pairs]
    for kind, pairs in [*sorted(rows.items()), ("answerable", every), (UNANSWERABLE, left)]:
        if not pairs:
            continue
        count = Counter(verdict for _, verdict in pairs)
        ten = [verdict for case, verdict in pairs if case.ten]
        served = sum(verdict in ("right", "closest") for verdict in ten)
        parts = [count[v] for v in ("right", "wrong", "closest", "beside", "unknown")]
        shares = " | ".join(f"{100 * part / len(pairs):.0f}" for part in parts)
        in_ten = f"{100 * len(ten) / len(pairs):.0f} | {100 * served / max(1, len(ten)):.0f}"
        yield f"| {kind} | {len(pairs)} | {shares} | {in_ten if kind != UNANSWERABLE else ' | '} |"


def told(case: Met, answer: Answer, verdict: str) -> Iterator[str]:
    """A question with gold and answer."""
    one = case.question
    yield f"\n{verdict.upper()} ({one.kind}{', evidence in ten' if case.ten else ''}) {case.talk}"
    yield f"  {one.who} asks: {one.text}"
    wrong = f"; not {' / '.join(one.wrong)}" if one.wrong else ""
    yield f"  gold: {' / '.join(one.answers) or '-'}{wrong}"
    yield f"  said: {answer.text}  ({answer.support:.2f})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
