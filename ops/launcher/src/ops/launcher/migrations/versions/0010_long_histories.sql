-- What is read is bounded in bytes, and a command on a long history goes on from what the revisions say it came to.

-- The bytes of a JSON text, from its pointer: however large it is, and however well compressed, it is not fetched only
-- to be counted. It is what octet_length() is for bytea; without a superuser's rights the text itself is counted.
DO $$
BEGIN
  CREATE FUNCTION read.json_bytes(json) RETURNS integer
  LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteaoctetlen';
EXCEPTION WHEN insufficient_privilege THEN
  CREATE FUNCTION read.json_bytes(json) RETURNS integer
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT octet_length($1::text)';
END
$$;

-- All of it is in the log, which commands may read as it is.
GRANT USAGE ON SCHEMA read TO fleetlog_writer;
GRANT SELECT ON read.revisions TO fleetlog_writer;

INSERT INTO log.schema_revisions (revision, serves_from) VALUES ('0010', '0001');
