-- What each SQLite file holds, for all memories in the same tables. Run by their owner.
--
-- `mags.*` are the tables. Row-level security shows of them what belongs to the tenant that the
-- session names in `mags.tenant`, to their owner as well. `mags_memory.*` are the same tables as one
-- memory's file has them: views of the memory that the transaction names in `mags.memory`.

CREATE SCHEMA mags;
CREATE SCHEMA mags_memory;

CREATE TABLE mags.version (number integer NOT NULL);

CREATE TABLE mags.memory (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant text NOT NULL DEFAULT current_setting('mags.tenant') CHECK (tenant <> ''),
    name text NOT NULL CHECK (name <> ''),
    fence bigint NOT NULL DEFAULT 0,    -- grows with each transaction that writes to the memory
    UNIQUE (tenant, name),
    UNIQUE (tenant, id)
);

-- Of which memory a row is. The columns come last, so that the others are in SQLite's order.
CREATE TABLE mags.owned (
    tenant text NOT NULL DEFAULT current_setting('mags.tenant'),
    memory bigint NOT NULL DEFAULT current_setting('mags.memory')::bigint
);

CREATE TABLE mags.branch (
    id bigint NOT NULL,
    name text NOT NULL,
    parent bigint,
    after bigint NOT NULL,
    recorded_at double precision NOT NULL,
    LIKE mags.owned INCLUDING DEFAULTS,
    PRIMARY KEY (tenant, memory, id),
    UNIQUE (tenant, memory, name),
    FOREIGN KEY (tenant, memory, parent) REFERENCES mags.branch (tenant, memory, id)
);

CREATE TABLE mags.journal (
    seq bigint NOT NULL,
    branch bigint NOT NULL,
    kind text NOT NULL,
    delta bytea NOT NULL,
    LIKE mags.owned INCLUDING DEFAULTS,
    PRIMARY KEY (tenant, memory, seq)
);
CREATE INDEX ON mags.journal (tenant, memory, branch, seq);

CREATE TABLE mags.receipt (
    branch bigint NOT NULL,
    key text NOT NULL,
    seq bigint NOT NULL,
    delta bytea,
    LIKE mags.owned INCLUDING DEFAULTS,
    PRIMARY KEY (tenant, memory, branch, key)
);

CREATE TABLE mags.content (
    id bigint NOT NULL,
    node bigint NOT NULL,
    text text NOT NULL,
    meta text NOT NULL,
    vector bytea,
    LIKE mags.owned INCLUDING DEFAULTS,
    PRIMARY KEY (tenant, memory, id)
);
CREATE INDEX ON mags.content (tenant, memory, node);

CREATE TABLE mags.tokens (
    content bigint NOT NULL,
    bytes bytea NOT NULL,
    LIKE mags.owned INCLUDING DEFAULTS,
    PRIMARY KEY (tenant, memory, content),
    FOREIGN KEY (tenant, memory, content) REFERENCES mags.content (tenant, memory, id)
        ON DELETE CASCADE
);

CREATE TABLE mags.forgotten (
    node bigint NOT NULL,
    LIKE mags.owned INCLUDING DEFAULTS,
    PRIMARY KEY (tenant, memory, node)
);

CREATE TABLE mags.checkpoint (
    branch bigint NOT NULL,
    seq bigint NOT NULL,
    tick bigint NOT NULL,
    arrays text NOT NULL,
    LIKE mags.owned INCLUDING DEFAULTS,
    PRIMARY KEY (tenant, memory, branch)
);

CREATE TABLE mags.part (
    id bigint NOT NULL,
    branch bigint NOT NULL,
    "array" bigint NOT NULL,
    checksum bigint NOT NULL,
    bytes bytea NOT NULL,
    LIKE mags.owned INCLUDING DEFAULTS,
    PRIMARY KEY (tenant, memory, id),
    FOREIGN KEY (tenant, memory, branch) REFERENCES mags.checkpoint (tenant, memory, branch)
        ON DELETE CASCADE
);
ALTER TABLE mags.part ALTER COLUMN bytes SET STORAGE EXTERNAL; -- vectors do not become smaller
CREATE INDEX ON mags.part (tenant, memory, branch);

CREATE TABLE mags.mark (
    branch bigint NOT NULL,
    name text NOT NULL,
    seq bigint NOT NULL,
    recorded_at double precision NOT NULL,
    LIKE mags.owned INCLUDING DEFAULTS,
    PRIMARY KEY (tenant, memory, branch, name)
);

CREATE TABLE mags.fact (
    name text NOT NULL,
    value text NOT NULL,
    LIKE mags.owned INCLUDING DEFAULTS,
    PRIMARY KEY (tenant, memory, name)
);

CREATE TABLE mags.counter (
    name text NOT NULL,
    value bigint NOT NULL,
    LIKE mags.owned INCLUDING DEFAULTS,
    PRIMARY KEY (tenant, memory, name)
);

DROP TABLE mags.owned;

DO $$
DECLARE one record;
BEGIN
    FOR one IN
        SELECT table_name AS name, string_agg(quote_ident(column_name), ', ' ORDER BY ordinal_position)
                   FILTER (WHERE column_name NOT IN ('tenant', 'memory')) AS columns
          FROM information_schema.columns
         WHERE table_schema = 'mags' AND table_name <> 'version'
         GROUP BY table_name
    LOOP
        EXECUTE format(
            'ALTER TABLE mags.%1$I ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY;'
            'CREATE POLICY tenant ON mags.%1$I USING (tenant = current_setting(''mags.tenant''))',
            one.name);
        CONTINUE WHEN one.name = 'memory';
        EXECUTE format(
            'ALTER TABLE mags.%1$I ADD FOREIGN KEY (tenant, memory)'
            ' REFERENCES mags.memory (tenant, id) ON DELETE CASCADE;'
            'CREATE VIEW mags_memory.%1$I WITH (security_invoker) AS SELECT %2$s FROM mags.%1$I'
            ' WHERE tenant = current_setting(''mags.tenant'')'
            ' AND memory = current_setting(''mags.memory'')::bigint',
            one.name, one.columns);
    END LOOP;
END $$;

-- The planner keeps samples of what stands in a column, and would so keep what is erased from it.
DO $$
DECLARE one record;
BEGIN
    FOR one IN
        SELECT table_name AS name, column_name AS "column" FROM information_schema.columns
         WHERE table_schema = 'mags' AND table_name <> 'memory' AND column_name <> 'tenant'
           AND data_type IN ('text', 'bytea')
    LOOP
        EXECUTE format('ALTER TABLE mags.%I ALTER COLUMN %I SET STATISTICS 0', one.name, one.column);
    END LOOP;
END $$;

CREATE FUNCTION mags.next_part() RETURNS bigint LANGUAGE sql
    AS 'SELECT coalesce(max(id), 0) + 1 FROM mags_memory.part';
ALTER TABLE mags.part ALTER COLUMN id SET DEFAULT mags.next_part();
