-- Long lists of drivers are opened in the order of names: their first page is the beginning of an index.
CREATE INDEX drivers_search_name ON read.drivers_search (nullif(split_part(sort_keys, E'\n', 2), ''), id);

-- Statistics would hold what some rows say, and outlive them; and they are logged. An expression has its own.
ALTER INDEX read.drivers_search_name ALTER COLUMN 1 SET STATISTICS 0;

-- How many rows a search finds is counted by as many processes as there are processors: all that such a statement
-- calls must be known to be safe for that.
ALTER FUNCTION read.json_bytes(json) PARALLEL SAFE;

INSERT INTO log.schema_revisions (revision, serves_from)
SELECT '0032', serves_from FROM log.schema_revisions ORDER BY revision DESC LIMIT 1;
