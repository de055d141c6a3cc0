-- Audit files: roots of blocks of events, signatures of manifests, and time stamps of checkpoints.

-- The root of each full block of sealed events: block n has the positions 1024 n + 1 to 1024 (n + 1). A cache: every proof
-- that is made from it is checked against a checkpoint.
CREATE TABLE audit.subtrees (
  number bigint PRIMARY KEY,
  root bytea NOT NULL
);
GRANT SELECT ON audit.subtrees TO fleetlog_reader;
GRANT SELECT, INSERT, DELETE ON audit.subtrees TO fleetlog_sealer;

-- Manifests of audit files, to be signed by the sealer, which deletes them an hour later. The first line distinguishes
-- them from checkpoints and receipts, which are signed with the same key.
CREATE TABLE audit.signatures (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  text text NOT NULL CHECK (starts_with(text, E'fleetlog-audit-file/1\n') AND octet_length(text) <= 100000),
  note text,
  requested timestamptz NOT NULL DEFAULT clock_timestamp()
);
GRANT SELECT, INSERT (text) ON audit.signatures TO fleetlog_reader;
GRANT SELECT, UPDATE (note), DELETE ON audit.signatures TO fleetlog_sealer;

-- RFC 3161 time stamps of checkpoints: DER of the response. No role may change a row.
CREATE TABLE audit.time_stamps (
  checkpoint bigint REFERENCES audit.checkpoints,
  authority text,
  response bytea NOT NULL,
  moment timestamptz NOT NULL,
  PRIMARY KEY (checkpoint, authority)
);
GRANT SELECT ON audit.time_stamps, audit.checkpoints TO fleetlog_reader;
GRANT SELECT, INSERT ON audit.time_stamps TO fleetlog_sealer;
-- Proofs contain stored events, whose personal data is encrypted.
GRANT SELECT ON log.events TO fleetlog_reader;
CREATE INDEX checkpoints_by_size ON audit.checkpoints (size);

INSERT INTO log.schema_revisions (revision, serves_from) VALUES ('0003', '0001');
