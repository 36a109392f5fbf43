"""Weights of the ranking's features, applied to z-scores over the candidates.

Fitted by `python -m benchmarks.fit_ranking`; see docs/log.md for data and figures.
"""

WEIGHTS: dict[str, float] = {
    "similarity": 0.5,
    "window": 0.5,
    "lexical": 0.5,
    "lexical_near": 0.25,
    "session": 0.5,
    "speaker": 1.0,
    "entity": 0.2,
    "spread": 0.2,
    "walk": 3.0,
    "chain": 3.0,
    "question": -0.2,
    "recency": 0.05,
    "importance": 0.05,
    "confidence": 0.02,
    "strength": 0.02,
    "stale": -1.0,
}
