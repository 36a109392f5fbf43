import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from mags.ports.policy import Turn
from mags_lab.training.chains.card import embedded, page
from mags_lab.training.chains.schema import Role, Sample, Split, from_line

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


# As much of a browser as the page uses.
BEFORE = """
let written = "";
class Element {
  constructor(name) { this.name = name; this.children = []; this.on = {}; this.value = ""; }
  append(...more) { this.children.push(...more); }
  replaceChildren(...more) { this.children = more; }
  setAttribute() {}
  addEventListener(type, act) { this.on[type] = act; }
  click() { if (this.on.click) this.on.click(); }
  find(name) {
    const below = this.children.flatMap(child => child.find ? child.find(name) : []);
    return this.name === name ? [this, ...below] : below;
  }
}
const known = {};
const main = new Element("main");
globalThis.document = {
  createElement: name => new Element(name),
  createTextNode: text => text,
  getElementById: id => (known[id] = known[id] || new Element(id)),
  querySelector: () => main,
};
globalThis.Blob = class { constructor(parts) { written = parts.join(""); } };
URL.createObjectURL = () => "blob:";
URL.revokeObjectURL = () => {};
"""
AFTER = """
const [first, second] = main.children;
const [turn, target] = first.find("textarea");
target.value = "<route> recall </route>";
target.on.input();
second.find("button").find(button => button.textContent === "bad").click();
document.getElementById("save").click();
process.stdout.write(written);
"""


@pytest.mark.skipif(shutil.which("node") is None, reason="runs the page's script with node")
def test_what_is_mended_is_saved_and_what_is_bad_is_not(tmp_path: Path):
    script = re.search(r"<script>(.*)</script>", page([SAMPLE, SAMPLE, SAMPLE]), re.DOTALL)
    assert script is not None
    file = tmp_path / "page.js"
    file.write_text(BEFORE + script[1].replace('"use strict";', "") + AFTER, encoding="utf-8")
    done = subprocess.run(["node", str(file)], check=True, capture_output=True, text=True)
    mended, kept = map(from_line, done.stdout.rstrip("\n").split("\n"))
    assert (mended.target, mended.tags) == ("<route> recall </route>", ("mended",))
    assert mended.turn == SAMPLE.turn
    assert kept == SAMPLE
