-- Each service signs in with a role of its own, which may do what the service does, and no more.
-- Roles are shared by all databases of a cluster, so their creation must bear a concurrent one.
DO $$
BEGIN
  CREATE ROLE fleetlog_sealer NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
  NULL;
END
$$;

-- Who seals is a projection worker as well. The other workers need not know who looked behind which mask, nor have a
-- say in what was sealed.
GRANT USAGE ON SCHEMA audit TO fleetlog_sealer;
GRANT SELECT ON log.former_identities, audit.accesses TO fleetlog_sealer;
GRANT SELECT, INSERT ON audit.checkpoints TO fleetlog_sealer;
REVOKE ALL ON log.former_identities FROM fleetlog_projector;
REVOKE ALL ON ALL TABLES IN SCHEMA audit FROM fleetlog_projector;
REVOKE ALL ON SCHEMA audit FROM fleetlog_projector;

-- How far Kafka is, is the relay's business. It tells by the clock of who looks how long something has waited.
REVOKE ALL ON read.relay_positions FROM fleetlog_projector, fleetlog_reader;
REVOKE ALL (notification_id, moment) ON log.events FROM fleetlog_relay;
GRANT EXECUTE ON FUNCTION pg_try_advisory_lock(integer, integer), pg_advisory_unlock(integer, integer) TO fleetlog_relay;

-- What the log is called costs less to read than where it ends, and every answer tells it.
GRANT SELECT ON log.identity TO fleetlog_reader;

-- What everybody may who can connect: a reader could fill the disk with large objects. Where only a superuser could see
-- to that, there are warnings.
DO $$
DECLARE
  large_object_function regprocedure;
BEGIN
  FOR large_object_function IN
    SELECT oid FROM pg_proc
    WHERE pronamespace = 'pg_catalog'::regnamespace AND proname ~ '^(lo_|lowrite$|loread$)'
      AND has_function_privilege('public', oid, 'EXECUTE')
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', large_object_function);
  END LOOP;
END
$$;

-- Sealer and relay of earlier releases sign in with the role of the projections.
INSERT INTO log.schema_revisions (revision, serves_from) VALUES ('0014', '0014');
