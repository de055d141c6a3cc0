-- Rewrites the hashes of unique values, because a deleted row stays in its file until other rows overwrite it.
CREATE OR REPLACE FUNCTION log.rewrite_unique_values() RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET lock_timeout = '1s' AS $$
  -- The expression changes no value, but makes the server write a new file.
  ALTER TABLE log.unique_values ALTER COLUMN value TYPE bytea USING value || ''::bytea
$$;
REVOKE EXECUTE ON FUNCTION log.rewrite_unique_values FROM PUBLIC;
GRANT EXECUTE ON FUNCTION log.rewrite_unique_values TO fleetlog_projector;
