-- What was needed until appends that had begun before 0009 came to their end: they have, when this has their lock.
SELECT pg_advisory_xact_lock(hashtext('fleetlog.append'));
REVOKE INSERT ON log.events FROM fleetlog_writer;

-- Whoever may connect could take the advisory locks of others and so keep workers from their work. Those that stand by
-- behind such locks may go on taking them. Only a superuser can see to that: elsewhere see docs/split.md.
DO $$
DECLARE
  lock_function regprocedure;
BEGIN
  IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    RAISE WARNING 'any role that may connect to this database can take advisory locks: see ops/docs/split.md';
    RETURN;
  END IF;
  FOR lock_function IN
    SELECT oid FROM pg_proc
    WHERE pronamespace = 'pg_catalog'::regnamespace AND proname ~ '^pg_(try_)?advisory_'
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', lock_function);
  END LOOP;
  GRANT EXECUTE ON FUNCTION pg_try_advisory_lock(integer, integer), pg_advisory_unlock(integer, integer)
  TO fleetlog_projector, fleetlog_relay;
  -- The owner migrates behind a lock, and may not always be a superuser.
  GRANT EXECUTE ON FUNCTION pg_advisory_lock(bigint), pg_advisory_xact_lock(bigint) TO CURRENT_USER;
END
$$;

-- The newest script speaks for all: 0014 took rights from the roles of earlier releases.
INSERT INTO log.schema_revisions (revision, serves_from) VALUES ('0015', '0014');
