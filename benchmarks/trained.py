"""The chapter of the page that holds the trained policies against what they were to reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.results import Result

ROLES = ("ask", "write", "router")
_TEXT = """\
Exact adherence in per cent of the heads, new names everywhere; milliseconds of processor (median),
with the vector of the turn. *Trial* is what trials before MAGS reached. What training costs, step
by step, stands in [training](training.md): 210 minutes of processor and 1.7 GB."""
_FRAMES = (
    "writing misses one turn in 17; the last courses of eleven moved it by less than its interval "
    "([log](log.md))"
)
_PHRASINGS = (
    "an encoder of 22 million weights takes what is said in a way of its own for what it is like; "
    "2,579 phrases more to learn from moved nothing ([log](log.md))"
)
_GRPO = "the interval lies above 0, the mean .2 short: asking gains, writing does not"
_TIME = "the encoder reads the turn for the heads' router; the default routes by rules, see below"


def chapter(results: Sequence[Result]) -> str:
    """The table; "" where the heads or GRPO were not measured."""
    found = {(r.suite, r.system): r for r in results}
    try:
        frames, phrasings = (found[f"policies-{s}", "heads"] for s in ("frames", "phrasings"))
        gain = found["rl", "GRPO"].groups["frames"]["gain exact"]
    except KeyError:
        return ""
    times = [float(frames.facts[f"{role}_cpu_ms_p50"]) for role in ROLES]
    rows = [
        _row("new frames, ask / write", "60", (99, 98), _exact(frames), _FRAMES),
        _row(
            "new phrasings, ask / write", "trial 94 / 87", (97, 92), _exact(phrasings), _PHRASINGS
        ),
        ["GRPO over its start, new frames", "", "+5, interval above 0", _signed(gain), _GRPO],
        [
            "a decision, ms, ask / write / router",
            "a minute; trial 4 to 7",
            "12 / 12 / 4",
            " / ".join(f"{one:.1f}" for one in times),
            _TIME,
        ],
    ]
    head = ["", "reference", "aim", "reached", "what is short, and why"]
    table = ["| " + " | ".join(row) + " |" for row in (head, *rows)]
    return "\n".join(
        ["## Trained policies: aims", "", _TEXT, "", table[0], "|---" * 5 + "|", *table[1:], ""]
    )


def _exact(r: Result) -> list[float]:
    return [100 * r.groups["all"][f"{role} exact"]["mean"] for role in ROLES[:2]]


def _row(
    title: str, reference: str, aims: Sequence[float], reached: Sequence[float], why: str
) -> list[str]:
    met = all(one >= aim for one, aim in zip(reached, aims, strict=True))
    shown = (" / ".join(f"{one:g}" for one in aims), " / ".join(f"{one:.1f}" for one in reached))
    return [title, reference, *shown, "" if met else why]


def _signed(interval: Mapping[str, float]) -> str:
    mean, low, high = (f"{100 * interval[name]:+.1f}" for name in ("mean", "low", "high"))
    return f"{mean} ({low} to {high})"
