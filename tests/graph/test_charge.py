"""The decay law."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mags.graph.records import (
    ARC,
    STEADY,
    ArcFlag,
    ArcKind,
    NodeFlag,
    arc_charge,
    blank_arc,
    blank_node,
    charge,
    charge_of,
    half_life,
    half_life_of,
    node_charge,
    stored,
)

weights = st.floats(0, 1, width=32)
counts = st.integers(0, 10_000)
ticks = st.integers(0, 1_000_000)


@pytest.mark.parametrize(
    ("uses", "support", "ticks"),
    [(0, 0, 1000), (1, 0, 2000), (3, 0, 3000), (0, 1, 2000), (0, 4, 5000), (0, 9, 5000)],
)
def test_use_and_support_lengthen_the_half_life(uses: int, support: int, ticks: int):
    assert half_life_of(uses, support) == ticks
    assert half_life(uses, support) == ticks


def test_a_weight_halves_in_its_half_life():
    assert charge_of(0.8, 100, 0, 0, 0, 1100) == 0.4
    assert charge_of(0.8, 100, 1, 0, 0, 2100) == 0.4
    assert charge([0.8, 0.8], [100, 100], [0, 3], [0, 0], [0, 0], 1100)[0] == 0.4


def test_solid_arcs_and_pinned_nodes_stay():
    assert STEADY == ArcFlag.SOLID == NodeFlag.PINNED
    assert charge_of(0.7, 0, 0, 0, int(ArcFlag.SOLID), 10**9) == 0.7
    assert charge(0.5, 0, 0, 0, True, 10**9) == 0.5
    node = blank_node(strength=0.5, flags=int(NodeFlag.PINNED | NodeFlag.ONE))
    assert node_charge(node, 10**9)[0] == 0.5


def test_other_flags_do_not_stop_decay():
    node = blank_node(strength=0.5, flags=int(NodeFlag.ONE | NodeFlag.QUESTION))
    assert node_charge(node, 1000)[0] == 0.25


def test_structure_keeps_its_weight():
    arcs = np.concatenate(
        [blank_arc(1, 2, ArcKind.SOURCE), blank_arc(1, 2, ArcKind.ASSOCIATION, w=0.5)]
    )
    assert arcs.dtype == ARC
    assert arc_charge(arcs, 1000).tolist() == [1.0, 0.25]


def test_a_tick_before_the_weight_was_stored_reads_it_as_stored():
    assert charge_of(0.3, 50, 0, 0, 0, 10) == 0.3
    assert charge(0.5, 50, 0, 0, 0, 10) == 0.5


@given(weights, ticks, counts, counts, st.integers(0, 255), ticks)
def test_the_kernel_and_the_array_law_agree(w, t0, uses, support, flags, tick):
    got = charge_of(w, t0, uses, support, flags, tick)
    assert got == pytest.approx(float(charge(w, t0, uses, support, flags, tick)), rel=1e-12)
    assert 0 <= got <= w


@given(st.floats(0.01, 1), counts, counts, ticks, st.integers(1, 10_000))
def test_a_weight_falls_with_time_and_falls_slower_with_use(w, uses, support, tick, more):
    now = charge_of(w, 0, uses, support, 0, tick)
    assert charge_of(w, 0, uses, support, 0, tick + more) < now or now == 0
    assert charge_of(w, 0, uses + 1, support, 0, tick) >= now
    assert charge_of(w, 0, uses, support + 1, 0, tick) >= now


@given(st.floats(0, 1))
def test_storing_a_charge_never_adds_to_it(value):
    kept = stored(value)
    assert kept.dtype == np.float32
    assert value * (1 - 1.2e-7) - 1e-44 <= float(kept) <= value
