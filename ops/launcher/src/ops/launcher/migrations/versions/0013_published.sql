-- What leaves the product is written apart from what stays, and the relay may read nothing else.
-- Roles are shared by all databases of a cluster, so their creation must bear a concurrent one.
DO $$
BEGIN
  CREATE ROLE fleetlog_relay NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
  NULL;
END
$$;

-- A rebuild that is under way would put a table without the new columns in place; it begins anew.
DROP TABLE IF EXISTS read.revisions_next;

-- Null until the worker has written the table anew.
ALTER TABLE read.revisions
  -- What the client called its request; request_id is the server's own.
  ADD COLUMN client_request_id text,
  -- Which of the changed fields are personal; null where nobody can tell.
  ADD COLUMN personal json,
  -- What everybody may know of the state.
  ADD COLUMN public_state json;

-- Topics of another version are other topics, which begin with the first event.
ALTER TABLE read.relay_positions
  ADD COLUMN topics integer NOT NULL DEFAULT 1,
  DROP CONSTRAINT relay_positions_pkey,
  ADD PRIMARY KEY (cluster, topics);

GRANT USAGE ON SCHEMA log, read TO fleetlog_relay;
GRANT SELECT ON log.head, log.identity, log.schema_revisions TO fleetlog_relay;
GRANT EXECUTE ON FUNCTION log.stop TO fleetlog_relay;
GRANT SELECT ON read.positions TO fleetlog_relay;
GRANT SELECT, INSERT, UPDATE ON read.relay_positions TO fleetlog_relay;
-- As in projections.tables.
GRANT SELECT (
  position, entity, entity_id, version, type, moment, traceparent, public_event, public_state
) ON read.revisions TO fleetlog_relay;

-- An earlier release would go on publishing what is masked now.
INSERT INTO log.schema_revisions (revision, serves_from) VALUES ('0013', '0013');
