"""Weights of the conflict rule; made by `scripts/train_conflict.py`, not by hand."""

BIAS = -8.493

WEIGHTS = {
    "old_common": 1.725,
    "new_common": 1.921,
    "shared_common": 1.751,
    "old_proper": 1.386,
    "ratio": 1.173,
    "prefix": 0.164,
    "same_first": 0.390,
    "first_named": 0.508,
    "denied": 1.198,
    "negated": -0.383,
    "instead": 0.838,
    "also": -0.050,
    "said_again": -0.189,
    "swapped_alike": 0.206,
    "number_swapped": 0.002,
    "vague": -0.137,
    "many": 0.829,
    "person_swapped": 1.666,
    "cosine": 1.564,
    "form": 1.054,
    "frame": 2.147,
    "denied_shared": 0.512,
    "once": 0.216,
    "joint": 1.289,
    "instead_shared": 1.390,
    "proper_only": 0.470,
}
