"""Numba kernels of recall. Each releases the GIL and is compiled once per machine.

Adjacency comes as tuples of arrays. links: (start, length, peer, kind); pool: (start, length, peer,
kind, flags, support, w, t0, uses). The kernels of spreading activation are in `spread`: an edit
compiles all kernels of its file again, and only those.
"""

from __future__ import annotations

import numpy as np

from mags.compiling import kernel
from mags.graph.graph import REVERSE
from mags.graph.records import NOBODY, ArcKind, NodeFlag, NodeKind, charge_of
from mags.index.kernels import keep

NEXT = int(ArcKind.NEXT)
ASSOCIATION = int(ArcKind.ASSOCIATION)
MENTIONS = int(ArcKind.MENTIONS)
SUBJECT = int(ArcKind.SUBJECT)
OBJECT = int(ArcKind.OBJECT)
SOURCE = int(ArcKind.SOURCE)
SOURCE_OF = SOURCE | REVERSE
SUPERSEDED_BY = int(ArcKind.SUPERSEDES) | REVERSE
FACT = int(NodeKind.FACT)
ENTITY = int(NodeKind.ENTITY)
NOTE = int(NodeKind.NOTE)
THEME = int(NodeKind.THEME)
EPISODE = int(NodeKind.EPISODE)
RETRACTED = int(NodeFlag.RETRACTED)
QUESTION = int(NodeFlag.QUESTION)
SAID_BY_NOBODY = int(NOBODY)

STEP = 1e-4
"""By how much the newer of two turns is put above the older."""


# -- candidates --------------------------------------------------------------------------------


@kernel
def blocks_of(rows, alive, kind, wanted, out):
    """0 for rows of the episodic block, 1 for the semantic, -1 for rows that never come back.

    wanted: (episodic, semantic, themes), where themes belong to the semantic block.
    """
    episodic, semantic, themes = wanted
    for i in range(len(rows)):
        row = rows[i]
        if not alive[row] or kind[row] == ENTITY or (kind[row] == THEME and not themes):
            out[i] = -1
        elif kind[row] == EPISODE:
            out[i] = 0 if episodic else -1
        else:
            out[i] = 1 if semantic else -1


@kernel
def seen(rows, nodes, blocks, past, moment, as_of, recorded_as_of, out):
    """Which rows may come back (see `candidates.visible`), into `out`, bool (n,).

    nodes: (alive, kind, flags, valid_from, valid_to, recorded_at, closed_at); as_of,
    recorded_as_of: infinite if the question is not about the past.
    """
    alive, kind, flags, valid_from, valid_to, recorded_at, closed_at = nodes
    blocks_of(rows, alive, kind, blocks, out)
    for i in range(len(rows)):
        row = rows[i]
        if out[i] < 0 or (recorded_as_of < np.inf and recorded_at[row] > recorded_as_of):
            out[i] = 0
            continue
        # Asked about now, a fact that begins later is not left out.
        begun = as_of == np.inf or valid_from[row] <= moment
        ends = valid_to[row]
        # Closed after the record time that is asked about: it was open then.
        if recorded_as_of < np.inf and closed_at[row] > recorded_as_of:
            ends = np.inf
        lasts = past or ends > moment or (kind[row] != FACT and kind[row] != NOTE)
        denied = flags[row] & RETRACTED and ends < np.inf  # it was never true
        out[i] = begun and lasts and not denied


@kernel
def best_in_blocks(rows, scores, alive, kind, wanted, k):
    """The k rows of greatest score in each block that is wanted, in no order, shape (<= 2k,).

    wanted: as of `blocks_of`; scores: by row.
    """
    keys, items = np.empty((2, k)), np.empty((2, k), np.int64)
    held = np.zeros(2, np.int64)
    block = np.empty(1, np.int8)
    least = -np.inf
    for i in range(len(rows)):
        score = scores[rows[i]]
        if score <= least:
            continue
        blocks_of(rows[i : i + 1], alive, kind, wanted, block)
        b = block[0]
        if b < 0:
            continue
        held[b] = keep(keys[b], items[b], held[b], np.float64(score), rows[i])
        # A score that is below the worst row of both blocks needs no look at its block.
        if held[0] == k and held[1] == k:
            least = min(-keys[0, 0], -keys[1, 0])
    return np.concatenate((items[0, : held[0]], items[1, : held[1]]))


# -- features and their sum --------------------------------------------------------------------


@kernel
def surroundings(rows, links, nodes, moment, named):
    """Features that each row has from its own arcs.

    nodes: (kind, valid_to). Returns before, after (rows of the neighbouring episodes, -1 where
    none), stale (share of an episode's facts that are over) and entity (the named rows it is
    joined to, each by its rarity; all the question's names together count 1).
    """
    start, length, peer, kind = links
    node_kind, valid_to = nodes
    n, size = len(rows), len(node_kind)
    rarity = np.empty(len(named))
    total = 0.0
    for j in range(len(named)):
        rarity[j] = np.log1p(size / max(1, length[named[j]]))
        total += rarity[j]
    before, after = np.full(n, -1), np.full(n, -1)
    stale, entity = np.zeros(n, np.float32), np.zeros(n, np.float32)
    for i in range(n):
        facts = closed = 0
        for e in range(start[rows[i]], start[rows[i]] + length[rows[i]]):
            code, other = kind[e], peer[e]
            if code == NEXT:
                after[i] = other
            elif code == NEXT | REVERSE:
                before[i] = other
            elif code == SOURCE_OF and node_kind[other] == FACT:
                facts += 1
                closed += valid_to[other] <= moment
            elif code in (MENTIONS, SUBJECT, OBJECT):
                for j in range(len(named)):
                    if other == named[j]:
                        entity[i] += rarity[j] / total
        if facts:
            stale[i] = closed / facts
    return before, after, stale, entity


@kernel
def lexical(rows, before, after, scores, bits, idf, mass, out):
    """BM25 of each row's neighbours, the share of the query's idf in it, and in all three.

    scores, bits, idf, mass: of a `Match`; out: (3, n).
    """
    # Rows without indexed words may lie beyond the end of `scores`.
    size = len(scores)
    for i in range(len(rows)):
        own = bits[rows[i]] if rows[i] < size else np.uint64(0)
        near = own
        for other in (before[i], after[i]):
            if 0 <= other < size:
                near |= bits[other]
                out[0, i] += scores[other]
        for j in range(min(64, len(idf))):
            if (own >> np.uint64(j)) & np.uint64(1):
                out[1, i] += idf[j]
            if (near >> np.uint64(j)) & np.uint64(1):
                out[2, i] += idf[j]
        out[1, i] /= max(mass, 1e-9)
        out[2, i] /= max(mass, 1e-9)


@kernel
def sessions(keys, order, fused, out):
    """Mean of the best three fused scores of each session; a row without one counts for itself.

    keys: session of each row, 0 for none; order: the rows' places, sorted by session.
    """
    n = len(keys)
    i = 0
    while i < n:
        if keys[order[i]] == 0:
            out[order[i]] = fused[order[i]]
            i += 1
            continue
        first = second = third = -np.inf
        j = i
        while j < n and keys[order[j]] == keys[order[i]]:
            value = fused[order[j]]
            if value > first:
                first, second, third = value, first, second
            elif value > second:
                second, third = value, second
            elif value > third:
                third = value
            j += 1
        mean = first
        if j - i == 2:
            mean = (first + second) / 2
        elif j - i > 2:
            mean = (first + second + third) / 3
        for at in range(i, j):
            out[order[at]] = mean
        i = j


@kernel
def fill(rows, keys, values, out):
    """Write the value of each row's key into `out`; rows that are no key stay as they are.

    keys: distinct and ascending.
    """
    if not len(keys):
        return
    for i in range(len(rows)):
        at, last = 0, len(keys)
        while at < last:
            middle = (at + last) // 2
            if keys[middle] < rows[i]:
                at = middle + 1
            else:
                last = middle
        if at < len(keys) and keys[at] == rows[i]:
            out[i] = values[at]


@kernel
def traits(rows, nodes, words, speakers, clock, during, expected, out):
    """Features from the fields of nodes, into `out`.

    out: (features, n), the rows of `ranking.NAMES` from "speaker" on;
    nodes: (kind, flags, subject, strength, strength_tick, uses, importance, confidence,
    valid_from, recorded_at); words: (length, marks); clock: (tick, moment); during: (since,
    until), both infinite if there is no range; expected: the marks asked for, 0 where not.
    """
    # The numbers of the rows of `out` below follow the order of `ranking.NAMES`.
    kind, flags, subject, strength, since, uses, importance, confidence, start, noted = nodes
    length, marks = words
    tick, moment = clock
    ranged = during[0] > -np.inf or during[1] < np.inf
    for i in range(len(rows)):
        row = rows[i]
        episode = kind[row] == EPISODE
        said = start[row]
        for speaker in speakers:
            if episode and subject[row] == speaker:
                out[0, i] = 1.0
        out[1, i] = flags[row] & QUESTION > 0
        out[2, i] = np.log1p(length[row]) if row < len(length) else 0.0
        out[3, i] = ranged and during[0] <= said <= during[1]
        # Without an event time the age counts from when it was recorded; in days.
        age = max(moment - (said if np.isfinite(said) else noted[row]), 0.0) / 86_400
        out[4, i] = -np.log1p(age)
        out[5, i] = importance[row]
        out[6, i] = confidence[row]
        out[7, i] = charge_of(strength[row], since[row], uses[row], 0, flags[row], tick)
        out[8, i] = not episode
        out[9, i] = episode and subject[row] == SAID_BY_NOBODY
        for j in range(len(expected)):
            out[10 + j, i] = row < len(marks) and marks[row] & expected[j] > 0


@kernel
def z_scores(scores, out):
    """z-scores into `out`; all zero if the scores are all alike.

    They are where they spread by less than 1e-4: of turns told in the same seconds each moment that
    goes by would count.
    """
    n = len(scores)
    mean = square = 0.0
    for i in range(n):
        mean += scores[i]
    mean /= max(n, 1)
    for i in range(n):
        square += (scores[i] - mean) ** 2
    deviation = np.sqrt(square / max(n, 1))
    for i in range(n):
        out[i] = (scores[i] - mean) / deviation if deviation >= 1e-4 else 0.0


@kernel
def weigh(values, weights, more, raw, document, shares, total):
    """The share of each feature in each score; values, shares: (features, n), total: (n,).

    weights, more: by feature, the second added for documents (`document`: 1 or 0, shape (n,));
    raw: features that are used as they are, not as z-scores.
    """
    scaled = np.empty(len(total), np.float32)
    for c in range(len(weights)):
        if weights[c] == 0.0 and more[c] == 0.0:
            continue
        if not raw[c]:
            z_scores(values[c], scaled)
        for i in range(len(total)):
            value = values[c, i] if raw[c] else scaled[i]
            shares[c, i] = (weights[c] + more[c] * document[i]) * value
            total[i] += shares[c, i]


# -- what changes a score afterwards -----------------------------------------------------------


@kernel
def foremost(scores, k):
    """Places of the k greatest scores, the greatest first, of equal ones the first; (<= k,)."""
    out = np.empty(min(k, len(scores)), np.int64)
    for i in range(len(scores)):
        at = min(i, len(out))
        while at > 0 and scores[i] > scores[out[at - 1]]:
            at -= 1
        if at < len(out):
            for j in range(min(i, len(out) - 1), at, -1):
                out[j] = out[j - 1]
            out[at] = i
    return out


@kernel
def boosts(rows, best, pool, tick, rate, added):
    """Into `added`, by candidate: the strongest used association to it from one of the matches.

    rows: all candidates; best: places of the matches. An association counts its charge, but no more
    than its uses could have made from nothing, 1 - (1 - rate)^uses: the weight that it was created
    with only says that two nodes are alike (docs/decisions/0008).
    """
    start, length, peer, kind, flags, support, w, t0, uses = pool
    for place in best:
        row = rows[place]
        for e in range(start[row], start[row] + length[row]):
            if kind[e] != ASSOCIATION or uses[e] <= 0:
                continue
            charge = charge_of(w[e], t0[e], uses[e], support[e], flags[e], tick)
            charge = min(charge, 1.0 - (1.0 - rate) ** uses[e])
            for i in range(len(rows)):
                if rows[i] == peer[e]:
                    added[i] = max(added[i], np.float32(charge))
                    break


@kernel
def promote(chosen, nodes, links, moment, limits, scores, added):
    """Put newer episodes just above older ones that they replace; what that adds, into `added`.

    chosen: (rows of all candidates, places of the episodes looked at, oldest first, the cosines
    of these, their words as bits, the words' shares); nodes: (alive, then
    `ranking.RECENCY_FIELDS`); limits: (alike, lost, margin).
    """
    rows, best, cosines, bits, idf = chosen
    alive, flags, subject, valid_from, valid_to = nodes
    whole = np.empty(len(best), np.float32)
    best_of_all(rows, best, links, scores, whole)
    for a in range(len(best)):
        old = rows[best[a]]
        for b in range(a + 1, len(best)):
            # With what was added so far: pairs with an older `old` are done already.
            own = scores[best[b]] + added[best[b]]
            gap = scores[best[a]] + added[best[a]] - own
            new = rows[best[b]]
            if max(gap, whole[a] - whole[b]) < 0 or valid_from[new] < valid_from[old]:
                continue
            # The newer must not lack much of the question that the older one has.
            if lost_words(bits[a], bits[b], idf) > limits[1]:
                continue
            alike = gap <= limits[2] and cosines[a, b] >= limits[0]
            # What is alike in other respects than those asked of replaces nothing.
            alike = alike and subject[old] == subject[new] and bits[a] & bits[b] != 0
            alike = alike and not (flags[old] | flags[new]) & QUESTION
            if alike or is_heir(old, new, alive, valid_to, moment, links):
                added[best[b]] += max(whole[a], own + gap) + STEP - own
                whole[b] = scores[best[b]] + added[best[b]]


@kernel
def best_of_all(rows, best, links, scores, out):
    """The greatest score of each episode and of the nodes read from it, into `out`."""
    start, length, peer, code = links
    for a in range(len(best)):
        row = rows[best[a]]
        out[a] = scores[best[a]]
        for e in range(start[row], start[row] + length[row]):
            if code[e] != SOURCE_OF:
                continue
            for i in range(len(rows)):
                if rows[i] == peer[e]:
                    out[a] = max(out[a], scores[i])
                    break


@kernel
def lost_words(old, new, idf):
    """Share of the question's idf in words that the older has and the newer has not."""
    lost = 0.0
    for j in range(len(idf)):
        if ((old & ~new) >> np.uint64(j)) & np.uint64(1):
            lost += idf[j]
    return lost


@kernel
def is_heir(old, new, alive, valid_to, moment, links):
    """Whether a fact of one episode was superseded by another episode or one of its facts."""
    start, length, peer, code = links
    for e in range(start[old], start[old] + length[old]):
        fact = peer[e]
        if code[e] != SOURCE_OF or valid_to[fact] > moment or not alive[fact]:
            continue
        for f in range(start[fact], start[fact] + length[fact]):
            heir = peer[f]
            if code[f] != SUPERSEDED_BY or not alive[heir]:
                continue
            if heir == new:
                return True
            for g in range(start[heir], start[heir] + length[heir]):
                if code[g] == SOURCE and peer[g] == new:
                    return True
    return False


# -- rows and the arcs between them ------------------------------------------------------------


@kernel
def peers_of_each(links, alive, rows, codes):
    """Living rows one entry of its code away from each row, in one array; and where each ends.

    codes: (n,), negative for a row that shall have none.
    """
    start, length, peer, kind = links
    total = 0
    for i in range(len(rows)):
        total += length[rows[i]]
    out, ends = np.empty(total, np.int64), np.empty(len(rows), np.int64)
    n = 0
    for i in range(len(rows)):
        if codes[i] >= 0:
            for e in range(start[rows[i]], start[rows[i]] + length[rows[i]]):
                if kind[e] == codes[i] and alive[peer[e]]:
                    out[n] = peer[e]
                    n += 1
        ends[i] = n
    return out[:n], ends


@kernel
def places_of(rows, wanted):
    """The place of each wanted row among some rows, -1 if it is not there; for few wanted ones."""
    out = np.full(len(wanted), -1, np.int64)
    for j in range(len(wanted)):
        for i in range(len(rows)):
            if rows[i] == wanted[j]:
                out[j] = i
                break
    return out


@kernel
def worth(slots, pool, tick):
    """Charges of entries at a tick; structure keeps its weight."""
    _, _, _, kind, flags, support, w, t0, uses = pool
    out = np.empty(len(slots))
    for i in range(len(slots)):
        e = slots[i]
        steady = flags[e] | (kind[e] != ASSOCIATION)
        out[i] = charge_of(w[e], t0[e], uses[e], support[e], steady, tick)
    return out


@kernel
def cycles(rows, pool, tick, least):
    """Which of some rows lead to each other over associations whose charge is above `least`.

    Returns the first place of a row's strongly connected component, -1 for a row in no cycle; (n,).
    """
    start, length, peer, kind, flags, support, w, t0, uses = pool
    n = len(rows)
    leads = np.zeros((n, n), np.bool_)
    for i in range(n):
        for e in range(start[rows[i]], start[rows[i]] + length[rows[i]]):
            if kind[e] != ASSOCIATION:
                continue
            for j in range(n):
                if rows[j] == peer[e]:
                    charge = charge_of(w[e], t0[e], uses[e], support[e], flags[e], tick)
                    leads[i, j] |= charge > least
                    break
    for k in range(n):  # the transitive closure (Warshall 1962)
        for i in range(n):
            if leads[i, k]:
                for j in range(n):
                    leads[i, j] |= leads[k, j]
    first = np.full(n, -1)
    for i in range(n):
        for j in range(i + 1):
            if leads[i, j] and leads[j, i]:
                first[i] = j
                break
    return first


@kernel
def runs(rows, links, alive):
    """The first place of the run of episodes that each row is in, (n,); -1 rows stand alone.

    In a run each follows another, or leaves out one between.
    """
    start, length, peer, kind = links
    first = np.arange(len(rows))
    for i in range(len(rows)):
        if rows[i] < 0:
            continue
        for e in range(start[rows[i]], start[rows[i]] + length[rows[i]]):
            after = peer[e]
            if kind[e] != NEXT or not alive[after]:
                continue
            join(rows, first, i, after)
            for f in range(start[after], start[after] + length[after]):
                if kind[f] == NEXT and alive[peer[f]]:
                    join(rows, first, i, peer[f])
    return first


@kernel
def join(rows, first, i, row):
    """Make the run of the row at place i one with that of another row, where that is among them."""
    for j in range(len(rows)):
        if rows[j] == row:
            one, other = min(first[i], first[j]), max(first[i], first[j])
            for at in range(len(first)):
                if first[at] == other:
                    first[at] = one


# -- chains ------------------------------------------------------------------------------------


@kernel
def counted(words, postings, said, out):
    """How many lines have each word, into `out`; postings: (start, length, row), said: by row."""
    start, length, row = postings
    for i in range(len(words)):
        out[i] = 0
        for e in range(start[words[i]], start[words[i]] + length[words[i]]):
            out[i] += said[row[e]]


@kernel
def strongest(value, lines, held, tie, since, less, best, source):
    """For each word the greatest value with which it leaves a line, and that line.

    value: (n,) of lines; lines: (numbers of words, places among them of the words of all lines, one
    line after another, where each line's end); held: (numbers of names that the facts of each line
    are about, where each line's end); tie: by place, the worth of a word that is not a name; since:
    by number, the half step from which it is a name (step p is the half steps 2p and 2p + 1); less:
    (the worth of a name in a line with facts about others, in a line without facts); best, source:
    by place, the second as the place of a line.
    """
    words, places, ends = lines
    names, last = held
    step = first = 0
    for i in range(len(value)):
        while step < ends[i]:
            place = places[step]
            word = words[place]
            reach = value[i] * (1.0 if since[word] <= 2 * step else tie[place])
            if since[word] <= 2 * step + 1:
                worth = less[1] if last[i] == first else less[0]
                for h in range(first, last[i]):
                    if names[h] == word:
                        worth = 1.0
                reach *= worth
            if reach >= best[place]:
                best[place], source[place] = reach, i
            step += 1
        first = last[i]


@kernel
def reached(words, reach, source, postings, own, said, value, before, by):
    """Give each line the best value that a word brings to it from another line.

    reach, source: (n,) of words, the second as rows; own: (start or -1, length, row): the lines of
    words whose lines are not those of the postings; value, before, by: by row; `by` is the place of
    the word.
    """
    start, length, row = postings
    first, many, other = own
    for i in range(len(words)):
        if first[i] < 0:
            for e in range(start[words[i]], start[words[i]] + length[words[i]]):
                to = row[e]
                if said[to] and value[to] < reach[i] and to != source[i]:
                    value[to], before[to], by[to] = reach[i], source[i], i
        else:
            for e in range(first[i], first[i] + many[i]):
                to = other[e]
                if value[to] < reach[i] and to != source[i]:
                    value[to], before[to], by[to] = reach[i], source[i], i
