import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from mags.ports.policy import Turn
from mags.training.chains.review import embedded, page
from mags.training.chains.schema import Role, Sample, Split, from_line

NASTY = "</script><script>alert(1)</script><!-- & \N{LINE SEPARATOR} \N{PARAGRAPH SEPARATOR}"
SAMPLE = Sample(
    id="a",
    role=Role.ROUTER,
    split=Split.DEV,
    turn=Turn(text=NASTY, speaker="<b>Bob</b>"),
    target="<route> neither </route>",
)


def test_what_people_say_cannot_end_the_script():
    shown = page([SAMPLE])
    assert shown.count("</script>") == 1
    assert "<b>Bob" not in shown
    inside = re.search(r"const samples = (\[.*\]);\n", shown)
    assert inside is not None
    assert from_line(json.dumps(json.loads(inside[1])[0])) == SAMPLE


def test_the_page_loads_nothing_and_writes_no_markup():
    shown = page([])
    assert "http:" not in shown
    assert "https:" not in shown
    assert "innerHTML" not in shown
    assert "default-src 'none'" in shown
    assert "const samples = [];" in shown


def test_embedded_json_reads_as_what_it_was():
    value = {"a": NASTY, "b": [1, None, True]}
    assert json.loads(embedded(value)) == value
    assert not set("<>&\N{LINE SEPARATOR}") & set(embedded(value))


@pytest.mark.skipif(shutil.which("node") is None, reason="checks the script where node is there")
def test_the_script_parses(tmp_path: Path):
    script = re.search(r"<script>(.*)</script>", page([SAMPLE]), re.DOTALL)
    assert script is not None
    file = tmp_path / "page.js"
    file.write_text(script[1])
    subprocess.run(["node", "--check", str(file)], check=True)
