-- Erases a user's name, and prevents that another one is stored for the user.
CREATE OR REPLACE FUNCTION log.forget_actor(sub text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$ UPDATE log.actors SET ciphertext = NULL WHERE actors.sub = forget_actor.sub $$;
REVOKE EXECUTE ON FUNCTION log.forget_actor FROM PUBLIC;
GRANT EXECUTE ON FUNCTION log.forget_actor TO fleetlog_projector;
