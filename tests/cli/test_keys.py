"""`mags keys`, as whoever runs a server types it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

pytest.importorskip("fastapi", reason="needs the extra: pip install 'mags[server]'")

from mags.cli.app import app
from mags.errors import InvalidInput
from mags.server.auth import KeyRing, Refused

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    runner = CliRunner()
    return lambda *words: runner.invoke(
        app, ["keys", *words, "--folder", str(tmp_path)], env={"COLUMNS": "200"}
    )


def secret_of(result: Result) -> str:
    assert result.exit_code == 0, result.output
    return result.stdout.splitlines()[0].strip()


def test_a_key_is_shown_once_and_listed_without_its_secret(run: Run):
    secret = secret_of(run("add", "phone", "--namespace", "team-*", "--scope", "read"))
    listed = run("list").stdout
    assert "phone" in listed
    assert "read" in listed
    assert "team-*" in listed
    assert secret not in listed


def test_a_rotated_key_has_another_secret_and_a_revoked_one_none(run: Run, tmp_path: Path):
    first = secret_of(run("add", "phone"))
    second = secret_of(run("rotate", "phone"))
    assert first != second
    ring = KeyRing(tmp_path)
    assert ring.grant(second).sees("anything")
    with pytest.raises(Refused):
        ring.grant(first)
    assert run("revoke", "phone").exit_code == 0
    with pytest.raises(Refused):
        KeyRing(tmp_path).grant(second)


def test_a_scope_that_is_none_is_refused(run: Run):
    result = run("add", "phone", "--scope", "owner")
    assert isinstance(result.exception, InvalidInput)
    assert "read, write or admin" in str(result.exception)
    assert "phone" not in run("list").stdout


def test_a_key_may_end_and_be_bound_to_a_speaker(run: Run, tmp_path: Path):
    secret_of(run("add", "phone", "--expires", "30d", "--speaker", "Alice Moss"))
    secret_of(run("add", "pad", "--expires", "2999-12-31"))
    listed = run("list").stdout
    assert "Alice Moss" in listed
    assert "2999-12-31" in listed
    phone, _ = KeyRing(tmp_path).known()
    assert phone.expires - phone.made == 30 * 86_400
    secret_of(run("rotate", "phone", "--expires", "12h"))
    phone = next(key for key in KeyRing(tmp_path).known() if key.name == "phone")
    assert phone.expires - phone.made == 12 * 3_600
    for end in ("soon", "0d", "2001-01-01"):
        assert isinstance(run("add", "late", "--expires", end).exception, InvalidInput)
