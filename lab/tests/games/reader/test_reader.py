"""The reader chooses, says how sure it is, and cites."""

import pytest

from mags.errors import CorruptFile
from mags.models.policy.reader.network import ReaderFile
from mags_lab.games.reader import LexicalReader, opened
from mags_lab.games.reader.reader import guess

LINES = ("Korv is kept by Selt.", "The bridge is old.", "Marn is kept by Dool.")
ACTIONS = ("Ask Dool", "Ask Selt", "Ask Bram")


def test_the_walk_finds_the_line_that_shares_rare_words():
    choice = LexicalReader().choose(LINES, "Who keeps Korv?", ACTIONS)
    assert choice.action == "Ask Selt"
    assert choice.cited == (0,)
    assert 0 < choice.sure <= 1


def test_a_guess_is_the_same_in_any_order_and_no_surer_than_chance():
    first = guess("Who?", ACTIONS)
    assert first == guess("Who?", ACTIONS[::-1])
    assert first.sure == pytest.approx(1 / 3)


def test_guesses_have_no_favourite():
    counts = [guess(f"Question {n}?", ACTIONS).action for n in range(3000)]
    assert all(abs(counts.count(action) - 1000) < 120 for action in ACTIONS)


def test_a_missing_file_says_how_to_make_it(tmp_path):
    with pytest.raises(CorruptFile, match=r"mags_lab\.training\.reader"):
        opened(ReaderFile(path=tmp_path / "none.npz"))


def test_a_damaged_file_is_refused(tmp_path):
    (tmp_path / "reader.npz").write_bytes(b"x")
    with pytest.raises(CorruptFile, match="damaged"):
        opened(ReaderFile(path=tmp_path / "reader.npz", sha256="0" * 64))
