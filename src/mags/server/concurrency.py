"""The cores, shared fairly: as much work at a time as there are, and who has had least goes first.

More threads than cores finish nothing sooner: they take the interpreter from each other.

A tenant's processor time is counted up (start-time fair queueing: Goyal, Vin and Cheng,
SIGCOMM 1996). Long work is counted apart from the same tenant's short requests, and `HEAVY` times:
it gives its slot back between pieces (`mags.ports.pausing`) to whoever has had less. So one who
imports slows nobody who asks, and where nobody else asks it has all cores.

What a request will use is not known when it begins. What its tenant's requests usually use is
counted then, and the difference when it is done: or all that a tenant asks at once would begin
before any of it is counted.
"""

from __future__ import annotations

import asyncio
import math
import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from mags.models.cores import cores
from mags.ports.pausing import working

OVERTAKEN = 16
"""How many may overtake a thread that stepped aside."""
LIGHT_S, HEAVY = 0.1, 8.0
"""What a request may use (s) before it is long work, and how many times its time counts then."""
PIECE_S = 0.005
"""What is used (s) before a slot is given back."""
AHEAD_S = 2.0
"""By so much at most a tenant is behind the others for what it used before."""
ALIKE_S = 0.05
"""By so much (s) two tenants that ask alike differ."""
PATIENCE_S = 5.0
"""How long one waits between two pieces: whoever may hold a lock must come to an end of it. Then
one goes on out of turn, after twice as long a second one, and so on."""
NEWEST = 0.2
"""How much the last request of a tenant says of what its requests usually use."""
MOST_KNOWN = 10_000
"""Of so many tenants it is known what they used; of more, not of those that used least."""


class Work:
    """What one request does. `spent_s`: processor time so far, that of other threads for it too.

    `ahead_s`: what was counted for it when it began, before it was used; None: it has not begun.
    """

    __slots__ = (
        "_limiter",
        "_since_s",
        "ahead_s",
        "long",
        "overtaken",
        "spent_s",
        "tenant",
        "turn",
    )

    def __init__(self, limiter: ConcurrencyLimiter, tenant: str, *, long: bool = False) -> None:
        """`long`: it is known to take long before it has begun."""
        self._limiter, self.tenant, self.long = limiter, tenant, long
        self.spent_s, self._since_s, self.overtaken = 0.0, 0.0, 0
        self.ahead_s: float | None = None
        self.turn = threading.Lock()
        self.turn.acquire()  # held until its turn comes

    @property
    def account(self) -> tuple[str, bool]:
        """Where its time is counted: its tenant, and whether it is long work."""
        return self.tenant, self.long or self.spent_s > LIGHT_S

    def begin(self) -> None:
        """Count from here on, in this thread."""
        self._since_s = time.thread_time()

    def count(self) -> None:
        """Count what this thread has used since it was counted last."""
        now_s = time.thread_time()
        self.pay(now_s - self._since_s)
        self._since_s = now_s

    def helpers(self) -> int:
        """How many other threads may work for it: as many as there are slots that nobody has."""
        return int(min(self._limiter.spare, cores()))

    def pay(self, seconds: float) -> None:
        """Count what other threads have used for it; less than nothing where it worked for them."""
        account = self.account  # as it was while they were used
        self.spent_s += seconds
        self._limiter.charge(account, seconds)

    def pause(self) -> None:
        """Give the slot to one who has had less, after a piece of work."""
        if time.thread_time() - self._since_s >= PIECE_S:
            self.count()
            self._limiter.give_way(self)

    def leave(self) -> None:
        """Give the slot back."""
        self.count()
        self._limiter.release()

    def come_back(self) -> None:
        """Take a slot again."""
        self._limiter.acquire(self, PATIENCE_S)
        self.begin()


class ConcurrencyLimiter:
    """A number of slots; of those who find none, the one whose tenant has had least comes first.

    A thread with a slot may `step_aside` for work that is cheaper in a batch: others go first,
    until none of them has anything else to do, or until `wake` says that its work is done.
    """

    def __init__(self, slots: float | None = None) -> None:
        """`slots`: as many as this process may use cores when None; inf only counts."""
        self._free: float = cores() if slots is None else slots
        self._lock = threading.Lock()
        self._queue: list[Work] = []
        self._aside: deque[Work] = deque()
        self._mine = threading.local()
        self._had: OrderedDict[tuple[str, bool], float] = OrderedDict()
        self._usual: OrderedDict[str, float] = OrderedDict()
        self._level_s = 0.0

    @property
    def mine(self) -> Work | None:
        """The work of this thread, where it has a slot."""
        work: Work | None = getattr(self._mine, "work", None)
        return work

    @property
    def spare(self) -> float:
        """How many slots nobody has."""
        return max(self._free, 0)

    @property
    def waiting(self) -> int:
        """How many threads wait for a slot."""
        return len(self._queue) + len(self._aside)

    @contextmanager
    def slot(self, tenant: str = "", *, long: bool = False) -> Iterator[Work]:
        """A slot for the length of the block; the same one where this thread has one."""
        if self.mine is not None:
            yield self.mine
            return
        work = Work(self, tenant, long=long)
        self.acquire(work)
        self._mine.work = work
        work.begin()
        try:
            with working(work):
                yield work
        finally:
            self._mine.work = None
            work.count()
            self._end(work)

    def charge(self, account: tuple[str, bool], seconds: float) -> None:
        """Count what was used."""
        with self._lock:
            self._charge(account, seconds * (HEAVY if account[1] else 1.0))

    def acquire(self, work: Work, patience_s: float = -1.0) -> None:
        """Take a slot when it is its turn; after so long, out of turn (`PATIENCE_S`)."""
        with self._lock:
            self._charge(work.account, 0.0)
            if self._free > 0:
                self._free -= 1
                self._begin(work)
                return
            self._queue.append(work)
        self._wait(work, patience_s)

    def release(self) -> None:
        """Give a slot back."""
        with self._lock:
            self._next()

    def give_way(self, work: Work) -> None:
        """Hand the slot to one who has had less, and wait for another; returns with a slot."""
        with self._lock:
            self._charge(work.account, 0.0)
            others = [*self._queue, *self._aside]
            had_s = self._had_by(work) - (work.ahead_s or 0.0)  # this much of it is to come
            if not any(self._had_by(one) < had_s for one in others):
                return
            self._queue.append(work)
            self._next()
        self._wait(work, PATIENCE_S)
        work.begin()

    def step_aside(self, work: Work) -> None:
        """Let others have this thread's slot first; returns with a slot."""
        work.count()
        with self._lock:
            work.overtaken = 0
            self._aside.append(work)
            self._next()
        self._wait(work, PATIENCE_S)
        work.begin()

    def wake(self, works: Sequence[Work]) -> None:
        """Queue up those that stepped aside, in this order: what they waited for is done."""
        with self._lock:
            for work in works:
                if work in self._aside:
                    self._aside.remove(work)
                    self._queue.append(work)

    def _wait(self, work: Work, patience_s: float) -> None:
        waited = 0
        while not work.turn.acquire(timeout=patience_s):
            waited += 1
            with self._lock:
                if self._free <= -waited:
                    continue  # as many are out of turn: they may wait for what this one has
                if work in self._queue:
                    self._queue.remove(work)
                elif work in self._aside:
                    self._aside.remove(work)
                else:  # its turn has come just now
                    work.turn.acquire()
                    return
                self._free -= 1
                return

    def _begin(self, work: Work) -> None:
        """Count what it will use, as far as that is known; under the lock."""
        if work.ahead_s is None:
            before_s = max(self._had_by(work), self._level_s)
            self._charge(work.account, 0.0 if work.long else self._usual.get(work.tenant, 0.0))
            work.ahead_s = self._had_by(work) - before_s

    def _end(self, work: Work) -> None:
        """Give the slot back for good: what was counted is what it has used."""
        with self._lock:
            if not work.long:
                self._charge((work.tenant, False), -(work.ahead_s or 0.0))
                usual_s = self._usual.pop(work.tenant, 0.0)
                used_s = min(work.spent_s, LIGHT_S)  # more is counted as long work, as it is used
                self._usual[work.tenant] = usual_s + NEWEST * (used_s - usual_s)
                while len(self._usual) > MOST_KNOWN:
                    self._usual.popitem(last=False)
            self._next()

    def _charge(self, account: tuple[str, bool], seconds: float) -> None:
        """Nobody saves up what it did not use, nor is behind for long; under the lock."""
        had_s = max(self._had.pop(account, 0.0), self._level_s) + seconds
        self._had[account] = min(had_s, self._level_s + AHEAD_S)
        while len(self._had) > MOST_KNOWN:
            self._had.popitem(last=False)

    def _had_by(self, work: Work) -> float:
        return self._had.get(work.account, self._level_s)

    def _next(self) -> None:
        """Hand a slot on; under the lock."""
        if self._free < 0:
            self._free += 1
            return
        first = min(self._queue, key=self._had_by, default=None)
        aside = self._aside[0] if self._aside else None
        # Newcomers go first, but not for ever (see `OVERTAKEN`), and not if they have had more.
        if aside is not None and (
            first is None
            or aside.overtaken >= OVERTAKEN
            or self._had_by(first) > self._had_by(aside) + (0.0 if first.account[1] else ALIKE_S)
        ):
            self._aside.popleft().turn.release()
        elif first is not None:
            for one in self._aside:
                one.overtaken += 1
            self._queue.remove(first)
            self._level_s = max(self._level_s, self._had_by(first))
            self._begin(first)
            first.turn.release()
        else:
            self._free += 1


class Admission:
    """Requests that are let in, so many at a time. For one event loop.

    One tenant has never more than there is room for others, so that nobody can fill it; of those
    who wait, the one whose tenant has fewest comes first.
    """

    def __init__(self, most: int, waiting: int) -> None:
        """`most` are in at a time; so many may wait, shared by the same rule."""
        self._free, self._most_waiting = most, waiting
        self._inside = Counter[str]()
        self._queue: list[tuple[str, asyncio.Future[None]]] = []

    @property
    def waiting(self) -> int:
        """How many wait."""
        return len(self._queue)

    async def enter(self, tenant: str, patience_s: float) -> bool:
        """Wait to be let in; False where too many wait, or it took too long."""
        if not self._queue and self._fits(tenant):
            self._let_in(tenant)
            return True
        mine = sum(other == tenant for other, _ in self._queue)
        if len(self._queue) >= self._most_waiting or mine > self._most_waiting - len(self._queue):
            return False
        turn = asyncio.get_running_loop().create_future()
        self._queue.append((tenant, turn))
        self._next()
        let_in = False
        try:
            async with asyncio.timeout(patience_s):
                await turn
            let_in = True
        except TimeoutError:
            return False
        finally:
            if not let_in and turn.done() and not turn.cancelled():
                self.leave(tenant)  # let in while it gave up
            elif not let_in:
                self._queue.remove((tenant, turn))
        return True

    def leave(self, tenant: str) -> None:
        """One is done."""
        self._free += 1
        self._inside[tenant] -= 1
        if not self._inside[tenant]:
            del self._inside[tenant]
        self._next()

    def _fits(self, tenant: str) -> bool:
        return 0 < self._free >= self._inside[tenant]

    def _let_in(self, tenant: str) -> None:
        self._free -= 1
        self._inside[tenant] += 1

    def _next(self) -> None:
        while fitting := [one for one in self._queue if self._fits(one[0])]:
            first = min(fitting, key=lambda one: self._inside[one[0]])
            self._queue.remove(first)
            self._let_in(first[0])
            first[1].set_result(None)


class RateLimiter:
    """A token bucket for each name; of more than `most`, the least recently used are dropped.

    Work is paid for when it is done, so a bucket may be in debt. Safe in threads.
    """

    def __init__(self, rate: float, burst: float, *, most: int = 10_000) -> None:
        """`rate`: tokens per second; `burst`: capacity of a bucket."""
        self._rate, self._burst, self._most = rate, burst, most
        self._lock = threading.Lock()
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, name: str, now_s: float) -> float:
        """Take one token and return 0.0, or return the seconds until there is one."""
        with self._lock:
            level = self._level(name, now_s)
            enough = level >= 1.0
            self._levels[name] = (level - enough, now_s)
            return 0.0 if enough else (1.0 - level) / self._rate

    def wait(self, name: str, now_s: float) -> float:
        """The seconds until a bucket is out of debt."""
        if math.isinf(self._rate):
            return 0.0
        with self._lock:
            level = self._level(name, now_s)
            self._levels[name] = (level, now_s)
            return max(-level / self._rate, 0.0)

    def pay(self, name: str, tokens: float, now_s: float) -> None:
        """Take tokens for what was done, there or not."""
        if math.isinf(self._rate):
            return
        with self._lock:
            self._levels[name] = (self._level(name, now_s) - tokens, now_s)

    def _level(self, name: str, now_s: float) -> float:
        # Popped and set again, which moves the name to the recent end.
        level, then = self._levels.pop(name, (self._burst, now_s))
        while len(self._levels) >= self._most:
            self._levels.popitem(last=False)
        return min(self._burst, level + (now_s - then) * self._rate)
