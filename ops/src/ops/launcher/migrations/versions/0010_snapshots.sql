-- Commands on a long history go on from what the revisions say it has come to, where the log agrees.

-- All of it is in the log, which commands may read as it is.
GRANT USAGE ON SCHEMA read TO fleetlog_writer;
GRANT SELECT ON read.revisions TO fleetlog_writer;

INSERT INTO log.schema_revisions (revision, serves_from) VALUES ('0010', '0001');
