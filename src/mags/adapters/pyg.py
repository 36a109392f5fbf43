"""The graph as a PyTorch Geometric `Data` (extra `pyg`)."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np

from mags.errors import MissingExtra
from mags.graph.records import arc_charge, node_charge
from mags.index.state import State


def to_pyg(state: State) -> Any:  # noqa: ANN401 - torch_geometric may not be installed
    """A `torch_geometric.data.Data` of all living nodes and arcs.

    x: float32 (n, dimension), the embeddings; node_id, kind: int64 (n,); strength: float32
    (n,); edge_index: int64 (2, m), rows of x; edge_kind: int64 (m,); edge_weight: float32
    (m,), the present charge; edge_uses: int64 (m,). Raises MissingExtra.
    """
    try:
        torch = import_module("torch")
        data = import_module("torch_geometric.data")
    except ImportError as failure:
        raise MissingExtra(extra="pyg", needed_for="to_pyg") from failure
    graph = state.graph
    rows = graph.where()
    place = {int(i): n for n, i in enumerate(graph.nodes["id"][rows])}
    arcs = graph.arcs()
    ends = [[place[int(i)] for i in arcs[end]] for end in ("src", "dst")]
    return data.Data(
        x=torch.from_numpy(state.vectors.get(rows)),
        node_id=torch.from_numpy(graph.nodes["id"][rows].astype(np.int64)),
        kind=torch.from_numpy(graph.nodes["kind"][rows].astype(np.int64)),
        strength=torch.from_numpy(node_charge(graph.nodes[rows], graph.tick).astype(np.float32)),
        edge_index=torch.tensor(ends, dtype=torch.int64).reshape(2, -1),
        edge_kind=torch.from_numpy(arcs["kind"].astype(np.int64)),
        edge_uses=torch.from_numpy(arcs["uses"].astype(np.int64)),
        edge_weight=torch.from_numpy(arc_charge(arcs, graph.tick).astype(np.float32)),
    )
