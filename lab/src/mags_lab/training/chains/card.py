"""A data set for people: the card of what is in it, and a page to read and mend its samples."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from importlib import resources

from mags_lab.training.chains.dialogues import dialogues
from mags_lab.training.chains.phrasebook import all_phrases, phrasebook
from mags_lab.training.chains.schema import VERSION, Role, Sample, Split, to_json
from mags_lab.training.chains.splits import HELD_OUT_RELATIONS, split_of
from mags_lab.training.chains.variety import variety
from mags_lab.training.real.sets import LICENCES as REAL_LICENCES
from mags_lab.training.real.sets import halves

WHAT = {
    Split.TRAIN: "to learn from; half of its turns stand among random words",
    Split.DEV: "other draws of the same, to stop by; of conversation by hand, other turns",
    Split.DEV_PHRASINGS: "as dev, in phrasings that train never has, to find thresholds by",
    Split.DEV_COUNTED: "as dev-phrasings, other phrasings, to count by alone",
    Split.SEEN: "frames and phrasings of training, new names and fillers (h0)",
    Split.FRAMES: "new sentence frames, names and fillers (h1)",
    Split.PHRASINGS: "new phrasings of known relations, new frames, names and fillers (h2)",
    Split.INDEPENDENT: "phrasings by another author, new frames, names and fillers",
    Split.RELATIONS: "relations that training never names, new frames, names and fillers",
    Split.TALK: "conversation by hand: turns that train and dev have not, new names and fillers",
    Split.REAL: "text that people wrote",
}
TAGS = 40


def card(samples: Sequence[Sample], *, command: str) -> str:
    """The card as Markdown. `command`: what makes the same files again."""
    splits = [split for split in Split if any(sample.split is split for sample in samples)]
    parts = [
        "# Samples for the policy models of MAGS",
        f"{len(samples):,} turns with the memory tokens that the ask, write and router policies "
        f"should answer, as JSONL (form {VERSION}). Made by:",
        f"```\n{command}\n```",
        "The same command gives the same bytes. Names are made of random syllables (some are real "
        "first names and cities); parts are held out by a hash of their own words, so no seed "
        "moves them between splits.",
        "## Counts",
        _table(("split", "what it holds", *Role), [_counts(samples, split) for split in splits]),
        "## What a write sample does first",
        _table(("split", *ACTS), [_acts(samples, split) for split in splits]),
        "## Tags",
        _tags(samples),
        "## Variety",
        "Distinct n-grams as shares of all n-grams, and self-BLEU-4 (0 to 1, lower is more "
        "varied), over at most 300 turns of a split, names and objects masked, "
        "turns among random words left aside. Self-BLEU rather "
        "than the cosine of an embedder: wording has to vary here, and to an embedder all ways of "
        "telling one thing are alike.",
        _table(
            ("split", "turns", "distinct-1", "distinct-2", "distinct-3", "self-BLEU"),
            [_variety(samples, split) for split in splits],
        ),
        "Turns whose word triples are to 85% those of an earlier one were left out.",
        "## Sources and licences",
        _sources(samples),
        "Held-out relations: " + ", ".join(sorted(HELD_OUT_RELATIONS)) + ". A model has never seen "
        "their names: score subjects and objects there, and the whole only where a relation can "
        "be read off the turn.",
        "Chains by hand use everyday names and words, so some are fillers that the generator "
        "holds out; those for training name no held-out relation. Their recall plans are worded "
        "freely: exact match is fair on generated samples alone.",
    ]
    return "\n\n".join(parts) + "\n"


ACTS = ("ADD", "UPDATE", "RETRACT", "NOTE", "none")


def first_act(sample: Sample) -> str:
    """What the target of a write sample does first: a word of `ACTS`."""
    return sample.target.splitlines()[1].split(" |")[0]


def _counts(samples: Sequence[Sample], split: Split) -> list[str]:
    counts = Counter(sample.role for sample in samples if sample.split is split)
    return [split.value, WHAT[split], *(f"{counts[role]:,}" for role in Role)]


def _acts(samples: Sequence[Sample], split: Split) -> list[str]:
    chosen = [s for s in samples if s.split is split and s.role is Role.WRITE]
    counts = Counter(map(first_act, chosen))
    return [split.value, *(f"{counts[act] / max(1, len(chosen)):.0%}" for act in ACTS)]


def _variety(samples: Sequence[Sample], split: Split) -> list[str]:
    chosen = [s for s in samples if s.split is split and "scattered" not in s.tags]
    found = variety(chosen)
    return [
        split.value,
        str(found.turns),
        *(f"{share:.2f}" for share in found.distinct),
        f"{found.self_bleu:.2f}",
    ]


def _tags(samples: Sequence[Sample]) -> str:
    counts = Counter(tag for sample in samples for tag in sample.tags)
    return _table(("tag", "turns"), [[tag, f"{n:,}"] for tag, n in counts.most_common(TAGS)])


def _sources(samples: Sequence[Sample]) -> str:
    counts = Counter(sample.source for sample in samples)
    rows = [[source, f"{n:,}", LICENCES.get(source, OTHER)] for source, n in sorted(counts.items())]
    book, other = phrasebook(), phrasebook("independent")
    return "\n\n".join(
        (
            _table(("source", "samples", "licence"), rows),
            f"The phrasebook holds {sum(1 for _ in all_phrases(book)):,} phrases of "
            f"{len({entry.name for entry in book})} relations, the independent one "
            f"{sum(1 for _ in all_phrases(other)):,} phrases of "
            f"{len({entry.name for entry in other})}; {_by_hand(samples):,} chains were "
            f"written by hand, and {len(dialogues()):,} turns of conversation with slots, of which "
            f"{_turns(Split.DEV):,} are for dev and {_turns(Split.TALK):,} for talk alone.",
            *((halves(),) if any(source in REAL_LICENCES for source in counts) else ()),
        )
    )


def _turns(split: Split) -> int:
    return sum(split_of(one) is split for one in dialogues())


def _by_hand(samples: Iterable[Sample]) -> int:
    """Chains: every one has a route."""
    return sum(sample.source == "hand" and sample.role is Role.ROUTER for sample in samples)


LICENCES = {
    "generator": "Apache-2.0 (written for MAGS)",
    "hand": "Apache-2.0 (written for MAGS)",
    **REAL_LICENCES,
}
OTHER = "by a language model or from a data set: its terms hold"


def _table(head: Iterable[str], rows: Iterable[Sequence[str]]) -> str:
    names = [str(name) for name in head]
    lines = [names, ["---"] * len(names), *rows]
    return "\n".join("| " + " | ".join(cell for cell in line) + " |" for line in lines)


PLACE = "/*SAMPLES*/[]"


def page(samples: Sequence[Sample]) -> str:
    """The page as HTML; samples lie in it as JSON that no browser takes for markup."""
    shell = resources.files(__package__).joinpath("review.html").read_text(encoding="utf-8")
    return shell.replace(PLACE, embedded([to_json(sample) for sample in samples]))


def embedded(value: object) -> str:
    """JSON that may stand inside a script: no `<`, `>`, `&` and no line separators."""
    text = json.dumps(value, ensure_ascii=False)
    for character in "<>&\N{LINE SEPARATOR}\N{PARAGRAPH SEPARATOR}":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text
