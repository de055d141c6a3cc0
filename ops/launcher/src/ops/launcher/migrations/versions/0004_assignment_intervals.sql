-- Intervals of assignments by record: an index alone finds those of a record, instead of pages of whole revisions.

-- For each revision of an assignment, a row for each record that it names: the time for which it holds, and the time from the
-- revision to the next one, in which it was known.
CREATE TABLE read.assignment_intervals (
  record text COLLATE "C" NOT NULL,
  holds tstzrange NOT NULL,
  known tstzrange NOT NULL,
  id text COLLATE "C" NOT NULL,
  version bigint NOT NULL
);
ALTER TABLE read.assignment_intervals OWNER TO fleetlog_projector;
GRANT SELECT ON read.assignment_intervals TO fleetlog_reader;

-- All rows that belong to the revisions.
CREATE FUNCTION read.intervals_of_revisions()
RETURNS TABLE (record text, holds tstzrange, known tstzrange, id text, version bigint)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
SELECT named.record, read.assigned_time(state), CASE WHEN later < moment THEN 'empty' ELSE tstzrange(moment, later) END,
  entity_id, version
FROM (
  SELECT *, lead(moment) OVER (PARTITION BY entity_id ORDER BY version) AS later
  FROM read.revisions WHERE entity = 'assignment'
) AS revision CROSS JOIN LATERAL unnest(read.assigned_records(state)) AS named (record)
WHERE read.assigned_time(state) IS NOT NULL
$$;

-- Adds the rows of a new revision to the table of the same ending, which also a rebuild fills.
CREATE FUNCTION read.add_assignment_intervals() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  intervals text := replace(TG_TABLE_NAME, 'revisions', 'assignment_intervals');
  previous json;
  named text;
BEGIN
  EXECUTE format(
    'SELECT state FROM read.%I WHERE entity = $1 AND entity_id = $2 AND version < $3 ORDER BY version DESC LIMIT 1',
    TG_TABLE_NAME
  ) INTO previous USING NEW.entity, NEW.entity_id, NEW.version;
  -- One by one: for several records at once, the planner would scan the index for the time alone.
  FOREACH named IN ARRAY coalesce(read.assigned_records(previous), '{}') LOOP
    EXECUTE format(
      'UPDATE read.%I
       SET known = CASE WHEN $1 < lower(known) THEN ''empty'' ELSE tstzrange(lower(known), $1) END
       WHERE record = $2 AND holds = $3 AND upper_inf(known) AND id = $4',
      intervals
    ) USING NEW.moment, named, read.assigned_time(previous), NEW.entity_id;
  END LOOP;
  EXECUTE format(
    'INSERT INTO read.%I SELECT record, holds, tstzrange($1, NULL), $2, $3
     FROM unnest(read.assigned_records($4)) AS record CROSS JOIN read.assigned_time($4) AS holds WHERE holds IS NOT NULL',
    intervals
  ) USING NEW.moment, NEW.entity_id, NEW.version, NEW.state;
  RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION read.intervals_of_revisions, read.add_assignment_intervals FROM PUBLIC;
GRANT EXECUTE ON FUNCTION read.intervals_of_revisions, read.add_assignment_intervals TO fleetlog_projector;
CREATE TRIGGER add_assignment_intervals AFTER INSERT ON read.revisions
FOR EACH ROW WHEN (NEW.entity = 'assignment') EXECUTE FUNCTION read.add_assignment_intervals();

INSERT INTO read.assignment_intervals SELECT * FROM read.intervals_of_revisions();
CREATE INDEX assignment_intervals_of_record ON read.assignment_intervals
USING gist (record, holds, known) INCLUDE (id, version);
DROP INDEX read.revisions_of_assigned, read.assignments_of_assigned;

INSERT INTO log.schema_revisions (revision, serves_from) VALUES ('0004', '0001');
