-- Deletes outcomes older than 24 hours, at most the given number, and returns how many. The age is measured by the log's
-- own time, which no jump of a clock can advance.
CREATE OR REPLACE FUNCTION log.forget_outcomes(at_most integer) RETURNS bigint
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
