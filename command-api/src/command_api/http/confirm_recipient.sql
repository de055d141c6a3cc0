-- Records that a user has confirmed a recipient, whose address is a keyed digest; a later user replaces an earlier one.
CREATE OR REPLACE FUNCTION notify.confirm(subscription text, recipient bytea, sub text) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  INSERT INTO notify.confirmations (subscription_id, recipient, confirmed_by) VALUES (subscription, recipient, sub)
  ON CONFLICT (subscription_id, recipient)
  DO UPDATE SET confirmed_by = excluded.confirmed_by, confirmed_at = excluded.confirmed_at
$$;
REVOKE EXECUTE ON FUNCTION notify.confirm FROM PUBLIC;
GRANT EXECUTE ON FUNCTION notify.confirm TO fleetlog_writer;
