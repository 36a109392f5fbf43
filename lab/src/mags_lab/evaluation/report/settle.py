"""Which matches of a game stand side by side, where folders hold several sorts of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mags_lab.evaluation.proving.records import Played
from mags_lab.evaluation.report.digest import Digest

SCORED, UNSEEN = "scored", "unseen"


def apart(matches: Sequence[Digest]) -> tuple[list[Digest], list[Digest]]:
    """What the report tells, and matches of the bank that nobody looks at, told beside it.

    Where nothing else was played, the report tells these.
    """
    ours = [one for one in matches if one.figures.played.bank != UNSEEN]
    if not ours:
        return list(matches), []
    return ours, [one for one in matches if one.figures.played.bank == UNSEEN]


def settle(matches: Sequence[Digest]) -> tuple[tuple[Digest, ...], tuple[str, ...]]:
    """Of each game the matches of one bank, reader and length, and what is left out, in words.

    The scored bank goes before others, then the reader that ships, then the longest matches:
    scores of other sentences, of other frozen models, or of games cut short, are other exams.
    """
    best: dict[str, tuple[bool, bool, int, str]] = {}
    for one in matches:
        played = one.figures.played
        best[played.game] = max(best.get(played.game, _sort(played)), _sort(played))
    kept = tuple(one for one in matches if _sort(one.figures.played) == best[_game(one)])
    left = Counter(
        (_game(one), one.figures.played.bank, one.figures.played.reader, one.figures.played.turns)
        for one in matches
        if _sort(one.figures.played) != best[_game(one)]
    )
    return kept, tuple(
        f"{count} of {game} (bank {bank}, {f'reader {reader}, ' if reader else ''}"
        f"{turns:,} turns at most)"
        for (game, bank, reader, turns), count in left.items()
    )


def _game(one: Digest) -> str:
    return one.figures.played.game


def _sort(played: Played) -> tuple[bool, bool, int, str]:
    return played.bank == SCORED, not played.reader, played.turns, played.reader
