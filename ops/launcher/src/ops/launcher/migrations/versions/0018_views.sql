-- Who was shown personal data is recorded in the chain of accesses: many views as one row, whose action is `views` and
-- whose actor is nobody. Its details say once what is the same for many, for writing them is paid for by whoever reads:
-- {"subjects": […], "who": [{sub, name}], "what": [{route, kind, entity, fields}],
--  "views": [[number of who, number of what, microseconds since 1970, id, request_id, filter, count]]}

-- What a row tells of: a record (`driver:EMP-1`), all of a kind (`driver`), all with an id (`*:EMP-1`), everything (`*`).
CREATE FUNCTION audit.subjects_of(action text, details json) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 SET search_path = pg_catalog, pg_temp
AS $$
SELECT CASE action
  WHEN 'views' THEN ARRAY(SELECT json_array_elements_text(details -> 'subjects'))
  WHEN 'audit-export-revealed' THEN
    ARRAY[coalesce(details #>> '{filter,entity}', '*') || coalesce(':' || (details #>> '{filter,id}'), '')]
END
$$;
REVOKE EXECUTE ON FUNCTION audit.subjects_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit.subjects_of TO fleetlog_reader;

CREATE INDEX accesses_subjects ON audit.accesses USING gin (audit.subjects_of(action, details));
-- Views are many, and whatever else was recorded is few.
CREATE INDEX accesses_but_views ON audit.accesses (number) WHERE action <> 'views';

-- What is older than a year may be forgotten, up to some number; what is younger nobody can have forgotten, nor the end of
-- the chain, with which it goes on. Who verifies it wants a checkpoint of where it begins now.
CREATE FUNCTION audit.forget_accesses(up_to bigint) RETURNS bigint
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

-- As 0015 says: 0014 took rights from the roles of earlier releases.
INSERT INTO log.schema_revisions (revision, serves_from) VALUES ('0018', '0014');
