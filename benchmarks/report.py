"""Writes docs/benchmarks.md from the results on disk; every figure in it is one of theirs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from matplotlib import rc_context
from matplotlib.figure import Figure

from benchmarks.results import PICTURES, REPORT, Result, load
from benchmarks.rl import chapter as reinforcement
from benchmarks.sections import AIMS, SECTIONS, Aim, Chapter
from benchmarks.serving import chapter as serving
from benchmarks.timing.embedding import chapter as embedder_chapter
from mags_lab.evaluation.objective import Quality, TermWeights, objective, terms_of
from mags_lab.evaluation.protocol import Weighed

Made = TypeVar("Made")
TERMS = ("prediction", "reward", "graph", "regularisation")
_OBJECTIVE = """\
`L = prediction - reward + 0.1 graph + 0.01 regularisation`, each term in [0, 1], the smaller the
better (`mags_lab.evaluation.objective`). *prediction*: the share of questions whose first hit is no
evidence (MQuAKE: whose chain is not whole, or has a stale fact, in ten hits). *reward*: the share
of questions with the whole evidence in ten hits (Letta: the mean of the new fact before the old
and of the F1 of closings); the form of operations is not counted, the rules' is right by
construction. *graph*: density, conflicts among open facts, pruned arcs, and recalls beyond one a
question. *regularisation*: fill of the limits (none are set) and the share of the records that a
turn changes; of a suite's memories the mean. L alone would reward storing little: it is read
beside the tables above."""


class KeepingFactory(Generic[Made]):
    """A factory that keeps what it made, to be weighed after the run."""

    def __init__(self, make: Callable[[], Made]) -> None:
        self._make = make
        self._made: list[Made] = []

    def __call__(self) -> Made:
        """Make another one."""
        self._made.append(self._make())
        return self._made[-1]

    def objective(self, quality: Quality) -> dict[str, float]:
        """Return the four terms and their sum L, or nothing where a system cannot be weighed."""
        costs = [one.cost() for one in self._made if isinstance(one, Weighed)]
        if not costs:
            return {}
        terms = terms_of(quality, costs)
        return {
            **{name: getattr(terms, name) for name in TERMS},
            "L": objective(terms, TermWeights()),
        }


def objective_chapter(results: Sequence[Result]) -> str:
    """Return the chapter of docs/benchmarks.md: a line a suite, or nothing without a figure."""
    rows = [
        " | ".join(["", r.suite, *(f"{r.objective[name]:.3f}" for name in (*TERMS, "L")), ""])
        for r in results
        if r.objective
    ]
    if not rows:
        return ""
    head = [
        "| suite | prediction | reward | graph | regularisation | L |",
        "|---|---|---|---|---|---|",
    ]
    return "\n".join(
        ["## The objective", "", _OBJECTIVE, "", *head, *(r.strip() for r in rows), ""]
    )


_PICTURE = "recall-growth.svg"
_SPEED = """Synthetic memories (`benchmarks/timing/synthetic.py`): topics of 200 nodes,
384-dimensional clustered vectors, average degree 9.3, in a file. Embedding is left out of every
time; each size is measured in a process of its own. Recall is by a plan of one query, k 10; engram
is `observe` of a turn with a fact, durable on return; the first sleep looks at everything anew.
`python -m benchmarks.timing.speed` runs this alone."""

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
    lines = ["## Speed and size", "", _SPEED, ""]
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


OURS = "MAGS"
PLAIN = ("BM25", "dense", "BM25 + dense, z-scores", "BM25 + dense, RRF")
_OPENING = """# Benchmarks

Written by `make bench` from `benchmarks/results/`; do not edit by hand.

- `make bench` runs MAGS, the plain baselines, and the speed and size runs; `make peers` runs other
  memories in an environment of their own. `python -m benchmarks --help` shows how to run one suite.
- The data is read from the folder in `MAGS_DATA`, by default `../shared/data`. It is not part of
  this repository: LoCoMo (snap-research, CC BY-NC 4.0), LongMemEval (MIT), MuSiQue and HotpotQA as
  prepared by HippoRAG (MIT; CC BY 4.0; CC BY-SA 4.0), MQuAKE-hard (MIT), Letta evals (Apache-2.0),
  Text2KGBench and KnowledgeNet (CC BY-SA 4.0), Re-DocRED and AriGraph's logs (MIT).
- Everybody has the same embedder, the shipped int8 MiniLM, and no language model. Times of the
  suites are processor time without the embedding. Figures are per cent; brackets hold 95%
  bootstrap intervals over questions.
- Halves: the id of a question decides whether it is `dev` or `test`
  (`mags_lab.evaluation.protocol`). Settings are fitted on `dev` halves of the licence-clean sets
  or on synthetic data only.
"""

Table = Mapping[tuple[str, str], Result]


def write(results: Sequence[Result], path: Path = REPORT) -> None:
    """Write the whole page."""
    table = {(r.suite, r.system): r for r in results}
    parts = [_OPENING, _summary(table)]
    parts += [_section(section, table) for section in SECTIONS]
    parts += [
        part
        for part in (
            reinforcement.chapter(results),
            objective_chapter(results),
            serving.chapter(results),
            speed_chapter(results),
            embedder_chapter(results),
        )
        if part
    ]
    parts.append(_provenance(results))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(parts))


def _summary(table: Table) -> str:
    rows = [_ahead(table, k) for k in (5, 10)]
    for aim in AIMS:
        best = _best(aim, table)
        rows.append([aim.label, _ours(aim, table), best, aim.others or "none known", _goal(aim)])
    head = ["suite", "MAGS", "best system run here", "others, same data", "aim"]
    return "\n".join(["## At a glance", "", *_lines(head, rows), ""])


def _ours(aim: Aim, table: Table) -> str:
    found = table.get((aim.suite, OURS))
    if found is None:
        return "not run"
    mean = 100 * found.groups[aim.group][aim.measure]["mean"]
    met = mean <= aim.goal if aim.lower else mean >= aim.goal
    return f"{mean:.1f}" + ("" if met else " (short)")


def _ahead(table: Table, k: int) -> list[str]:
    """LongMemEval: on how many types of questions MAGS is ahead of each plain system."""
    measure = f"recall@{k}"
    rivals = [table.get(("longmemeval-turns", name)) for name in PLAIN]
    ours = table.get(("longmemeval-turns", OURS))
    kinds = sorted(g for g in (ours.groups if ours else ()) if g.startswith("all "))
    label = f"LongMemEval by turn, recall@{k}: types on which it leads"
    aim = "every type ahead of BM25, dense and their fusion"
    if ours is None:
        return [label, "not run", "", "BM25 37 (preference) to 88 (knowledge update)", aim]
    best = {g: max(100 * r.groups[g][measure]["mean"] for r in rivals if r) for g in kinds}
    mine = {g: 100 * ours.groups[g][measure]["mean"] for g in kinds}
    led = sum(mine[g] > best[g] for g in kinds)
    behind = [
        f"{g.removeprefix('all ')} {mine[g] - best[g]:+.1f}" for g in kinds if mine[g] <= best[g]
    ]
    shown = f"{led} of {len(kinds)}" + (f" (short: {', '.join(behind)})" if behind else "")
    overall = max((100 * r.groups["all"][measure]["mean"], r.system) for r in rivals if r)
    return [label, shown, f"{overall[1]} {overall[0]:.1f} over all", "BM25 37 to 88 by type", aim]


def _best(aim: Aim, table: Table) -> str:
    found = {
        system: 100 * r.groups[aim.group][aim.measure]["mean"]
        for (suite, system), r in table.items()
        if suite == aim.suite and not system.startswith(OURS)
    }
    if not found:
        return ""
    system = min(found, key=lambda s: found[s] if aim.lower else -found[s])
    return f"{system} {found[system]:.1f}"


def _goal(aim: Aim) -> str:
    return f"at most {aim.goal:g}" if aim.lower else f"{aim.goal:g}"


def _section(section: Chapter, table: Table) -> str:
    parts = [f"## {section.title}", "", section.text, ""]
    for suite, title in section.suites:
        found = _ordered(r for (s, _), r in table.items() if s == suite)
        if not found:
            continue
        if title:
            parts += [f"### {title}", ""]
        parts += _measures(section, found)
        if section.by_kind and "mended" not in suite:
            parts += _by_kind(section, found)
    return "\n".join(parts)


def _measures(section: Chapter, found: Sequence[Result]) -> list[str]:
    head = ["system"]
    for group in section.groups:
        head += [f"{m} ({group}{_cases(found, group, m)})" for m in section.measures]
    timed = any("search_cpu_ms_p95" in r.facts for r in found)
    head += ["add, ms each", "search, ms p50 / p95"] if timed else []
    head += [title for _, title in section.facts]
    rows = []
    for r in found:
        row = [_name(r)]
        for group in section.groups:
            row += [
                _figure(r.groups[group][m], wide=m == section.measures[0]) for m in section.measures
            ]
        row += _times(r) if timed else []
        row += [_plain(float(r.facts[name])) for name, _ in section.facts]
        rows.append(row)
    return [*_lines(head, rows), ""]


def _cases(found: Sequence[Result], group: str, measure: str) -> str:
    """How many cases a measure is over, where it is the same for all systems."""
    counts = {r.groups[group][measure]["n"] for r in found}
    return f", n {counts.pop():.0f}" if len(counts) == 1 else ""


def _plain(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _by_kind(section: Chapter, found: Sequence[Result]) -> list[str]:
    group = section.groups[0]
    kinds = {
        g.removeprefix(start): g
        for g in sorted(found[0].groups)
        for start in (f"{group} ", "kind:")
        if g.startswith(start)
    }
    out = []
    for measure in section.by_kind:
        cells = {k: [r.groups.get(g, {}).get(measure) for r in found] for k, g in kinds.items()}
        head = [f"{measure} by kind ({group})", *(f"{k} (n {_each(cells[k])})" for k in kinds)]
        rows = [
            [_name(r), *(_figure(c, wide=False) if (c := cells[k][n]) else "-" for k in kinds)]
            for n, r in enumerate(found)
        ]
        out += [*_lines(head, rows), ""]
    return out


def _each(cells: Sequence[Mapping[str, float] | None]) -> str:
    """How many cases: one number where it is the same for all systems, else that of each."""
    counts = [f"{c['n']:.0f}" if c else "0" for c in cells]
    return " / ".join(counts if len(set(counts)) > 1 else counts[:1])


def _provenance(results: Sequence[Result]) -> str:
    seen: dict[tuple[str, ...], set[str]] = {}
    for r in results:
        key = tuple(r.made[k] for k in ("machine", "date", "commit", "command"))
        seen.setdefault(key, set()).add(r.system)
    rows = [[", ".join(sorted(systems)), *key] for key, systems in seen.items()]
    head = ["systems", "machine", "date", "commit", "command"]
    notes = {r.system: r.note for r in results if r.note}
    told = [f"- {system}: {note}" for system, note in notes.items()]
    return "\n".join(["## What ran where", "", *told, "", *_lines(head, rows), ""])


def _ordered(found: Iterable[Result]) -> list[Result]:
    return sorted(found, key=lambda r: (r.system != OURS, r.made["command"], r.system.lower()))


def _name(r: Result) -> str:
    return f"**{r.system}**" if r.system == OURS else r.system


def _figure(interval: Mapping[str, float], *, wide: bool) -> str:
    mean, low, high = (100 * interval[k] for k in ("mean", "low", "high"))
    return f"{mean:.1f} ({low:.0f}-{high:.0f})" if wide else f"{mean:.1f}"


def _times(r: Result) -> list[str]:
    if "add_cpu_s" not in r.facts:
        return ["", ""]
    stored = float(r.facts.get("turns") or r.facts.get("facts") or 1)
    added = 1000 * float(r.facts["add_cpu_s"]) / stored
    p50, p95 = (float(r.facts[f"search_cpu_ms_{p}"]) for p in ("p50", "p95"))
    return [f"{added:.2f}", f"{p50:.1f} / {p95:.1f}"]


def _lines(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    return [
        "| " + " | ".join(head) + " |",
        "|" + "---|" * len(head),
        *("| " + " | ".join(row) + " |" for row in rows),
    ]


if __name__ == "__main__":
    write(load())
