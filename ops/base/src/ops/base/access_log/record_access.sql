-- The only way to add an access. Numbers have no gaps, and one transaction at a time adds to the chain.
CREATE OR REPLACE FUNCTION audit.record_access(
  access_id uuid, actor_sub text, actor_name text, request_id text, action text, details json
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
  last audit.accesses;
  access audit.accesses;
BEGIN
  LOCK TABLE audit.accesses IN SHARE ROW EXCLUSIVE MODE;
  -- Asked again after an answer was lost, it records nothing twice.
  IF EXISTS (SELECT FROM audit.accesses AS known WHERE known.access_id = record_access.access_id) THEN
    RETURN;
  END IF;
  SELECT * INTO last FROM audit.accesses ORDER BY number DESC LIMIT 1;
  access := ROW(
    coalesce(last.number, 0) + 1, access_id, clock_timestamp(), actor_sub, actor_name, request_id, action, details, NULL
  );
  access.hash := audit.access_hash(coalesce(last.hash, ''), access);
  INSERT INTO audit.accesses SELECT access.*;
END
$$;
REVOKE EXECUTE ON FUNCTION audit.record_access FROM PUBLIC;
GRANT USAGE ON SCHEMA audit TO fleetlog_writer;
GRANT EXECUTE ON FUNCTION audit.record_access TO fleetlog_reader, fleetlog_writer, fleetlog_notifier;
