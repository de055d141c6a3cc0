-- The only way to add a revocation; again, it changes nothing. Services mind what is no older than a month, which is
-- longer than access tokens live. What the provider told goes then, so that the list is bounded; what operators did,
-- after a year.
CREATE OR REPLACE FUNCTION sign_in.revoke(subject text, session text, issued_until timestamptz, origin text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
  -- A clock that is wrong shuts nobody out for long.
  latest timestamptz := least(issued_until, clock_timestamp() + interval '2 minutes');
BEGIN
  -- Numbers are given in commit order, so that who has seen one has seen all before it.
  LOCK TABLE sign_in.revocations IN SHARE ROW EXCLUSIVE MODE;
  IF EXISTS (
    SELECT FROM sign_in.revocations AS known
    WHERE known.subject IS NOT DISTINCT FROM subject AND known.session IS NOT DISTINCT FROM session
      AND known.issued_until >= latest
  ) THEN
    RETURN;
  END IF;
  DELETE FROM sign_in.revocations AS known
  WHERE known.moment < clock_timestamp()
    - CASE WHEN known.origin = 'provider' THEN interval '31 days' ELSE interval '365 days' END;
  INSERT INTO sign_in.revocations (subject, session, issued_until, origin) VALUES (subject, session, latest, origin);
  PERFORM pg_notify('fleetlog_revoked', '');
END
$$;
REVOKE EXECUTE ON FUNCTION sign_in.revoke FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sign_in.revoke TO fleetlog_writer;
