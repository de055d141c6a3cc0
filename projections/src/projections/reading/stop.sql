-- Whoever sees that more has left this database than it holds calls this; only the owner can undo it.
CREATE OR REPLACE FUNCTION log.stop(reason text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ UPDATE log.identity SET stopped = reason WHERE stopped IS NULL $$;
REVOKE EXECUTE ON FUNCTION log.stop FROM PUBLIC;
GRANT EXECUTE ON FUNCTION log.stop TO fleetlog_projector, fleetlog_relay;
