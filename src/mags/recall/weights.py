"""Weights of the ranking's features, applied to z-scores over the candidates (or to shares).

Fitted by `python -m benchmarks.ranking` on licence-clean sets only; docs/log.md says on
which, and what they reach. `stale`, `recency`, `importance`, `confidence` and `strength` are
set by design: no set we may fit on has a question they decide. A weight `feature@document`
is added to the feature's for texts nobody said.
"""

WEIGHTS: dict[str, float] = {
    "similarity": 0.34,
    "window": 0.1,
    "asked": 0.1,
    "lexical_reworded": 0.09,
    "cover": 3.12,
    "session": 0.64,
    "speaker": 2.69,
    "bridge": 2.82,
    "about": 2.13,
    "titled": 1.69,
    "length": 0.14,
    "expect_time": 0.6,
    "expect_number": 0.22,
    "expect_person": 0.02,
    "expect_liking": 0.1,
    "during": 2.41,
    "fact": -3.53,
    "document": 3.34,
    "similarity@document": -0.53,
    "cover@document": -0.74,
    "cover_near@document": -0.74,
    "entity@document": 0.47,
    "spread@document": 0.2,
    "stale": -1.0,
    "recency": 0.05,
    "confidence": 0.02,
    "strength": 0.02,
    "importance": 0.05,
    "walk": 7.4,
    "chain": 2.4,
}
