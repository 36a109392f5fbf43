"""Two friends tell of the people they know; then each asks who of them is what.

Answered without a language model, with the shipped settings. Whoever is named has to be shown by
what was told, and who is not told of is not named.
"""

import re
from collections.abc import Iterator

import pytest

import mags
from mags.cli.files import dialogue
from mags.memory.memory import Memory
from mags.settings import Settings

DASH = " \N{EM DASH} "

TALK = """\
[2025-02-03] Nora: Hi! I'm Nora. My friend Tariq lives in Bergen, you'd like him.
[2025-02-03] Paul: I'm Paul. I have two brothers, Simon and Luke.
[2025-02-04] Nora: My colleague Petra has two children. She speaks Portuguese.
[2025-02-04] Paul: Simon is a plumber and Luke is a nurse.
[2025-02-07] Nora: My friend Ines lives in Porto. She speaks Portuguese, of course.
[2025-02-07] Paul: I play the clarinet. Do you play anything?
[2025-02-08] Nora: I play chess, nothing else.
[2025-02-10] Nora: My friend Olek doesn't eat meat. He lives in Bergen, too.
[2025-02-11] Paul: My friend Yara loves meat.
[2025-02-20] Nora: My colleague Hamid is 41. Petra is 38.
[2025-03-02] Nora: Tariq moved to Porto last week.
[2025-03-05] Paul: Simon is 36 and Luke is 33.
[2025-03-09] Nora: I bought a green kayak in 2018.
[2025-03-09] Nora: I bought a yellow kayak in 2021.
"""


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    path = tmp_path_factory.mktemp("people") / "people.mags"
    with mags.open(path, settings=Settings(), clock=lambda: 1_742_000_000.0) as memory:
        memory.observe_many(dialogue(TALK, ""))
        yield memory


@pytest.mark.parametrize(
    ("speaker", "question", "head"),
    [
        ("Nora", "Which of my friends live in Porto?", "Ines, Tariq"),
        ("Nora", "Do any of my friends live in Bergen?", "Yes: Olek"),
        ("Nora", "How many of my friends live in Porto?", "2 (Ines, Tariq)"),
        ("Paul", "Which of Nora's friends speak Portuguese?", "Ines"),
        ("Nora", "Which of my friends don't eat meat?", "Olek"),
        ("Nora", "Which of my colleagues have children?", "Petra"),
        ("Nora", "Do I know anyone who speaks Portuguese?", "Yes: Petra, Ines"),
        ("Nora", "Who of us plays an instrument?", "Paul"),
        ("Paul", "Which of my brothers is a nurse?", "Luke"),
        ("Paul", "Which of my brothers is the youngest?", "Luke"),
        ("Nora", "Who is older, Petra or Hamid?", "Hamid"),
        ("Nora", "Who lives in the same town as Ines?", "Tariq"),
        ("Nora", "Which of my kayaks did I buy first?", "green kayak"),
    ],
)
def test_those_are_named_who_are_told_of(memory: Memory, speaker: str, question: str, head: str):
    reply = memory.ask(question, speaker=speaker)
    assert reply.outcome == "answered"
    assert sorted(_words(reply.text.partition(DASH)[0])) == sorted(_words(head))
    assert all(citation.episode_ids for citation in reply.citations)
    shown = " ".join(citation.text for citation in reply.citations)
    assert all(name in shown for name in _words(head) if name not in ("Yes", "2"))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text)


@pytest.mark.parametrize(
    ("speaker", "question"),
    [
        ("Nora", "Which of my friends live in Graz?"),
        ("Nora", "Which of my friends live abroad?"),
        ("Paul", "Which of my friends don't eat meat?"),
        ("Paul", "Which of my colleagues have children?"),
        ("Nora", "Which of my friends is the oldest?"),
        ("Paul", "Who is older, Luke or Yara?"),
    ],
)
def test_of_whom_nothing_is_told_nobody_is_named(memory: Memory, speaker: str, question: str):
    assert memory.ask(question, speaker=speaker).outcome != "answered"
