-- What those are called whom events and accesses name by their subject: all names that they have had, in a box that is sealed
-- under a key of theirs. Who was forgotten has no box, and is never given another one.
CREATE TABLE log.actors (
  sub text COLLATE "C" PRIMARY KEY,
  key_id text COLLATE "C" NOT NULL,
  box bytea
);
-- What is sealed does not shrink, and says nothing of how rows are distributed.
ALTER TABLE log.actors ALTER COLUMN box SET STORAGE EXTERNAL, ALTER COLUMN box SET STATISTICS 0;
GRANT SELECT ON log.actors TO fleetlog_writer, fleetlog_projector, fleetlog_reader, fleetlog_sealer;

-- An earlier release reads no event without a name in it.
INSERT INTO log.schema_revisions (revision, serves_from) VALUES ('0025', '0025');
