-- What operators are shown: which processes are there, what they have answered, and what was asked of the workers. Nothing
-- in it is personal data, and nothing that is served depends on it.
CREATE SCHEMA operations;

-- One row for each process that says that it is there. Who ends says so, too; who does not was killed, or is cut off.
CREATE TABLE operations.services (
  instance text PRIMARY KEY CHECK (length(instance) <= 200),
  name text NOT NULL CHECK (length(name) <= 200),
  process uuid NOT NULL,
  release text NOT NULL CHECK (length(release) <= 200),
  started_at timestamptz NOT NULL,
  seen_at timestamptz NOT NULL,
  health text NOT NULL CHECK (health IN ('ready', 'not_ready', 'ended')),
  reason text,
  -- As /readyz tells it.
  state json NOT NULL
);

-- What each process has answered in steps of five minutes; buckets are those of its histogram, each with all before it.
CREATE TABLE operations.samples (
  step timestamptz NOT NULL,
  process uuid NOT NULL,
  commands bigint NOT NULL,
  reads bigint NOT NULL,
  refusals bigint NOT NULL,
  errors bigint NOT NULL,
  buckets bigint[] NOT NULL,
  PRIMARY KEY (step, process)
);

CREATE TABLE operations.sizes (
  step timestamptz PRIMARY KEY,
  database_bytes bigint NOT NULL,
  log_bytes bigint NOT NULL,
  read_bytes bigint NOT NULL
);

-- What operators have asked for; a worker carries it out, and tells how far it is.
CREATE TABLE operations.actions (
  id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('retry', 'rebuild', 'verify')),
  target text CHECK (length(target) <= 200),
  asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  asked_by text NOT NULL,
  state text NOT NULL DEFAULT 'asked' CHECK (state IN ('asked', 'running', 'done', 'failed')),
  done bigint,
  total bigint,
  words text,
  -- Who carries it out, and when that was last heard of.
  worker uuid,
  seen_at timestamptz,
  attempts integer NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX actions_under_way ON operations.actions (kind, coalesce(target, ''))
WHERE state IN ('asked', 'running');
CREATE INDEX actions_by_time ON operations.actions (asked_at);

CREATE TABLE operations.verifications (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  finished_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ok boolean NOT NULL,
  words text NOT NULL
);

-- Whoever takes backups adds a row for each that is finished.
CREATE TABLE operations.backups (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  finished_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  bytes bigint NOT NULL,
  place text NOT NULL
);

GRANT USAGE ON SCHEMA operations
TO fleetlog_writer, fleetlog_projector, fleetlog_reader, fleetlog_relay, fleetlog_sealer;
GRANT SELECT ON ALL TABLES IN SCHEMA operations TO fleetlog_reader;
-- What was asked for, when and by whom, no worker can change.
GRANT SELECT, UPDATE (state, done, total, words, worker, seen_at, attempts) ON operations.actions TO fleetlog_projector;
GRANT INSERT ON operations.verifications TO fleetlog_sealer;

-- Serves whom the script before it serves.
INSERT INTO log.schema_revisions (revision, serves_from)
SELECT '0020', serves_from FROM log.schema_revisions ORDER BY revision DESC LIMIT 1;
