-- Saves a view and replaces the user's view with the id, if any; returns the time of the change, or null if the user has
-- the maximum number of views of the list.
CREATE OR REPLACE FUNCTION preferences.keep_view(
  sub text, id uuid, list text, key_id text, ciphertext bytea, most integer
) RETURNS timestamptz
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
  moment timestamptz := date_trunc('milliseconds', clock_timestamp());
BEGIN
  -- Serialise the changes of a user, so that concurrent ones cannot exceed the maximum.
  PERFORM pg_advisory_xact_lock(hashtextextended('preferences.views ' || sub, 0));
  IF (
    SELECT count(*) FROM preferences.views AS known
    WHERE known.sub = sub AND known.list = list AND known.id <> id
  ) >= most THEN
    RETURN NULL;
  END IF;
  PERFORM preferences.drop_view(sub, id);
  INSERT INTO preferences.views (sub, id, list, changed_at, key_id, ciphertext) VALUES (sub, id, list, moment, key_id, ciphertext);
  RETURN moment;
END
$$;
REVOKE EXECUTE ON FUNCTION preferences.keep_view FROM PUBLIC;
GRANT EXECUTE ON FUNCTION preferences.keep_view TO fleetlog_writer;
