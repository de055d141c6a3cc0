-- Adds a revocation; a retry changes nothing. Services read the revocations of a month, which is longer than the lifetime
-- of access tokens. The provider's revocations are deleted after that, and operators' revocations after a year.
CREATE OR REPLACE FUNCTION sign_in.revoke(subject text, session text, issued_until timestamptz, origin text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
  -- A wrong clock must not lock users out for long.
  latest timestamptz := least(issued_until, clock_timestamp() + interval '2 minutes');
BEGIN
  -- Numbers are assigned in commit order, so that a reader of one has read all before it.
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
