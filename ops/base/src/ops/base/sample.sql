-- Stores the request counts of a process in a step. The first process in a step also stores the size of the database, unless
-- a table is locked; the next one retries. Samples are deleted after two days.
CREATE OR REPLACE FUNCTION operations.sample(
  process uuid, step timestamptz, commands bigint, reads bigint, refusals bigint, errors bigint, buckets bigint[]
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '100ms'
AS $$
#variable_conflict use_column
DECLARE
  oldest timestamptz := clock_timestamp() - interval '2 days';
BEGIN
  IF sample.step NOT BETWEEN oldest AND clock_timestamp() + interval '10 minutes' OR cardinality(sample.buckets) > 100 THEN
    RETURN;
  END IF;
  INSERT INTO operations.samples
  VALUES (
    sample.step, sample.process, sample.commands, sample.reads, sample.refusals, sample.errors, sample.buckets
  )
  ON CONFLICT ON CONSTRAINT samples_pkey DO UPDATE SET
    commands = excluded.commands, reads = excluded.reads, refusals = excluded.refusals, errors = excluded.errors,
    buckets = excluded.buckets;
  DELETE FROM operations.samples WHERE samples.step < oldest;
  IF EXISTS (SELECT FROM operations.sizes WHERE sizes.step >= sample.step) THEN
    RETURN;
  END IF;
  DELETE FROM operations.sizes WHERE sizes.step < oldest;
  BEGIN
    INSERT INTO operations.sizes
    SELECT sample.step, pg_database_size(current_database()),
      coalesce(sum(pg_total_relation_size(pg_class.oid)) FILTER (WHERE nspname = 'log'), 0),
      coalesce(sum(pg_total_relation_size(pg_class.oid)) FILTER (WHERE nspname = 'read'), 0)
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname IN ('log', 'read') AND relkind IN ('r', 'm')
    ON CONFLICT DO NOTHING;
  EXCEPTION WHEN lock_not_available THEN
    NULL;
  END;
END
$$;
REVOKE EXECUTE ON FUNCTION operations.sample FROM PUBLIC;
GRANT EXECUTE ON FUNCTION operations.sample
TO fleetlog_writer, fleetlog_projector, fleetlog_reader, fleetlog_relay, fleetlog_notifier;
