-- Stores the heartbeat of a process, with the number of the last cache purge that it has handled.
CREATE OR REPLACE FUNCTION operations.report(
  process uuid, instance text, name text, release text, started_at timestamptz, health text, reason text, state json,
  forgotten bigint DEFAULT NULL
) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
INSERT INTO operations.services AS known
  (process, instance, name, release, started_at, seen_at, health, reason, state, forgotten)
VALUES (process, instance, name, release, started_at, clock_timestamp(), health, left(reason, 500), state, forgotten)
ON CONFLICT ON CONSTRAINT services_pkey DO UPDATE SET
  process = excluded.process, name = excluded.name, release = excluded.release, started_at = excluded.started_at,
  seen_at = excluded.seen_at, health = excluded.health, reason = excluded.reason, state = excluded.state,
  forgotten = excluded.forgotten
-- The end of a process is ignored if its successor has started.
WHERE excluded.health <> 'ended' OR known.process = excluded.process;
DELETE FROM operations.services WHERE seen_at < clock_timestamp() - interval '1 day';
$$;
REVOKE EXECUTE ON FUNCTION operations.report FROM PUBLIC;
GRANT EXECUTE ON FUNCTION operations.report
TO fleetlog_writer, fleetlog_projector, fleetlog_reader, fleetlog_relay, fleetlog_notifier;
