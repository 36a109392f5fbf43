"""The chapter on serving: recall under load, the mixture, kills, and calls of libraries beside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from benchmarks.results import Result
from benchmarks.serving.fairness import HOSTILE

Column = tuple[str, str]
"""A figure's name, and the head of its column."""

_TEXT = """\
`mags serve` as a process of its own on the embedded default, clients on loopback
(`python -m benchmarks.serving`). *Recall*: one core for the server, all clients asking at once, so
that each waits for all others, the embedding included; aim: 95 of 100 within 40 ms. *Workers*:
`--workers` 1 and 2 on both cores, each client with a memory of its own. *Rested*: the
same where each waits a tenth of a second between (in the mean, exponential). *Mixture*: half the
requests remember a turn, three in ten recall, two in ten ask, over many memories; aim: nothing
fails, nothing is lost or lands in another's memory, the process grows by what is told (KB a turn
are of the second half) and, where the same clients only ask for half as long, by the traces kept
for `explain`, 500 a memory. *Kills*: SIGKILL under that load again and again; aim: nothing
acknowledged is lost. *Probes*: keys of some tenants try to get at others' memories over HTTP, MCP
and the proxy, by their names in 22 spellings, their traces, branches and snapshots; a leak is an
answer with another's word, or a memory that is not as it was (`--only probes --probes 200000
--state FILE` goes on where it was broken off). *Memories*: so many files behind one server, nearly
all of them copies of 8 that were told 200 turns; recalls one after another, cold of memories that
are not open, warm of
some that are. *Fuzzed requests*: examples of the document with something odd in them, each made
from its number alone (`--only fuzz --requests 1000000 --state FILE` goes on); the counts add up to
the requests. *Libraries*: the same turns by calls in one process, no server, half remembered and
half looked up; mem0 keeps texts as they are (`infer=False`), MAGS reads facts out of them.
*Fairness*: seven readers without pause, each in its own memory, and one hostile tenant beside them:
how many times their p95 is what it is without, by what it sends; aim: 1.25."""

_MANY: tuple[Column, ...] = (
    ("cold_ms_p50", "cold: ms, p50"),
    ("cold_ms_p95", "ms, p95"),
    ("cold_cpu_ms", "processor ms"),
    ("warm_ms_p50", "warm: ms, p50"),
    ("warm_ms_p95", "ms, p95"),
    ("warm_cpu_ms", "processor ms"),
    ("rss_mb", "MB, 128 open"),
    ("load_average", "load of the machine"),
)
_PARTS: tuple[tuple[str, str, tuple[Column, ...]], ...] = (
    (
        "serving-recall",
        "Recall",
        (
            ("nodes", "nodes"),
            ("clients", "clients"),
            ("recall_ms_p50", "ms, p50"),
            ("recall_ms_p95", "ms, p95"),
            ("recalls_a_second", "a second"),
            ("cpu_ms_a_recall", "processor ms each"),
            ("rested_ms_p50", "rested: ms, p50"),
            ("rested_ms_p95", "ms, p95"),
            ("rested_a_second", "a second"),
            ("memory_mb", "MB"),
        ),
    ),
    (
        "serving-workers",
        "Recall by one and by two workers",
        (
            ("clients", "clients"),
            ("memories", "memories"),
            *(
                (f"{name}_{count}", f"{count}: {head}")
                for count in (1, 2)
                for name, head in (
                    ("recall_ms_p50", "ms, p50"),
                    ("recall_ms_p95", "ms, p95"),
                    ("recalls_a_second", "a second"),
                    ("cpu_ms_a_recall", "processor ms each"),
                )
            ),
        ),
    ),
    (
        "serving-mixture",
        "Mixture",
        (
            ("clients", "clients"),
            ("memories", "memories"),
            ("requests", "requests"),
            ("requests_a_second", "a second"),
            ("failed", "failed"),
            ("lost", "lost"),
            ("crossed", "crossed"),
            ("memory_mb_half", "MB at half time"),
            ("memory_mb_end", "MB at the end"),
            ("kb_a_turn", "KB a turn"),
            ("asked", "then asked"),
            ("memory_mb_asked_half", "MB at half of it"),
            ("memory_mb_asked", "MB after it"),
        ),
    ),
    (
        "serving-kills",
        "Kills",
        (
            ("kills", "kills"),
            ("acknowledged", "acknowledged"),
            ("lost", "lost"),
            ("crossed", "crossed"),
        ),
    ),
    *(
        (f"serving-memories-{count}", f"{count:,} memories of 200 turns", _MANY)
        for count in (1_000, 10_000)
    ),
    (
        "serving-costs",
        "One memory of 200 turns",
        (
            ("reader_bytes", "bytes"),
            ("reader_cpu_ms_a_turn", "remember a turn, processor ms"),
            ("rules_cpu_ms_a_turn", "without the reader"),
            ("open_cpu_ms", "open, processor ms"),
            ("first_recall_cpu_ms", "first recall"),
            ("recall_cpu_ms", "recall"),
            ("rss_mb_each", "MB open"),
        ),
    ),
    (
        "serving-probes",
        "Probes across tenants",
        (
            ("probes", "probes"),
            ("leaks", "leaks"),
            ("refused", "refused"),
            ("failed", "5xx"),
            ("http", "another's name"),
            ("references", "what is another's, by the own name"),
            ("mcp", "MCP"),
            ("proxy", "proxy"),
            ("controls", "asked by owners beside"),
        ),
    ),
    (
        "serving-fuzz",
        "Fuzzed requests",
        (
            ("requests", "requests"),
            ("succeeded", "2xx"),
            ("refused", "4xx"),
            ("clear", "502 of a model, 503 of a limit"),
            ("server_errors", "other 5xx"),
            ("hangs", "hangs"),
            ("broken", "broken lines"),
            ("requests_a_second", "a second"),
        ),
    ),
    (
        "serving-fairness",
        "Fairness",
        (("alone", "readers alone: ms, p95"), *((kind, kind) for kind in HOSTILE)),
    ),
    (
        "serving-library",
        "Libraries",
        (
            ("users", "users"),
            ("calls", "calls"),
            ("calls_a_second", "a second"),
            ("add_cpu_ms", "remember, processor ms"),
            ("search_cpu_ms", "look up, processor ms"),
        ),
    ),
)


def chapter(results: Sequence[Result]) -> str:
    """Return the chapter of docs/benchmarks.md, or nothing without a figure."""
    parts: list[str] = []
    for suite, title, columns in _PARTS:
        found = sorted((r for r in results if r.suite == suite), key=lambda r: r.system.lower())
        if found:
            parts += [f"### {title}", "", *_table(found, columns), ""]
    return "\n".join(["## Serving", "", _TEXT, "", *parts]) if parts else ""


def _table(found: Sequence[Result], columns: Sequence[Column]) -> list[str]:
    columns = [one for one in columns if any(one[0] in r.facts for r in found)]
    rows = [["system", *(head for _, head in columns)], ["---"] * (len(columns) + 1)]
    rows += [[r.system, *(_shown(r.facts, name) for name, _ in columns)] for r in found]
    return [f"| {' | '.join(row)} |" for row in rows]


def _shown(facts: Mapping[str, float | str], name: str) -> str:
    if name not in facts:
        return ""
    value = float(facts[name])
    if value >= 100 or value == int(value):
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 10 or name not in HOSTILE else f"{value:.2f}"
