"""Games that are played live: MAGS and a player without memory, each in a game of its own.

Both play the same game from the same seed with the same reader, so the memory is the only
difference. Nothing is stored: the memory is a new one in RAM, and ends with the game.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from mags.errors import InvalidInput, NotFound
from mags.memory.memory import Memory
from mags.server.auth import Grant
from mags.server.open_memories import Overloaded
from mags_lab.games.matches import GameMatch, PlayedTurn
from mags_lab.games.players.remembering import Remembering
from mags_lab.games.registry import make
from mags_lab.games.turns import Game, GameScene, Outcome, Player, Truth

NONSENSE = {"tiny": 50, "easy": 160, "standard": 300}
LOGIC = ("eleusis", "mastermind", "knights")
LEVELS = {"short": 40, "standard": 500}
OFFERED: Mapping[str, int] = {
    **{f"nonsense/{level}": turns for level, turns in NONSENSE.items()},
    **{f"{kind}/{level}": turns for kind in LOGIC for level, turns in LEVELS.items()},
}
"""The games that are offered, which end in minutes, with their turns."""
MOST, MINE = 8, 2
"""Games at a time, in all and for one key. A key's oldest game ends when it begins one more."""
IDLE_S = 900.0
Seen = TypeVar("Seen")
Pair = tuple[Remembering, Player]
Pairs = Callable[[], Pair]
"""Makes MAGS, with an empty memory in RAM, and a player without a memory."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTurn:
    """One turn of one player. `score`: rewards so far; `right`: right moves so far."""

    scene: GameScene
    turned: PlayedTurn
    score: float
    right: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedStep:
    """One turn of both players. `played`: turns so far; `over`: it was the last."""

    played: int
    over: bool
    mags: ShownTurn
    alone: ShownTurn


class Watched:
    """A game that keeps the scene in which the last action was taken.

    A match reports a turn after the act, when the game has moved on to the next scene.
    """

    def __init__(self, game: Game) -> None:
        self._game = game
        self.name = game.name
        self.acted: GameScene | None = None
        self.following: GameScene | None = None

    def begin(self, seed: int) -> GameScene:
        """Begin the wrapped game."""
        self.following = self._game.begin(seed)
        return self.following

    def act(self, action: str) -> tuple[Outcome, GameScene | None]:
        """Act in the wrapped game."""
        outcome, scene = self._game.act(action)
        self.acted, self.following = self.following, scene
        return outcome, scene

    def truth(self) -> Truth:
        """The truth of the wrapped game."""
        return self._game.truth()


class PlayerSide:
    """One player's game, turn by turn."""

    def __init__(self, name: str, seed: int, player: Player) -> None:
        """Raises NotFound for an unknown game."""
        # Never the scored sentences: nobody may see those before a report.
        self._game = Watched(make(f"{name}/tuning"))
        match = GameMatch(
            self._game, player, seed=seed, turns=OFFERED[name], clock=time.thread_time
        )
        self._turns: Iterator[PlayedTurn] = iter(match)
        self._score, self._right = 0.0, 0

    def play(self) -> ShownTurn | None:
        """Play the next turn; None if the game is over."""
        turned = next(self._turns, None)
        if turned is None or self._game.acted is None:
            return None
        self._score += turned.reward
        self._right += turned.right
        return ShownTurn(
            scene=self._game.acted, turned=turned, score=self._score, right=self._right
        )

    @property
    def over(self) -> bool:
        """Whether the last action has ended the game."""
        return self._game.acted is not None and self._game.following is None


@dataclass(slots=True, kw_only=True, eq=False)
class GameSession:
    """One game, played by both sides. `owner`: the key that began it; `used`: its last request."""

    name: str
    seed: int
    owner: str
    mags: PlayerSide
    alone: PlayerSide
    remembering: Remembering
    used: float
    played: int = 0
    over: bool = False
    # Held while a turn is played. It is never taken under the lock of `GameSessions`.
    lock: threading.Lock = field(default_factory=threading.Lock)


class GameSessions:
    """The games that are being played. Safe to use from several threads."""

    def __init__(self, pairs: Pairs, clock: Callable[[], float] = time.monotonic) -> None:
        """`pairs`: makes the players; `clock`: seconds."""
        self._pairs, self._clock = pairs, clock
        self._lock = threading.Lock()
        self._sessions: dict[str, GameSession] = {}

    def begin(self, grant: Grant, name: str, seed: int) -> tuple[str, GameSession]:
        """A new game and its id, which cannot be guessed; raises InvalidInput, Overloaded."""
        if name not in OFFERED:
            known = ", ".join(OFFERED)
            raise InvalidInput(f"game: there is no {name!r} to watch (there are: {known})")
        # With the digest, so that a key made again under an old name does not own the old games.
        owner = f"{grant.name} {grant.digest}"
        remembering, nothing = self._pairs()
        session = GameSession(
            name=name,
            seed=seed,
            owner=owner,
            mags=PlayerSide(name, seed, remembering),
            alone=PlayerSide(name, seed, nothing),
            remembering=remembering,
            used=self._clock(),
        )
        id_ = secrets.token_hex(8)
        with self._lock:
            leaving = self._giving_way(owner)
            if len(self._sessions) - len(leaving) >= MOST:
                raise Overloaded(f"{MOST} games are being played: try again in a while")
            self._sessions[id_] = session
        self._put_away(leaving)
        return id_, session

    def step(self, grant: Grant, id_: str) -> tuple[GameSession, PlayedStep]:
        """One turn of both; raises NotFound, InvalidInput when the game is over."""
        session = self._of(grant, id_)
        with session.lock:
            mags, alone = (
                (None, None) if session.over else (session.mags.play(), session.alone.play())
            )
            if mags is None or alone is None:
                session.over = True
                raise InvalidInput("this game is over: begin another")
            session.played += 1
            session.over = (
                session.played >= OFFERED[session.name] or session.mags.over or session.alone.over
            )
            return session, PlayedStep(
                played=session.played, over=session.over, mags=mags, alone=alone
            )

    def look(self, grant: Grant, id_: str, see: Callable[[Memory], Seen]) -> Seen:
        """The result of `see` for the memory of MAGS in a game; raises NotFound, InvalidInput."""
        session = self._of(grant, id_)
        with session.lock:
            if not session.played:
                raise InvalidInput("nothing was played yet: take a step first")
            return see(session.remembering.memory)

    def end(self, grant: Grant, id_: str) -> None:
        """End a game and drop its memory; raises NotFound."""
        self._of(grant, id_)
        self._put_away([id_])

    def close(self) -> None:
        """End every game."""
        self._put_away(list(self._sessions))

    def __len__(self) -> int:
        """How many games are being played."""
        return len(self._sessions)

    def _of(self, grant: Grant, id_: str) -> GameSession:
        with self._lock:
            session = self._sessions.get(id_)
            # The game of another key is answered like a missing one, so ids cannot be tried out.
            if session is None or session.owner != f"{grant.name} {grant.digest}":
                raise NotFound(f"there is no game {id_!r} (any more): begin another", game=id_)
            session.used = self._clock()
            return session

    def _giving_way(self, owner: str) -> list[str]:
        """Ids of idle games, and of as many of the owner's oldest as one more would exceed."""
        now = self._clock()
        idle = [i for i, session in self._sessions.items() if now - session.used > IDLE_S]
        mine = [i for i, t in self._sessions.items() if t.owner == owner and i not in idle]
        return [*idle, *mine[: max(0, len(mine) - MINE + 1)]]

    def _put_away(self, ids: list[str]) -> None:
        with self._lock:
            leaving = [self._sessions.pop(id_, None) for id_ in ids]
        for session in leaving:
            if session is not None:
                with session.lock:  # a turn that is being played ends first
                    session.over = True
                    session.remembering.close()
