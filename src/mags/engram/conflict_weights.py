"""Weights of the conflict rule; made by `scripts/train_conflict.py`, not by hand."""

BIAS = -9.014

WEIGHTS = {
    "old_common": 1.509,
    "new_common": 1.720,
    "shared_common": 1.833,
    "old_proper": 1.849,
    "ratio": 1.883,
    "prefix": 0.503,
    "same_first": 0.393,
    "first_named": 0.498,
    "denied": 1.197,
    "negated": -0.847,
    "instead": 1.339,
    "also": -0.010,
    "said_again": -0.451,
    "swapped_alike": 0.135,
    "number_swapped": -0.029,
    "vague": -0.185,
    "many": 0.234,
    "person_swapped": 1.401,
    "cosine": 1.708,
    "form": 1.449,
    "frame": 1.792,
    "denied_shared": 0.707,
    "once": 0.179,
    "joint": 0.954,
    "instead_shared": 1.301,
    "proper_only": 0.467,
}
