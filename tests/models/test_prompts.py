"""Prompt files: their form, their slots, and that every shipped one renders as its golden file.

After a wanted change: `REWRITE_GOLDEN=1 pytest tests/models/test_prompts.py`, and raise the
prompt's version.
"""

import os
from pathlib import Path

import pytest

from mags.errors import ConfigurationError
from mags.models.grammar import read_engram, read_plan, read_route
from mags.models.prompts import NAMES, Prompt, load_prompts, parse

GOLDEN = Path(__file__).parent / "golden"
REWRITE = os.environ.get("REWRITE_GOLDEN")
SMALL = "---\nversion: 3\n---\n## system\nBe {{how}}.\n\n## user\n{{turn}}\n"
VALUES = {
    "language": "English",
    "now": "Friday 3 May 2024",
    "recent": "Bob: Hello Alice.",
    "turn": "Alice: I moved to Oslo.",
    "turns": "(Friday 3 May 2024)\n1. Alice: I moved to Oslo.",
    "recalled": "[m7] (Alice, 2 March 2023) Alice lives in Bergen.",
    "memories": "Thursday 2 March 2023:\n[m7] Alice: I live in Bergen.",
    "recall": "- Answer now: nothing more can be recalled.",
    "left": "(Answer now: nothing more can be recalled.)",
    "speaker": "Bob",
    "question": "Where does Alice live?",
    "asked": "(nothing)",
    "found": "[m8] (Alice, 3 May 2024) I moved to Oslo.",
    "times": "twice",
}


def rendered(prompt: Prompt) -> str:
    called = "\n\n".join(f"[{m.role}]\n{m.content}" for m in prompt.messages(VALUES))
    rest = [name for name in prompt.sections if name not in ("system", "user")]
    pieces = "".join(f"\n\n[{name}]\n{prompt.render(name, VALUES)}" for name in rest)
    return f"version {prompt.version}\n\n{called}{pieces}\n"


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_prompt_renders_as_its_golden_file(name: str):
    words = rendered(load_prompts()[name])
    golden = GOLDEN / f"{name}.txt"
    if REWRITE:
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(words, encoding="utf-8")
    assert words == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("name", "read"),
    [("write", read_engram), ("ask", lambda reply: read_plan(reply, "")), ("router", read_route)],
)
def test_every_example_keeps_to_the_grammar(name: str, read):
    examples = load_prompts()[name].examples
    assert examples
    for _, replied in examples:
        read(replied)


def test_a_slot_is_filled_once_and_its_words_are_not_read_for_slots():
    prompt = parse("small", SMALL)
    assert prompt.version == 3
    assert prompt.render("system", {"how": "{{turn}}"}) == "Be {{turn}}."


def test_examples_stand_between_system_and_user():
    text = SMALL.replace("## user", "## example\nA?\n\n## reply\nB.\n\n## user")
    roles = [m.role for m in parse("small", text).messages({"how": "kind", "turn": "Hi."})]
    assert roles == ["system", "user", "assistant", "user"]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("## system\nx\n", "must begin with"),
        ("---\nversion: x\n---\n", "must begin with"),
        ("---\nversion: 1\n---\n## system\nx\n", "needs '## system'"),
        (SMALL + "## example\nA?\n", "a '## reply' for every"),
    ],
)
def test_a_file_in_another_form_is_refused(text: str, reason: str):
    with pytest.raises(ConfigurationError, match=reason):
        parse("small", text)


def test_a_missing_slot_or_section_is_named():
    prompt = parse("small", SMALL)
    with pytest.raises(ConfigurationError, match=r"slot \{\{how\}\}"):
        prompt.render("system", {})
    with pytest.raises(ConfigurationError, match="no section '## again'"):
        prompt.render("again", {})


def test_a_folder_of_ones_own_replaces_single_prompts(tmp_path: Path):
    (tmp_path / "ask.md").write_text(SMALL, encoding="utf-8")
    prompts = load_prompts(tmp_path)
    assert prompts["ask"].version == 3
    assert prompts["write"] == load_prompts()["write"]
