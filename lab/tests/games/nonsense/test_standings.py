"""What can be reached by remembering this or that."""

from mags_lab.games.nonsense.standings import standings


def test_nothing_is_far_from_everything_and_the_opening_lies_between() -> None:
    found = standings("easy", seeds=3)
    assert found["all"] == 1.0
    assert found["chance"] < 0.2 < found["told"] < 0.7
    assert found["first"] < 0.95
    windows = [value for key, value in found.items() if key.startswith("window")]
    assert windows == sorted(windows)
