-- Renews the confirmations of a user who may still see personal data, and withdraws those of a user who no longer may.
CREATE OR REPLACE FUNCTION notify.renew_confirmations(sub text, may_see boolean) RETURNS void
LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  DELETE FROM notify.confirmations WHERE confirmed_by = sub AND NOT may_see;
  UPDATE notify.confirmations SET confirmed_at = clock_timestamp()
  WHERE confirmed_by = sub AND may_see
    AND confirmed_at BETWEEN clock_timestamp() - interval '90 days' AND clock_timestamp() - interval '1 day';
$$;
REVOKE EXECUTE ON FUNCTION notify.renew_confirmations FROM PUBLIC;
GRANT EXECUTE ON FUNCTION notify.renew_confirmations TO fleetlog_reader;
