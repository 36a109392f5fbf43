"""What the games add to the interface of a server, held to a golden file.

After a wanted change: `REWRITE_GOLDEN=1 pytest lab/tests/server/test_games_openapi.py`.
"""

import json
from pathlib import Path

import httpx

from tests.server import test_openapi as product

GOLDEN = Path(__file__).parent / "openapi.json"


def test_the_games_add_to_the_interface_what_is_written_down_and_change_nothing(
    client: httpx.Client,
):
    found = product.outline(client.get("/openapi.json").json())
    whole = json.loads(product.GOLDEN.read_text(encoding="utf-8"))
    added = {
        part: {name: one for name, one in found[part].items() if name not in whole[part]}
        for part in whole
    }
    if product.REWRITE:
        GOLDEN.write_text(json.dumps(added, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    assert added == json.loads(GOLDEN.read_text(encoding="utf-8"))
    assert {part: whole[part] | added[part] for part in whole} == found
