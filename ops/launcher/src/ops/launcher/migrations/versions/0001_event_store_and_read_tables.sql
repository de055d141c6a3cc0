-- The event store, the read tables, and the rights that keep the log append-only.
-- Roles are shared by all databases of a cluster, so their creation must bear a concurrent one.

DO $$
DECLARE
  group_role text;
BEGIN
  FOREACH group_role IN ARRAY ARRAY['fleetlog_writer', 'fleetlog_projector', 'fleetlog_reader'] LOOP
    BEGIN
      EXECUTE format('CREATE ROLE %I NOLOGIN', group_role);
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
      NULL;
    END;
  END LOOP;
END
$$;

CREATE SCHEMA log;

-- Names this log. A position means something only together with the log it counts in.
CREATE TABLE log.identity (
  log_id text PRIMARY KEY,
  only_row boolean NOT NULL DEFAULT true UNIQUE CHECK (only_row)
);
INSERT INTO log.identity (log_id) VALUES (replace(gen_random_uuid()::text, '-', ''));

-- Column names are those of the eventsourcing library; notification_id is the position: dense, in commit order.
CREATE TABLE log.events (
  notification_id bigint PRIMARY KEY CHECK (notification_id > 0),
  originator_id text COLLATE "C" NOT NULL,
  originator_version bigint NOT NULL,
  topic text NOT NULL,
  state bytea NOT NULL,
  moment timestamptz NOT NULL,
  command_id uuid UNIQUE,
  UNIQUE (originator_id, originator_version)
);

-- What readers may know of the log without reading it.
CREATE VIEW log.head AS
SELECT
  identity.log_id,
  coalesce(latest.notification_id, 0) AS position,
  latest.moment
FROM log.identity
LEFT JOIN LATERAL (
  SELECT notification_id, moment FROM log.events ORDER BY notification_id DESC LIMIT 1
) AS latest ON true;

CREATE SCHEMA read;

-- How far each projection has read the log, and the last position that changed its table.
CREATE TABLE read.positions (
  projection text PRIMARY KEY,
  position bigint NOT NULL,
  changed_position bigint NOT NULL,
  version integer NOT NULL,
  moment timestamptz
);

-- One table per entity: the current state, as the JSON that is served.
CREATE TABLE read.drivers (
  id text COLLATE "C" PRIMARY KEY,
  version bigint NOT NULL,
  position bigint NOT NULL,
  record json NOT NULL,
  list_item json NOT NULL
);
CREATE TABLE read.trailers (LIKE read.drivers INCLUDING ALL);
CREATE TABLE read.horses (LIKE read.drivers INCLUDING ALL);
CREATE TABLE read.locations (LIKE read.drivers INCLUDING ALL);

-- One row for every position of the log, always; state is null where the event could not be folded or removed the entity.
CREATE TABLE read.revisions (
  position bigint PRIMARY KEY,
  entity text NOT NULL,
  entity_id text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  type text NOT NULL,
  moment timestamptz NOT NULL,
  actor_sub text,
  actor_name text,
  request_id text,
  traceparent text,
  reason text,
  changes json NOT NULL,
  state json,
  public_event json NOT NULL
);
CREATE INDEX revisions_of_entity ON read.revisions (entity, entity_id, version);
CREATE INDEX revisions_by_moment ON read.revisions (moment);

-- Append-only is a right that nobody has been given, not a habit.
GRANT USAGE ON SCHEMA log TO fleetlog_writer, fleetlog_projector, fleetlog_reader;
GRANT SELECT, INSERT ON log.events TO fleetlog_writer;
GRANT SELECT ON log.events TO fleetlog_projector;
GRANT SELECT ON log.identity, log.head TO fleetlog_writer, fleetlog_projector;
GRANT SELECT ON log.head TO fleetlog_reader;

GRANT USAGE ON SCHEMA read TO fleetlog_projector, fleetlog_reader;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA read TO fleetlog_projector;
GRANT SELECT ON ALL TABLES IN SCHEMA read TO fleetlog_reader;
