"""`mags train linker`: weights of first edges, learned from a memory's own links."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import Progress
from rich.table import Table

from mags.cli.shared import AsJson, Branch, MemoryPath, Where, out, print_json
from mags.extras import bring

File = Annotated[Path, typer.Option("--out", help="File of the weights (.npz).")]
Epochs = Annotated[int, typer.Option(min=1, help="Passes over the links.")]
Share = Annotated[float, typer.Option(min=0.01, max=0.9, help="Share of the links held out.")]
Seed = Annotated[int, typer.Option(help="The same seed gives the same weights.")]
Threads = Annotated[int, typer.Option(min=1, help="Cores to use.")]


def linker(
    file: File,
    memory: MemoryPath = None,
    branch: Branch = "main",
    epochs: Epochs = 20,
    share: Share = 0.2,
    seed: Seed = 0,
    threads: Threads = 1,
    json: AsJson = False,
) -> None:
    """Learn from a memory's links how its new nodes should be linked: a GATv2, run without torch.

    Shows how well links that were held out are told from others, beside cosine and plain nearest
    neighbours. The setting `engram.linker` takes the file.
    """
    wanted: dict[str, Any] = {"extra": "pyg", "needed_for": "mags train linker"}
    run = bring("mags_lab.training.linker", **wanted)
    fitting = bring("mags_lab.training.linker", **wanted).Fitting(epochs=epochs, seed=seed)
    with Where(path=memory, branch=branch).open(read_only=True) as opened:
        data = opened.to_pyg()
    with Progress(transient=True) as progress:
        task = progress.add_task("learning links", total=epochs)

        def tell(epoch: int, loss: float) -> None:
            progress.update(task, completed=epoch, description=f"learning links, loss {loss:.3f}")

        made = run.train(data, fitting, share=share, threads=threads, on_epoch=tell)
    run.save(made.weights, file)
    if json:
        print_json({"learned": made.learned, "held_out": made.held_out, "figures": made.figures})
        return
    table = Table("", "AUC", "AUC, near negatives", "first of the near")
    for name, one in made.figures.items():
        table.add_row(name, *(f"{100 * v:.1f}" for v in (one.auc, one.auc_near, one.first)))
    out.print(table)
    out.print(
        f"Learned from {made.learned:,} links, measured on {made.held_out:,}. Use it with "
        f'linker = "{file}" under [engram] in the config file.',
        markup=False,
    )
