-- The database remembers what was sealed, and who looked behind the masks becomes a chain, whose end is sealed.

-- Every checkpoint that was signed, in the order of signing. Rows are added and never changed: nobody has the right.
CREATE TABLE audit.checkpoints (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  size bigint NOT NULL,
  note text NOT NULL,
  recorded timestamptz NOT NULL DEFAULT clock_timestamp()
);
GRANT USAGE ON SCHEMA audit TO fleetlog_projector;
GRANT SELECT, INSERT ON audit.checkpoints TO fleetlog_projector;

-- A row's hash covers the one before it; ops.base.tamper_evidence.accesses computes the same. Fields are written with
-- their lengths, so that none can take from its neighbour.
CREATE FUNCTION audit.access_hash(previous bytea, access audit.accesses) RETURNS bytea
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
SELECT sha256(previous || convert_to(string_agg(octet_length(convert_to(field, 'UTF8')) || ':' || field, '' ORDER BY number), 'UTF8'))
FROM unnest(ARRAY[
  access.number::text,
  access.access_id::text,
  to_char(access.moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'),
  access.actor_sub,
  access.actor_name,
  access.request_id,
  access.action,
  access.details::text
]) WITH ORDINALITY AS fields (field, number)
$$;
REVOKE EXECUTE ON FUNCTION audit.access_hash FROM PUBLIC;

ALTER TABLE audit.accesses ALTER number DROP IDENTITY, ADD COLUMN hash bytea;
DO $$
DECLARE
  access audit.accesses;
  previous bytea := '';
BEGIN
  FOR access IN SELECT * FROM audit.accesses ORDER BY number LOOP
    previous := audit.access_hash(previous, access);
    UPDATE audit.accesses SET hash = previous WHERE number = access.number;
  END LOOP;
END
$$;
ALTER TABLE audit.accesses ALTER hash SET NOT NULL;

-- The only way to add one. Numbers have no gaps, and one transaction at a time adds to the chain.
CREATE FUNCTION audit.record_access(
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
GRANT EXECUTE ON FUNCTION audit.record_access TO fleetlog_reader;
REVOKE INSERT ON audit.accesses FROM fleetlog_reader;
GRANT SELECT ON audit.accesses TO fleetlog_projector;

-- Earlier releases insert into audit.accesses themselves.
INSERT INTO log.schema_revisions (revision, serves_from) VALUES ('0012', '0012');
