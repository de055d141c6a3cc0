-- Appends commands to the log, in one statement and so in one transaction: all that an append needs in one round trip.

-- One row for each event, in the order of the commands: its command's number, from 1; position and moment, null where
-- another command came first and nothing of this one was appended; the other columns where the command was in the log
-- already, as its first event has them.
--   command_ids   of the commands
--   last_events   the number of each command's last event, from 1
--   streams, versions, topics, states   of the events
CREATE FUNCTION log.append(
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

REVOKE EXECUTE ON FUNCTION log.append FROM PUBLIC;
GRANT EXECUTE ON FUNCTION log.append TO fleetlog_writer;
