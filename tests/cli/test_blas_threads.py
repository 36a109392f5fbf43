"""Processes of ours compute their products of matrices on one thread each."""

from __future__ import annotations

from multiprocessing import get_context

import numpy as np
from threadpoolctl import threadpool_info, threadpool_limits

from mags.cli.service import one_blas_thread


def threads() -> set[int]:
    """How many threads a product takes, by each library that computes some."""
    assert np.ones((2, 2)) @ np.ones(2) is not None  # something is loaded that computes products
    return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}


def test_products_are_computed_alone_until_the_context_ends():
    with threadpool_limits(limits=2, user_api="blas"):
        with one_blas_thread():
            assert threads() == {1}
        assert threads() == {2}


def test_a_process_that_begins_with_it_computes_alone():
    with get_context("spawn").Pool(1, initializer=one_blas_thread) as pool:
        assert pool.apply(threads) == {1}
