"""Numba kernels of chains: from lines over their words to other lines."""

from __future__ import annotations

from mags.compiling import kernel


@kernel
def counted(words, postings, said, out):
    """How many lines hold each word, into `out`; postings: (start, length, row), said: by row."""
    start, length, row = postings
    for i in range(len(words)):
        out[i] = 0
        for e in range(start[words[i]], start[words[i]] + length[words[i]]):
            out[i] += said[row[e]]


@kernel
def strongest(value, lines, held, tie, since, less, best, source):
    """How far each word reaches from the line that it leaves best, and that line.

    value: (n,) of lines; lines: (numbers of words, places among them of the words of all lines end
    to end, where each line's end); held: (numbers that the facts of each line hold of, where each
    line's end); tie: by place what a word is worth that is no name; since: by number from which
    half step on it is one (step p begins with 2p); less: (what a name is worth in a line that only
    drops it, in one without facts); best, source: by place, the second as place of a line.
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
    """Carry what words reach to all other lines that hold them, where they have not better.

    reach, source: (n,) of words, the second as rows; own: (start or -1, length, row): the lines of
    words that are not those of the postings; value, before, by: by row, the place of the word last.
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
