"""The memories that a server holds open: one for each namespace, opened on demand.

Only this module opens a memory, and it checks the grant first. So a route that forgets to check
cannot reach a namespace that its key does not see.
"""

from __future__ import annotations

import math
import secrets
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace

from mags import caches, inspect
from mags.errors import InvalidInput, MagsError, NotFound, StoreError
from mags.memory.memory import Memory, closed_on_failure
from mags.ports.pausing import span
from mags.ports.store import Catalog, Store
from mags.recall.found import Trace
from mags.server.auth import EVERYTHING, NAMESPACE, Grant, Scope
from mags.server.concurrency import ConcurrencyLimiter
from mags.server.quotas import LONG_CHARACTERS, Quotas, WorkLimits, tenant_of

MAIN = "main"
TRIED_S = 1.0
"""How often it is tried whether memories can be written: anybody may ask."""
CHECKED = 64
"""After so many requests that tell something the bytes of a memory are counted anew."""
Opener = Callable[[Store], Memory]
"""Makes a memory of an open store, with settings and models bound."""


class Traces:
    """The traces of a memory's last answers, for explain and feedback. Safe in threads."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = threading.Lock()
        self._known: OrderedDict[str, Trace] = OrderedDict()
        self.cleared = 0
        """How often words were dropped."""
        caches.register(self)

    def clear(self) -> None:
        """Drop the words of questions; ids and numbers stay, for explain and feedback."""
        with self._lock:
            self.cleared += 1
            for name, trace in self._known.items():
                self._known[name] = trace.wordless()

    def keep(self, trace: Trace, cleared: int) -> str:
        """Keep a trace and return its id, which cannot be guessed.

        `cleared`: as it was before the recall. What was erased meanwhile may be in its words.
        """
        name = secrets.token_hex(12)
        with self._lock:
            self._known[name] = trace if cleared == self.cleared else trace.wordless()
            while len(self._known) > self._most:
                self._known.popitem(last=False)
        return name

    def get(self, name: str) -> Trace:
        """A trace that is still kept; raises NotFound."""
        with self._lock:
            found = self._known.get(name)
        if found is None:
            raise NotFound(
                f"there is no trace {name!r}: the last {self._most} of a memory are kept, until "
                "the server stops. Recall or ask again.",
                trace=name,
            )
        return found


class Overloaded(MagsError):
    """The server is at one of its limits; the request can be sent again later."""


@dataclass(slots=True, eq=False)
class OpenMemory:
    """An open memory. `requests`: how many use it now; `traces`: of its last answers.

    `made`: it was created for a request, and none has written to it yet. `tenant`: who had it
    opened; `told`: how often it was written to; `bytes`: on disk, when they were counted last;
    `held`: in RAM, after its last request. Of one request: `grant`, and `cleared`: how often its
    traces had been cleared when it began.
    """

    memory: Memory
    traces: Traces
    namespace: str = ""
    made: bool = False
    requests: int = 0
    tenant: str = ""
    told: int = 0
    bytes: int = 0
    held: int = 0
    grant: Grant = EVERYTHING
    cleared: int = 0

    def of(self, grant: Grant) -> OpenMemory:
        """The same for one request."""
        return replace(self, grant=grant, cleared=self.traces.cleared)

    def keep(self, trace: Trace) -> str:
        """Keep the trace of a recall or an answer of this request; its id."""
        return self.traces.keep(trace, self.cleared)

    def trace(self, name: str) -> Trace:
        """A trace that is still kept, without words that another process erased meanwhile."""
        inspect.catch_up(self.memory)
        return self.traces.get(name)


class OpenMemories:
    """The memories of a catalogue by namespace. Safe to use from several threads."""

    def __init__(  # noqa: PLR0913 - each a limit of its own
        self,
        catalog: Catalog,
        open_memory: Opener,
        *,
        most: int = 128,
        most_bytes: float = math.inf,
        traces: int = 500,
        limits: WorkLimits | None = None,
        limiter: ConcurrencyLimiter | None = None,
    ) -> None:
        """`most`: memories that are open at a time, with so many bytes of RAM together.

        `traces`: how many are kept of each.

        `limits`: what each tenant may ask for; `limiter`: where requests take slots.
        """
        self.catalog, self._open = catalog, open_memory
        self.quotas = Quotas(limits or WorkLimits())
        self._limiter = limiter or ConcurrencyLimiter(math.inf)
        self._most, self._most_bytes, self._traces = most, most_bytes, traces
        # Opening may take long, and `_lock` is needed by every request: a store is opened without
        # it, by one thread, for whose end others that want the same wait.
        self._lock = threading.Lock()
        self._opening_ended = threading.Condition(self._lock)
        self._memories: OrderedDict[tuple[str, str], OpenMemory] = OrderedDict()
        self._openings: set[tuple[str, str]] = set()
        # Memories from before a `renew`. No request enters them, and their last one closes them.
        self._leaving: list[OpenMemory] = []
        # Traces of memories that a `renew` has closed, until the memory is opened again.
        self._kept: dict[tuple[str, str], Traces] = {}
        self._closed = False
        self._writable, self._tried_s = True, -math.inf

    @contextmanager
    def enter(
        self,
        grant: Grant,
        namespace: str,
        needed: Scope,
        *,
        branch: str = MAIN,
        said: Sequence[str] = (),
    ) -> Iterator[OpenMemory]:
        """The open memory of a namespace, for one request. `said`: the texts that it tells or asks.

        A grant that may write creates a missing memory. Raises NotFound, Forbidden, InvalidInput,
        TooMuch, TooMuchWork, Overloaded, StoreError.
        """
        grant.check(namespace, needed)
        tenant = self._check(grant, namespace, said)
        limited = needed >= Scope.WRITE and not math.isinf(self.quotas.limits.memories)
        if limited and not self.catalog.exists(namespace):
            self.quotas.check_memories(len(self.names(grant)))
        opened = self._enter((namespace, branch), tenant, make=needed >= Scope.WRITE)
        try:
            # The memory first: opening one waits for the disk, which should not hold a slot.
            with self._slot(tenant, said):
                if said and needed >= Scope.WRITE:
                    self._check_bytes(opened)
                yield opened.of(grant)
        finally:
            self._leave(opened)

    @contextmanager
    def working(self, grant: Grant, said: Sequence[str]) -> Iterator[None]:
        """Work for a request without a memory; raises TooMuch, TooMuchWork."""
        with self._slot(self._check(grant, "", said), said):
            yield

    def charge(self, tenant: str, seconds: float) -> None:
        """Count processor time that a request of a tenant has used beside its slot."""
        self._limiter.charge((tenant, False), seconds)

    def _check(self, grant: Grant, namespace: str, said: Sequence[str]) -> str:
        tenant = tenant_of(grant, namespace)
        self.quotas.check_text(said)
        self.quotas.check_work(tenant)
        return tenant

    @contextmanager
    def _slot(self, tenant: str, said: Sequence[str]) -> Iterator[None]:
        if self._limiter.mine is not None:  # of several memories the first has it
            yield
            return
        with self._limiter.slot(tenant, long=sum(map(len, said)) > LONG_CHARACTERS) as work:
            try:
                yield
            finally:
                work.count()
                self.quotas.pay(tenant, work.spent_s)

    def _check_bytes(self, opened: OpenMemory) -> None:
        opened.told += 1
        if math.isinf(self.quotas.limits.memory_bytes):
            return
        # Counted now and then, as that takes a while; of one that is full each time, as it may
        # have been emptied.
        if opened.told % CHECKED == 1 or opened.bytes > self.quotas.limits.memory_bytes:
            opened.bytes = opened.memory.stats().bytes_on_disk
        self.quotas.check_bytes(opened.bytes)

    def names(self, grant: Grant) -> list[str]:
        """The namespaces that exist and that a grant sees, sorted."""
        found = self.catalog.names()
        return [name for name in found if NAMESPACE.fullmatch(name) and grant.sees(name)]

    def nearest(self, grant: Grant, memory: Memory, query: str) -> list[str]:
        """Namespaces that the grant sees and that hold what lies nearest to a query, few of them.

        Raises InvalidInput where there is no index over them and they are not few.
        """
        most = min(inspect.NEAREST, max(1, self._most // 2))
        found = inspect.near(memory, query, self.catalog, grant.namespaces, most)
        return [name for name in found if NAMESPACE.fullmatch(name)]

    def remove(self, grant: Grant, namespace: str, *, branch: str = MAIN) -> None:
        """Delete a memory; raises NotFound, Overloaded.

        Raises InvalidInput for a branch: it would delete the whole memory by mistake.
        """
        if branch != MAIN:
            raise InvalidInput("a branch cannot be deleted, only the whole memory: name no branch")
        grant.check(namespace, Scope.ADMIN)
        # All of it under the lock: no request may open the memory while it is removed.
        with self._lock:
            mine = [key for key in self._memories if key[0] == namespace]
            busy = any(self._memories[key].requests for key in mine)
            opening = any(key[0] == namespace for key in self._openings)
            if busy or opening or any(opened.namespace == namespace for opened in self._leaving):
                raise Overloaded("this memory is in use: try again when it is at rest")
            for key in mine:
                self._memories.pop(key).memory.close()
            self._kept = {key: old for key, old in self._kept.items() if key[0] != namespace}
            self.catalog.remove(namespace)

    def renew(self, open_memory: Opener, limiter: ConcurrencyLimiter | None = None) -> None:
        """Use another opener from now on; running requests finish with the memory they have.

        Traces stay, without the words of questions, so that earlier answers can be explained.
        """
        with self._lock:
            self._open, self._limiter = open_memory, limiter or ConcurrencyLimiter(math.inf)
            self._kept |= {key: opened.traces for key, opened in self._memories.items()}
            for traces in self._kept.values():
                traces.clear()  # while no memory is open, nothing tells of what others erase
            # Requests that run keep theirs; `_leave` closes it after the last of them.
            idle = [opened.memory for opened in self._memories.values() if not opened.requests]
            self._leaving += (opened for opened in self._memories.values() if opened.requests)
            self._memories.clear()
        for memory in idle:
            memory.close()

    def catch_up(self) -> None:
        """Let go of what other processes erased, also from memories that nobody uses."""
        with self._lock:
            memories = [opened.memory for opened in self._memories.values()]
        for memory in memories:
            with suppress(MagsError):  # closed meanwhile, or damaged, which the next request says
                inspect.catch_up(memory)

    def close(self) -> None:
        """Close every memory; none is opened afterwards."""
        with self._lock:
            self._closed = True
            memories = [*self._memories.values(), *self._leaving]
            self._memories.clear()
            self._leaving.clear()
        for opened in memories:
            opened.memory.close()
        self.catalog.close()

    def writable(self) -> bool:
        """Whether memories can be written, as it was when that was last tried."""
        now_s = time.monotonic()
        if now_s >= self._tried_s + TRIED_S:
            self._tried_s, self._writable = now_s, self.catalog.writable()
        return self._writable

    def __len__(self) -> int:
        return len(self._memories)

    # -- opening -----------------------------------------------------------------

    def _enter(self, key: tuple[str, str], tenant: str, *, make: bool) -> OpenMemory:
        with self._lock:
            self._opening_ended.wait_for(lambda: key not in self._openings)
            found = self._known(key)
            if found is not None:
                return found
            self._openings.add(key)
        try:
            opener = self._open
            opened = self._opened(key, opener, tenant, make=make)
            with self._lock:
                opened.requests += 1
                kept = not self._closed
                if kept and opener is self._open:
                    self._memories[key] = opened
                elif kept:  # renewed meanwhile: it closes with this request
                    self._leaving.append(opened)
            if not kept:
                opened.memory.close()
                raise Overloaded("the server is stopping: ask again when it is back")
            return opened
        finally:
            with self._lock:
                self._openings.remove(key)
                self._opening_ended.notify_all()

    def _leave(self, opened: OpenMemory) -> None:
        opened.held = inspect.held_bytes(opened.memory)
        with self._lock:
            opened.requests -= 1
            last = opened in self._leaving and not opened.requests
            if last:
                self._leaving.remove(opened)
            elif opened.made and not opened.requests and not self._closed:
                self._unmake(opened)
        if last:
            opened.memory.close()
        self._make_room(opened.tenant, 0)

    def _unmake(self, opened: OpenMemory) -> None:
        """Remove a memory that was created for requests that wrote nothing; needs the lock."""
        memory = opened.memory
        told = any(entry.kind != "ask" for entry in memory.log())
        opened.made = not (told or memory.snapshots() or len(memory.branches()) > 1)
        if not opened.made:
            return
        self._memories.pop((opened.namespace, MAIN))
        memory.close()
        self.catalog.remove(opened.namespace)

    def _known(self, key: tuple[str, str]) -> OpenMemory | None:
        """An open memory, counted as used by one more request; needs the lock."""
        if self._closed:
            raise Overloaded("the server is stopping: ask again when it is back")
        opened = self._memories.get(key)
        if opened is not None:
            self._memories.move_to_end(key)
            opened.requests += 1
        return opened

    def _opened(
        self, key: tuple[str, str], opener: Opener, tenant: str, *, make: bool
    ) -> OpenMemory:
        namespace, branch = key
        missing = NotFound(
            f"there is no memory {namespace!r}: the first turn that is observed makes it",
            namespace=namespace,
        )
        there = self.catalog.exists(namespace)
        if not there and not (make and branch == MAIN):
            raise missing
        self._make_room(tenant, 1)
        traces = self._kept.pop(key, None) or Traces(self._traces)
        with span("open"):
            try:
                store = self.catalog.open(namespace, branch)
            except StoreError as failure:
                if self.catalog.exists(namespace):
                    raise
                raise missing from failure  # it was removed meanwhile
            with closed_on_failure(store):
                memory = opener(store)
        return OpenMemory(
            memory=memory, traces=traces, namespace=namespace, made=not there, tenant=tenant
        )

    def _make_room(self, tenant: str, more: int) -> None:
        """Close the least used until so many more may be open, and while all take too much RAM.

        Of a tenant that has half of either, its own. Those in use are closed when they are left.
        """
        while True:
            with self._lock:
                held = sum(opened.held for opened in self._memories.values())
                too_many = len(self._memories) + more > self._most
                if not too_many and held <= self._most_bytes:
                    return
                idle = [key for key, opened in self._memories.items() if not opened.requests]
                own = [key for key in idle if self._memories[key].tenant == tenant]
                if not idle:
                    if more and too_many:
                        raise Overloaded(
                            f"{self._most} memories are in use at once: try again in a moment"
                        )
                    return
                own_bytes = sum(self._memories[key].held for key in own)
                half = 2 * len(own) >= self._most or 2 * own_bytes >= self._most_bytes
                leaving = self._memories.pop((own if half and own else idle)[0])
            # Outside the lock: closing may write a checkpoint.
            with span("evict"):
                leaving.memory.close()
