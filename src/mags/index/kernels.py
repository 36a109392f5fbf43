"""Numba kernels of the indexes."""

from __future__ import annotations

import numpy as np
from numba import njit

K1 = 1.2
B = 0.75


@njit(cache=True, nogil=True, fastmath=True)
def int8_products(matrix, query, out):
    """Products of each int8 row with the int8 query, into `out` (int32)."""
    for i in range(matrix.shape[0]):
        total = np.int32(0)
        for j in range(matrix.shape[1]):
            total += np.int32(matrix[i, j]) * np.int32(query[j])
        out[i] = total


@njit(cache=True, nogil=True)
def bm25(postings, lengths, average, terms, idf, scores, bits, touched):
    """Add BM25 of each term to `scores`; write touched documents, return how many.

    postings: (start, length, doc, tf) of a Pool; lengths: words by document; terms: rows of
    the pool; bits: bit i of a document is set where it holds term i (the first 64).
    """
    start, length, doc, tf = postings
    n = 0
    for i in range(len(terms)):
        row = terms[i]
        bit = np.uint64(1) << np.uint64(i) if i < 64 else np.uint64(0)
        for slot in range(start[row], start[row] + length[row]):
            d = doc[slot]
            if scores[d] == 0.0:
                touched[n] = d
                n += 1
            f = tf[slot]
            norm = K1 * (1.0 - B + B * lengths[d] / average)
            scores[d] += idf[i] * f * (K1 + 1.0) / (f + norm)
            bits[d] |= bit
    return n
