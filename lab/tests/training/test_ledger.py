"""A run's folder: what is done stays done, each step with its costs."""

import sys
from pathlib import Path

import pytest

from mags.errors import ConfigurationError
from mags_lab.training.ledger import Ledger

TOLD = {"name": "smoke", "heads": ("smoke", "smoke-whole"), "seed": 0}


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux forgets a peak")
def test_the_peak_of_a_step_is_its_own(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, TOLD)
    with ledger.step("data") as noted:
        noted["bytes"] = len(bytearray(300 << 20))
    with ledger.step("base"):
        pass
    assert ledger.steps["data"]["peak_mb"] > ledger.steps["base"]["peak_mb"] + 250.0


def test_a_finished_step_is_kept_with_its_costs_and_another_recipe_refused(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path, TOLD)
    with ledger.step("data") as noted:
        noted["samples"] = 7
    with pytest.raises(ZeroDivisionError), ledger.step("base"):
        raise ZeroDivisionError
    again = Ledger(tmp_path, TOLD)
    assert again.is_done("data")
    assert not again.is_done("base")
    assert again.steps["data"]["samples"] == 7
    assert again.steps["data"]["peak_mb"] > 1.0
    with pytest.raises(ConfigurationError, match="another recipe"):
        Ledger(tmp_path, {**TOLD, "seed": 1})
