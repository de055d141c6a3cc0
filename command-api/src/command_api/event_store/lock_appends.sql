-- Locks the log against appends until the end of the transaction, and returns the position of its last event.
CREATE OR REPLACE FUNCTION log.lock_appends() RETURNS bigint
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  LOCK TABLE log.append_lock IN SHARE UPDATE EXCLUSIVE MODE;
  -- A statement of its own, which sees all transactions that were committed while it waited.
  RETURN (SELECT position FROM log.head);
END
$$;
REVOKE EXECUTE ON FUNCTION log.lock_appends FROM PUBLIC;
GRANT EXECUTE ON FUNCTION log.lock_appends TO fleetlog_writer;
