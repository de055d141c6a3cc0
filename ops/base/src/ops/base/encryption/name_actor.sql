-- Replaces the ciphertext of a user's names, or inserts the first one (`former` null). Returns false if the row has another
-- ciphertext by now, or was erased. A user's key never changes.
CREATE OR REPLACE FUNCTION log.name_actor(sub text, key_id text, ciphertext bytea, former bytea) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  IF former IS NULL THEN
    INSERT INTO log.actors (sub, key_id, ciphertext) VALUES (name_actor.sub, name_actor.key_id, name_actor.ciphertext)
    ON CONFLICT ON CONSTRAINT actors_pkey DO NOTHING;
  ELSE
    UPDATE log.actors SET ciphertext = name_actor.ciphertext
    WHERE actors.sub = name_actor.sub AND actors.key_id = name_actor.key_id AND actors.ciphertext = former;
  END IF;
  RETURN FOUND;
END
$$;
REVOKE EXECUTE ON FUNCTION log.name_actor FROM PUBLIC;
GRANT EXECUTE ON FUNCTION log.name_actor TO fleetlog_writer, fleetlog_reader;
