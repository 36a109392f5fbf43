"""Whatever is done to them, SqliteStore and PostgresStore are like RamStore, also reopened."""

import atexit
import tempfile
from functools import cache
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
from hypothesis import settings
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from mags.errors import InvalidInput, MagsError
from mags.ports.store import Catalog, Store
from mags.store.ram import RamStore
from mags.store.sqlite import SqliteStore
from tests.store.samples import checkpoint, failing_block, keyring, note, same, seen
from tests.store.server import shared

nodes = st.integers(1, 12)
keys = st.none() | st.sampled_from(["k1", "k2", "k3"])
names = st.sampled_from(["main", "one", "two", "three"])
seqs = st.integers(0, 25)


class Alike(RuleBasedStateMachine):
    """Does the same to both and compares what comes back, errors included."""

    encrypted = False

    @initialize()
    def open(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name, "a.mags")
        self.keys = keyring(Path(self.folder.name, "keys")) if self.encrypted else None
        self.ram: dict[str, Store] = {"main": RamStore()}
        self.disk: dict[str, Store] = {"main": self.opened("main")}
        self.at = "main"

    def opened(self, branch: str) -> Store:
        return SqliteStore.open(self.path, branch=branch, keyring=self.keys)

    def both(self, act):
        """The result of an act on the current branch of both, or the kind of its error."""
        results = []
        for store in (self.ram[self.at], self.disk[self.at]):
            try:
                results.append(act(store))
            except MagsError as failure:
                results.append(type(failure))
        assert results[0] == results[1]
        return results[0]

    @rule(node=nodes, text=st.none() | st.text(max_size=5), key=keys, after=st.integers(0, 12))
    def append(self, node, text, key, after):
        self.both(lambda store: store.journal.append(note(node, text, key=key, after=after)))

    @rule(node=nodes, key=keys)
    def fail(self, node, key):
        for store in (self.ram[self.at], self.disk[self.at]):
            with failing_block(store):
                store.contents.next_id(2)
                store.contents.erase([node])
                store.points.mark("lost", 0, 0.0)
                try:
                    store.journal.append(note(node + 20, "lost", key=key))
                except InvalidInput:
                    continue

    @rule(node=nodes, key=keys)
    def write_together(self, node, key):
        def act(store):
            with store.writing():
                first = store.contents.next_id(3)
                return first, store.journal.append(note(node, "together", key=key))

        self.both(act)

    @rule(chosen=st.lists(nodes, max_size=3))
    def erase(self, chosen):
        self.both(lambda store: store.contents.erase(chosen))

    @rule(seq=seqs, holds=st.lists(nodes, max_size=2))
    def save(self, seq, holds):
        self.both(lambda store: store.points.save(checkpoint(store, seq, *holds)))

    @rule(seq=seqs)
    def compact(self, seq):
        self.both(lambda store: store.journal.compact(seq))

    @rule(name=st.sampled_from(["a", "b"]), seq=seqs)
    def mark(self, name, seq):
        self.both(lambda store: store.points.mark(name, seq, float(seq)))

    @rule(name=names)
    def fork(self, name):
        for stores in (self.ram, self.disk):
            if name not in stores:
                stores[name] = stores[self.at].fork(name, 1.0)

    @rule(name=names)
    def move(self, name):
        if name in self.ram:
            self.at = name

    @rule(chosen=st.lists(nodes, max_size=2, unique=True), tokens=st.sampled_from([b"", b"words"]))
    def embed(self, chosen, tokens):
        vectors, words = np.ones((len(chosen), 4), np.float16), [tokens] * len(chosen)
        self.both(lambda store: store.contents.put_vectors(chosen, vectors, words))

    @rule()
    def reopen(self):
        for store in self.disk.values():
            store.close()
        self.disk = {name: self.opened(name) for name in self.disk}

    @rule(after=seqs, key=keys.filter(bool), chosen=st.lists(nodes, max_size=3))
    def read(self, after, key, chosen):
        self.both(lambda store: seen(store.journal.since(after)))
        self.both(lambda store: store.journal.find_key(key))
        self.both(lambda store: store.contents.get(chosen))
        self.both(lambda store: store.contents.tokens(chosen))
        self.both(lambda store: [(c.id, c.text) for c in store.contents.scan(chosen)])

    @invariant()
    @precondition(lambda self: hasattr(self, "ram"))
    def alike(self):
        ram, disk = self.ram[self.at], self.disk[self.at]
        assert seen(ram.journal.since(0)) == seen(disk.journal.since(0))
        assert ram.journal.head() == disk.journal.head()
        assert same(ram.points.load(), disk.points.load())
        assert ram.points.marks() == disk.points.marks()
        assert ram.facts.branches() == disk.facts.branches()
        assert ram.facts.forgotten().tolist() == disk.facts.forgotten().tolist()
        pairs = zip(ram.contents.scan(), disk.contents.scan(), strict=True)
        assert all(
            (a.id, a.node, a.text, a.meta, a.vector.tobytes())
            == (b.id, b.node, b.text, b.meta, b.vector.tobytes())
            for a, b in pairs
        )

    def teardown(self):
        if hasattr(self, "disk"):
            for store in self.disk.values():
                store.check()
                store.close()
            self.folder.cleanup()


class AlikeInPostgres(Alike):
    """The same, in a database."""

    def __init__(self) -> None:
        catalog()  # skips it before it begins where there is no server
        super().__init__()

    def opened(self, branch: str) -> Store:
        return catalog().open(self.path.parent.name, branch)


@cache
def catalog() -> Catalog:
    place = shared()
    from mags.store.postgres import PostgresCatalog

    found = PostgresCatalog(place.url, "alike")
    atexit.register(found.close)
    return found


TestAlike = Alike.TestCase
TestAlikeInPostgres = AlikeInPostgres.TestCase
TestAlikeInPostgres.settings = settings(max_examples=5, stateful_step_count=25)
TestAlike.settings = settings(stateful_step_count=25)


class Encrypted(Alike):
    """The same of an encrypted file."""

    encrypted = True


TestEncrypted = Encrypted.TestCase
TestEncrypted.settings = settings(max_examples=20, stateful_step_count=25)
