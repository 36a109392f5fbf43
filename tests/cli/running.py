"""Commands run as people run them."""

from typer.testing import CliRunner

from mags.cli.app import app
from mags.errors import MagsError


def run(*words: str) -> str:
    """What a command prints; raises the error of MAGS that it ends with."""
    done = CliRunner().invoke(app, [*words], env={"COLUMNS": "250"})
    if isinstance(done.exception, MagsError):
        raise done.exception
    assert done.exception is None, done.output
    return done.output
