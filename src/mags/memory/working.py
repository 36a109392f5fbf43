"""Working memory: the recent window, and what happens to a turn that leaves it."""

from __future__ import annotations

from mags.graph.charge import node_charge
from mags.graph.delta import Draft
from mags.graph.records import NOBODY
from mags.index.state import State
from mags.ports.policy import Turn


def recent_episodes(state: State, count: int, session: int | None = None) -> list[int]:
    """Ids of the last `count` episodes (of a session, by its hash), oldest first."""
    return state.episodes.recent(count, session)


def session_hash(state: State, session: str) -> int:
    """The number a session has on its nodes; 0 for none."""
    return state.hash("session", session) if session else 0


def turns(state: State, episode_ids: list[int]) -> list[Turn]:
    """Episodes as turns, in order."""
    out = []
    for node_id, content in zip(episode_ids, state.words(episode_ids), strict=True):
        node = state.graph.node(node_id)
        out.append(
            Turn(
                text=content.text,
                speaker=str(content.meta.get("speaker", "")),
                at=float(node["valid_from"][0]),
                session=str(content.meta.get("session", "")),
            )
        )
    return out


def leave_window(draft: Draft, state: State, window: int) -> None:
    """Give the episode that leaves the window its strength for the long term.

    Called in the draft of the turn that pushes it out. strength = what is left of its charge,
    but at least the greatest of its importance (which holds surprise and emphasis) and its
    usage u / (u + 2).
    """
    leaving = recent_episodes(state, window)
    if len(leaving) < window or leaving[0] == NOBODY:
        return
    node = draft.node(leaving[0])
    uses = float(node["uses"][0])
    floor = max(float(node["importance"][0]), uses / (uses + 2.0))
    now = float(node_charge(node, state.graph.tick)[0])
    node["strength"] = min(1.0, max(now, floor))
    node["strength_tick"] = state.graph.tick
