-- What people have set up for themselves. It is nothing that happened to the fleet, so it is no event of the log.
CREATE SCHEMA preferences;
GRANT USAGE ON SCHEMA preferences TO fleetlog_writer, fleetlog_reader, fleetlog_sealer;

-- Views of lists that somebody saved. What one is called and asks for may be anybody's name: it is in a box, under a key
-- of its own; without a key where nothing is sealed.
CREATE TABLE preferences.views (
  sub text COLLATE "C",
  id uuid,
  list text COLLATE "C" NOT NULL CHECK (length(list) <= 40),
  changed_at timestamptz NOT NULL,
  key_id text COLLATE "C",
  box bytea NOT NULL,
  PRIMARY KEY (sub, id)
);
-- What is sealed does not shrink, and says nothing of how rows are distributed.
ALTER TABLE preferences.views ALTER COLUMN box SET STORAGE EXTERNAL, ALTER COLUMN box SET STATISTICS 0;

-- Keys of what views were before: backups have those boxes. The next erasure of anybody destroys them all.
CREATE TABLE preferences.former_keys (
  key_id text COLLATE "C" PRIMARY KEY
);

GRANT SELECT ON preferences.views TO fleetlog_reader;
GRANT SELECT, DELETE ON preferences.views TO fleetlog_sealer;
GRANT SELECT, INSERT, DELETE ON preferences.former_keys TO fleetlog_sealer;

-- Serves whom the script before it serves.
INSERT INTO log.schema_revisions (revision, serves_from)
SELECT '0028', serves_from FROM log.schema_revisions ORDER BY revision DESC LIMIT 1;
