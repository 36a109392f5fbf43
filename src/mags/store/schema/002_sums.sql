-- The pages of a file carry checksums from here on (mags.store.damage). A checkpoint whose sum, which
-- had 63 bits until now, is wrong is dropped: the journal has all of it.

DELETE FROM checkpoint WHERE branch IN (
    SELECT branch FROM part WHERE checksum <> checksum(bytes) & 9223372036854775807
);
UPDATE part SET checksum = checksum(bytes);

-- What is so of this file alone, and goes with no memory that is moved to another.
CREATE TABLE file (
    sums INTEGER NOT NULL,              -- 1: every page carries a checksum
    open INTEGER NOT NULL               -- 1: what was written last is in the write-ahead log
) STRICT;
INSERT INTO file VALUES (0, 0);
