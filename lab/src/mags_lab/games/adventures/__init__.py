"""Text adventures on TextWorld: treasure hunt, cleaning, cooking; and a planner that reads."""

from mags_lab.games.adventures.catalogue import GAMES

__all__ = ["GAMES"]
