-- Which records nothing may be done with: lists show of them only what is harmless, and no search finds them.

-- A rebuild that is under way would put a table without the new column or index in place; it begins anew.
DROP TABLE IF EXISTS
  read.drivers_next, read.trailers_next, read.horses_next, read.locations_next, read.revisions_next;

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
       box bytea,
       restricted boolean NOT NULL DEFAULT false
     )',
    collection
  );
  EXECUTE format('CREATE INDEX %I ON read.%I (id) WHERE restricted', collection || '_restricted', collection);
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
    EXECUTE format('ALTER TABLE read.%I ADD COLUMN restricted boolean NOT NULL DEFAULT false', collection);
    EXECUTE format('CREATE INDEX %I ON read.%I (id) WHERE restricted', collection || '_restricted', collection);
  END LOOP;
END
$$;

-- Who asked for what to be forgotten: a few rows, which tell of any other whether it may be shown.
CREATE INDEX revisions_of_privacy ON read.revisions (entity, entity_id, version)
WHERE split_part(type, '.', 2) IN ('restricted', 'hold_set', 'restriction_lifted', 'erased');

-- An earlier release would show what is restricted.
INSERT INTO log.schema_revisions (revision, serves_from) VALUES ('0024', '0024');
