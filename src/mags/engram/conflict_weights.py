"""Weights of the conflict rule; made by `scripts/train_conflict.py`, not by hand."""

BIAS = -10.421

WEIGHTS = {
    "old_common": 1.416,
    "new_common": 1.183,
    "shared_common": 3.640,
    "old_proper": 1.797,
    "ratio": 1.133,
    "prefix": -0.478,
    "same_first": 0.834,
    "first_named": -0.633,
    "denied": 1.189,
    "negated": 0.423,
    "instead": 1.215,
    "also": 0.167,
    "said_again": 0.218,
    "swapped_alike": 0.657,
    "number_swapped": 0.719,
    "vague": -0.110,
    "many": -1.740,
    "person_swapped": 0.398,
    "cosine": 3.012,
    "form": 1.683,
    "frame": 0.191,
    "denied_shared": -0.565,
    "once": 1.754,
    "joint": 1.663,
    "instead_shared": 3.036,
    "proper_only": -0.068,
}
