"""onnxruntime, opened the way MAGS wants it: CPU only, quiet, few threads, loaded late."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from mags.errors import MagsError, ModelError, boundary


class Port(Protocol):
    """An input or output of a session."""

    name: str


class OnnxSession(Protocol):
    """What MAGS uses of `onnxruntime.InferenceSession`; safe to call from several threads."""

    def run(
        self, output_names: Sequence[str] | None, input_feed: Mapping[str, NDArray[np.int64]]
    ) -> list[NDArray[np.float32]]:
        """The named outputs for these inputs."""
        ...

    def get_inputs(self) -> Sequence[Port]:
        """What the graph asks for."""
        ...

    def get_outputs(self) -> Sequence[Port]:
        """What the graph gives."""
        ...


def open_session(model: bytes | str, path: Path, *, threads: int) -> OnnxSession:
    """A CPU session over a model's bytes (or its path, when it has files beside it).

    `path` is for the message. Raises ModelError when onnxruntime refuses the file.
    """
    # Imported here: it takes 0.2 s, and most commands embed nothing.
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.log_severity_level = 3
    # Idle threads would otherwise spin on a core between two texts.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")

    def refused(failure: Exception) -> MagsError:
        return ModelError(f"onnxruntime cannot open {path}: {failure}", path=path)

    with boundary("onnxruntime", refused):
        session: OnnxSession = onnxruntime.InferenceSession(
            model, options, providers=["CPUExecutionProvider"]
        )
    return session
