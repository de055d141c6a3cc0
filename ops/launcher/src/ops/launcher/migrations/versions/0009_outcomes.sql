-- Only log.append writes to the log, whoever asks. It gives each command that can be sent again one outcome, also where
-- nothing was appended, and records no time that cannot be.

-- What was decided of commands that appended nothing and may be sent again; of the others their event tells, for ever.
CREATE TABLE log.outcomes (
  command_id uuid PRIMARY KEY,
  fingerprint text NOT NULL,
  -- That nothing had to be done, or why the command was refused, in the command API's words.
  decision text NOT NULL,
  -- On what it was decided: the stream, its version and the position of its last event; 0, 0: there was none.
  originator_id text COLLATE "C" NOT NULL,
  originator_version bigint NOT NULL,
  position bigint NOT NULL,
  moment timestamptz NOT NULL
);
CREATE INDEX outcomes_by_moment ON log.outcomes (moment);

-- Locked while somebody appends. Nobody but its owner has a right to it, so nobody else can lock it; an advisory lock
-- could be taken by whoever may connect.
CREATE TABLE log.append_lock ();

ALTER TABLE log.identity
  -- The log's last moment may be as late as this though the clock says otherwise: an operator has decided so.
  ADD COLUMN moment_accepted timestamptz;

-- Appends commands, in one statement and so in one transaction: all that an append needs in one round trip.

-- One row for each event, or for each command that appends nothing, in the order of the commands: its command's number,
-- from 1; position and moment, null where another command came first and nothing of this one was appended; the other
-- columns where the command has an outcome already: its first event, or what was decided of it, on which version.
--   clock         what the caller takes the time for; null: it does not know
--   command_ids   of the commands
--   fingerprints  tell a command that is sent again from another one with its id; null: it will not be sent again
--   decisions     null where events are to be appended. Else nothing is, and the command's one event names the stream
--                 and the version that this was decided on
--   last_events   the number of each command's last event, from 1
--   streams, versions, topics, states   of the events
CREATE FUNCTION log.append(
  clock timestamptz,
  command_ids uuid[],
  fingerprints text[],
  decisions text[],
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
  state bytea,
  decision text,
  fingerprint text
)
-- Volatile, so that each statement below sees what was committed before it began.
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  bound constant interval := '5 minutes';
  head log.head;
  now timestamptz;
  first_event integer := 1;
  newest record;
  expected bigint;
  is_free boolean;
BEGIN
  IF cardinality(streams) <> coalesce(last_events[cardinality(command_ids)], 0)
    OR cardinality(last_events) <> cardinality(command_ids)
    OR cardinality(fingerprints) <> cardinality(command_ids)
    OR cardinality(decisions) <> cardinality(command_ids)
    OR cardinality(versions) <> cardinality(streams)
    OR cardinality(topics) <> cardinality(streams)
    OR cardinality(states) <> cardinality(streams)
  THEN
    RAISE EXCEPTION 'arrays of different lengths' USING ERRCODE = 'invalid_parameter_value';
  END IF;

  -- Positions must be given in commit order, so one transaction at a time appends. This mode excludes itself and
  -- readers nothing. What follows is another statement, and so sees what was committed meanwhile.
  LOCK TABLE log.append_lock IN SHARE UPDATE EXCLUSIVE MODE;
  SELECT * INTO head FROM log.head;
  IF head.stopped IS NOT NULL THEN
    RAISE EXCEPTION 'the log is stopped' USING ERRCODE = 'cannot_connect_now';
  END IF;
  now := clock_timestamp();
  IF clock NOT BETWEEN now - bound AND now + bound THEN
    RAISE EXCEPTION 'the database''s clock says %, and its caller''s %', now, clock USING ERRCODE = 'FLCLK';
  END IF;
  IF head.moment > now THEN
    -- The clock may be set back a little; the log's time may not.
    IF head.moment > now + bound
      AND NOT EXISTS (SELECT FROM log.identity WHERE moment_accepted >= head.moment)
    THEN
      RAISE EXCEPTION 'the clock says %, and the log''s last moment is %', now, head.moment
      USING ERRCODE = 'FLCLK';
    END IF;
    now := head.moment;
  END IF;

  FOR number IN 1 .. cardinality(command_ids) LOOP
    command := number;
    IF last_events[number] < first_event THEN
      RAISE EXCEPTION 'a command without events' USING ERRCODE = 'invalid_parameter_value';
    END IF;
    position := NULL;
    IF fingerprints[number] IS NOT NULL THEN
      SELECT notification_id, moment, originator_id, originator_version, topic, state
      INTO position, moment, originator_id, originator_version, topic, state
      FROM log.events WHERE command_id = command_ids[number];
      IF position IS NULL THEN
        SELECT position, moment, originator_id, originator_version, decision, fingerprint
        INTO position, moment, originator_id, originator_version, decision, fingerprint
        FROM log.outcomes WHERE command_id = command_ids[number];
      END IF;
    END IF;

    IF position IS NULL THEN
      is_free := true;
      FOR event IN first_event .. last_events[number] LOOP
        SELECT originator_version, notification_id INTO newest
        FROM log.events WHERE originator_id = streams[event]
        ORDER BY originator_version DESC LIMIT 1;
        IF event > first_event THEN
          newest.originator_version := greatest(newest.originator_version, (
            SELECT max(versions[earlier]) FROM generate_series(first_event, event - 1) AS earlier
            WHERE streams[earlier] = streams[event]
          ));
        END IF;
        expected := CASE
          WHEN decisions[number] IS NOT NULL THEN coalesce(newest.originator_version, 0)
          -- A stream begins at 1, or at 0 as in the eventsourcing library's conformance suite.
          ELSE coalesce(newest.originator_version + 1, greatest(0, least(1, versions[event])))
        END;
        is_free := is_free AND versions[event] = expected;
      END LOOP;
      IF is_free IS NOT TRUE AND fingerprints[number] IS NULL THEN
        -- Its own event may be what is in the way: whoever does not hear of a commit tries again.
        SELECT notification_id, moment, originator_id, originator_version, topic, state
        INTO position, moment, originator_id, originator_version, topic, state
        FROM log.events WHERE command_id = command_ids[number];
      END IF;
    END IF;

    IF position IS NOT NULL OR is_free IS NOT TRUE THEN
      RETURN NEXT;
    ELSIF decisions[number] IS NOT NULL THEN
      position := coalesce(newest.notification_id, 0);
      moment := now;
      INSERT INTO log.outcomes
        (command_id, fingerprint, decision, originator_id, originator_version, position, moment)
      VALUES (
        command_ids[number], fingerprints[number], decisions[number],
        streams[first_event], versions[first_event], coalesce(newest.notification_id, 0), now
      );
      RETURN NEXT;
    ELSE
      FOR event IN first_event .. last_events[number] LOOP
        IF (length(streams[event]) BETWEEN 1 AND 200 AND length(topics[event]) BETWEEN 1 AND 200
          AND length(states[event]) <= 4194304) IS NOT TRUE
        THEN
          RAISE EXCEPTION 'not an event' USING ERRCODE = 'invalid_parameter_value';
        END IF;
        head.position := head.position + 1;
        INSERT INTO log.events
          (notification_id, originator_id, originator_version, topic, state, moment, command_id)
        VALUES (
          head.position, streams[event], versions[event], topics[event], states[event], now,
          -- Only a command's first event carries its id.
          CASE WHEN event = first_event THEN command_ids[number] END
        );
        position := head.position;
        moment := now;
        RETURN NEXT;
      END LOOP;
    END IF;
    originator_id := NULL;
    originator_version := NULL;
    topic := NULL;
    state := NULL;
    decision := NULL;
    fingerprint := NULL;
    first_event := last_events[number] + 1;
  END LOOP;
END
$$;
REVOKE EXECUTE ON FUNCTION
  log.append(timestamptz, uuid[], text[], text[], integer[], text[], bigint[], text[], bytea[])
FROM PUBLIC;
GRANT EXECUTE ON FUNCTION
  log.append(timestamptz, uuid[], text[], text[], integer[], text[], bigint[], text[], bytea[])
TO fleetlog_writer;

-- As releases before this one append. What they began before this script ran holds the advisory lock.
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
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
  PERFORM pg_advisory_xact_lock(hashtext('fleetlog.append'));
  RETURN QUERY
    SELECT command, position, moment, originator_id, originator_version, topic, state
    FROM log.append(NULL, command_ids, NULL, NULL, last_events, streams, versions, topics, states);
END
$$;

-- Forgets outcomes that nobody can expect to be known any more, at most so many, and tells how many. A day is counted by
-- the log's own time, which no jump of a clock can hurry; what it has not outlived stays.
CREATE FUNCTION log.forget_outcomes(at_most integer) RETURNS bigint
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  WITH now AS (
    SELECT greatest((SELECT moment FROM log.head), (SELECT max(moment) FROM log.outcomes)) AS moment
  ), forgotten AS (
    DELETE FROM log.outcomes WHERE command_id IN (
      SELECT outcomes.command_id FROM log.outcomes, now
      WHERE outcomes.moment < now.moment - interval '24 hours'
      ORDER BY outcomes.moment LIMIT at_most
      FOR UPDATE OF outcomes SKIP LOCKED
    )
    RETURNING 1
  )
  SELECT count(*) FROM forgotten
$$;
REVOKE EXECUTE ON FUNCTION log.forget_outcomes FROM PUBLIC;
GRANT EXECUTE ON FUNCTION log.forget_outcomes TO fleetlog_projector;

INSERT INTO log.schema_revisions (revision, serves_from) VALUES ('0009', '0001');
