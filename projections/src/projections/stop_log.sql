-- Stops the log; services call it when more was read or published than the log holds. Only the owner can revert it.
CREATE OR REPLACE FUNCTION log.stop(reason text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ UPDATE log.identity SET stopped = reason WHERE stopped IS NULL $$;
REVOKE EXECUTE ON FUNCTION log.stop FROM PUBLIC;
GRANT EXECUTE ON FUNCTION log.stop TO fleetlog_projector, fleetlog_relay;
