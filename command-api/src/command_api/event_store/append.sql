-- Appends the events and decisions of commands in one transaction.

-- Returns one row for each event, or for each command that appends nothing, in the order of the commands: the command's
-- number, from 1; position and moment, null if nothing was appended, because another command came first or for the reason in
-- `decision`: 'not ready', see unique_keys, or 'duplicate', with the stream that has the value, and the value in `state`; the
-- other columns if the command has an outcome already: its last event, or its decision with the stream and version.
--   clock         the caller's time; null: unknown
--   command_ids   the commands' ids
--   fingerprints  distinguish a retry from another command with the id; null: the command has no idempotency key
--   decisions     null to append events. Otherwise nothing is appended, and the command's one event names the stream
--                 and the version of the decision
--   last_events   the number of each command's last event, from 1
--   streams, versions, topics, states   the events
--   unique_keys   the key with which each command's unique values were hashed; empty: none was known; null: it has none
--   unique_events, unique_actions, unique_values, unique_times   hashes of unique values, each with the number of its event:
--                 'release', 'claim', 'share' to claim it even if another record has it, or 'avoid' to claim nothing if another
--                 record has it; and the time for which it is claimed (null: always). A command releases values before it
--                 claims any
--   known_events, known_streams, known_versions   other streams on which a command depends, by the number of one of its events,
--                 with the version that it has read: if the stream has another one now, another command came first
DROP FUNCTION IF EXISTS log.append(
  timestamptz, uuid[], text[], text[], integer[], text[], bigint[], text[], bytea[], text[], integer[], text[], bytea[]
);
CREATE OR REPLACE FUNCTION log.append(
  clock timestamptz,
  command_ids uuid[],
  fingerprints text[],
  decisions text[],
  last_events integer[],
  streams text[],
  versions bigint[],
  topics text[],
  states bytea[],
  unique_keys text[] DEFAULT NULL,
  unique_events integer[] DEFAULT NULL,
  unique_actions text[] DEFAULT NULL,
  unique_values bytea[] DEFAULT NULL,
  unique_times tstzrange[] DEFAULT NULL,
  known_events integer[] DEFAULT NULL,
  known_streams text[] DEFAULT NULL,
  known_versions bigint[] DEFAULT NULL
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
-- Volatile: each statement sees all transactions that were committed before it began.
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
    OR cardinality(unique_keys) <> cardinality(command_ids)
    OR cardinality(unique_actions) <> cardinality(unique_events)
    OR cardinality(unique_values) <> cardinality(unique_events)
    OR cardinality(unique_times) <> cardinality(unique_events)
    OR cardinality(known_streams) <> cardinality(known_events)
    OR cardinality(known_versions) <> cardinality(known_events)
  THEN
    RAISE EXCEPTION 'arrays of different lengths' USING ERRCODE = 'invalid_parameter_value';
  END IF;

  -- Positions must be assigned in commit order, so one transaction at a time appends. This lock mode conflicts with
  -- itself and not with readers. The next statement sees all transactions that were committed while it waited.
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

  -- For some commands without conflicts, one INSERT is faster; for fewer, the check for conflicts costs more.
  -- The conditions are apart, because only one without a subquery is evaluated without a plan.
  IF cardinality(command_ids) >= 4 THEN
    IF coalesce(cardinality(known_events), 0) = 0
      AND NOT EXISTS (
        SELECT FROM unnest(unique_keys) AS given (key)
        WHERE key <> coalesce((SELECT key_id FROM log.unique_key), '')
      )
      AND (cardinality(unique_events) = 0 OR (
        (SELECT count(DISTINCT value) = count(value) FROM unnest(unique_values) AS value)
        -- LIMIT keeps the planner, which knows no statistics, from reading the whole table.
        AND NOT EXISTS (
          SELECT FROM unnest(unique_actions, unique_values) AS given (action, value)
            CROSS JOIN LATERAL (SELECT FROM log.unique_values AS kept WHERE kept.value = given.value LIMIT 1) AS taken
          WHERE action IN ('claim', 'avoid')
        )
      ))
    THEN
      INSERT INTO log.events (notification_id, originator_id, originator_version, topic, state, moment, command_id)
      SELECT head.position + number, stream, version, topic, state, now, id
      FROM unnest(command_ids, streams, versions, topics, states)
        WITH ORDINALITY AS given (id, stream, version, topic, state, number)
      WHERE NOT EXISTS (
        SELECT
        FROM unnest(command_ids, fingerprints, decisions, last_events, streams, versions, topics, states)
          WITH ORDINALITY AS given (id, fingerprint, decision, last_event, stream, version, topic, state, number)
        WHERE (
          decision IS NULL
          AND last_event = number
          AND (fingerprint IS NULL OR (
            NOT EXISTS (SELECT FROM log.events WHERE command_id = id)
            AND NOT EXISTS (SELECT FROM log.outcomes WHERE command_id = id)
          ))
          AND version = coalesce(
            (SELECT max(originator_version) FROM log.events WHERE originator_id = stream) + 1,
            greatest(0, least(1, version))
          )
          AND length(stream) BETWEEN 1 AND 200
          AND length(topic) BETWEEN 1 AND 200
          AND length(state) <= 4194304
        ) IS NOT TRUE
      )
      AND (
        SELECT count(DISTINCT stream) = cardinality(streams) AND count(DISTINCT id) = cardinality(streams)
        FROM unnest(command_ids, streams) AS given (id, stream)
      );
      IF FOUND THEN
        -- No command has a conflict, so each has one event, of the same number.
        IF 'release' = ANY (unique_actions) THEN
          DELETE FROM log.unique_values AS kept
          USING unnest(unique_events, unique_actions, unique_values) AS given (number, action, value)
          WHERE action = 'release' AND kept.value = given.value AND kept.originator_id = streams[number];
        END IF;
        INSERT INTO log.unique_values (value, originator_id, during)
        SELECT value, streams[number], during
        FROM unnest(unique_events, unique_actions, unique_values, unique_times) AS given (number, action, value, during)
        WHERE action IN ('claim', 'share');
        RETURN QUERY
          SELECT number, head.position + number, now, NULL::text, NULL::bigint, NULL::text, NULL::bytea, NULL::text, NULL::text
          FROM generate_series(1, cardinality(command_ids)) AS number;
        RETURN;
      END IF;
    END IF;
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
      is_free := is_free AND NOT EXISTS (
        SELECT FROM unnest(known_events, known_streams, known_versions) AS given (event, stream, version)
        WHERE given.event BETWEEN first_event AND last_events[number] AND version <> coalesce((
          SELECT max(originator_version) FROM log.events WHERE originator_id = stream
        ), 0)
      );
      IF is_free IS NOT TRUE AND fingerprints[number] IS NULL THEN
        -- The conflicting event may be its own: a client retries if it gets no answer.
        SELECT notification_id, moment, originator_id, originator_version, topic, state
        INTO position, moment, originator_id, originator_version, topic, state
        FROM log.events WHERE command_id = command_ids[number];
      END IF;
    END IF;

    IF position IS NULL AND is_free AND unique_keys[number] IS NOT NULL THEN
      IF unique_keys[number] <> coalesce((SELECT key_id FROM log.unique_key), '') THEN
        decision := 'not ready';
        is_free := false;
      ELSE
        SELECT 'duplicate', kept.originator_id, kept.value, false INTO decision, originator_id, state, is_free
        FROM unnest(unique_events, unique_actions, unique_values, unique_times)
          WITH ORDINALITY AS given (event, action, value, during, place)
          -- LIMIT keeps the planner, which knows no statistics, from reading the whole table.
          CROSS JOIN LATERAL (
            SELECT * FROM log.unique_values AS one
            WHERE one.value = given.value AND one.originator_id <> streams[given.event]
              AND (one.during && given.during) IS NOT FALSE
              AND NOT EXISTS (
                SELECT FROM unnest(unique_events, unique_actions, unique_values) AS released (event, action, value)
                WHERE released.event BETWEEN first_event AND last_events[number] AND released.action = 'release'
                  AND released.value = one.value AND streams[released.event] = one.originator_id
              )
            LIMIT 1
          ) AS kept
        WHERE given.event BETWEEN first_event AND last_events[number] AND given.action IN ('claim', 'avoid')
        ORDER BY place LIMIT 1;
        is_free := coalesce(is_free, true);
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
          -- Only a command's last event carries its id.
          CASE WHEN event = last_events[number] THEN command_ids[number] END
        );
        position := head.position;
        moment := now;
        RETURN NEXT;
      END LOOP;
      IF unique_keys[number] <> '' THEN
        IF 'release' = ANY (unique_actions) THEN
          DELETE FROM log.unique_values AS kept
          USING unnest(unique_events, unique_actions, unique_values) AS given (event, action, value)
          WHERE given.event BETWEEN first_event AND last_events[number] AND action = 'release'
            AND kept.value = given.value AND kept.originator_id = streams[given.event];
        END IF;
        INSERT INTO log.unique_values (value, originator_id, during)
        SELECT value, streams[given.event], during
        FROM unnest(unique_events, unique_actions, unique_values, unique_times) AS given (event, action, value, during)
        WHERE given.event BETWEEN first_event AND last_events[number] AND action IN ('claim', 'share');
      END IF;
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
REVOKE EXECUTE ON FUNCTION log.append FROM PUBLIC;
GRANT EXECUTE ON FUNCTION log.append TO fleetlog_writer;
