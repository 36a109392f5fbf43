"""A real game, as small as one can be, and a reader that matches words."""

from __future__ import annotations

from random import Random

from mags.errors import InvalidInput
from mags.index.tokens import terms
from mags_lab.games.turns import Choice, GameLine, GameScene, Outcome, Truth, TruthFact

PEOPLE = ("Anna", "Bruno", "Clara", "David", "Edith", "Fabian", "Greta", "Hugo")
TOWNS = ("Oslo", "Lisbon", "Vienna", "Dublin", "Prague", "Warsaw", "Athens", "Madrid")
CHATTER = (
    "The rain has not stopped since noon.",
    "Somebody left a bicycle at the gate.",
    "The bread was better last year.",
    "There is a new song on the radio.",
)
HOUR_S = 3_600.0


class Towns:
    """Who lives where: told at the start, asked every turn; every `every` turns somebody moves."""

    def __init__(self, *, every: int = 20, length: int = 1_000) -> None:
        self._every = every
        self._length = length
        self.name = "towns/tiny"

    def begin(self, seed: int) -> GameScene:
        self._rng = Random(seed)
        self._turn = 0
        self._home = {person: self._rng.choice(TOWNS) for person in PEOPLE}
        self._told = {TruthFact(subject=p, relation="home", object=t): 0 for p, t in self._facts()}
        self._over: set[TruthFact] = set()
        self._changes: list[int] = []
        self._changed: dict[str, int] = {}
        self._teaches = {
            (0, place): (TruthFact(subject=p, relation="home", object=t),)
            for place, (p, t) in enumerate(self._facts())
        }
        said = [self._line("Ida", f"{p} lives in {t}.") for p, t in self._facts()]
        return self._scene(said)

    def act(self, action: str) -> tuple[Outcome, GameScene | None]:
        if action not in self._here.actions:
            raise InvalidInput(f"{action!r} is no action of this scene")
        right = action == self._home[self._asked]
        self._turn += 1
        if self._turn >= self._length:
            return Outcome(reward=float(right), over=True), None
        said = [self._line("", "That was right." if right else "That was wrong.")]
        said.append(self._line("Jon", self._rng.choice(CHATTER)))
        if self._turn % self._every == 0:
            said.append(self._move(len(said)))
        return Outcome(reward=float(right)), self._scene(said)

    def truth(self) -> Truth:
        town = self._home[self._asked]
        fact = TruthFact(subject=self._asked, relation="home", object=town)
        return Truth(
            best=frozenset({town}),
            needed=(f"{self._asked} lives in {town}.",),
            rests_on=(fact,),
            kind="home",
            changes=tuple(self._changes),
            changed=self._changed.get(self._asked),
            facts=frozenset(
                TruthFact(subject=p, relation="home", object=t) for p, t in self._facts()
            ),
            over=frozenset(self._over),
            teaches=self._teaches,
        )

    def _facts(self) -> list[tuple[str, str]]:
        return list(self._home.items())

    def _move(self, place: int) -> GameLine:
        person = self._rng.choice(PEOPLE)
        before = self._home[person]
        town = self._rng.choice([t for t in TOWNS if t != before])
        self._home[person] = town
        new = TruthFact(subject=person, relation="home", object=town)
        self._over.add(TruthFact(subject=person, relation="home", object=before))
        self._over.discard(new)
        self._changes.append(self._turn)
        self._changed[person] = self._turn
        self._teaches[self._turn, place] = (new,)
        return self._line("Ida", f"{person} moved to {town}.")

    def _line(self, speaker: str, text: str) -> GameLine:
        return GameLine(speaker=speaker, text=text, at=self._turn * HOUR_S)

    def _scene(self, said: list[GameLine]) -> GameScene:
        self._asked = self._rng.choice(PEOPLE)
        actions = list(TOWNS)
        self._rng.shuffle(actions)
        self._here = GameScene(
            turn=self._turn,
            at=self._turn * HOUR_S,
            said=tuple(said),
            question=f"Where does {self._asked} live now?",
            actions=tuple(actions),
        )
        return self._here


class Words:
    """A reader that takes the action of the last line that shares most words with the question."""

    def choose(self, lines: tuple[str, ...], question: str, actions: tuple[str, ...]) -> Choice:
        asked = set(terms(question))
        best, chosen, cited = 0, actions[0], -1
        for place, line in enumerate(lines):
            shared = len(asked & set(terms(line)))
            named = next((action for action in actions if action in line), None)
            if named is not None and shared >= max(best, 1):
                best, chosen, cited = shared, named, place
        if cited < 0:
            return Choice(action=chosen, sure=0.0)
        return Choice(action=chosen, sure=1.0, cited=(cited,))
