"""Single nodes and the picture of all: look, edit, pin, forget, sleep."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi import Path as InPath
from starlette.responses import Response

from mags import inspect
from mags.errors import NotFound
from mags.memory.inputs import seconds
from mags.memory.views import Frame
from mags.plasticity.cycle import OnRule
from mags.server.context import Context
from mags.server.wire import responses
from mags.server.wire.openapi import EVENTS, answered
from mags.server.wire.requests import ArcIn, CorrectIn, EditIn, ForgetIn, SleepIn
from mags.server.wire.streams import streamed, whole

router = APIRouter(prefix="/memories/{namespace}", tags=["nodes"])
NodeId = Annotated[int, InPath(ge=1, le=2**63 - 1, examples=[3])]
NO_BODY = SleepIn()
"""What a request to sleep without a body means."""


@router.get("/stats")
def stats(context: Context) -> responses.StatsOut:
    """Counts, sizes, and who is at work."""
    with context.reading() as memory:
        return responses.StatsOut.of(memory.stats())


@router.post("/sleep", response_model=responses.SleepOut, responses=answered(EVENTS))
def sleep(context: Context, wanted: SleepIn = NO_BODY) -> Response:
    """Tend the memory: decay, wire, prune, solidify, consolidate. Reading goes on meanwhile.

    Streamed: an event `rule` for each rule when it is done, with what it did how often, then `done`
    with the whole of it. A rule that comes a second time says that the sleep began again, since
    others erased or slept meanwhile.
    """

    def work(on_rule: OnRule | None) -> responses.SleepOut:
        with context.writing() as memory:
            return responses.SleepOut.of(memory.sleep(on_rule))

    if not wanted.stream:
        return whole(work(None))
    return streamed(
        lambda say: work(lambda rule, did: say("rule", {"rule": rule, "did": dict(did)}))
    )


@router.get("/nodes/{node_id}")
def node(context: Context, node_id: NodeId) -> responses.NodeOut:
    """One node in words."""
    with context.reading() as memory:
        return responses.NodeOut.of(memory.get(node_id))


@router.get("/nodes/{node_id}/neighbours")
def node_neighbours(context: Context, node_id: NodeId) -> list[responses.NeighbourOut]:
    """Everything one arc away, strongest first."""
    with context.reading() as memory:
        return [responses.NeighbourOut.of(one) for one in memory.neighbours(node_id)]


@router.get("/nodes/{node_id}/life")
def node_life(context: Context, node_id: NodeId) -> list[responses.MomentOut]:
    """What each change left of a node's strength, oldest first, and how fast it fades."""
    with context.reading() as memory:
        return [responses.MomentOut.of(one) for one in inspect.life(memory, node_id)]


@router.patch("/nodes/{node_id}")
def edit(context: Context, node_id: NodeId, change: EditIn) -> responses.NodeOut:
    """Change a node by hand; what is left out stays as it is."""
    fields = change.model_dump(exclude_none=True)
    pinned = fields.pop("pinned", None)
    said = [] if change.text is None else [change.text]
    with context.writing(said, as_anybody=bool(fields)) as memory:
        if pinned is not None:  # first: a pin raises the importance, and one in the body counts
            memory.pin(node_id, pinned)
        if fields:
            memory.edit(node_id, **fields)
        return responses.NodeOut.of(memory.get(node_id))


@router.post("/corrections", status_code=201)
def correct(context: Context, told: CorrectIn) -> responses.SeenOut:
    """Say that a fact is wrong and what is right: one is denied, the other held since then.

    It counts as the word of the one it tells of where the key is the owner's (admin), else as that
    of `speaker`. It can be taken back, as every change can.
    """
    with context.writing([told.right or ""]) as memory:
        said = told.model_dump(exclude={"id", "right"})
        said["speaker"] = context.speaks(told.speaker)
        return responses.SeenOut.of(
            memory.correct(told.id, told.right, **said, trusted=context.grant.trusted)
        )


@router.delete("/nodes/{node_id}")
def forget_node(context: Context, node_id: NodeId, dry_run: bool = False) -> responses.ForgottenOut:
    """Erase one node for good, from journal and snapshots too."""
    with context.writing(erasing=not dry_run) as memory:
        return responses.ForgottenOut.of(memory.forget(node_id, dry_run=dry_run))


@router.post("/forget")
def forget(context: Context, wanted: ForgetIn) -> responses.ForgottenOut:
    """Erase for good what has a name, or all that holds a phrase."""
    with context.writing(erasing=not wanted.dry_run) as memory:
        return responses.ForgottenOut.of(memory.forget(wanted.what, dry_run=wanted.dry_run))


@router.put("/associations", status_code=204)
def associate(context: Context, arc: ArcIn) -> None:
    """Set the weight of an association between two nodes, or remove it."""
    with context.writing() as memory:
        inspect.associate(memory, arc.src, arc.dst, arc.weight)


@router.get("/regions")
def regions(context: Context) -> responses.MapOut:
    """Communities of what is associated, largest first, and what lies between them."""
    with context.reading() as memory:
        return responses.MapOut.of(inspect.regions(memory), inspect.region_links(memory))


@router.get("/picture")
def picture(
    context: Context,
    most: Annotated[int, Query(ge=1, le=50_000)] = 1_000,
    region: Annotated[int | None, Query(ge=1, description="Only what lies in it.")] = None,
    as_of: str | None = None,
    recorded_as_of: str | None = None,
) -> responses.PictureOut:
    """The strongest nodes and the arcs between them, to be drawn."""
    with context.reading() as memory:
        only = None
        if region is not None:
            views = {view.id: view for view in inspect.regions(memory)}
            if region not in views:
                raise NotFound(f"there is no region {region} (any more)", region=region)
            only = views[region].members
        frame = Frame(
            most=most, only=only, as_of=seconds(as_of), recorded_as_of=seconds(recorded_as_of)
        )
        return responses.PictureOut.of(inspect.picture(memory, frame))
