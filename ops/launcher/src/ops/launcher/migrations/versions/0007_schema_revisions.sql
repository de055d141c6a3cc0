-- What services ask before they start: which revision the schema has, and which releases may still run on it.

-- One row for each script from here on, added by the script itself. A release that knows scripts up to its own
-- revision may run while the newest row's serves_from is no newer than that.
CREATE TABLE log.schema_revisions (
  revision text PRIMARY KEY,
  serves_from text NOT NULL CHECK (serves_from <= revision),
  applied timestamptz NOT NULL DEFAULT clock_timestamp()
);
GRANT SELECT ON log.schema_revisions TO fleetlog_writer, fleetlog_projector, fleetlog_reader;
INSERT INTO log.schema_revisions (revision, serves_from) VALUES ('0007', '0001');
