-- Which licences and passports are due is found by their last days, which are among what drivers are sorted by: the
-- eleventh key and the thirteenth. So a question about a month looks at that month's drivers, and not at all.
CREATE INDEX drivers_search_passport ON read.drivers_search (split_part(sort_keys, E'\x01\x01', 11), id);
CREATE INDEX drivers_search_licence ON read.drivers_search (split_part(sort_keys, E'\x01\x01', 13), id);

-- Statistics would hold what some rows say, and outlive them; and they are logged. An expression has its own.
ALTER INDEX read.drivers_search_passport ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX read.drivers_search_licence ALTER COLUMN 1 SET STATISTICS 0;

INSERT INTO log.schema_revisions (revision, serves_from)
SELECT '0029', serves_from FROM log.schema_revisions ORDER BY revision DESC LIMIT 1;
