"""What docs/benchmarks.md shows: the suites, their measures, what others reached, what is aimed at.

`others` are figures measured on the same data outside this repository; what
is measured here stands in the tables under the system's own name.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Aim:
    """One line of the summary: a measure of a suite's group, and what it is held against.

    `lower` marks measures where less is better; `goal` is in per cent.
    """

    suite: str
    measure: str
    label: str
    goal: float
    group: str = "all"
    others: str = ""
    lower: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Chapter:
    """One chapter: a table of systems by measures for each suite, and one by kinds.

    `groups` are the groups of questions shown, in order; `by_kind` the measures
    also shown kind by kind, for the first of the groups; `facts` those figures that are no
    means over questions, with the heads of their columns.
    """

    title: str
    text: str
    suites: tuple[tuple[str, str], ...]
    measures: tuple[str, ...]
    groups: tuple[str, ...] = ("all",)
    by_kind: tuple[str, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()


def _locomo(k: int, others: str, goal: float) -> Aim:
    label = f"LoCoMo within a conversation, recall@{k}"
    return Aim(suite="locomo-within", measure=f"recall@{k}", label=label, others=others, goal=goal)


def _multihop(corpus: str, label: str, others: str, goal: float) -> Aim:
    return Aim(
        suite=f"multihop-{corpus}",
        group="test",
        measure="recall@5",
        label=f"{label}, recall@5",
        others=others,
        goal=goal,
    )


def _mquake(suite: str, label: str, others: str, goal: float) -> tuple[Aim, Aim]:
    """Whole chains found, and no replaced fact among them."""
    stale = f"{label}, a stale fact in 10"
    return (
        Aim(
            suite=suite,
            measure="chain@10",
            label=f"{label}, whole chain in 10",
            others=others,
            goal=goal,
        ),
        Aim(suite=suite, measure="stale@10", label=stale, goal=0, lower=True),
    )


def _letta(measure: str, label: str, goal: float, *, lower: bool = False) -> Aim:
    label = f"Letta update, {label}"
    return Aim(suite="letta", group="test", measure=measure, label=label, goal=goal, lower=lower)


AIMS = (
    _locomo(
        10,
        "dense stores 45; LlamaIndex fusion 55; txtai hybrid 60; hand-made fusion 80; "
        "learned ranker 83",
        83,
    ),
    _locomo(
        20,
        "dense stores 55; LlamaIndex fusion 68; txtai hybrid 67; hand-made fusion 86; "
        "learned ranker 89",
        89,
    ),
    Aim(
        suite="locomo-together",
        measure="recall@10",
        label="LoCoMo, all in one memory, recall@10",
        others="dense 43; BM25 62; hand-made fusion 79",
        goal=80,
    ),
    _multihop(
        "musique-triples",
        "MuSiQue with the shipped triples",
        "dense 62; hand-made graph walk 70; HippoRAG 2 (70B LLM, 7B embedder, own sample) 75",
        74,
    ),
    _multihop("musique", "MuSiQue without triples", "dense 62; hand-made graph walk 70", 74),
    _multihop(
        "hotpotqa",
        "HotpotQA",
        "dense 79; hand-made graph walk 93; HippoRAG 2 (70B LLM, 7B embedder, own sample) 96",
        95,
    ),
    *_mquake("mquake-hard", "MQuAKE-hard", "dense 0 (17 in 100); ball round the entity 98.6", 98.6),
    *_mquake(
        "mquake-hard-distractors",
        "MQuAKE-hard among distractors",
        "ball round the entity 93 (8,278 facts)",
        97,
    ),
    _letta("new first", "the new fact before the old", 85),
    _letta("missed", "old facts left open", 15, lower=True),
    _letta("wrong", "others wrongly closed", 1, lower=True),
)

SECTIONS = (
    Chapter(
        title="LoCoMo within a conversation",
        text="Five conversations, each in a memory of its own; questions of categories 1-4; "
        "recall of evidence turns. No setting is fitted on LoCoMo (it may only measure), so all "
        "questions are reported. Captions of shared pictures are part of the turns' texts. The "
        "second table counts gold mended by the public audit (dial481/locomo-audit). The weights "
        "of the hand-made fusion were chosen on LoCoMo: it is there for orientation.",
        suites=(
            ("locomo-within", "Gold as given"),
            ("locomo-within-mended", "Gold mended"),
        ),
        measures=("recall@10", "recall@20", "all@10", "ndcg@10", "mrr"),
        by_kind=("recall@10",),
    ),
    Chapter(
        title="LoCoMo, all conversations in one memory",
        text="The same questions of one memory of all five conversations.",
        suites=(("locomo-together", ""),),
        measures=("recall@10", "recall@20", "mrr"),
        by_kind=("recall@10",),
    ),
    Chapter(
        title="LongMemEval",
        text="One memory of all evidence turns and all haystack sessions given (3,731 turns, 737 "
        "sessions): each question has the evidence of all others as distractors too. Abstention "
        "questions are left out. Shown are the `test` half (nothing is fitted on it) and all. "
        "Sessions are ranked at their best turn.",
        suites=(
            ("longmemeval-turns", "By turn"),
            ("longmemeval-sessions", "By session"),
        ),
        measures=("recall@5", "recall@10", "mrr"),
        groups=("test", "all"),
        by_kind=("recall@5", "recall@10"),
    ),
    Chapter(
        title="Multi-hop questions",
        text="MuSiQue (1,890 passages) with and without the OpenIE triples shipped with it, and "
        "HotpotQA (994 passages), 100 questions each; recall of supporting passages. Shown are "
        "the `test` half and all. Baselines and peers take texts, so the triples change nothing "
        "for them and they are measured without.",
        suites=(
            ("multihop-musique-triples", "MuSiQue with triples"),
            ("multihop-musique", "MuSiQue without triples"),
            ("multihop-hotpotqa", "HotpotQA"),
        ),
        measures=("recall@5", "recall@10", "all@5", "mrr"),
        groups=("test", "all"),
    ),
    Chapter(
        title="MQuAKE-hard",
        text="All first facts, then all edits, in one memory; the number of hops is not given. "
        "`chain@10`: all four new facts among the first ten; `stale@10`: a replaced fact of the "
        "chain among them. Each case counts once, as the mean of its three wordings; cases with "
        "the same chain count once, cases whose slot two edits fill (works of one name) are left "
        "out. Distractors: every triple of Text2KGBench that fills no edited slot.",
        suites=(
            ("mquake-hard", "MQuAKE's facts alone"),
            ("mquake-hard-distractors", "Among distractors"),
        ),
        measures=("chain@10", "recall@10", "stale@10", "chain@20", "stale@20"),
    ),
    Chapter(
        title="Letta core-memory update",
        text="Ten facts, then one that contradicts one of them, in a memory for each of 595 "
        "cases. `new first`: the question finds the new fact before the one it contradicts. "
        "`missed`: contradicted facts left open; `wrong`: other facts closed. Rules may be made "
        "on the `dev` half; the `test` half and all are shown.",
        suites=(("letta", ""),),
        measures=("new first", "new found@1", "missed", "wrong"),
        groups=("test", "all"),
    ),
    Chapter(
        title="First edges",
        text="MuSiQue again, a part of it with triples, so its recall compares with no other "
        "table: the first edges of new nodes by a linker trained on the same memory's links, by "
        "scaled cosine, as shipped, and to the nearest node alone. `AUC`: a fifth of the links, "
        "held out, told from random pairs of the same node, and from pairs with its nearest "
        "(`near`); `first`: ranked above 15 of the nearest. Links are the graph's structure, which "
        "the engram draws anyway: the AUC says what is learned, recall what it is good for. "
        "`gain` is over cosine, question by question; three trainings, each on links of its own. "
        "`python -m benchmarks.linker`.",
        suites=(("linker", ""),),
        measures=("gain@5", "recall@5", "recall@10"),
        groups=("dev",),
        facts=(("auc", "AUC"), ("auc_near", "AUC, near"), ("first_near", "first, near")),
    ),
    Chapter(
        title="Use over time",
        text="A memory is asked in 8 blocks, asleep between them; every answer cites the evidence "
        "among what it was shown, and questions come back, whole or in three fifths of their "
        "words. `gain`: what a part adds to recall of turns, question by question: `again` where "
        "the evidence was cited before, `fresh` elsewhere; `-long`: 2,500 ticks between blocks. "
        "`python -m benchmarks.use`; part by part in [ablations](ablations.md).",
        suites=tuple(
            (f"use-{name}", title)
            for name, title in (
                ("hotpotqa", "HotpotQA"),
                ("musique", "MuSiQue, with the single questions in it"),
                ("longmemeval", "LongMemEval"),
                ("lifebench", "LifeBench"),
                ("hotpotqa-long", "HotpotQA, 20,000 ticks"),
            )
        ),
        measures=("gain@5", "gain@10", "recall@5"),
        groups=("test again", "test fresh"),
        facts=(("associations", "associations"), ("themes", "themes"), ("recall_ms", "recall, ms")),
    ),
    Chapter(
        title="Closing what is over, part by part",
        text="Letta's updates again, every eighth case of the `test` half: what each part adds. "
        "`python -m benchmarks.use.closing`.",
        suites=(("use-closing", ""),),
        measures=("gain closed", "gain wrong", "gain new first"),
        groups=("test",),
    ),
    Chapter(
        title="The games' reader",
        text="The frozen model that stands for any language model in the games: some 370,000 "
        "weights, trained on a made-up world of its own and on no game. It picks one of two to "
        "eight actions. All names are of syllables that its training never had; `seen`: phrases "
        "that it had; `phrasings`: others; `relations`: whole relations it never had. `none`: "
        "given no line; `+n`: given the lines that decide and n that mislead, those that mislead "
        "most first. `walk` (shared rare words, no weights) and `cosine` (the embedder alone) "
        "stand beside it; `cited`: a line that decides is among those it names, at +20; `ms`: "
        "processor time of a choice, at +20; by kind: n of the first system / of the next. "
        "`python -m benchmarks.reader`.",
        suites=(
            ("reader-seen", "Seen"),
            ("reader-phrasings", "Phrasings"),
            ("reader-relations", "Relations"),
        ),
        measures=("none", "+0", "+5", "+20", "+50"),
        by_kind=("+5",),
        facts=(("chance", "chance"), ("cited", "cited"), ("ms", "ms")),
    ),
    Chapter(
        title="The games' reader: traps",
        text="Dated lines, held-out phrasings, ten lines too many: as they are, with the lines "
        "out of order (their dates still tell it), and with other words around the question.",
        suites=(("reader-traps", ""),),
        measures=("as told", "lines shuffled", "asked anew"),
    ),
    Chapter(
        title="Knowing a person",
        text="PersonaMem (32k, MIT; read in place): of four replies, which fits what the person "
        "has told over months? The choice is made from what a memory recalls, by the embedder's "
        "cosine or by the small frozen reader of the games, which was made for short lines and "
        "stays near chance (25) on replies of a paragraph. There is no oracle: all of a user's "
        "sessions are named as evidence. `python -m benchmarks.companion`.",
        suites=(("personamem", ""),),
        measures=("embedder", "reader"),
        groups=("test",),
        by_kind=("embedder",),
        facts=(("turns", "turns"), ("tokens", "tokens shown")),
    ),
    Chapter(
        title="Preferences",
        text="LongMemEval's preference questions alone: recall of turns that tell what somebody "
        "likes, by the memories of the games' players (static: the first session alone; an oracle "
        "would have 100 by definition); with the other kinds of question it stands "
        "under LongMemEval. `python -m benchmarks.companion --only longmemeval-preferences`.",
        suites=(("longmemeval-preferences", ""),),
        measures=("recall@5", "recall@10", "mrr"),
        groups=("all",),
    ),
    Chapter(
        title="The page",
        text="How soon the page of `mags serve` shows a memory, in a headless "
        "Chromium that draws without a GPU, medians; `useful paint`: the graph is drawn (aim "
        "1,500 ms at 1,000 nodes). `python -m benchmarks.serving.page` (extra `browser`).",
        suites=(("page-1000", "1,000 nodes"), ("page-50000", "50,000 nodes, by regions")),
        measures=(),
        facts=(
            ("first_paint_ms", "first paint, ms"),
            ("useful_paint_ms", "useful paint, ms"),
            ("main_thread_cpu_ms", "main thread, ms"),
            ("frames_a_second", "frames a second"),
            ("bundle_kb", "bundle, kB"),
        ),
    ),
    Chapter(
        title="Policy models",
        text="Generated dialogues of splits that training never saw: new names told in phrases and "
        "sentence frames of training (`seen`), new frames (`frames`), new frames and phrasings "
        "(`phrasings`), phrasings by another author, relations held out. `exact`: the whole "
        "decision is what is due; `F1`: the mean over samples of that of its items. The rules word "
        "their plans freely, so exactness says little of their asking. "
        "`python -m benchmarks.policies --policy KIND`.",
        suites=(
            ("policies-seen", "Seen phrases and frames, new names"),
            ("policies-frames", "New frames"),
            ("policies-phrasings", "New frames and phrasings"),
            ("policies-independent", "Phrasings by another author"),
            ("policies-relations", "New relations"),
        ),
        measures=("ask exact", "ask F1", "write exact", "write F1", "router exact"),
        facts=(
            ("ask_cpu_ms_p50", "ask, ms p50"),
            ("write_cpu_ms_p50", "write, ms p50"),
            ("router_cpu_ms_p50", "router, ms p50"),
        ),
    ),
    Chapter(
        title="Policy models: conversation",
        text="Turns of two friends talking, written by hand, that training never saw "
        "(`mags_lab.training.chains.dialogues`), drawn with new names. A policy that never writes "
        "is exact on about a third. `python -m benchmarks.policies --policy KIND`.",
        suites=(("policies-talk", ""),),
        measures=("write exact", "write F1", "router exact"),
        facts=(
            ("write_cpu_ms_p50", "write, ms p50"),
            ("router_cpu_ms_p50", "router, ms p50"),
        ),
    ),
    Chapter(
        title="Writing: sentences that people wrote",
        text="Operations of a write policy against marked facts, held-out halves only "
        "(`python -m benchmarks.real_writing --policy KIND`). A triple is right where relation "
        "and names are, in whatever tense and direction; `pair recall` asks for the names alone. "
        "No set marks all that a sentence says: precision counts only relations that were looked "
        "for (KnowledgeNet: that are marked in the passage, which flatters; TekGen: of the "
        "sentence's ontology, which is harsh). TextWorld's facts were drawn by a language model. "
        "Halves hang on documents, sentences (TekGen) and rooms (TextWorld).",
        suites=(
            ("real-writing-knowledgenet", "KnowledgeNet"),
            ("real-writing-redocred", "Re-DocRED, facts of one sentence"),
            ("real-writing-tekgen", "Text2KG-TekGen"),
            ("real-writing-textworld", "AriGraph's TextWorld logs"),
        ),
        measures=("F1", "precision", "recall", "pair recall"),
        groups=("held out",),
        facts=(("facts", "facts"), ("write_cpu_ms_p50", "write, ms p50")),
    ),
    Chapter(
        title="Writing: conversations",
        text="LoCoMo (it may only measure): `covered` is the share of GPT's observations that the "
        "operations of their turns keep, `junk` the share of operations that are faulty and that "
        "no reader of the session wrote, `unconfirmed` the share of the others that nobody wrote "
        "of the whole conversation; the rule and how far it can be trusted stand in "
        "[measures](reference/metrics.md). `turns` keeps every turn as a note. "
        "`python -m benchmarks.coverage --policy KIND`.",
        suites=(("real-coverage", ""),),
        measures=("covered", "junk", "unconfirmed"),
        facts=(
            ("turns", "turns"),
            ("operations", "operations"),
            ("write_cpu_ms_p50", "write, ms p50"),
        ),
    ),
    Chapter(
        title="Routing",
        text="Generated dialogues, test splits: shares of turns in the generator's mix for which "
        "the router skips the recall and the engram, and what is lost by that: `questions lost` "
        "are routed away from recall, `statements lost` are turns with something to store that "
        "are routed away from the engram. Beside it one LoCoMo conversation (it may only "
        "measure), where nobody says what is due. `python -m benchmarks.router --policy KIND`.",
        suites=(("router", ""),),
        measures=("recalls skipped", "engrams skipped", "questions lost", "statements lost"),
        by_kind=("questions lost", "statements lost"),
        facts=(
            ("locomo_recalls_skipped", "LoCoMo: recalls skipped, %"),
            ("locomo_engrams_skipped", "LoCoMo: engrams skipped, %"),
            ("route_cpu_ms_p50", "a decision, ms p50"),
        ),
    ),
)
