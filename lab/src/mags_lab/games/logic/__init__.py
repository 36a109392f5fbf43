"""Logic games in which remembering helps: hidden rules, kept secrets, knights and liars."""

from mags_lab.games.logic.catalogue import GAMES

__all__ = ["GAMES"]
