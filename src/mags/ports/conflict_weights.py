"""Weights of the conflict rule; made by `scripts/train_conflict.py`, not by hand."""

BIAS = -9.042

WEIGHTS = {
    "old_common": 1.521,
    "new_common": 1.728,
    "shared_common": 1.821,
    "old_proper": 1.867,
    "ratio": 1.897,
    "prefix": 0.547,
    "same_first": 0.392,
    "first_named": 0.503,
    "denied": 1.196,
    "negated": -0.850,
    "instead": 1.331,
    "also": -0.008,
    "said_again": -0.472,
    "swapped_alike": 0.138,
    "number_swapped": -0.030,
    "vague": -0.186,
    "many": 0.234,
    "person_swapped": 1.400,
    "cosine": 1.704,
    "form": 1.447,
    "frame": 1.815,
    "denied_shared": 0.705,
    "once": 0.202,
    "joint": 0.950,
    "instead_shared": 1.286,
    "proper_only": 0.462,
}
