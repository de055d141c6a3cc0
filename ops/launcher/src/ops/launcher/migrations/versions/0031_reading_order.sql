-- Lists are sorted in reading order, and ids among them: so the last days of licences and passports are the twelfth key
-- and the fourteenth of what drivers are sorted by, and keys end otherwise. The workers fill the tables anew.
DROP INDEX read.drivers_search_passport, read.drivers_search_licence;
CREATE INDEX drivers_search_passport ON read.drivers_search (split_part(sort_keys, E'\n', 12), id);
CREATE INDEX drivers_search_licence ON read.drivers_search (split_part(sort_keys, E'\n', 14), id);

-- Statistics would hold what some rows say, and outlive them; and they are logged. An expression has its own.
ALTER INDEX read.drivers_search_passport ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX read.drivers_search_licence ALTER COLUMN 1 SET STATISTICS 0;

INSERT INTO log.schema_revisions (revision, serves_from)
SELECT '0031', serves_from FROM log.schema_revisions ORDER BY revision DESC LIMIT 1;
