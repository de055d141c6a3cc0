-- What has become of erasures, and how services are told to forget what they hold in memory.
CREATE SCHEMA privacy;
GRANT USAGE ON SCHEMA privacy
TO fleetlog_writer, fleetlog_projector, fleetlog_reader, fleetlog_relay, fleetlog_sealer;

-- One row for each event that erases, by the stream's version with it: how far the worker is, and its receipt.
CREATE TABLE privacy.erasures (
  entity text COLLATE "C",
  entity_id text COLLATE "C",
  version bigint,
  position bigint NOT NULL,
  steps jsonb NOT NULL DEFAULT '{}',
  receipt text,
  issued_at timestamptz,
  PRIMARY KEY (entity, entity_id, version),
  CHECK ((receipt IS NULL) = (issued_at IS NULL))
);
CREATE INDEX erasures_under_way ON privacy.erasures (position) WHERE receipt IS NULL;
-- For everybody: what somebody was told stays so.
CREATE FUNCTION privacy.keep_receipt() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'a receipt is not changed' USING ERRCODE = 'restrict_violation';
END
$$;
REVOKE EXECUTE ON FUNCTION privacy.keep_receipt FROM PUBLIC;
CREATE TRIGGER keep_receipt BEFORE UPDATE OR DELETE ON privacy.erasures
FOR EACH ROW WHEN (OLD.receipt IS NOT NULL) EXECUTE FUNCTION privacy.keep_receipt();
ALTER TABLE privacy.erasures ENABLE ALWAYS TRIGGER keep_receipt;
GRANT SELECT, INSERT, UPDATE ON privacy.erasures TO fleetlog_projector;
GRANT SELECT ON privacy.erasures TO fleetlog_reader;

-- How often all services were told to forget. Each says with its heartbeat up to which number it has done so.
CREATE TABLE privacy.forgettings (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  number bigint NOT NULL
);
INSERT INTO privacy.forgettings (number) VALUES (0);
GRANT SELECT ON privacy.forgettings
TO fleetlog_writer, fleetlog_projector, fleetlog_reader, fleetlog_relay, fleetlog_sealer;
GRANT UPDATE (number) ON privacy.forgettings TO fleetlog_projector;

-- Null where a process has not said so yet.
ALTER TABLE operations.services ADD COLUMN forgotten bigint;
GRANT SELECT (instance, name, seen_at, health, forgotten) ON operations.services TO fleetlog_projector;
-- It has another parameter now.
DROP FUNCTION IF EXISTS operations.report(uuid, text, text, text, timestamptz, text, text, json);

-- An earlier release knows no events that restrict or erase.
INSERT INTO log.schema_revisions (revision, serves_from) VALUES ('0023', '0023');
