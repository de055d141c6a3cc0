-- Deletes a user's view, if it exists; the next erasure destroys its key.
CREATE OR REPLACE FUNCTION preferences.drop_view(sub text, id uuid) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  WITH dropped AS (
    DELETE FROM preferences.views WHERE views.sub = drop_view.sub AND views.id = drop_view.id RETURNING views.key_id
  )
  INSERT INTO preferences.former_keys (key_id)
  SELECT dropped.key_id FROM dropped WHERE dropped.key_id IS NOT NULL
  ON CONFLICT DO NOTHING
$$;
REVOKE EXECUTE ON FUNCTION preferences.drop_view FROM PUBLIC;
GRANT EXECUTE ON FUNCTION preferences.drop_view TO fleetlog_writer;
