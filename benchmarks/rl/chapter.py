"""The chapter of the page on reinforcement: gains over SFT, and two specialists against one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.results import PICTURES, Result

SUITE = "rl"
PICTURE = "rl-curves.svg"
START = "SFT"
APART = ("two specialists", "two specialists, half the steps")
ORDER = ("SFT", "GRPO", "GRPO, no labels", "PPO", "SFT on")
GROUPS = ("frames", "frames ask", "frames write", "frames nothing", "frames something")
MORE = ("phrasings", "phrasings ask", "phrasings nothing", "phrasings something", "dev")
_TEXT = """\
A Llama of a million weights in a small world (`benchmarks/rl/world.py`): the generator's turns of
ten relations, three phrases a list, without notes, dates and asides; names, frames and phrasings
held out as everywhere. SFT learns ask and write from 16,000 samples in two frames of each kind;
reinforcement begins where it ends, on 5,000 prompts in the other frames of training; `frames` are
frames that neither saw. Exact adherence in per cent, mean over seeds; in brackets the gain over SFT
with its 95% interval (paired bootstrap over samples and seeds). `nothing` and `something`: writing,
turns with nothing to store and the others. `exam` asks a memory: after writing, what the turn told
is looked up (facts that nobody told and bystanders that were harmed take away, silence earns
nothing); after asking, the rank of the answer counts. It is the reward of *no labels*, whose judge
is given the turn without its target and an exam drawn up with the turn, as a simulated world knows
what it lets people say. `PPO` is the best of four settings by dev, eight of its replies
to a prompt; where no look at dev is above the start, the start is kept. `SFT on` goes on with
labels of the prompts that GRPO has: what labels would buy for the same computing. Measured with the
loops of version 0.1, which learned from the same replies in fewer passes through the model.
`python -m benchmarks.rl` (extra `train`)."""


def chapter(results: Sequence[Result]) -> str:
    """The tables, and the picture of the curves where it has been drawn; "" before any run."""
    found = {r.system: r for r in results if r.suite == SUITE}
    if START not in found:
        return ""
    lines = ["## Reinforcement", "", _TEXT, ""]
    lines += _gains([found[name] for name in ORDER if name in found])
    lines += _specialists([found[name] for name in APART if name in found])
    if (PICTURES / PICTURE).is_file():
        lines += [f"![Parts of the reward over time](pictures/{PICTURE})", ""]
    return "\n".join(lines)


def _gains(found: Sequence[Result]) -> list[str]:
    rows, others = [], []
    for r in found:
        facts = [f"{float(r.facts[name]):.0f}" for name in ("steps", "cpu_s", "seeds")]
        rows.append([r.system, *(_gain(r, group, "exact") for group in GROUPS), *facts])
        exams = [_gain(r, group, "exam") for group in ("frames", "phrasings")]
        others.append([r.system, *(_gain(r, group, "exact") for group in MORE), *exams])
    head = ["", *GROUPS, "steps", "processor s", "seeds"]
    second = ["", *MORE, "exam, frames", "exam, phrasings"]
    return [*_table(head, rows), "", *_table(second, others), ""]


def _specialists(pairs: Sequence[Result]) -> list[str]:
    if not pairs:
        return []
    groups = list(pairs[0].groups)
    rows = [
        [group, f"{100 * _before(pairs[0], group):.1f}", *(_gain(r, group, "exact") for r in pairs)]
        for group in groups
    ]
    cost = ["processor s", "", *(f"{float(r.facts['cpu_s']):.0f}" for r in pairs)]
    text = (
        "Two specialists against the one model of both roles, all of the same size and from "
        "nothing (`--study apart`): each specialist in as many steps as the one, so that the two "
        "cost twice as much, and each in half of them, so that they cost the same."
    )
    head = ["", "one for both roles", *(f"{r.system} (difference)" for r in pairs)]
    return [text, "", *_table(head, [*rows, cost]), ""]


def _before(r: Result, group: str) -> float:
    figures = r.groups[group]
    return float(figures["exact"]["mean"]) - float(figures["gain exact"]["mean"])


def _gain(r: Result, group: str, measure: str) -> str:
    figures = r.groups[group]
    mean = f"{100 * figures[measure]['mean']:.1f}"
    return mean if r.system == START else f"{mean} ({_signed(figures[f'gain {measure}'])})"


def _signed(interval: Mapping[str, float]) -> str:
    mean, low, high = (f"{100 * interval[name]:+.1f}" for name in ("mean", "low", "high"))
    return f"{mean}; {low} to {high}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [
        "| " + " | ".join(head) + " |",
        "|" + "---|" * len(head),
        *("| " + " | ".join(row) + " |" for row in rows),
    ]
