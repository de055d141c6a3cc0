-- Lists are searched and sorted by columns made for that, not by taking every row's JSON apart: so a search among a
-- hundred thousand rows looks at those that it finds. The workers fill the columns when they fill the tables anew.

-- Trigrams: a trusted extension, which a database's owner may make.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

DO $$
DECLARE
  entity_table text;
BEGIN
  FOREACH entity_table IN ARRAY ARRAY['drivers', 'trailers', 'horses', 'locations'] LOOP
    EXECUTE format(
      -- Statistics would hold what some rows say, and outlive them.
      'ALTER TABLE read.%I
         ADD COLUMN search_text text COLLATE "C",
         ADD COLUMN sort_keys text COLLATE "C",
         ALTER COLUMN search_text SET STATISTICS 0,
         ALTER COLUMN sort_keys SET STATISTICS 0',
      entity_table
    );
    EXECUTE format(
      'CREATE INDEX %I ON read.%I USING gin (search_text gin_trgm_ops)', entity_table || '_search', entity_table
    );
  END LOOP;
END
$$;

INSERT INTO log.schema_revisions (revision, serves_from) VALUES ('0011', '0001');
