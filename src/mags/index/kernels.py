"""Numba kernels of the indexes."""

from __future__ import annotations

import numpy as np

from mags.compiling import kernel

# The usual constants of BM25: how fast a repeated word stops counting, and how much length counts.
K1 = 1.2
B = 0.75
LINE = 32
"""Float16 numbers in one cache line of 64 bytes."""
BUCKETS = 1024
"""Buckets into which the scores of a scan are counted."""
AT_ONCE = 16
"""Rows that are fetched from memory together."""
HALF = np.float32(2.0**112)
"""The factor between a float16 and the float32 that has its bits, shifted: the exponents of the
two formats are biased by 15 and 127."""


@kernel
def sink(keys, items, size, value, item):
    """Place (value, item) in a binary max-heap, moving down from the root."""
    at = np.int64(0)
    while True:
        child = 2 * at + 1
        if child >= size:
            break
        if child + 1 < size and keys[child + 1] > keys[child]:
            child += 1
        if keys[child] <= value:
            break
        keys[at], items[at] = keys[child], items[child]
        at = child
    keys[at], items[at] = value, item


@kernel
def rise(keys, items, at, value, item):
    """Place (value, item) in a binary max-heap, moving up from `at`."""
    while at > 0 and keys[(at - 1) // 2] < value:
        keys[at], items[at] = keys[(at - 1) // 2], items[(at - 1) // 2]
        at = (at - 1) // 2
    keys[at], items[at] = value, item


@kernel
def keep(keys, items, held, score, row):
    """Keep a row if its score is among the best; returns how many are kept.

    keys, items: a heap of the negated scores, so that its root is the worst row that is kept.
    """
    if held < len(keys):
        rise(keys, items, held, -score, row)
        return held + 1
    if score > -keys[0]:
        sink(keys, items, held, -score, row)
    return held


@kernel
def int8_products(matrix, rows, queries, out):
    """Products of rows of an int8 matrix (n, d) with queries (m, d) int16, by row into `out`.

    rows: ascending, so that the processor reads memory ahead; out: (m, n) int32, of which other
    rows stay as they are. Writing to 32 bits keeps the sums in 32 bits, of which a vector unit
    adds several at once.
    """
    for i in range(len(rows)):
        # Unsigned, or numba would test for a negative index in each step of the inner loop.
        row = np.uint64(rows[i])
        for q in range(queries.shape[0]):
            total = np.int32(0)
            for j in range(matrix.shape[1]):
                total += np.int32(matrix[row, j]) * np.int32(queries[q, j])
            out[q, row] = total


@kernel
def greatest(scores, rows, out):
    """The rows with the greatest scores for each query, into `out` (m, k), in no order.

    scores: (m, n) int32; rows: (at least k,). Scores are counted in buckets. Rows in better
    buckets are all taken; only those in the last bucket are compared with each other.
    """
    k = out.shape[1]
    own = np.empty(len(rows), np.int32)
    for q in range(scores.shape[0]):
        least = most = scores[q, rows[0]]
        for i in range(len(rows)):
            own[i] = scores[q, rows[i]]
            least, most = min(least, own[i]), max(most, own[i])
        # Buckets of a power of two, so that a shift finds a score's bucket.
        shift = 0
        while (np.int64(most) - least) >> shift >= BUCKETS:
            shift += 1
        counts = np.zeros(BUCKETS, np.int32)
        for i in range(len(rows)):
            own[i] = (own[i] - least) >> shift
            counts[own[i]] += 1
        bucket, above = BUCKETS - 1, 0
        while above + counts[bucket] < k:
            above += counts[bucket]
            bucket -= 1
        n = held = 0
        keys, items = np.empty(k - above), np.empty(k - above, np.int64)
        for i in range(len(rows)):
            if own[i] > bucket:
                out[q, n] = rows[i]
                n += 1
            elif own[i] == bucket:
                held = keep(keys, items, held, np.float64(scores[q, rows[i]]), rows[i])
        for i in range(held):  # numba would compile a sort, or a slice, for seconds
            out[q, n + i] = items[i]


@kernel
def bm25(postings, lengths, average, terms, idf, scores, bits, touched):
    """Add the BM25 of each term to `scores`; list documents in `touched` and return how many.

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
            # 0 means that the document was not touched yet: the caller sees to it that each term
            # adds more than 0.
            if scores[d] == 0.0:
                touched[n] = d
                n += 1
            f = tf[slot]
            norm = K1 * (1.0 - B + B * lengths[d] / average)
            scores[d] += idf[i] * f * (K1 + 1.0) / (f + norm)
            bits[d] |= bit
    return n


@kernel
def _wide(half):
    """A float16 number (given as uint16) as float32."""
    # Signed, so that one shift moves the sign to the top as well.
    bits = np.uint32(np.int32(np.int16(half)) << np.int32(13)) & np.uint32(0x8FFFFFFF)
    return np.uint32(bits).view(np.float32) * HALF


@kernel(fastmath=True)
def _dot(a, b):
    total = np.float32(0.0)
    for j in range(len(a)):
        total += a[j] * b[j]
    return total


@kernel(fastmath=True)
def _half_dot(half, b):
    total = np.float32(0.0)
    for j in range(len(half)):
        total += _wide(half[j]) * b[j]
    return total


@kernel
def _fetch(half, size, rows, first, last):
    """Read one number of each cache line of some rows, so that the lines are loaded together."""
    # The sum is returned, or the compiler would drop the reads.
    seen = 0
    for i in range(first, min(last, len(rows))):
        if 0 <= rows[i] < size:
            for j in range(0, half.shape[1], LINE):
                seen += half[rows[i], j]
    return seen


@kernel
def widened(half, present, rows, out):
    """Rows of a float16 matrix (given as uint16) as float32 (n, d), zeros where there is none."""
    fetched = 0
    for i in range(len(rows)):
        if i % AT_ONCE == 0:
            fetched += _fetch(half, len(present), rows, i, i + AT_ONCE)
        row = rows[i]
        for j in range(half.shape[1]):
            out[i, j] = _wide(half[row, j]) if 0 <= row < len(present) else 0.0
    return fetched


@kernel
def cosines(half, present, rows, queries, out):
    """Products of rows of a float16 matrix (given as uint16) with queries (m, d): out (n, m).

    Missing rows (negative, or not `present`) have product 0.
    """
    fetched = 0
    for i in range(len(rows)):
        if i % AT_ONCE == 0:
            fetched += _fetch(half, len(present), rows, i, i + AT_ONCE)
        row = rows[i]
        if row < 0 or row >= len(present) or not present[row]:
            out[i] = 0.0
            continue
        for j in range(len(queries)):
            out[i, j] = _half_dot(half[row], queries[j])
    return fetched


@kernel
def windows(half, present, rows, beside, query, out):
    """Cosines of a query with rows and their neighbours; beside: (2, n) rows, -1 where none.

    out: (2, n): with the mean of the vectors of the row and its two neighbours, and with the
    vector of the first neighbour alone.
    """
    total = np.empty(half.shape[1], np.float32)
    fetched = 0
    for i in range(len(rows)):
        if i % AT_ONCE == 0:
            fetched += _fetch(half, len(present), rows, i, i + AT_ONCE)
            fetched += _fetch(half, len(present), beside[0], i, i + AT_ONCE)
            fetched += _fetch(half, len(present), beside[1], i, i + AT_ONCE)
        total[:] = 0.0
        for part in range(3):
            row = rows[i] if part == 2 else beside[part, i]
            if row < 0 or row >= len(present) or not present[row]:
                continue
            for j in range(len(total)):
                total[j] += _wide(half[row, j])
            if part == 0:
                out[1, i] = _half_dot(half[row], query)
        norm = np.sqrt(_dot(total, total))
        out[0, i] = _dot(total, query) / max(norm, np.float32(1e-9))
    return fetched
