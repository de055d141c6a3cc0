-- A run, such as an import, is one thing in the audit trail: its changes are found wherever they are.
CREATE INDEX revisions_of_batch ON read.revisions ((public_event ->> 'batch'), position)
WHERE public_event ->> 'batch' IS NOT NULL;

INSERT INTO log.schema_revisions (revision, serves_from)
SELECT '0030', serves_from FROM log.schema_revisions ORDER BY revision DESC LIMIT 1;
