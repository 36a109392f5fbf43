"""What docs/integrations.md shows is what happens, with both libraries there."""

from pathlib import Path

import pytest

from scripts.blocks import run_page

pytest.importorskip("langgraph.store.base", reason="needs the extra `langgraph`")
pytest.importorskip("llama_index.core", reason="needs the extra `llamaindex`")
PAGE = Path(__file__).parents[2] / "docs" / "integrations.md"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_every_block_prints_what_the_page_shows() -> None:
    assert run_page(PAGE).faults == []
