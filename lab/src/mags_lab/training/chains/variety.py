"""How varied samples are, and which say the same as another.

Self-similarity is self-BLEU (Zhu et al. 2018, Texygen): the mean BLEU-4 of a turn against all other
turns of a sample. It was chosen over the mean cosine of an embedder, because it is wording that has
to vary here: to an embedder all turns that tell where somebody lives are alike, however they are
said. It also needs no model, so that the same file always gives the same figure. What was filled
into the slots is masked first: random names would make any set look varied.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from mags_lab.training.chains.schema import Sample
from mags_lab.training.chains.splits import fraction

WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?|[?!]")
MASK = "_"
NEAR = 0.85
SKETCH = 4
Gram = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Variety:
    """Distinct 1-, 2-, 3-grams as shares of all, and self-BLEU in [0, 1] (lower is more varied)."""

    turns: int
    distinct: tuple[float, float, float]
    self_bleu: float


def variety(samples: Sequence[Sample], *, sampled: int = 300, seed: int = 0) -> Variety:
    """Measure the turns of at most `sampled` samples, their names and objects masked."""
    rng = Random(seed)
    chosen = rng.sample(list(samples), min(sampled, len(samples)))
    texts = [skeleton(sample) for sample in chosen]
    return Variety(
        turns=len(texts),
        distinct=(distinct(texts, 1), distinct(texts, 2), distinct(texts, 3)),
        self_bleu=self_bleu(texts),
    )


def skeleton(sample: Sample) -> list[str]:
    """Words of a turn, with a mask for those that its target, speakers and names brought in."""
    fields = re.split(r"[|;:\n]", sample.target)
    names = {w.casefold() for part in (*fields, sample.turn.speaker) for w in WORD.findall(part)}
    found = WORD.findall(sample.turn.text)
    return [MASK if w.casefold() in names and (w[0].isupper() or len(w) > 3) else w for w in found]


def distinct(texts: Sequence[Sequence[str]], size: int) -> float:
    """Share of n-grams that are different (Li et al. 2016); 0 where there are none."""
    grams = [gram for text in texts for gram in ngrams(text, size)]
    return len(set(grams)) / len(grams) if grams else 0.0


def ngrams(text: Sequence[str], size: int) -> list[Gram]:
    """All n-grams of a text, in order."""
    return [tuple(text[i : i + size]) for i in range(len(text) - size + 1)]


def self_bleu(texts: Sequence[Sequence[str]]) -> float:
    """Mean BLEU-4 of each text against all others; 0 for fewer than two."""
    if len(texts) < 2:
        return 0.0
    counts = [[Counter(ngrams(text, n)) for n in (1, 2, 3, 4)] for text in texts]
    # The two largest counts of every n-gram: what the others have at most is one of them.
    tops: list[dict[Gram, tuple[int, int]]] = [{}, {}, {}, {}]
    for of_text in counts:
        for top, grams in zip(tops, of_text, strict=True):
            for gram, count in grams.items():
                first, second = top.get(gram, (0, 0))
                top[gram] = (max(first, count), max(second, min(first, count)))
    lengths = [len(text) for text in texts]
    scores = [_bleu(of_text, tops, lengths, place) for place, of_text in enumerate(counts)]
    return sum(scores) / len(scores)


def _bleu(
    grams: Sequence[Counter[Gram]],
    tops: Sequence[Mapping[Gram, tuple[int, int]]],
    lengths: Sequence[int],
    place: int,
) -> float:
    """BLEU of one text; orders it is too short for are left out, none at all counts half a hit."""
    logs = []
    for of_size, top in zip(grams, tops, strict=True):
        total = sum(of_size.values())
        if not total:
            continue
        hits = 0
        for gram, count in of_size.items():
            first, second = top[gram]
            hits += min(count, second if count == first else first)
        logs.append(math.log(max(hits, 0.5) / total))
    own = lengths[place]
    nearest = min((n for i, n in enumerate(lengths) if i != place), key=lambda n: abs(n - own))
    brevity = min(0.0, 1.0 - nearest / own) if own else 0.0
    return math.exp(sum(logs) / len(logs) + brevity) if logs else 0.0


class SeenTurns:
    """What was said already: turns whose word triples are nearly another's are turned away.

    Each turn (with what was said before it) is filed under the smallest hashes of its triples
    (Broder 1997), and compared only to those that share one.
    """

    def __init__(self) -> None:
        self._exact: set[str] = set()
        self._filed: dict[float, list[frozenset[float]]] = {}

    def take(self, sample: Sample) -> bool:
        """File a sample and say True; False if it, or nearly it, is there for its role."""
        said = [*(turn.text for turn in sample.recent[-1:]), sample.turn.text]
        words = [w.casefold() for text in said for w in WORD.findall(text)]
        memories = " ".join(item.text for item in sample.recalled)
        whole = f"{sample.role} {' '.join(words)} {memories}"
        if whole in self._exact:
            return False
        marks = frozenset(fraction(f"{sample.role} {' '.join(gram)}") for gram in ngrams(words, 3))
        keys = sorted(marks)[:SKETCH]
        if len(marks) >= SKETCH and any(
            jaccard(marks, other) >= NEAR for key in keys for other in self._filed.get(key, ())
        ):
            return False
        self._exact.add(whole)
        for key in keys:
            self._filed.setdefault(key, []).append(marks)
        return True


def jaccard(one: frozenset[float], other: frozenset[float]) -> float:
    """Shared part of two sets, in [0, 1]."""
    return len(one & other) / len(one | other) if one or other else 1.0
