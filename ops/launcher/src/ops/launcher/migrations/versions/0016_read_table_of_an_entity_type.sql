-- What a fold goes on from is its own: by the domain's names, whatever the wire calls its fields. Null where the record,
-- or the revision's state, has these names itself.

-- A rebuild that is under way would put a table without the new column in place; it begins anew.
DROP TABLE IF EXISTS
  read.drivers_next, read.trailers_next, read.horses_next, read.locations_next, read.revisions_next;

ALTER TABLE read.drivers ADD COLUMN own_state json;
ALTER TABLE read.trailers ADD COLUMN own_state json;
ALTER TABLE read.horses ADD COLUMN own_state json;
ALTER TABLE read.locations ADD COLUMN own_state json;
ALTER TABLE read.revisions ADD COLUMN own_state json;

-- Makes the read table of one more entity type, by the name of its collection: all that a new type's script calls.
CREATE FUNCTION read.create_entity_table(collection text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format(
    'CREATE TABLE read.%I (
       id text COLLATE "C" PRIMARY KEY,
       version bigint NOT NULL,
       position bigint NOT NULL,
       record json NOT NULL,
       list_item json NOT NULL,
       search_text text COLLATE "C",
       sort_keys text COLLATE "C",
       own_state json
     )',
    collection
  );
  -- Statistics would hold what some rows say, and outlive them.
  EXECUTE format(
    'ALTER TABLE read.%I ALTER COLUMN search_text SET STATISTICS 0, ALTER COLUMN sort_keys SET STATISTICS 0', collection
  );
  EXECUTE format('CREATE INDEX %I ON read.%I USING gin (search_text gin_trgm_ops)', collection || '_search', collection);
  -- A rebuild puts a new table in the old one's place, and only a table's owner may do that.
  EXECUTE format('ALTER TABLE read.%I OWNER TO fleetlog_projector', collection);
  EXECUTE format('GRANT SELECT ON read.%I TO fleetlog_reader', collection);
END
$$;
REVOKE EXECUTE ON FUNCTION read.create_entity_table FROM PUBLIC;

INSERT INTO log.schema_revisions (revision, serves_from) VALUES ('0016', '0014');
