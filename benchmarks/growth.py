"""The chapter on speed and size: one column a size, and recall's growth as a picture."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib import rc_context
from matplotlib.figure import Figure

from benchmarks.places import PICTURES
from benchmarks.results import Result

_PICTURE = "recall-growth.svg"
_TEXT = """Synthetic memories (`benchmarks/synthetic.py`): topics of 200 nodes, 384-dimensional
clustered vectors, average degree 9.3, in a file. Embedding is left out of every time; each size is
measured in a process of its own. Recall is by a plan of one query, k 10; engram is `observe` of a
turn with a fact, durable on return; the first sleep looks at everything anew.
`python -m benchmarks.speed` runs this alone."""

_ROWS: tuple[tuple[str, str, str], ...] = (
    ("recall, ms p50", "recall_ms_p50", "3 at 100k, 6 at 1M"),
    ("recall, ms p95", "recall_ms_p95", ""),
    ("recall, processor ms, mean", "recall_cpu_ms", ""),
    ("recall while it sleeps, ms p50", "recall_during_sleep_ms_p50", "not blocked"),
    ("recall while it sleeps, ms p95", "recall_during_sleep_ms_p95", ""),
    ("recall while it sleeps, ms max", "recall_during_sleep_ms_max", ""),
    ("durable engram, ms p50", "engram_ms_p50", "8"),
    ("durable engram, ms p95", "engram_ms_p95", ""),
    ("durable engram, processor ms, mean", "engram_cpu_ms", ""),
    ("one fsync on this disk, ms", "fsync_ms", ""),
    ("opening, s", "open_s", "0.5 at 100k"),
    ("opening, processor s", "open_cpu_s", ""),
    ("first recall after opening, s", "first_recall_s", ""),
    ("first sleep, s", "first_sleep_s", "2 at 100k"),
    ("first sleep, processor s", "first_sleep_cpu_s", ""),
    ("first sleep and the checkpoint after it, s", "first_sleep_kept_s", ""),
    ("first sleep and the checkpoint after it, processor s", "first_sleep_kept_cpu_s", ""),
    ("next sleep with recalls beside it, s", "sleep_with_recalls_s", ""),
    ("bytes a node on disk", "disk_bytes_a_node", ""),
    ("bytes a node in memory", "memory_bytes_a_node", ""),
    ("building the file, s", "build_s", ""),
)


def speed_chapter(results: Sequence[Result]) -> str:
    """The table, and the picture beside it when it has been drawn."""
    found = sorted(
        (r.facts for r in results if r.suite.startswith("speed-")), key=lambda f: f["nodes"]
    )
    lines = ["## Speed and size", "", _TEXT, ""]
    if not found:
        return "\n".join([*lines, "Not run yet.", ""])
    head = ["", *(f"{float(f['nodes']):,.0f} nodes" for f in found), "aim"]
    lines += ["| " + " | ".join(head) + " |", "|" + "---|" * len(head)]
    for label, name, aim in _ROWS:
        cells = [_shown(f, name) for f in found]
        lines.append("| " + " | ".join([label, *cells, aim]) + " |")
    _draw(found)
    return "\n".join([*lines, "", f"![Recall by size of the memory](pictures/{_PICTURE})", ""])


def _shown(facts: Mapping[str, float | str], name: str) -> str:
    if name not in facts:
        return ""
    value = float(facts[name])
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def _draw(found: Sequence[Mapping[str, float | str]]) -> None:
    """Recall p50 and p95 over the number of nodes, as SVG."""
    figure = Figure(figsize=(6, 3.5), layout="tight")
    axes = figure.subplots()
    nodes = [float(f["nodes"]) for f in found]
    for name, label in (("recall_ms_p50", "p50"), ("recall_ms_p95", "p95")):
        axes.plot(nodes, [float(f[name]) for f in found], marker="o", label=label)
    axes.plot([1e5, 1e6], [3, 6], linestyle="none", marker="_", markersize=18, label="aim (p50)")
    axes.set_xscale("log")
    axes.set_ylim(bottom=0)
    axes.set_xlabel("nodes")
    axes.set_ylabel("recall, ms (embedding apart)")
    axes.legend()
    axes.grid(alpha=0.3)
    PICTURES.mkdir(parents=True, exist_ok=True)
    with rc_context({"svg.hashsalt": "mags"}):  # the same figures give the same file
        figure.savefig(PICTURES / _PICTURE, metadata={"Date": None})
