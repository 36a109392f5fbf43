"""Checkpoints: whole or not there, the newest ones kept (needs the extra `train`)."""

from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="needs the extra: pip install './lab[train]'")

from mags_lab.training import checkpoint  # noqa: E402 - torch first
from mags_lab.training.checkpoint import latest, load_checkpoint, save_checkpoint  # noqa: E402


def line() -> torch.nn.Linear:
    torch.manual_seed(0)
    return torch.nn.Linear(2, 2)


def test_weights_optimiser_and_chance_come_back(tmp_path: Path) -> None:
    model = line()
    chosen = [torch.optim.AdamW(model.parameters())]
    model(torch.ones(1, 2)).sum().backward()
    chosen[0].step()
    save_checkpoint(tmp_path, 3, model, chosen)
    expected = torch.rand(3)
    other, fresh = torch.nn.Linear(2, 2), [torch.optim.AdamW(line().parameters())]
    path = latest(tmp_path)
    assert path is not None
    assert load_checkpoint(path, other, fresh) == 3
    assert torch.equal(other.weight, model.weight)
    assert fresh[0].state_dict()["state"][0]["step"] == 1
    assert torch.equal(torch.rand(3), expected)


def test_the_newest_is_the_highest_step_and_older_ones_go(tmp_path: Path) -> None:
    model = line()
    for step in (8, 9, 10):
        save_checkpoint(tmp_path, step, model, [])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["step-10.pt", "step-9.pt"]
    assert latest(tmp_path) == tmp_path / "step-10.pt"


def test_a_kill_while_writing_leaves_the_last_whole_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = line()
    save_checkpoint(tmp_path, 1, model, [])
    before = model.weight.detach().clone()

    def half(state: object, path: Path) -> None:
        path.write_bytes(b"half of a checkpoint")
        raise KeyboardInterrupt

    monkeypatch.setattr(checkpoint.torch, "save", half)
    with pytest.raises(KeyboardInterrupt):
        save_checkpoint(tmp_path, 2, model, [])
    found = latest(tmp_path)
    assert found == tmp_path / "step-1.pt"
    assert load_checkpoint(found, model, []) == 1
    assert torch.equal(model.weight, before)


def test_an_empty_folder_has_no_checkpoint(tmp_path: Path) -> None:
    assert latest(tmp_path) is None
    assert latest(tmp_path / "nowhere") is None


def test_what_does_not_learn_is_not_kept(tmp_path: Path) -> None:
    model = line()
    model.bias.requires_grad_(False)
    path = save_checkpoint(tmp_path, 1, model, [])
    assert set(torch.load(path, weights_only=True)["model"]) == {"weight"}
