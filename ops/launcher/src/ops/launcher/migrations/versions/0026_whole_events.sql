-- The state of a sealed event is longer than 2 kB, from which on the server would try to compress it, in vain, and
-- keep it in a table beside. It stays where it is, as one in the clear does.
ALTER TABLE log.events SET (toast_tuple_target = 8160);

INSERT INTO log.schema_revisions (revision, serves_from)
SELECT '0026', serves_from FROM log.schema_revisions ORDER BY revision DESC LIMIT 1;
