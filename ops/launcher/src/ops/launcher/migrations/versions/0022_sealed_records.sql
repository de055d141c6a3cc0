-- Records are sealed: in the clear a row has what is harmless, and the rest is in a box under the key of whom it is
-- about. What lists are searched and sorted by cannot be sealed, so it is kept where nothing of it outlives the
-- machine's disk: an UNLOGGED table is in no write-ahead log, on no standby and in no base backup. A crash empties it;
-- the workers fill it again from the rows.

-- A rebuild that is under way would put a table without the new columns in place; it begins anew.
DROP TABLE IF EXISTS read.drivers_next, read.trailers_next, read.horses_next, read.locations_next;

-- Which of them are whole: emptied together with them.
CREATE UNLOGGED TABLE read.searches (
  projection text PRIMARY KEY,
  version integer NOT NULL,
  -- Whether somebody has looked at every row since the table was rebuilt.
  is_settled boolean NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON read.searches TO fleetlog_projector;
GRANT SELECT ON read.searches TO fleetlog_reader;

-- Makes what the read table of an entity type is searched and sorted by.
CREATE FUNCTION read.create_search_table(collection text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  search_table text := collection || '_search';
BEGIN
  EXECUTE format(
    'CREATE UNLOGGED TABLE read.%I (
       id text COLLATE "C" PRIMARY KEY,
       version bigint NOT NULL,
       search_text text COLLATE "C" NOT NULL,
       sort_keys text COLLATE "C" NOT NULL
     )',
    search_table
  );
  -- Statistics would hold what some rows say, and outlive them; and they are logged.
  EXECUTE format(
    'ALTER TABLE read.%I ALTER COLUMN search_text SET STATISTICS 0, ALTER COLUMN sort_keys SET STATISTICS 0',
    search_table
  );
  EXECUTE format(
    'CREATE INDEX %I ON read.%I USING gin (search_text gin_trgm_ops)', search_table || '_text', search_table
  );
  EXECUTE format('ALTER TABLE read.%I OWNER TO fleetlog_projector', search_table);
  EXECUTE format('GRANT SELECT ON read.%I TO fleetlog_reader', search_table);
END
$$;
REVOKE EXECUTE ON FUNCTION read.create_search_table FROM PUBLIC;

-- As the script before had it, for a table as it is now.
CREATE OR REPLACE FUNCTION read.create_entity_table(collection text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format(
    'CREATE TABLE read.%I (
       id text COLLATE "C" PRIMARY KEY,
       version bigint NOT NULL,
       position bigint NOT NULL,
       record json NOT NULL,
       list_item json NOT NULL,
       own_state json,
       key_id text,
       box bytea
     )',
    collection
  );
  EXECUTE format('ALTER TABLE read.%I ALTER COLUMN box SET STATISTICS 0', collection);
  EXECUTE format('ALTER TABLE read.%I ALTER COLUMN box SET STORAGE EXTERNAL', collection);
  -- A rebuild puts a new table in the old one's place, and only a table's owner may do that.
  EXECUTE format('ALTER TABLE read.%I OWNER TO fleetlog_projector', collection);
  EXECUTE format('GRANT SELECT ON read.%I TO fleetlog_reader', collection);
  PERFORM read.create_search_table(collection);
END
$$;

DO $$
DECLARE
  collection text;
BEGIN
  FOREACH collection IN ARRAY ARRAY['drivers', 'trailers', 'horses', 'locations'] LOOP
    EXECUTE format(
      -- What is encrypted cannot be compressed.
      'ALTER TABLE read.%I
         DROP COLUMN search_text,
         DROP COLUMN sort_keys,
         ADD COLUMN key_id text,
         ADD COLUMN box bytea STORAGE EXTERNAL,
         ALTER COLUMN box SET STATISTICS 0',
      collection
    );
    PERFORM read.create_search_table(collection);
  END LOOP;
END
$$;

-- Whoever searches the dropped columns cannot go on.
INSERT INTO log.schema_revisions (revision, serves_from) VALUES ('0022', '0022');
