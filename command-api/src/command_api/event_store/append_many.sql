-- Appends many commands by one INSERT; parameters, results and errors are those of log.append, which it calls if a command
-- has a conflict, or depends on other streams. For a few commands, log.append is faster than the check for conflicts.
DROP FUNCTION IF EXISTS log.append_many(
  timestamptz, uuid[], text[], text[], integer[], text[], bigint[], text[], bytea[], text[], integer[], text[], bytea[]
);
CREATE OR REPLACE FUNCTION log.append_many(
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
  head log.head;
  now timestamptz;
  are_free boolean;
BEGIN
  LOCK TABLE log.append_lock IN SHARE UPDATE EXCLUSIVE MODE;
  SELECT * INTO head FROM log.head;
  now := clock_timestamp();
  -- In the order of log.append and of refills, so that none waits for another in a circle.
  are_free := NOT EXISTS (
    SELECT FROM unnest(unique_keys) AS given (key)
    WHERE key <> coalesce((SELECT key_id FROM log.unique_key), '')
  );
  are_free := are_free AND coalesce(cardinality(known_events), 0) = 0 AND (cardinality(unique_events) = 0 OR (
    (SELECT count(DISTINCT value) = count(value) FROM unnest(unique_values) AS value)
    -- LIMIT keeps the planner, which knows no statistics, from reading the whole table.
    AND NOT EXISTS (
      SELECT FROM unnest(unique_actions, unique_values) AS given (action, value)
        CROSS JOIN LATERAL (SELECT FROM log.unique_values AS kept WHERE kept.value = given.value LIMIT 1) AS taken
      WHERE action = 'claim'
    )
  ));
  -- log.append raises the error if the log is stopped or the clock is wrong.
  IF are_free AND head.stopped IS NULL AND (head.moment > now) IS NOT TRUE
    AND (clock BETWEEN now - interval '5 minutes' AND now + interval '5 minutes') IS NOT FALSE
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
      WHERE action <> 'release';
      RETURN QUERY
        SELECT number, head.position + number, now, NULL::text, NULL::bigint, NULL::text, NULL::bytea, NULL::text, NULL::text
        FROM generate_series(1, cardinality(command_ids)) AS number;
      RETURN;
    END IF;
  END IF;
  RETURN QUERY SELECT * FROM log.append(
    clock, command_ids, fingerprints, decisions, last_events, streams, versions, topics, states,
    unique_keys, unique_events, unique_actions, unique_values, unique_times, known_events, known_streams, known_versions
  );
END
$$;
REVOKE EXECUTE ON FUNCTION log.append_many FROM PUBLIC;
GRANT EXECUTE ON FUNCTION log.append_many TO fleetlog_writer;
