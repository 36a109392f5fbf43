"""PostgreSQL: who sees what, writers of several processes, a server that dies, erasing, moving."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from fnmatch import fnmatchcase
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import mags
from mags.errors import (
    ConfigurationError,
    InvalidInput,
    MissingKey,
    NotFound,
    StoreBusy,
    StoreError,
)
from mags.graph.records import Content
from mags.models.embed.hashing import HashEmbedder
from mags.models.policy.rules.policy import RulePolicy
from mags.settings import Settings
from mags.store.sql import Vector, content_row
from mags.store.sqlite import SqliteStore
from tests.store.samples import checkpoint, keyring, note, same, seen, seqs
from tests.store.server import Place, postgres, shared

SERVER = postgres()  # skips all of these where there is none

import psycopg  # noqa: E402 - it may be missing where there is no server

from mags.store import postgres as module  # noqa: E402
from mags.store.postgres import (  # noqa: E402
    PostgresCatalog,
    PostgresStore,
    escaped,
    prepare,
    unescaped,
)

TABLES = (
    *("memory", "branch", "journal", "receipt", "content", "tokens", "forgotten"),
    *("checkpoint", "part", "mark", "fact", "counter"),
)
_numbers = count()


@pytest.fixture
def tenant() -> str:
    return f"tenant {next(_numbers)}"


@pytest.fixture
def catalog(tenant: str) -> Iterator[PostgresCatalog]:
    with closing(PostgresCatalog(shared().url, tenant, wait_s=0.3)) as catalog:
        yield catalog


def filled(store, word: str = "a word") -> None:
    """Put something into every table."""
    for i in (1, 2, 3):
        store.journal.append(note(i, f"{word} {i}", key=f"k{i}"))
    store.contents.put_vectors([1], [[1, 2]], [b"tokens"])
    store.points.save(checkpoint(store, 2, 1, 2))
    store.points.mark("here", 1, 0.0)
    store.contents.erase([3])
    store.points.save(checkpoint(store, 2, 1, 2))


# -- who sees what -----------------------------------------------------------------


def leaks(place: Place, mine: str, others: str) -> list[str]:
    """What the service's role can do, as one tenant, to the rows of another, or not to its own."""
    found = []
    with psycopg.connect(place.url, autocommit=True) as db:
        db.execute("SELECT set_config('mags.tenant', %s, false)", (mine,))
        for table in TABLES:
            (own,) = db.execute(f"SELECT count(*) FROM mags.{table}").fetchone()
            other = f"FROM mags.{table} WHERE tenant = %s"
            (seen,) = db.execute(f"SELECT count(*) {other}", (others,)).fetchone()
            with db.transaction(force_rollback=True):
                set_ = f"UPDATE mags.{table} SET tenant = tenant WHERE tenant = %s"
                changed = db.execute(set_, (others,)).rowcount
            with db.transaction(force_rollback=True):
                deleted = db.execute(f"DELETE {other}", (others,)).rowcount
            found += [f"no {table} of its own"] * (not own)
            found += [f"{table} of others"] * any((seen, changed, deleted))
        for told in ("DEFAULT", f"'{others}'"):
            try:
                with db.transaction(force_rollback=True):
                    db.execute("SELECT set_config('mags.memory', '1', true)")
                    db.execute(f"INSERT INTO mags.memory (tenant, name) VALUES ({told}, 'x')")
                    found += ["memory given to others"] * (told != "DEFAULT")
            except psycopg.errors.InsufficientPrivilege:
                found += ["no memory of its own"] * (told == "DEFAULT")
    return found


def test_no_tenant_sees_or_changes_what_is_anothers_and_without_the_policy_it_shows():
    place = postgres().place()
    for tenant in ("mine", "others"):
        with closing(PostgresStore.open(place.url, "alice", tenant=tenant)) as store:
            filled(store, tenant)
    assert leaks(place, "mine", "others") == []
    assert leaks(place, "others", "mine") == []
    with psycopg.connect(place.owner, autocommit=True) as owner:
        owner.execute("ALTER TABLE mags.content NO FORCE ROW LEVEL SECURITY")
        assert leaks(place, "mine", "others") == []  # it is not the owner
        owner.execute("DROP POLICY tenant ON mags.content")
        assert leaks(place, "mine", "others") == ["no content of its own"]
        owner.execute("ALTER TABLE mags.content DISABLE ROW LEVEL SECURITY")
        assert leaks(place, "mine", "others") == ["content of others"]
    # The store's own statements name their tenant and memory all the same.
    with closing(PostgresStore.open(place.url, "alice", tenant="mine")) as store:
        assert [c.text for c in store.contents.scan()] == ["mine 1", "mine 2"]


def test_every_table_is_behind_the_policy_and_belongs_to_somebody_else():
    with psycopg.connect(shared().url, autocommit=True) as db:
        rows = db.execute(
            "SELECT relname, relrowsecurity AND relforcerowsecurity,"
            " pg_has_role(current_user, relowner, 'MEMBER') FROM pg_class"
            " WHERE relnamespace = 'mags'::regnamespace AND relkind = 'r' AND relname <> 'version'"
        ).fetchall()
        role = db.execute(
            "SELECT rolsuper, rolbypassrls, rolcreaterole FROM pg_roles"
            " WHERE rolname = current_user"
        ).fetchone()
    assert sorted(rows) == sorted((table, True, False) for table in TABLES)
    assert role == (False, False, False)


def test_a_memory_of_the_same_name_is_another_one_for_each_tenant(catalog: PostgresCatalog):
    with (
        closing(catalog.open("alice")) as mine,
        closing(
            PostgresStore.open(shared().url, "alice", tenant=f"{catalog.tenant} too")
        ) as theirs,
    ):
        mine.journal.append(note(1, "mine"))
        assert seqs(theirs) == []
        assert mine.facts.get("secret") != theirs.facts.get("secret")


@pytest.mark.parametrize("what", ["superuser", "owner"])
def test_a_role_that_sees_too_much_is_refused(what: str):
    place = postgres().place()
    with psycopg.connect(place.owner, autocommit=True) as db:
        if what == "owner":
            db.execute("ALTER TABLE mags.memory OWNER TO mags")
        url = place.url if what == "owner" else place.owner
        with pytest.raises(ConfigurationError, match="superuser or owns"):
            PostgresStore.open(url, "alice", tenant="t")


def test_a_database_without_tables_or_with_newer_ones_is_told():
    place = postgres().place()
    with psycopg.connect(place.owner, autocommit=True) as db:
        db.execute("UPDATE mags.version SET number = number + 1")
        with pytest.raises(mags.NewerSchema, match="upgrade MAGS"):
            PostgresStore.open(place.url, "alice", tenant="t")
        db.execute("DROP SCHEMA mags CASCADE; DROP SCHEMA mags_memory CASCADE")
    with pytest.raises(StoreError, match="mags prepare"):
        PostgresStore.open(place.url, "alice", tenant="t")
    assert prepare(place.owner) == prepare(place.owner) == module.newest()
    PostgresStore.open(place.url, "alice", tenant="t").close()


def test_a_database_tells_its_size_and_whether_it_can_be_written(catalog: PostgresCatalog):
    assert catalog.size() > 0
    assert catalog.writable()
    catalog.close()
    assert not catalog.writable()


def test_memories_are_listed_and_removed(catalog: PostgresCatalog):
    for name in ("b", "a"):
        with closing(catalog.open(name)) as store:
            filled(store)
    assert catalog.names() == ["a", "b"]
    assert (catalog.exists("a"), catalog.exists("A")) == (True, False)
    kept = catalog.open("b")
    catalog.remove("b")
    with pytest.raises(NotFound):
        catalog.remove("b")
    with pytest.raises(StoreError, match="removed"):
        kept.journal.append(note(9))
    kept.close()
    assert catalog.names() == ["a"]


# -- texts -------------------------------------------------------------------------


@given(st.text(st.sampled_from("\x00\x1a01ab") | st.characters(codec="utf-8")))
def test_any_text_comes_back_as_it_was(text: str):
    assert unescaped(escaped(text)) == text
    assert "\x00" not in escaped(text)


def test_facts_and_snapshots_take_any_text(catalog: PostgresCatalog):
    with closing(catalog.open("a")) as store:
        store.facts.put("a\x00", "\x1a0\x00 日本 '; DROP TABLE mags.fact; --")
        assert store.facts.get("a\x00") == "\x1a0\x00 日本 '; DROP TABLE mags.fact; --"


# -- writers -----------------------------------------------------------------------


def backend(url: str) -> list[int]:
    """The server's processes that are in a transaction of a MAGS."""
    with psycopg.connect(url, autocommit=True) as db:
        return [
            pid
            for (pid,) in db.execute(
                "SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'mags %'"
                " AND state = 'idle in transaction'"
            )
        ]


def test_a_second_writer_waits_no_longer_than_told(catalog: PostgresCatalog):
    with (
        closing(catalog.open("a")) as one,
        closing(PostgresStore.open(shared().url, "a", tenant=catalog.tenant, wait_s=0.1)) as other,
    ):
        with one.writing():
            with pytest.raises(StoreBusy, match=r"more than 0\.1 s"):
                other.journal.append(note(1))
            assert seqs(other) == []  # readers are not blocked
        assert other.journal.append(note(1)) == 1
        assert seqs(one) == [1]


def lose(store: PostgresStore, meanwhile: Callable[[], object]) -> None:
    """Write in a transaction, do something in the middle of it, and write on."""
    with store.writing():
        store.journal.append(note(1, "lost"))
        meanwhile()
        store.journal.append(note(3, "lost"))


def test_a_writer_whose_connection_was_ended_commits_nothing(catalog: PostgresCatalog):
    with closing(catalog.open("a")) as store, closing(catalog.open("a")) as newer:

        def end() -> None:
            with psycopg.connect(shared().owner, autocommit=True) as db:
                for pid in backend(shared().owner):
                    db.execute("SELECT pg_terminate_backend(%s, 5000)", (pid,))
            assert newer.journal.append(note(2, "kept")) == 1

        with pytest.raises(StoreError, match="ended the connection"):
            lose(store, end)
        assert [c.text for c in store.contents.scan()] == ["kept"]
        assert store.journal.append(note(3, "kept")) == 2


def test_a_writer_that_was_paused_does_not_commit_over_a_newer_one(
    catalog: PostgresCatalog, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "PAUSED_S", 0.2)
    with (
        closing(PostgresStore.open(shared().url, "a", tenant=catalog.tenant)) as paused,
        closing(PostgresStore.open(shared().url, "a", tenant=catalog.tenant, wait_s=20)) as newer,
    ):
        with pytest.raises(StoreError, match="ended the connection"):
            # It waits until the server has ended the other.
            lose(paused, lambda: newer.journal.append(note(2, "kept")))
        assert [c.text for c in newer.contents.scan()] == ["kept"]


def test_a_lock_that_was_taken_over_shows_by_the_fence(catalog: PostgresCatalog):
    with closing(catalog.open("a")) as store:

        def take_over() -> None:  # as a newer writer does, whatever became of this one's lock
            with psycopg.connect(shared().owner, autocommit=True) as db:
                db.execute(
                    "UPDATE mags.memory SET fence = fence + 1 WHERE tenant = %s", (catalog.tenant,)
                )

        with pytest.raises(StoreError, match="took over"):
            lose(store, take_over)
        assert (seqs(store), list(store.contents.scan())) == ([], [])
        assert store.journal.append(note(1, "kept")) == 1


def test_many_processes_make_and_write_the_same_memory(catalog: PostgresCatalog, root: Path):
    script = (
        "import sys; from mags.store.postgres import PostgresStore as S;"
        "from tests.store.samples import note;"
        "s = S.open(sys.argv[1], 'a', tenant=sys.argv[2], wait_s=30);"
        "[s.journal.append(note(s.contents.next_id(1), 'a word')) for _ in range(15)];"
        "print(s.facts.get('secret')); s.close()"
    )
    command = [sys.executable, "-c", script, shared().url, catalog.tenant]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, cwd=root) for _ in range(2)]
    said = {process.communicate(timeout=60)[0] for process in processes}
    assert len(said) == 1
    with closing(catalog.open("a")) as store:
        assert seqs(store) == list(range(1, 31))
        assert [c.id for c in store.contents.scan()] == list(range(1, 31))
        store.check()


def until(true: Callable[[], object]) -> None:
    """Wait for it."""
    ends = time.monotonic() + 30.0
    while not true():
        assert time.monotonic() < ends, "it does not come true"
        time.sleep(0.01)


def test_readers_hear_of_commits_and_where_they_are_deaf_they_ask(
    catalog: PostgresCatalog, monkeypatch: pytest.MonkeyPatch
):
    hearing = PostgresCatalog(shared().url, catalog.tenant, listens=True)
    with (
        closing(hearing),
        closing(catalog.open("a")) as writer,
        closing(hearing.open("a")) as reader,
    ):
        until(hearing.hearing)
        assert reader.journal.head() == 0
        writer.journal.append(note(1))
        until(lambda: reader.journal.head() == 1)
        with monkeypatch.context() as patch:
            patch.setattr(hearing, "connection", None)
            assert reader.journal.head() == 1  # without asking
        reader.journal.append(note(2))
        assert reader.journal.head() == 2  # its own are seen at once
        with psycopg.connect(shared().owner, autocommit=True) as db:
            db.execute("NOTIFY mags, 'of another program'")
            db.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                " WHERE query LIKE 'LISTEN%' OR query = 'SELECT 1'"
            )
        until(lambda: not hearing.hearing())
        writer.journal.append(note(3))
        assert reader.journal.head() == 3  # by sequence
        until(hearing.hearing)
        writer.journal.append(note(4))
        until(lambda: reader.journal.head() == 4)


def test_a_forked_process_is_told_to_open_the_memory_again(catalog: PostgresCatalog):
    with closing(catalog.open("a")) as store:
        pid = os.fork()
        if not pid:
            try:
                store.journal.head()
            except StoreError as failure:
                os._exit(0 if "fork" in str(failure) else 1)
            os._exit(2)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def answers(store: PostgresStore) -> bool:
    """Whether the store has found a server that is back."""
    try:
        store.journal.head()
    except StoreError:
        return False
    return True


# -- a server that dies --------------------------------------------------------------


def test_a_killed_server_loses_nothing_acknowledged_and_the_store_goes_on():
    server = postgres()
    place = server.place()
    with closing(PostgresStore.open(place.url, "a", tenant="t", wait_s=0.5)) as store:
        acknowledged: list[int] = []
        failures: list[StoreError] = []

        def write() -> None:
            try:
                while True:
                    node = store.contents.next_id(1)
                    store.journal.append(note(node, f"word {node}", key=f"k{node}"))
                    acknowledged.append(node)
            except StoreError as failure:
                failures.append(failure)

        for _ in range(2):
            before = len(acknowledged)
            writer = threading.Thread(target=write)
            writer.start()
            while len(acknowledged) < before + 20 and writer.is_alive():
                time.sleep(0.01)
            server.kill()
            writer.join(30.0)
            with pytest.raises(StoreError, match="try again when it is back"):
                store.journal.head()
            server.start()
            until(lambda: answers(store))
            store.check()
            words = {content.id: content.text for content in store.contents.scan()}
            assert [n for n in acknowledged if words.get(n) != f"word {n}"] == []
            assert [n for n in acknowledged if store.journal.find_key(f"k{n}") is None] == []
        assert len(failures) == 2
        assert len(acknowledged) >= 40
        assert store.journal.append(note(9999, "after")) == len(seqs(store))


CLEANING = (
    "VACUUM FULL mags.content, mags.tokens, mags.journal, mags.receipt, mags.checkpoint, mags.part"
)
"""What docs/server.md tells the owner to run."""


# -- erasing ---------------------------------------------------------------------------


def in_files(word: bytes) -> list[str]:
    """The server's files that hold these bytes."""
    data = postgres().data
    return [
        str(file.relative_to(data))
        for file in data.rglob("*")
        if file.is_file() and word in file.read_bytes()
    ]


def test_what_is_erased_is_in_no_table_and_after_a_rewrite_in_no_file():
    place = postgres().place()
    with closing(PostgresStore.open(place.url, "a", tenant="t")) as store:
        for i in range(1, 40):
            store.journal.append(note(i, f"quokka-{i % 3} " * 20))
        with psycopg.connect(place.owner, autocommit=True) as db:
            db.execute("ANALYZE")  # the planner must keep no samples of words
        assert store.contents.erase(range(1, 40, 3)) == 13
        assert not [c for c in store.contents.scan() if "quokka-1" in c.text]
    with psycopg.connect(place.owner, autocommit=True) as db:
        assert in_files(b"quokka-1")
        db.execute(CLEANING)
        for _ in range(2):  # old segments of the log go with the second checkpoint
            db.execute("CHECKPOINT")
            db.execute("SELECT pg_switch_wal()")
    held = in_files(b"quokka-1")
    assert [file for file in held if "pg_wal" not in file] == []
    assert in_files(b"quokka-2")


# -- what lies near ----------------------------------------------------------------------

RNG = np.random.default_rng(7)
NAMES = ("ana", "anton", "bo", "team-a", "team-b")


def near_one_of(middles: np.ndarray, count: int) -> np.ndarray:
    """Unit vectors, each near one of some others, as those of texts lie."""
    rows = middles[RNG.integers(0, len(middles), count)]
    rows = rows + RNG.normal(size=rows.shape) * 0.8
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float16)


def put(store: PostgresStore, vectors: np.ndarray, embedder: str = "e") -> None:
    """Give a memory contents with these vectors."""
    store.facts.put("embedder", embedder)
    contents = [Content(id=i, node=i, text="a", vector=v) for i, v in enumerate(vectors, 1)]
    with store.writing() as db:
        rows = [content_row(one, store._branch.sealer) for one in contents]
        db.executemany("INSERT INTO content VALUES (?, ?, ?, ?, ?)", rows)


@pytest.fixture(scope="module")
def known(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresCatalog]:
    """Memories that all hold the same."""
    keys, at = keyring(tmp_path_factory.mktemp("keys")), {"url": shared().url, "tenant": "near"}
    vectors = near_one_of(RNG.normal(size=(4, 384)), 5)
    with (
        closing(PostgresCatalog(**at)) as catalog,
        closing(PostgresCatalog(**at | {"tenant": "near too"})) as others,
        closing(PostgresCatalog(**at, keyring=keys)) as sealing,
    ):
        for place, name, embedder in (
            *((catalog, name, "e") for name in NAMES),
            (catalog, "ana-other", "another embedder"),
            (others, "ana-theirs", "e"),
            (sealing, "ana-sealed", "e"),
        ):
            with closing(place.open(name)) as store:
                put(store, vectors, embedder)
        yield catalog


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(st.sampled_from((*NAMES, "a*", "an*", "team-*", "*", "none*")), max_size=3),
    st.integers(1, 6),
)
def test_only_memories_of_the_tenant_with_the_embedder_and_such_names_are_found(
    known: PostgresCatalog, patterns: list[str], most: int
):
    found = known.nearest(RNG.normal(size=384), "e", patterns, most)
    fit = [name for name in NAMES if any(fnmatchcase(name, one) for one in patterns)]
    assert len(found) == len(set(found)) == min(most, len(fit))
    assert set(found) <= set(fit)


def test_what_the_index_finds_is_what_is_nearest_also_where_most_is_anothers():
    place, middles = postgres().place(), RNG.normal(size=(40, 384))
    each = {"mine": near_one_of(middles, 180), "others": near_one_of(middles, 1620)}
    for tenant, vectors in each.items():
        with closing(PostgresCatalog(place.url, tenant)) as catalog:
            for n, some in enumerate(np.split(vectors, 60)):
                with closing(catalog.open(f"m{n:02}")) as store:
                    put(store, some)
    with psycopg.connect(place.owner, autocommit=True) as db:
        db.execute("ANALYZE")
        for way in ("sort", "bitmapscan", "seqscan"):  # the others, as it is so small
            db.execute(f"ALTER ROLE mags SET enable_{way} = off")
    same = total = 0
    try:
        with closing(PostgresCatalog(place.url, "mine")) as catalog:
            with catalog.connection() as db:
                plan = "EXPLAIN " + module.NEAREST.format(n=384, compared=module.COMPARED)
                asked = Vector(near_one_of(middles, 1)[0].tobytes())
                told = db.execute(plan, (asked, "mine", "e", [], [""], 16)).fetchall()
            assert "content_near" in str(told)
            for asked in near_one_of(middles, 20):
                far = -(each["mine"].astype(np.float32) @ asked.astype(np.float32))
                order = far.reshape(60, -1).min(axis=1).argsort()
                found = catalog.nearest(asked, "e", ["*"], 10)
                same += len({f"m{n:02}" for n in order[:10]} & set(found))
                total += 10
                assert found[0] == f"m{order[0]:02}"
    finally:
        with psycopg.connect(place.owner, autocommit=True) as db:
            db.execute("ALTER ROLE mags RESET ALL")
    assert same >= 0.97 * total


def test_what_is_erased_lies_near_nothing_and_after_a_rewrite_in_no_file():
    place = postgres().place()
    vectors = near_one_of(RNG.normal(size=(4, 384)), 6)
    with closing(PostgresCatalog(place.url, "t")) as catalog, closing(catalog.open("a")) as store:
        put(store, vectors)
        with psycopg.connect(place.owner, autocommit=True) as db:
            db.execute("ANALYZE; CHECKPOINT")
            assert in_files(vectors[1].tobytes())
            store.contents.erase([2, 3])
            held = "SELECT count(vector) FROM mags.content"
            assert db.execute(held).fetchone() == (4,)
            db.execute(CLEANING)
            db.execute("CHECKPOINT")
        assert [file for file in in_files(vectors[1].tobytes()) if "pg_wal" not in file] == []
        assert in_files(vectors[0].tobytes())
        store.contents.erase([1, 4, 5, 6])
        assert catalog.nearest(vectors[0], "e", ["*"], 5) == []


def test_vectors_of_an_older_database_stay_what_they_are_and_sealed_ones_sealed():
    shared()  # so that the role that serves is there
    halves = np.arange(65536, dtype=np.uint16).view(np.float16)
    vectors = halves[np.isfinite(halves)].reshape(16, -1)
    place = postgres().place(1)
    with psycopg.connect(place.owner) as db:
        db.execute("SELECT set_config('mags.tenant', 't', true)")
        for n, name in enumerate(("plain", "sealed"), 1):
            db.execute("INSERT INTO mags.memory (name) VALUES (%s)", (name,))
            db.execute("SELECT set_config('mags.memory', %s, true)", (str(n),))
            db.execute("INSERT INTO mags_memory.branch VALUES (1, 'main', NULL, 0, 0)")
            db.execute("INSERT INTO mags_memory.fact VALUES ('embedder', 'e')")
            rows = [(i, i, "a", "{}", one.tobytes()) for i, one in enumerate(vectors)]
            with db.cursor() as cursor:
                into = "INSERT INTO mags_memory.content VALUES (%s, %s, %s, %s, %s)"
                cursor.executemany(into, rows)
        db.execute("INSERT INTO mags_memory.fact VALUES ('sealed', 'its key')")
    with pytest.raises(StoreError, match="mags prepare"):
        PostgresStore.open(place.url, "plain", tenant="t")
    assert prepare(place.owner) == module.newest()
    with closing(PostgresStore.open(place.url, "plain", tenant="t")) as store:
        assert np.array_equal([one.vector for one in store.contents.scan()], vectors)
    with psycopg.connect(place.owner) as db:
        db.execute("SELECT set_config('mags.tenant', 't', true)")
        sealed = "SELECT count(vector), count(sealed) FROM mags.content WHERE memory = 2"
        assert db.execute(sealed).fetchone() == (0, 16)
        told = db.execute("SELECT DISTINCT embedder FROM mags.memory").fetchall()
        assert told == [("e",)]


# -- moving ----------------------------------------------------------------------------


def all_of(store) -> list[object]:
    """All that a store tells of itself, but for what its files take."""
    sizes = {name: n for name, n in store.facts.size().items() if name != "bytes"}
    return [
        seen(store.journal.since(0)),
        [
            (c.id, c.node, c.text, c.meta, None if c.vector is None else c.vector.tobytes())
            for c in store.contents.scan()
        ],
        store.contents.tokens(range(12)),
        [store.journal.find_key(f"k{i}") for i in range(8)],
        store.points.marks(),
        store.facts.branches(),
        store.facts.forgotten().tolist(),
        [store.facts.get(name) for name in ("secret", "embedder", "a")],
        {name: sizes[name] for name in ("journal", "contents", "checkpoints", "forgotten")},
    ]


def test_a_memory_is_moved_there_and_back_and_nothing_is_lost(
    catalog: PostgresCatalog, tmp_path: Path
):
    with (
        closing(SqliteStore.open(tmp_path / "a.mags")) as old,
        closing(catalog.open("a")) as new,
        closing(SqliteStore.open(tmp_path / "b.mags")) as back,
    ):
        filled(old)
        old.facts.put("a", "\x00\x1a")
        child = old.fork("child", 5.0)
        child.journal.append(note(7, "on a branch \x00", key="k7"))
        child.points.mark("there", child.journal.head(), 3.0)
        old.points.save(checkpoint(old, 3, 1))
        old.journal.append(note(8))
        old.points.save(checkpoint(old, old.journal.head(), 1))
        taken = old.contents.next_id(100)
        old.copy_to(new)
        new.copy_to(back)
        for copy in (new, back):
            assert all_of(copy) == all_of(old)
            assert same(copy.points.load(), old.points.load())
            copy.check()
        for place in (
            catalog.open("a", "child"),
            SqliteStore.open(tmp_path / "b.mags", branch="child"),
        ):
            with closing(place):
                assert all_of(place) == all_of(child)
        child.close()
        assert new.contents.next_id(1) == taken + 100
        with pytest.raises(InvalidInput, match="must be new"):
            back.copy_to(new)


def test_an_encrypted_memory_is_moved_sealed_and_removed_with_its_key(tenant: str, tmp_path: Path):
    keys, place = keyring(tmp_path / "keys"), shared()
    with (
        closing(PostgresCatalog(place.url, tenant, keyring=keys)) as known,
        closing(PostgresCatalog(place.url, tenant)) as unknowing,
    ):
        with (
            closing(SqliteStore.open(tmp_path / "a.mags", keyring=keys)) as old,
            closing(unknowing.open("a")) as new,
        ):
            filled(old)
            old.copy_to(new)
            before = all_of(old)
        with pytest.raises(MissingKey):
            unknowing.open("a")
        with closing(known.open("a")) as moved:
            assert all_of(moved) == before
            moved.check()
        known.remove("a")
        with pytest.raises(MissingKey):
            SqliteStore.open(tmp_path / "a.mags", keyring=keys)


# -- as a memory ---------------------------------------------------------------------


def opened(place: Place, name: str, **named):
    return mags.open(
        place.url,
        memory=name,
        settings=Settings(),
        embedder=HashEmbedder(),
        policy=RulePolicy(),
        **named,
    )


def test_a_memory_in_a_database_answers_like_any_other(tenant: str):
    place = shared()
    with opened(place, "alice", tenant=tenant) as memory:
        memory.observe("I live in Bergen.", speaker="Alice", at="2024-03-04")
        memory.snapshot("before")
        with opened(place, "alice", tenant=tenant) as other:
            other.observe("I moved to Oslo!", speaker="Alice", at="2024-05-06")
        assert "Oslo" in memory.ask("Where does Alice live?").text
        assert "Bergen" in memory.ask("Where does Alice live?", as_of="2024-04-01").text
        memory.sleep()
        memory.rollback("before")
    with opened(place, "alice", tenant=tenant, read_only=True) as memory:
        assert "Bergen" in memory.ask("Where does Alice live?").text
    with opened(place, "alice") as memory:  # of the tenant "default"
        assert sum(memory.stats().nodes.values()) == 0


def test_what_is_said_of_a_database_must_name_the_memory(tmp_path: Path):
    with pytest.raises(InvalidInput, match="which memory"):
        mags.open("postgresql://localhost/db")
    with pytest.raises(InvalidInput, match="leave it out"):
        mags.open(tmp_path / "a.mags", memory="alice")
    with pytest.raises(StoreError, match="cannot be reached"):
        mags.open(f"postgresql:///db?host={tmp_path}", memory="alice", wait_s=0.2)
