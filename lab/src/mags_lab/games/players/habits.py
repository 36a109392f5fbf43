"""How a player with a memory plays: every switch is an ablation."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """How MAGS plays.

    `chains`: of how many actions the best chain is shown: lines that lead from the question to
    the action; of those worth at least `close` of the best (0: none are looked for). Where
    nothing leads to an action, lines are recalled: `k` at most beside those of the turn.
    `history`: lines of the conversation shown besides (0: manager mode, all from memory).
    `outcomes`: keep what came of what was done, and what that speaks against. `meeting`: how many
    of the k lines a recall from both ends finds: by what the first lines name (`naming`), and by
    the actions to choose among. `ways`: show what tells how places lie instead (see `mapping`):
    in adventures.
    `sure`: sureness of the reader under which it recalls again while it thinks (0: never),
    `again`: lines that may add. `stale`: show too what no longer holds. `learn`: hand rewards
    back as feedback.
    """

    chains: int = 1
    close: float = 0.8
    k: int = 12
    history: int = 0
    outcomes: bool = True
    sure: float = 0.0
    again: int = 6
    meeting: int = 4
    naming: bool = True
    ways: bool = False
    stale: bool = False
    learn: bool = True
