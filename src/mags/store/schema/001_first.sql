-- Ids, numbers and hashes everywhere but in `content`, which holds every word and vector.

CREATE TABLE branch (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    parent INTEGER REFERENCES branch,
    after INTEGER NOT NULL,             -- it sees its parent's entries up to this one
    recorded_at REAL NOT NULL
) STRICT;

CREATE TABLE journal (
    seq INTEGER PRIMARY KEY,            -- grows over all branches; the last row is never deleted
    branch INTEGER NOT NULL REFERENCES branch,
    kind TEXT NOT NULL,
    delta BLOB NOT NULL                 -- see mags.graph.codec
) STRICT;
CREATE INDEX journal_by_branch ON journal (branch, seq);

CREATE TABLE receipt (
    branch INTEGER NOT NULL REFERENCES branch,
    key TEXT NOT NULL,
    seq INTEGER NOT NULL,
    delta BLOB,                         -- without images; set when the entry is folded
    PRIMARY KEY (branch, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE content (
    id INTEGER PRIMARY KEY,
    node INTEGER NOT NULL,
    text TEXT NOT NULL,
    meta TEXT NOT NULL,                 -- JSON
    vector BLOB                         -- float16, little-endian
) STRICT;
CREATE INDEX content_by_node ON content (node);

CREATE TABLE forgotten (
    node INTEGER PRIMARY KEY
) STRICT;

CREATE TABLE checkpoint (
    branch INTEGER PRIMARY KEY REFERENCES branch,
    seq INTEGER NOT NULL,
    tick INTEGER NOT NULL,
    arrays TEXT NOT NULL                -- names, dtypes and shapes, JSON
) STRICT;

CREATE TABLE part (
    id INTEGER PRIMARY KEY,
    branch INTEGER NOT NULL REFERENCES checkpoint ON DELETE CASCADE,
    array INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    bytes BLOB NOT NULL
) STRICT;
CREATE INDEX part_by_branch ON part (branch);

CREATE TABLE mark (
    branch INTEGER NOT NULL REFERENCES branch,
    name TEXT NOT NULL,
    seq INTEGER NOT NULL,
    recorded_at REAL NOT NULL,
    PRIMARY KEY (branch, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE fact (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE counter (
    name TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

INSERT INTO branch VALUES (1, 'main', NULL, 0, 0.0);
INSERT INTO fact VALUES ('secret', lower(hex(randomblob(16))));
INSERT INTO counter VALUES ('next_id', 1), ('to_clean', 0);
