"""Writes docs/benchmarks.md from the results on disk; every figure in it is one of theirs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks import costs, embedding
from benchmarks.growth import speed_chapter
from benchmarks.places import REPORT
from benchmarks.results import Result, load
from benchmarks.rl import chapter as reinforcement
from benchmarks.sections import AIMS, SECTIONS, Aim, Section
from benchmarks.serving import chapter as serving
from benchmarks.trained import chapter as trained

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
- Halves: the id of a question decides whether it is `dev` or `test` (`mags_lab.evaluation.split`).
  Settings are fitted on `dev` halves of the licence-clean sets or on synthetic data only.
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
            trained(results),
            reinforcement.chapter(results),
            costs.chapter(results),
            serving.chapter(results),
            speed_chapter(results),
            embedding.chapter(results),
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


def _section(section: Section, table: Table) -> str:
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


def _measures(section: Section, found: Sequence[Result]) -> list[str]:
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


def _by_kind(section: Section, found: Sequence[Result]) -> list[str]:
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
