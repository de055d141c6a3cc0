-- Deletes accesses older than a year, up to a number. It refuses to delete younger ones, and the end of the chain, which
-- the next row continues. Verification requires a checkpoint of the row before the first one that is left.
CREATE OR REPLACE FUNCTION audit.forget_accesses(up_to bigint) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  forgotten bigint;
BEGIN
  IF EXISTS (
    SELECT FROM audit.accesses
    WHERE number <= up_to AND moment > clock_timestamp() - interval '365 days'
  ) OR NOT EXISTS (SELECT FROM audit.accesses WHERE number > up_to) THEN
    RAISE EXCEPTION 'accesses are kept for a year, and the last one for ever' USING ERRCODE = 'insufficient_privilege';
  END IF;
  DELETE FROM audit.accesses WHERE number <= up_to;
  GET DIAGNOSTICS forgotten = ROW_COUNT;
  RETURN forgotten;
END
$$;
REVOKE EXECUTE ON FUNCTION audit.forget_accesses FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit.forget_accesses TO fleetlog_sealer;
