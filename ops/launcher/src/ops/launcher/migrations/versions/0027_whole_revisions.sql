-- A revision of what is sealed is somewhat longer than 2 kB, half of it a box that does not shrink. It stays where it is,
-- rather than have the server compress some of it and put the rest into a table beside.
ALTER TABLE read.revisions SET (toast_tuple_target = 8160);

INSERT INTO log.schema_revisions (revision, serves_from)
SELECT '0027', serves_from FROM log.schema_revisions ORDER BY revision DESC LIMIT 1;
