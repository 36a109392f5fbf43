"""`python -m benchmarks.fit_answers`: fit how likely an answer of what was recalled is right.

Every question of the corpus's `dev` split, and of its talk that was only judged or only asked
about, as a memory in its shipped settings met it (`benchmarks.answers`), and as one of a single
turn would, gives one example a turn that is read and one a fact that fits: its features and
whether it is right, as was judged by reading (the corpus's `judged-answers.tsv`), else by the rule
of that benchmark. A model for each form of answer is written where `mags.models.answer.spans`
reads it.

Printed is what five folds over dialogues give, each judged by what was fitted on the others: for
thresholds the shares of answerable questions answered rightly and wrongly, and of unanswerable ones
answered as if known.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from benchmarks.answers import Met, judge, met, of_corpus, quoting_answerer
from mags.models.answer.extractive import DASH, of_fact
from mags.models.answer.question import read_question
from mags.models.answer.spans import (
    WEIGHTS,
    candidates,
    fact_features,
    forms_of,
)
from mags.models.policy.reader.network import Calibration
from mags.ports.answer import Answer
from mags_lab.talk import corpus
from mags_lab.talk.calibration import blended, logistic

FOLDS = 5
FORMS = ("value", "quote", "whether", "whether, quoted", "fact")
"""What answers: words of a turn, a quote of it, yes or no, a quote where that is asked, a fact."""
RIGHT = 0.5
"""How far right an answer is that counts as right."""
THRESHOLDS = (0.5, 0.6, 0.65, 0.7, 0.73, 0.75, 0.77, 0.8, 0.83)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerExample:
    """A possible answer to a question, by the place of that among all."""

    question: int
    form: str
    features: Mapping[str, float]
    right: float


def main(arguments: Sequence[str]) -> int:
    """Fit, write and print; return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fit_answers", description=__doc__)
    parser.add_argument("--corpus", type=Path, default=corpus.DATA, help="a folder of .talk files")
    parser.add_argument("--most", type=int, default=10_000, help="dialogues")
    parser.add_argument("--form", action="append", choices=FORMS, help="the others stay as fitted")
    options = parser.parse_args(arguments)
    told = (
        *corpus.dialogues(options.corpus, "dev"),
        *corpus.only_judged(options.corpus),
        *corpus.only_asked(options.corpus, "dev"),
    )
    found = map(of_corpus, told)
    talks = [talk for talk in found if talk.questions][: options.most]
    small = {one.id for one in corpus.only_asked(options.corpus)}
    cases = natural([case for talk in talks for case in met(talk)], small)
    print(*fit(cases, options.form or FORMS), sep="\n")
    return 0


def natural(cases: Sequence[Met], small: Collection[str]) -> list[Met]:
    """With every fourth near miss of small memories: half in vain is more than is asked."""
    missed = [n for n, one in enumerate(cases) if one.talk in small and not one.question.answers]
    left_out = set(missed) - set(missed[::4])
    return [one for n, one in enumerate(cases) if n not in left_out]


def fit(cases: Sequence[Met], forms: Sequence[str] = FORMS) -> Iterator[str]:
    """Fit and write the weights of forms; lines of what folds give."""
    quoting = quoting_answerer()
    judged = corpus.judged_answers()
    asked = len(cases)
    cases = [*cases, *(one for case in cases for one in alone(case))]
    read = [candidates(c.asked, read_question(c.asked), c.items, quoting.reader) for c in cases]
    turns = [
        AnswerExample(
            question=n,
            form=form,
            features=one.features,
            right=_right(case, judged_as, one.head if judged_as == "value" else one.quote, judged),
        )
        for n, (case, some) in enumerate(zip(cases, read, strict=True))
        for one in some
        for form, judged_as in zip(
            forms_of(read_question(case.asked)), ("value", "quote"), strict=True
        )
        if judged_as == "quote" or one.head
    ]
    fold = _folds(cases)
    sure = held_out(turns, fold)
    likely = {(id(e.features), e.form): p for e, p in zip(turns, sure, strict=True)}
    facts = []
    for n, (case, some) in enumerate(zip(cases[:asked], read[:asked], strict=True)):
        parsed = read_question(case.asked)
        answer = of_fact(case.asked, case.items)
        if answer is None or len(answer.citations) > 1 or not some:
            continue
        own = next(item for item in case.items if item.id == answer.citations[0])
        head, dash, _ = answer.text.partition(f" {DASH} ")
        value, quoted = forms_of(parsed)
        weighed = [
            replace(
                one,
                value=likely.get((id(one.features), value), 0.0),
                quoted=likely[id(one.features), quoted],
            )
            for one in some
        ]
        features = fact_features(parsed, own, head if dash else "", answer.support, weighed)
        right = float(judge(case, answer) == "right")
        facts.append(AnswerExample(question=n, form="fact", features=features, right=right))
    every = [*turns, *facts]
    sure += held_out(facts, fold)
    made = json.loads(WEIGHTS.read_text(encoding="utf-8")) if len(forms) < len(FORMS) else {}
    made |= {form: asdict(_fitted(form, every)) for form in forms}
    WEIGHTS.write_text(json.dumps(made, sort_keys=True) + "\n", encoding="utf-8")
    yield from table(cases[:asked], every, sure)


def alone(case: Met) -> list[Met]:
    """A question as a memory of one turn meets it, for the first recalled: the rest is new."""
    turns = [item for item in case.items if item.fact is None]
    return [replace(case, items=(item,)) for item in turns[:1]]


def _right(
    case: Met, form: str, words: str, judged: Mapping[tuple[str, str, str, str, str], float]
) -> float:
    """How far words answer a question, in [0, 1]: as was judged by reading, else by the rule."""
    asked = case.question
    if not asked.answers:
        return 0.0
    text = f"{words} {DASH} " if form == "value" else words
    by_rule = float(judge(case, Answer(text=text)) == "right")
    key = (case.talk, asked.who, asked.text, form, " ".join(words.split()))
    return judged.get(key, by_rule)


def _folds(cases: Sequence[Met]) -> list[int]:
    talks = sorted({case.talk for case in cases})
    return [talks.index(case.talk) % FOLDS for case in cases]


def held_out(examples: Sequence[AnswerExample], fold: Sequence[int]) -> list[float]:
    """How likely each is right, by what was fitted on the other folds."""
    found = [0.0] * len(examples)
    for form in {e.form for e in examples}:
        for n in range(FOLDS):
            model = _fitted(form, [e for e in examples if fold[e.question] != n])
            for place, e in enumerate(examples):
                if e.form == form and fold[e.question] == n:
                    found[place] = model.probability(e.features)
    return found


def _fitted(form: str, examples: Sequence[AnswerExample]) -> Calibration:
    own = [(e.features, e.right) for e in examples if e.form == form]
    return logistic(own) if form == "fact" else blended(own)


def table(
    cases: Sequence[Met], examples: Sequence[AnswerExample], sure: Sequence[float]
) -> Iterator[str]:
    """Lines of what is answered rightly and wrongly from thresholds on."""
    can = [n for n, case in enumerate(cases) if case.question.answers]
    cannot = [n for n, case in enumerate(cases) if not case.question.answers]
    yield f"{len(can)} answerable, {len(cannot)} unanswerable, {len(examples)} examples"
    for least in THRESHOLDS:
        best: dict[int, tuple[float, float]] = {}
        for e, p in zip(examples, sure, strict=True):
            rank = p + (e.form == "fact")  # a fact that stands goes first
            if p >= least and rank > best.get(e.question, (0.0, 0.0))[0]:
                best[e.question] = rank, e.right
        right = sum(best[n][1] >= RIGHT for n in can if n in best)
        wrong = sum(n in best for n in can) - right
        known = sum(n in best for n in cannot)
        yield (
            f"from {least}: right {100 * right / len(can):.1f}, wrong {100 * wrong / len(can):.1f},"
            f" unanswerable answered {100 * known / max(1, len(cannot)):.1f}"
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
