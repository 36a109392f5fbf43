"""Policies by the names that people give (rules, prompted, a trained one's folder), and compared.

`mags train evaluate` and `mags models compare` are one verb.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.progress import Progress

from mags.app import make_chat, make_policy, make_reader
from mags.cli.console import AsJson, out, print_json
from mags.cli.installation import ADAPTER, READER, adapters_in
from mags.errors import ConfigurationError, InvalidInput, MissingExtra
from mags.extras import import_extra
from mags.models.policy.prompted import PromptedPolicy
from mags.models.policy.rules import RulePolicy
from mags.models.prompts import load_prompts
from mags.ports.chat import MeteredChat
from mags.settings import HEADS_GONE, NANO_GONE, ChatSettings, Settings, read_settings
from mags_lab.training.chains.schema import Role, Sample, Split, read_samples
from mags_lab.training.chains.splits import TESTS
from mags_lab.training.chains.variety import SeenTurns
from mags_lab.training.evaluate.deciders import Decider, PolicyDecider, Sampler
from mags_lab.training.evaluate.evaluation import (
    Evaluation,
    EvaluationConfig,
    plot,
    tables,
    to_json,
)
from mags_lab.training.evaluate.evaluation import evaluate as measure
from mags_lab.training.fidelity import StoreFidelity
from mags_lab.training.generate.samples import of_split

if TYPE_CHECKING:
    from mags_lab.training.large.policy import AdapterPolicy


WEIGHTS = "config.json"
TEMPERATURE = 1.0
"""At which replies are drawn: a model's probabilities as they are."""
EMBEDDED, CONFIGURED = "embedded", "chat"
"""Frozen models by word: the reader that comes with MAGS, the language model of the settings."""


def decider(given: str, *, seed: int = 0) -> Decider:
    """What `given` names: rules, reader, prompted, configured, or PATH; or NAME=WHAT.

    A path is a file of a reader (.npz), or a folder: of adapters (`mags.json`) or of a model of
    transformers (`config.json`), which need the extra `train`. `seed`: of what is drawn
    from the models that run here.

    Raises ConfigurationError, InvalidInput, MissingExtra.
    """
    name, equals, what = given.partition("=")
    if not equals or not name.isidentifier():
        name, what = "", given
    settings = read_settings(os.environ)
    if what == "rules":
        return PolicyDecider(RulePolicy(), name=name)
    if what == "prompted":
        return _prompted(settings, name)
    if what == "reader" or what in HEADS_GONE or what.endswith(READER):
        path = Path(what).expanduser() if what.endswith(READER) else None
        return PolicyDecider(make_reader(path), name=name)
    if what == "nano":
        raise InvalidInput(f"There is no policy nano: {NANO_GONE}", given=given)
    if what == "configured":
        return PolicyDecider(make_policy(settings, make_chat(settings)), name=name)
    return _trained(Path(what).expanduser(), name, seed)


def frozen(given: str) -> ChatSettings | None:
    """The endpoint that `given` names: embedded (None), chat (the configured one), or URL#MODEL.

    The key and all else are those of the settings. Raises ConfigurationError, InvalidInput.
    """
    if given == EMBEDDED:
        return None
    named = dict(os.environ)
    if given != CONFIGURED:
        url, _, model = given.partition("#")
        if not url.startswith(("http://", "https://")):
            raise InvalidInput(
                f"no reader {given!r}: give {EMBEDDED}, {CONFIGURED}, or URL#MODEL of an endpoint",
                given=given,
            )
        named |= {"MAGS_CHAT_URL": url, "MAGS_CHAT_MODEL": model}
    chat = read_settings(named).chat
    if not (chat.url and chat.model):
        raise ConfigurationError(
            "a match says which model played it: give URL#MODEL, or set MAGS_CHAT_URL and "
            "MAGS_CHAT_MODEL",
            key="MAGS_CHAT_MODEL",
        )
    return chat


def _trained(folder: Path, name: str, seed: int) -> Decider:
    if adapters_in(folder):
        policy = import_extra(
            "mags_lab.training.large.policy", extra="train", needed_for=str(folder)
        )
        return _local(policy.read_adapters(folder), name, seed)
    if (folder / WEIGHTS).is_file():
        trained = import_extra(
            "mags_lab.training.evaluate.trained", extra="train", needed_for=str(folder)
        )
        found: Decider = trained.from_folder(folder, name=name or folder.name, seed=seed)
        return found
    raise InvalidInput(
        f"{folder} is no policy: give rules, reader, prompted, configured, or a folder "
        f"with {WEIGHTS} or {ADAPTER}.",
        given=str(folder),
    )


def _local(policy: AdapterPolicy, name: str, seed: int) -> Decider:
    """A model that runs here: it decides by its likeliest replies, others are drawn beside them."""
    drawn = policy.sampled(Sampler(TEMPERATURE, seed=seed))
    return PolicyDecider(policy, name=name, sampled=drawn, spent=_spent(policy))


def _prompted(settings: Settings, name: str) -> Decider:
    chat = make_chat(settings)
    if chat is None:
        raise ConfigurationError(
            "no language model is configured: set MAGS_CHAT_URL", key="MAGS_CHAT_URL"
        )
    wanted = settings.policy
    policy = PromptedPolicy(
        MeteredChat(chat),
        load_prompts(wanted.prompts),
        language=wanted.language,
        grounded=wanted.grounded,
    )
    # At another temperature it draws by itself, whoever asks.
    drawn = None if settings.chat.temperature == 0.0 else policy
    return PolicyDecider(policy, name=name, sampled=drawn)


def _spent(policy: AdapterPolicy) -> Callable[[], int]:
    """Tokens of a model that runs here since this was last called."""
    before = 0

    def since() -> int:
        nonlocal before
        used, before = policy.tokens - before, policy.tokens
        return used

    return since


Models = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="MODEL...",
        help="rules, reader, prompted, configured, or a path; NAME=WHAT calls it NAME.",
        show_default="rules",
    ),
]
Data = Annotated[
    Path | None,
    typer.Option(help="Samples: a file, or a folder of splits; else new ones are made."),
]
Splits = Annotated[list[Split] | None, typer.Option("--split", help="Only these splits.")]
Roles = Annotated[list[Role] | None, typer.Option("--role", help="Only these roles.")]
Most = Annotated[int, typer.Option(min=1, help="Samples of each role and split.")]
Probed = Annotated[
    int, typer.Option(min=0, help="Of those, tried on a scratch memory (store fidelity).")
]
Draws = Annotated[
    int,
    typer.Option(
        min=0,
        help="Decisions drawn for each of some samples (homogeneity: the share of pairs that "
        "agree, blank of rules and reader, which always decide the same).",
    ),
]
Seed = Annotated[int, typer.Option(help="Of the samples that are taken, and of what is drawn.")]
Out = Annotated[
    Path | None, typer.Option("--out", help="Folder for evaluation.json and exact.svg.")
]


def evaluate(
    models: Models = None,
    data: Data = None,
    split: Splits = None,
    role: Roles = None,
    most: Most = 200,
    probed: Probed = 50,
    draws: Draws = 4,
    seed: Seed = 0,
    out_folder: Out = None,
    json: AsJson = False,
) -> None:
    """Measure policies: adherence, F1, function, homogeneity, store fidelity, time and tokens."""
    deciders = [decider(given, seed=seed) for given in models or ["rules"]]
    chosen = _samples(data, split, role, most, seed)
    config = EvaluationConfig(
        most=most, probed=probed, repeated=20 if draws else 0, draws=draws, seed=seed
    )
    found = _measured(deciders, chosen, config)
    if not any(one.cells for one in found):
        names = " and ".join(one.name for one in deciders)
        raise InvalidInput(f"{names} has no model for these roles: the rules decide them.")
    if out_folder is not None:
        _write(out_folder, found)
    if json:
        print_json(found)
    else:
        out.print(tables(found))


def _samples(
    data: Path | None,
    splits: Sequence[Split] | None,
    roles: Sequence[Role] | None,
    most: int,
    seed: int,
) -> list[Sample]:
    read = _made(most, seed) if data is None else _read(data, trained=bool(splits))
    chosen = [
        one
        for one in read
        if (not splits or one.split in splits) and (not roles or one.role in roles)
    ]
    if not chosen:
        raise InvalidInput("There are no samples of these splits and roles.", samples=0)
    return chosen


def _read(data: Path, *, trained: bool) -> Iterator[Sample]:
    if not data.is_dir():
        yield from read_samples(data)
        return
    for path in sorted(data.glob("*.jsonl")):
        if trained or path.stem != Split.TRAIN.value:
            yield from read_samples(path)


def _made(most: int, seed: int) -> Iterator[Sample]:
    known = SeenTurns()
    for split in TESTS:
        yield from of_split(split, 3 * most, seed, known)


def _measured(
    deciders: Sequence[Decider], chosen: Sequence[Sample], config: EvaluationConfig
) -> list[Evaluation]:
    fidelity = StoreFidelity() if config.probed else None
    with Progress(transient=True) as progress:

        def one(decider: Decider) -> Evaluation:
            task = progress.add_task(decider.name, total=None)

            def tell(role: str, split: str) -> None:
                progress.update(task, description=f"{decider.name}: {role}, {split}")

            return measure(decider, chosen, config, fidelity=fidelity, on_cell=tell)

        return [one(decider) for decider in deciders]


def _write(folder: Path, found: Sequence[Evaluation]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "evaluation.json").write_text(to_json(found), encoding="utf-8")
    try:
        plot(found, folder / "exact.svg")
    except MissingExtra as failure:
        out.print(f"No picture: {failure}.", markup=False)
