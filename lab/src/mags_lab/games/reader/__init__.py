"""The embedded reader: the frozen model of every player, which knows nothing of any game."""

from mags_lab.games.reader.reader import (
    EmbeddedReader,
    LexicalReader,
    opened,
    shipped_reader,
)

__all__ = ["EmbeddedReader", "LexicalReader", "opened", "shipped_reader"]
