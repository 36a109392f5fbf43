"""What may be done in an adventure's scene."""

from __future__ import annotations

from collections.abc import Collection

from mags.errors import InvalidInput


def check(action: str, actions: Collection[str] | None) -> None:
    """Raise InvalidInput unless the action is one of the scene's; None where no game is on."""
    if actions is None:
        raise InvalidInput("no game is on: begin one first", action=action)
    if action not in actions:
        raise InvalidInput(
            f"'{action}' cannot be done now: choose one of the scene's actions",
            action=action,
            actions=tuple(actions),
        )
