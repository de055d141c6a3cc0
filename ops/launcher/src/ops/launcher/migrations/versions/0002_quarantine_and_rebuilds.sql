-- Streams that a projection has set aside, and what a rebuild beside a running product needs.

-- A stream is applied up to the event before `position` and waits there; error tells types and places, never values.
CREATE TABLE read.quarantined_streams (
  projection text NOT NULL,
  originator_id text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  error text NOT NULL,
  since timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (projection, originator_id)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON read.quarantined_streams TO fleetlog_projector;
GRANT SELECT ON read.quarantined_streams TO fleetlog_reader;

-- Counts what changed a table other than by the next events: a rebuild, a stream that was healed. Part of ETags.
ALTER TABLE read.positions ADD COLUMN generation bigint NOT NULL DEFAULT 0;

-- A rebuild puts a new table in the old one's place, and only a table's owner may do that.
GRANT CREATE ON SCHEMA read TO fleetlog_projector;
ALTER TABLE read.drivers OWNER TO fleetlog_projector;
ALTER TABLE read.trailers OWNER TO fleetlog_projector;
ALTER TABLE read.horses OWNER TO fleetlog_projector;
ALTER TABLE read.locations OWNER TO fleetlog_projector;
ALTER TABLE read.revisions OWNER TO fleetlog_projector;
