-- Who was shown personal data is recorded in the chain of accesses: many views as one row, whose action is `views` and
-- whose actor is nobody; each of them says in the row's details who was shown what.

-- What a row tells of, one by one. A subject is a record (`driver:EMP-1`), all of a kind (`driver`), all with an id
-- (`*:EMP-1`), or everything (`*`). It is found nowhere but in the details, which the row's hash covers.
CREATE FUNCTION audit.views_in(action text, details json)
RETURNS TABLE (place integer, subject text, view json)
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp
AS $$
SELECT place::integer, coalesce(said ->> 'entity', '*') || coalesce(':' || (said ->> 'id'), ''), view
FROM (
  SELECT place, view, view AS said
  FROM json_array_elements(
    CASE WHEN action = 'views' AND json_typeof(details -> 'views') = 'array' THEN details -> 'views' ELSE '[]' END
  ) WITH ORDINALITY AS views (view, place)
  UNION ALL
  SELECT 1, details, details -> 'filter'
  WHERE action = 'audit-export-revealed'
) AS told
$$;

CREATE FUNCTION audit.subjects_of(action text, details json) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 SET search_path = pg_catalog, pg_temp
AS $$
SELECT ARRAY(SELECT DISTINCT subject FROM audit.views_in(action, details))
$$;

REVOKE EXECUTE ON FUNCTION audit.views_in, audit.subjects_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit.views_in, audit.subjects_of TO fleetlog_reader;

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
