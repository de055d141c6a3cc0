-- After a restore, positions may be given again that others know already, with other events. So nothing goes on until
-- an operator has decided, and what goes on then is another log: its positions bear another name.

-- Requests take the view first and then its table. Taken the other way round, they and this would wait for each other.
ALTER VIEW log.head RESET (security_barrier);

ALTER TABLE log.identity
  -- Why nothing is appended, served or published until an operator decides; null: all is well.
  ADD COLUMN stopped text;

-- What this log was called before: it shares its events up to last_position with the logs of these names.
CREATE TABLE log.former_identities (
  log_id text PRIMARY KEY,
  last_position bigint NOT NULL,
  replaced timestamptz NOT NULL DEFAULT clock_timestamp()
);
GRANT SELECT ON log.former_identities TO fleetlog_projector;

CREATE OR REPLACE VIEW log.head AS
SELECT
  identity.log_id,
  coalesce(latest.notification_id, 0) AS position,
  latest.moment,
  identity.stopped
FROM log.identity
LEFT JOIN LATERAL (
  SELECT notification_id, moment FROM log.events ORDER BY notification_id DESC LIMIT 1
) AS latest ON true;

-- Whoever sees that more has left this database than it holds calls this; only the owner can undo it.
CREATE FUNCTION log.stop(reason text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ UPDATE log.identity SET stopped = reason WHERE stopped IS NULL $$;
REVOKE EXECUTE ON FUNCTION log.stop FROM PUBLIC;
GRANT EXECUTE ON FUNCTION log.stop TO fleetlog_projector;

-- As before (see 0003), and nothing while the log is stopped.
CREATE OR REPLACE FUNCTION log.append(
  command_ids uuid[],
  last_events integer[],
  streams text[],
  versions bigint[],
  topics text[],
  states bytea[]
)
RETURNS TABLE (
  command integer,
  "position" bigint,
  moment timestamptz,
  originator_id text,
  originator_version bigint,
  topic text,
  state bytea
)
-- Volatile, so that each statement below sees what was committed before it began.
LANGUAGE plpgsql VOLATILE AS $$
#variable_conflict use_column
DECLARE
  head log.head;
  first_event integer := 1;
  is_taken boolean;
BEGIN
  -- Positions must be given in commit order, so one transaction at a time appends.
  PERFORM pg_advisory_xact_lock(hashtext('fleetlog.append'));
  SELECT * INTO head FROM log.head;
  IF head.stopped IS NOT NULL THEN
    RAISE EXCEPTION 'the log is stopped' USING ERRCODE = 'cannot_connect_now';
  END IF;
  -- The clock may be set back; the log's time may not.
  head.moment := greatest(head.moment, clock_timestamp());

  FOR number IN 1 .. cardinality(command_ids) LOOP
    RETURN QUERY
      SELECT number, notification_id, moment, originator_id, originator_version, topic, state
      FROM log.events WHERE command_id = command_ids[number];
    IF NOT FOUND THEN
      is_taken := false;
      FOR event IN first_event .. last_events[number] LOOP
        is_taken := is_taken
          OR EXISTS (
            SELECT FROM log.events
            WHERE originator_id = streams[event] AND originator_version >= versions[event]
          )
          OR EXISTS (
            SELECT FROM generate_series(first_event, event - 1) AS earlier
            WHERE streams[earlier] = streams[event] AND versions[earlier] >= versions[event]
          );
      END LOOP;
      IF is_taken THEN
        RETURN QUERY SELECT number, NULL::bigint, NULL::timestamptz, NULL, NULL::bigint, NULL, NULL::bytea;
      ELSE
        FOR event IN first_event .. last_events[number] LOOP
          head.position := head.position + 1;
          INSERT INTO log.events
            (notification_id, originator_id, originator_version, topic, state, moment, command_id)
          VALUES (
            head.position, streams[event], versions[event], topics[event], states[event], head.moment,
            -- Only a command's first event carries its id.
            CASE WHEN event = first_event THEN command_ids[number] END
          );
          RETURN QUERY SELECT number, head.position, head.moment, NULL, NULL::bigint, NULL, NULL::bytea;
        END LOOP;
      END IF;
    END IF;
    first_event := last_events[number] + 1;
  END LOOP;
END
$$;

INSERT INTO log.schema_revisions (revision, serves_from) VALUES ('0008', '0001');
