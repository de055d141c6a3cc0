-- Appends an event about deliveries to a subscription's stream; raises serialization_failure if another event came first.
CREATE OR REPLACE FUNCTION notify.append(subscription text, version bigint, kind text, state bytea) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  position bigint;
BEGIN
  IF (kind IN ('delivery_given_up', 'delivery_resumed')) IS NOT TRUE THEN
    RAISE EXCEPTION 'not an event about deliveries' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  -- As for the command API: a session that lost its network must not hold the log's lock.
  PERFORM set_config('idle_in_transaction_session_timeout', '2s', true), set_config('lock_timeout', '4s', true);
  SELECT one.position INTO position FROM log.append(
    NULL, ARRAY[gen_random_uuid()], ARRAY[NULL::text], ARRAY[NULL::text],
    ARRAY[1], ARRAY['subscription:' || subscription], ARRAY[version], ARRAY['subscription.' || kind], ARRAY[state]
  ) AS one;
  IF position IS NULL THEN
    RAISE EXCEPTION 'another event came first' USING ERRCODE = 'serialization_failure';
  END IF;
  PERFORM pg_notify('fleetlog_events', position::text);
END
$$;
REVOKE EXECUTE ON FUNCTION notify.append FROM PUBLIC;
GRANT EXECUTE ON FUNCTION notify.append TO fleetlog_notifier;
