"""What the tests of the rules share: a policy, a day, and short forms of what it returns."""

from collections.abc import Sequence
from datetime import UTC, datetime

from mags.models.policy.rules import RulePolicy
from mags.ports.policy import Act, Recalled, Turn, Writing

POLICY = RulePolicy()
NOON = datetime(2024, 5, 15, 12, tzinfo=UTC).timestamp()
"""Wednesday, 15 May 2024."""


def turn(text: str, speaker: str = "Alice") -> Turn:
    return Turn(text=text, speaker=speaker, at=NOON)


def write(
    text: str, *recent: tuple[str, str], speaker: str = "Alice", recalled: Sequence[str] = ()
) -> Writing:
    """Write one turn; `recent`: (speaker, text) of the turns before."""
    return POLICY.write(
        turn(text, speaker),
        [turn(said, who) for who, said in recent],
        [Recalled(id=i, text=known) for i, known in enumerate(recalled)],
    )


def facts(text: str, *recent: tuple[str, str], **more: object) -> list[tuple[str, ...]]:
    """Return (act, subject, relation, object) of every operation; a note by its text."""
    found = write(text, *recent, **more).operations
    return [
        (op.act.value, op.text)
        if op.act is Act.NOTE
        else (op.act.value, op.subject, op.relation, op.object)
        for op in found
    ]


def day(seconds: float | None) -> str | None:
    return None if seconds is None else f"{datetime.fromtimestamp(seconds, tz=UTC):%Y-%m-%d}"
