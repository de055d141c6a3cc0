-- Releases up to 0019 ask Alembic's table how far the database has come. They may be gone back to for as long as
-- log.schema_revisions says so; until then they are told what that says.
DO $$
BEGIN
  IF (SELECT relkind FROM pg_class WHERE oid = to_regclass('alembic_version')) = 'r' THEN
    DROP TABLE alembic_version;
  END IF;
END
$$;
CREATE OR REPLACE VIEW alembic_version AS SELECT max(revision) AS version_num FROM log.schema_revisions;
