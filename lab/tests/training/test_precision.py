"""Training multiplies in the numbers that a CPU is fast in (extra `train`)."""

import pytest

torch = pytest.importorskip("torch", reason="needs the extra: pip install './lab[train]'")

from mags_lab.training.precision import quick  # noqa: E402 - torch first


@pytest.mark.parametrize(
    ("known", "kind"),
    [
        ({"amx_bf16": True, "avx512_bf16": True}, torch.bfloat16),
        ({"amx_bf16": False, "avx512_bf16": True}, torch.float32),
        ({"architecture": "aarch64"}, torch.float32),
    ],
)
def test_bfloat16_is_for_cpus_with_amx(
    monkeypatch: pytest.MonkeyPatch, known: dict[str, object], kind: object
) -> None:
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: known)
    assert quick() is kind
