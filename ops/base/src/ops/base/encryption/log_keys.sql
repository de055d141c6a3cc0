-- Returns the keys that the log needs: of encrypted events after a position, with the number of events, and of actors; and,
-- `destroyed`, the keys that erasures have destroyed, whatever their position.
CREATE OR REPLACE FUNCTION log.keys_after(after bigint)
RETURNS TABLE (key_id text, events bigint, destroyed boolean)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  SELECT convert_from(substring(state FROM 20 FOR 22), 'UTF8'), count(*), false
  FROM log.events
  WHERE notification_id > keys_after.after AND substring(state FOR 10) = convert_to('{"sealed":', 'UTF8')
  GROUP BY 1
  UNION ALL
  SELECT actors.key_id, 0, false FROM log.actors
  UNION ALL
  -- Keys of records are objects, those of searches and saved views are texts.
  SELECT coalesce(one ->> 'id', one #>> '{}'), 0, true
  FROM privacy.erasures CROSS JOIN jsonb_array_elements(
    coalesce(steps #> '{decrypted,keys}', '[]') || coalesce(steps #> '{decrypted,searches}', '[]')
    || coalesce(steps #> '{decrypted,views}', '[]')
  ) AS one
  WHERE steps ? 'destroyed'
$$;
REVOKE EXECUTE ON FUNCTION log.keys_after FROM PUBLIC;
GRANT EXECUTE ON FUNCTION log.keys_after TO fleetlog_writer, fleetlog_projector, fleetlog_reader, fleetlog_sealer, fleetlog_notifier;
