-- What is personal in a revision is in a box, sealed under the key of the record that it is about; the other columns hold
-- what is harmless. Both are null where the event is in the clear. The workers fill the table anew.

-- A rebuild that is under way would put a table without the new columns in place; it begins anew.
DROP TABLE IF EXISTS read.revisions_next;

ALTER TABLE read.revisions
  ADD COLUMN key_id text COLLATE "C",
  ADD COLUMN box bytea,
  -- What is sealed does not shrink, and says nothing of how rows are distributed.
  ALTER COLUMN box SET STORAGE EXTERNAL,
  ALTER COLUMN box SET STATISTICS 0;

-- An earlier release opens no box.
INSERT INTO log.schema_revisions (revision, serves_from) VALUES ('0021', '0021');
