"""A new master key: every key of a memory is wrapped anew, also where that was interrupted."""

import base64
import os
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from mags.cli.app import app
from mags.errors import ConfigurationError, MissingKey
from mags.ports.store import Store
from mags.store.postgres import PostgresCatalog
from mags.store.sealing import Keyring
from mags.store.sqlite import SqliteStore, key_of
from tests.store.samples import keyring, note
from tests.store.server import shared

MASTERS = {name: base64.b64encode(name[:1].encode() * 32).decode() for name in ("OLD", "NEW")}
KMS = """#!/bin/sh
# Stops at its third key, once, until it is killed.
read verb memory data
echo "$verb" >> {at}/said
if [ "$verb" = wrap ] && [ "$(grep -c ^wrap {at}/said)" = 3 ]; then sleep 600; fi
case $verb in
wrap) echo "new.$memory.$data" ;;
unwrap)
    [ "${{data%.*}}" = "new.$memory" ] || {{ echo "not mine" >&2; exit 1; }}
    echo "${{data##*.}}" ;;
esac
"""
Open = Callable[[Keyring], Store]


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Keyring:
    """The keys by the master key of the settings."""
    for name, key in MASTERS.items():
        monkeypatch.setenv(name, key)
    monkeypatch.setenv("MAGS_MASTER_KEY", "env:OLD")
    monkeypatch.setenv("MAGS_KEYS", str(tmp_path / "keys"))
    return keyring(tmp_path / "keys", b"O" * 32)


def filled(old: Keyring, *opening: Open) -> None:
    for number, open_ in enumerate(opening):
        with closing(open_(old)) as store:
            store.journal.append(note(1, f"word {number}"))


def rekey(master: str) -> Result:
    return CliRunner().invoke(app, ["rekey", master], env={"COLUMNS": "250"})


def words(keys: Keyring, *opening: Open) -> list[str]:
    found = []
    for open_ in opening:
        with closing(open_(keys)) as store:
            found += [one.text for one in store.contents.scan()]
    return found


def test_what_was_killed_in_the_middle_goes_on_and_only_the_new_key_opens(
    old: Keyring, tmp_path: Path
):
    def of(name: str) -> Open:
        return lambda keys: SqliteStore.open(tmp_path / name, keyring=keys)

    def rows(keys: Keyring) -> Store:
        return PostgresCatalog(shared().url, "rekeyed", keyring=keys).open("p")

    opening = *map(of, ("a.mags", "b.mags", "c.mags", "d.mags")), rows
    filled(old, *opening)
    before = (tmp_path / "a.mags").read_bytes()
    script = tmp_path / "kms.sh"
    script.write_text(KMS.format(at=tmp_path))
    script.chmod(0o700)
    new = f"command:{script}"
    with subprocess.Popen(
        [sys.executable, "-m", "mags", "rekey", new], start_new_session=True, text=True
    ) as killed:
        said = tmp_path / "said"
        while killed.poll() is None and not (
            said.exists() and said.read_text().split().count("wrap") == 3
        ):
            time.sleep(0.02)
        os.killpg(killed.pid, 9)
    keys = Keyring(new, old.folder, {})
    wrapped = [key.read_text().startswith('{"wrapped": "new.') for key in old.folder.iterdir()]
    assert sorted(wrapped) == [False, False, False, True, True]
    assert "3 keys wrapped anew, 2 were already, 0 failed" in rekey(new).output
    assert words(keys, *opening) == [f"word {number}" for number in range(5)]
    for open_ in opening:
        with pytest.raises(MissingKey, match="wrapped by another"):
            open_(old)
    assert (tmp_path / "a.mags").read_bytes() == before
    assert "0 keys wrapped anew, 5 were already" in rekey(new).output


def test_a_damaged_key_stops_no_other(old: Keyring, tmp_path: Path):
    filled(old, *(lambda keys, n=n: SqliteStore.open(tmp_path / n, keyring=keys) for n in "abc"))
    damaged = old.folder / f"{key_of(tmp_path / 'b')}.key"
    damaged.write_text("{}")
    said = rekey("env:NEW")
    assert said.exit_code == 2
    # A long path is broken where the terminal ends.
    assert f"{damaged}isdamaged" in "".join(said.output.split())
    assert "2 keys wrapped anew, 0 were already, 1 failed" in said.output
    new = keyring(old.folder, b"N" * 32)
    assert words(new, lambda keys: SqliteStore.open(tmp_path / "c", keyring=keys)) == ["word 2"]


def test_what_is_no_master_key_leaves_every_key_as_it_was(old: Keyring, tmp_path: Path):
    filled(old, lambda keys: SqliteStore.open(tmp_path / "a", keyring=keys))
    before = [key.read_bytes() for key in old.folder.iterdir()]
    for wrong in ("env:NOWHERE", f"command:{tmp_path / 'nothing'}", "key"):
        assert isinstance(rekey(wrong).exception, ConfigurationError)
    assert [key.read_bytes() for key in old.folder.iterdir()] == before


def test_who_destroys_a_key_destroys_what_a_killed_change_left_of_it(old: Keyring, tmp_path: Path):
    filled(old, lambda keys: SqliteStore.open(tmp_path / "a", keyring=keys))
    key = key_of(tmp_path / "a")
    (old.folder / f"{key}.key.part").write_text("wrapped anew")
    old.shred(key)
    assert not list(old.folder.iterdir())
