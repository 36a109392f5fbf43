-- Vectors as pgvector's `halfvec`, so that what lies near a question is found over many memories
-- (`PostgresCatalog.nearest`). Those of encrypted memories stay sealed bytes, in no index.

CREATE EXTENSION IF NOT EXISTS vector;
DO $$
DECLARE found text[] := (SELECT string_to_array(extversion, '.') FROM pg_extension WHERE extname = 'vector');
BEGIN
    IF (found[1]::int, found[2]::int) < (0, 8) THEN
        RAISE feature_not_supported USING MESSAGE = 'pgvector 0.8 or newer is needed';
    END IF;
END $$;
SELECT set_config('search_path', extnamespace::regnamespace::text, true)
  FROM pg_extension WHERE extname = 'vector';

-- Whose memories a session sees does not matter here; the policies stay.
ALTER TABLE mags.memory NO FORCE ROW LEVEL SECURITY;
ALTER TABLE mags.fact NO FORCE ROW LEVEL SECURITY;
ALTER TABLE mags.content NO FORCE ROW LEVEL SECURITY;

-- By which embedder a memory's vectors are, where the planner can see it.
ALTER TABLE mags.memory ADD COLUMN embedder text;
CREATE FUNCTION mags.note_embedder() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE mags.memory SET embedder = NEW.value WHERE tenant = NEW.tenant AND id = NEW.memory;
    RETURN NULL;
END $$;
CREATE TRIGGER embedder AFTER INSERT OR UPDATE ON mags.fact
    FOR EACH ROW WHEN (NEW.name = 'embedder') EXECUTE FUNCTION mags.note_embedder();
UPDATE mags.memory SET embedder = fact.value FROM mags.fact
 WHERE (fact.tenant, fact.memory, fact.name) = (memory.tenant, memory.id, 'embedder');

DROP VIEW mags_memory.content;
ALTER TABLE mags.content RENAME COLUMN vector TO sealed;
ALTER TABLE mags.content ADD COLUMN vector halfvec;
ALTER TABLE mags.content ALTER COLUMN vector SET STATISTICS 0; -- as of all that can be erased

CREATE FUNCTION mags.halves(bytes bytea) RETURNS halfvec LANGUAGE sql AS $$
    SELECT array_agg(CASE WHEN bits & 32768 = 0 THEN 1 ELSE -1 END * CASE
               WHEN bits & 31744 = 0 THEN (bits & 1023) * 2.0 ^ -24
               ELSE (1024 + (bits & 1023)) * 2.0 ^ ((bits & 31744) / 1024 - 25) END ORDER BY i)::real[]::halfvec
      FROM (SELECT i, get_byte(bytes, 2 * i) + 256 * get_byte(bytes, 2 * i + 1) AS bits
              FROM generate_series(0, octet_length(bytes) / 2 - 1) AS i) AS halves
$$;
UPDATE mags.content SET vector = mags.halves(sealed), sealed = NULL
 WHERE sealed IS NOT NULL AND NOT EXISTS (
    SELECT FROM mags.fact
     WHERE (fact.tenant, fact.memory, fact.name) = (content.tenant, content.memory, 'sealed'));
DROP FUNCTION mags.halves;

-- Of the shipped embedder. Vectors of other lengths are compared one by one, unless the owner of the
-- tables makes such an index for them. Statistics are of lengths alone: they outlive what is erased.
CREATE INDEX content_near ON mags.content USING hnsw ((vector::halfvec(384)) halfvec_cosine_ops)
  WITH (m = 8, ef_construction = 32) WHERE vector_dims(vector) = 384;
ALTER INDEX mags.content_near ALTER COLUMN 1 SET STATISTICS 0;
CREATE STATISTICS mags.content_length ON vector_dims(vector) FROM mags.content;

DO $$
DECLARE one record;
BEGIN
    FOR one IN SELECT * FROM (VALUES ('content', 'vector'), ('sealed_content', 'sealed')) AS kinds (name, held)
    LOOP
        EXECUTE format(
            'CREATE VIEW mags_memory.%I WITH (security_invoker) AS'
            ' SELECT id, node, text, meta, %I AS vector FROM mags.content'
            ' WHERE tenant = current_setting(''mags.tenant'')'
            ' AND memory = current_setting(''mags.memory'')::bigint', one.name, one.held);
    END LOOP;
END $$;
CREATE FUNCTION mags_memory.length(halfvec) RETURNS integer LANGUAGE sql IMMUTABLE
    RETURN 2 * vector_dims($1);

ALTER TABLE mags.memory FORCE ROW LEVEL SECURITY;
ALTER TABLE mags.fact FORCE ROW LEVEL SECURITY;
ALTER TABLE mags.content FORCE ROW LEVEL SECURITY;
