-- Assignments: unique values for a time, and the read table.

-- GiST indexes of hashes; a trusted extension, which a database's owner may create.
CREATE EXTENSION IF NOT EXISTS btree_gist;

-- The time for which a record has its value; null: always. The constraint repeats what log.append compares.
ALTER TABLE log.unique_values
  ADD COLUMN during tstzrange,
  ADD CONSTRAINT unique_values_by_time EXCLUDE USING gist (value WITH =, during WITH &&) WHERE (during IS NOT NULL);
ALTER TABLE log.unique_values ALTER COLUMN during SET STATISTICS 0;

SELECT read.create_entity_table('assignments');

-- The time for which a version of an assignment holds; null if it is none, so that no event stops the projection.
CREATE FUNCTION read.assigned_time(state json) RETURNS tstzrange
LANGUAGE plpgsql IMMUTABLE STRICT SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- The texts have a time zone, so the result depends on no setting.
  RETURN tstzrange((state ->> 'starts_at')::timestamptz, (state ->> 'ends_at')::timestamptz);
EXCEPTION WHEN data_exception THEN
  RETURN NULL;
END
$$;
-- The records that it names, such as `driver:EMP-1`.
CREATE FUNCTION read.assigned_records(state json) RETURNS text[]
LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
SELECT array_remove(ARRAY[
  'horse:' || (state ->> 'horse'), 'driver:' || (state ->> 'driver'), 'location:' || (state ->> 'location')
], NULL) || ARRAY(
  SELECT 'trailer:' || one FROM json_array_elements_text(
    CASE json_typeof(state -> 'trailers') WHEN 'array' THEN state -> 'trailers' ELSE '[]' END
  ) AS one
)
$$;
REVOKE EXECUTE ON FUNCTION read.assigned_time, read.assigned_records FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read.assigned_time, read.assigned_records TO fleetlog_projector, fleetlog_reader;

-- The revisions of assignments are their intervals: one for each version, known from its moment to the next one's.
CREATE INDEX revisions_of_assigned ON read.revisions USING gin (read.assigned_records(state)) WITH (fastupdate = off)
WHERE entity = 'assignment';
CREATE INDEX revisions_by_assigned_time ON read.revisions USING gist (read.assigned_time(state))
WHERE entity = 'assignment';
-- Most questions are about what is known now.
CREATE INDEX assignments_of_assigned ON read.assignments USING gin (read.assigned_records(record)) WITH (fastupdate = off);
CREATE INDEX assignments_by_assigned_time ON read.assignments USING gist (read.assigned_time(record));

INSERT INTO log.schema_revisions (revision, serves_from) VALUES ('0002', '0001');
