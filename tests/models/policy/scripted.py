"""A reader that reads what it is told to: what a test needs to know of it, and no weights."""

from collections.abc import Mapping, Sequence

from mags.models.policy.reader.ending import sentence
from mags.models.policy.reader.reading import Fact
from mags.ports.policy import Recalled, Turn

LEAST = {"guess": 0.5, "sure": 0.8, "ends": 0.8}


class ScriptedReader:
    """Facts by the text of a turn; what a turn ends by its text, as "I live in Oslo"."""

    least = LEAST

    def __init__(
        self,
        facts: Mapping[str, Sequence[Fact]],
        ends: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        self._facts, self._ends = facts, ends or {}

    def facts(self, turn: Turn, recent: Sequence[Turn]) -> Sequence[Fact]:
        return self._facts.get(turn.text, ())

    def ends(
        self, turn: Turn, recent: Sequence[Turn], held: Sequence[Recalled], facts: Sequence[Fact]
    ) -> Sequence[float]:
        return [float(sentence(one, turn) in self._ends.get(turn.text, ())) for one in held]

    def answers(
        self, question: Turn, said: Sequence[Turn]
    ) -> Sequence[tuple[int, int, float] | None]:
        return [None] * len(said)


def fact(relation: str, object: str, *, probability: float, subject: str = "Ana") -> Fact:
    """A fact that is read with a probability."""
    return Fact(
        subject=subject,
        relation=relation,
        object=object,
        kind="state",
        act="add",
        modality="actual",
        denied=False,
        probability=probability,
    )
