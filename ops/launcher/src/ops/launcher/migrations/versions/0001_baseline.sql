-- The schema: event store, read tables, audit, sign-in, operations, privacy, preferences, and the rights of each service.
-- Functions that services call are in the packages that call them.

-- Roles belong to the whole cluster, so their creation has to tolerate a concurrent one.
DO $$
DECLARE
  group_role text;
BEGIN
  FOREACH group_role IN ARRAY ARRAY[
    'fleetlog_writer', 'fleetlog_projector', 'fleetlog_reader', 'fleetlog_relay', 'fleetlog_sealer', 'fleetlog_notifier'
  ] LOOP
    BEGIN
      EXECUTE format('CREATE ROLE %I NOLOGIN', group_role);
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
      NULL;
    END;
  END LOOP;
END
$$;

-- Trigram indexes; a trusted extension, which a database's owner may create.
CREATE EXTENSION IF NOT EXISTS pg_trgm;

-- Event store -----------------------------------------------------------------------------------------------------------

CREATE SCHEMA log;
GRANT USAGE ON SCHEMA log TO fleetlog_writer, fleetlog_projector, fleetlog_reader, fleetlog_relay, fleetlog_notifier;

-- The id of this log. A position is meaningful only together with the log's id.
CREATE TABLE log.identity (
  log_id text PRIMARY KEY,
  only_row boolean NOT NULL DEFAULT true UNIQUE CHECK (only_row),
  -- Why nothing is appended, served or published until an operator decides; null while the log is in service.
  stopped text,
  -- An operator has accepted that the log's last moment is up to this much later than the clock.
  moment_accepted timestamptz
);
INSERT INTO log.identity (log_id) VALUES (replace(gen_random_uuid()::text, '-', ''));
GRANT SELECT ON log.identity TO fleetlog_writer, fleetlog_projector, fleetlog_reader, fleetlog_relay, fleetlog_notifier;

-- Ids that this log had before a restore: it shares its events up to last_position with the logs of these ids.
CREATE TABLE log.former_identities (
  log_id text PRIMARY KEY,
  last_position bigint NOT NULL,
  replaced timestamptz NOT NULL DEFAULT clock_timestamp()
);
GRANT SELECT ON log.former_identities TO fleetlog_sealer;

-- Column names are those of the eventsourcing library; notification_id is the position: dense, in commit order. Only
-- log.append writes here.
CREATE TABLE log.events (
  notification_id bigint PRIMARY KEY CHECK (notification_id > 0),
  originator_id text COLLATE "C" NOT NULL,
  originator_version bigint NOT NULL,
  topic text NOT NULL,
  state bytea NOT NULL,
  moment timestamptz NOT NULL,
  command_id uuid UNIQUE,
  UNIQUE (originator_id, originator_version)
) WITH (toast_tuple_target = 8160);  -- ciphertext does not compress, so states of some kB stay in the row
GRANT SELECT ON log.events TO fleetlog_writer, fleetlog_projector;

-- The end of the log, for roles that may not read events.
CREATE VIEW log.head AS
SELECT
  identity.log_id,
  coalesce(latest.notification_id, 0) AS position,
  latest.moment,
  identity.stopped
FROM log.identity
LEFT JOIN LATERAL (
  SELECT notification_id, moment FROM log.events ORDER BY notification_id DESC LIMIT 1
) AS latest ON true;
GRANT SELECT ON log.head TO fleetlog_writer, fleetlog_projector, fleetlog_reader, fleetlog_relay, fleetlog_notifier;

-- Restrictions and erasures of users, for services that may not read events: the type of the last event about a user.
CREATE VIEW log.actor_statuses AS
SELECT DISTINCT ON (originator_id) originator_id, split_part(topic, '.', 2) AS status FROM log.events
WHERE starts_with(originator_id, 'actor:')
ORDER BY originator_id, originator_version DESC;
GRANT SELECT ON log.actor_statuses TO fleetlog_writer, fleetlog_reader;

-- States of entities in long streams, encrypted under the key of their events. A cache: no command depends on it.
CREATE TABLE log.snapshots (
  originator_id text COLLATE "C",
  originator_version bigint,
  -- Version of the state's shape; a release ignores snapshots of other versions.
  schema_version integer,
  key_id text COLLATE "C" NOT NULL,
  ciphertext bytea NOT NULL,
  PRIMARY KEY (originator_id, schema_version, originator_version)
);
ALTER TABLE log.snapshots ALTER COLUMN ciphertext SET STORAGE EXTERNAL, ALTER COLUMN ciphertext SET STATISTICS 0;
GRANT SELECT, INSERT ON log.snapshots TO fleetlog_writer;

-- Locked during an append. Only its owner has rights on it, so no other role can lock it, as it could an advisory lock.
CREATE TABLE log.append_lock ();

-- Keyed hashes of the values that no two records may share, and the record of each. UNLOGGED, so that they are in no write-ahead
-- log, standby or base backup; command APIs refill them after a crash.
CREATE UNLOGGED TABLE log.unique_values (
  value bytea NOT NULL,
  originator_id text COLLATE "C" NOT NULL
);
-- Not unique: records may share the values of fields that operators exclude. log.append compares the others.
CREATE INDEX unique_values_by_value ON log.unique_values (value);
-- Statistics would keep values of some rows, and are logged.
ALTER TABLE log.unique_values ALTER COLUMN value SET STATISTICS 0, ALTER COLUMN originator_id SET STATISTICS 0;
-- The key of these hashes; no row while they are incomplete.
CREATE UNLOGGED TABLE log.unique_key (
  only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
  -- Version of the rules; command APIs refill the values of older rules.
  version integer NOT NULL,
  key_id text COLLATE "C" NOT NULL
);
-- Locked by the one command API that refills them.
CREATE TABLE log.unique_refill_lock ();
GRANT SELECT, INSERT, DELETE, TRUNCATE ON log.unique_values, log.unique_key TO fleetlog_writer;
GRANT DELETE ON log.unique_refill_lock TO fleetlog_writer;

-- Outcomes of retryable commands that appended nothing; the outcome of any other is its event.
CREATE TABLE log.outcomes (
  command_id uuid PRIMARY KEY,
  fingerprint text NOT NULL,
  -- That nothing had to change, or why the command was refused, as the command API encodes it.
  decision text NOT NULL,
  -- The stream, its version and the position of its last event at the decision; 0 and 0 for an empty stream.
  originator_id text COLLATE "C" NOT NULL,
  originator_version bigint NOT NULL,
  position bigint NOT NULL,
  moment timestamptz NOT NULL
);
CREATE INDEX outcomes_by_moment ON log.outcomes (moment);

-- Names of users, whom events and accesses identify by subject only: encrypted under a key per user. The row of an erased
-- user has no ciphertext and never gets one again.
CREATE TABLE log.actors (
  sub text COLLATE "C" PRIMARY KEY,
  key_id text COLLATE "C" NOT NULL,
  ciphertext bytea
);
-- Ciphertext does not compress, and its statistics are useless.
ALTER TABLE log.actors ALTER COLUMN ciphertext SET STORAGE EXTERNAL, ALTER COLUMN ciphertext SET STATISTICS 0;
GRANT SELECT ON log.actors TO fleetlog_writer, fleetlog_projector, fleetlog_reader, fleetlog_sealer;

-- One row per script. A release that knows scripts up to its own revision may run while the newest row's serves_from is not
-- newer than that.
CREATE TABLE log.schema_revisions (
  revision text PRIMARY KEY,
  serves_from text NOT NULL CHECK (serves_from <= revision),
  applied timestamptz NOT NULL DEFAULT clock_timestamp()
);
GRANT SELECT ON log.schema_revisions TO fleetlog_writer, fleetlog_projector, fleetlog_reader, fleetlog_relay, fleetlog_notifier;
INSERT INTO log.schema_revisions (revision, serves_from) VALUES ('0001', '0001');

-- Read tables -----------------------------------------------------------------------------------------------------------

CREATE SCHEMA read;
GRANT USAGE ON SCHEMA read TO fleetlog_reader, fleetlog_relay, fleetlog_notifier;
-- A rebuild replaces a table by a new one, which only its owner may do.
GRANT USAGE, CREATE ON SCHEMA read TO fleetlog_projector;

-- Each projection's position in the log, and the last position that changed its table.
CREATE TABLE read.positions (
  projection text PRIMARY KEY,
  position bigint NOT NULL,
  changed_position bigint NOT NULL,
  version integer NOT NULL,
  moment timestamptz,
  -- Number of changes other than by the next events, such as a rebuild or a healed stream. Part of ETags.
  generation bigint NOT NULL DEFAULT 0
);
GRANT SELECT, INSERT, UPDATE, DELETE ON read.positions TO fleetlog_projector;
GRANT SELECT ON read.positions TO fleetlog_reader, fleetlog_relay, fleetlog_notifier;

-- A quarantined stream is applied up to the event before `position`; error names types and locations, never values.
CREATE TABLE read.quarantined_streams (
  projection text NOT NULL,
  originator_id text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  error text NOT NULL,
  since timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (projection, originator_id)
);
GRANT SELECT, INSERT, UPDATE, DELETE ON read.quarantined_streams TO fleetlog_projector;
GRANT SELECT ON read.quarantined_streams TO fleetlog_reader;

-- The relay's position in each Kafka cluster, by version of the topics; a new cluster begins before the first event.
CREATE TABLE read.relay_positions (
  cluster text,
  position bigint NOT NULL,
  -- While set, the events between are published again on purpose.
  rewound_from bigint,
  acknowledged timestamptz NOT NULL DEFAULT clock_timestamp(),
  topics integer NOT NULL DEFAULT 1,
  PRIMARY KEY (cluster, topics)
);
GRANT SELECT, INSERT, UPDATE ON read.relay_positions TO fleetlog_relay;

-- Which search tables are complete; a crash empties it together with them.
CREATE UNLOGGED TABLE read.searches (
  projection text PRIMARY KEY,
  version integer NOT NULL,
  -- Whether the terms were compared with the rows since the last rebuild.
  is_verified boolean NOT NULL
);
GRANT SELECT, INSERT, UPDATE, DELETE ON read.searches TO fleetlog_projector;
GRANT SELECT ON read.searches TO fleetlog_reader;

-- Size in bytes of a JSON text, read from its TOAST pointer instead of the text, as octet_length() does for bytea. Without a
-- superuser's rights the text itself is measured.
DO $$
BEGIN
  CREATE FUNCTION read.json_bytes(json) RETURNS integer
  LANGUAGE internal IMMUTABLE STRICT PARALLEL SAFE AS 'byteaoctetlen';
EXCEPTION WHEN insufficient_privilege THEN
  CREATE FUNCTION read.json_bytes(json) RETURNS integer
  LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS 'SELECT octet_length($1::text)';
END
$$;

-- Creates the search terms, sort keys and match keys (of near doubles) of an entity type's read table. They cannot be
-- encrypted, so they are UNLOGGED: in no write-ahead log, standby or base backup. The workers refill them after a crash.
CREATE FUNCTION read.create_search_table(collection text) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
  search_table text := collection || '_search';
BEGIN
  EXECUTE format(
    'CREATE UNLOGGED TABLE read.%I (
       id text COLLATE "C" PRIMARY KEY,
       version bigint NOT NULL,
       search_text text COLLATE "C" NOT NULL,
       sort_keys text COLLATE "C" NOT NULL,
       match_keys text[] COLLATE "C" NOT NULL DEFAULT ''{}''
     )',
    search_table
  );
  -- Statistics would keep values of some rows, and are logged.
  EXECUTE format(
    'ALTER TABLE read.%I ALTER COLUMN search_text SET STATISTICS 0, ALTER COLUMN sort_keys SET STATISTICS 0,
       ALTER COLUMN match_keys SET STATISTICS 0',
    search_table
  );
  EXECUTE format(
    'CREATE INDEX %I ON read.%I USING gin (search_text gin_trgm_ops)', search_table || '_text', search_table
  );
  -- Each search reads all pending entries, so their list is short.
  EXECUTE format(
    'CREATE INDEX %I ON read.%I USING gin (match_keys) WITH (gin_pending_list_limit = 256)',
    search_table || '_matches', search_table
  );
  EXECUTE format('ALTER TABLE read.%I OWNER TO fleetlog_projector', search_table);
  EXECUTE format('GRANT SELECT ON read.%I TO fleetlog_reader', search_table);
END
$$;
REVOKE EXECUTE ON FUNCTION read.create_search_table FROM PUBLIC;

-- Creates the read table of an entity type by the name of its collection: the whole script of a new type. A row holds its
-- non-personal values as JSON, and the served JSON encrypted in `ciphertext`.
CREATE FUNCTION read.create_entity_table(collection text) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format(
    'CREATE TABLE read.%I (
       id text COLLATE "C" PRIMARY KEY,
       version bigint NOT NULL,
       position bigint NOT NULL,
       record json NOT NULL,
       list_item json NOT NULL,
       key_id text,
       ciphertext bytea,
       restricted boolean NOT NULL DEFAULT false
     )',
    collection
  );
  EXECUTE format('CREATE INDEX %I ON read.%I (id) WHERE restricted', collection || '_restricted', collection);
  EXECUTE format('ALTER TABLE read.%I ALTER COLUMN ciphertext SET STATISTICS 0', collection);
  EXECUTE format('ALTER TABLE read.%I ALTER COLUMN ciphertext SET STORAGE EXTERNAL', collection);
  EXECUTE format('ALTER TABLE read.%I OWNER TO fleetlog_projector', collection);
  EXECUTE format('GRANT SELECT ON read.%I TO fleetlog_reader', collection);
  PERFORM read.create_search_table(collection);
END
$$;
REVOKE EXECUTE ON FUNCTION read.create_entity_table FROM PUBLIC;

SELECT read.create_entity_table(collection)
FROM unnest(ARRAY['drivers', 'trailers', 'horses', 'locations', 'subscriptions']) AS collection;
GRANT SELECT ON read.subscriptions TO fleetlog_notifier;

-- Due dates and long lists of drivers, by the 12th and 14th sort key (last days of passport and licence) and the 2nd (name).
CREATE INDEX drivers_search_passport ON read.drivers_search (split_part(sort_keys, E'\n', 12), id);
CREATE INDEX drivers_search_licence ON read.drivers_search (split_part(sort_keys, E'\n', 14), id);
CREATE INDEX drivers_search_name ON read.drivers_search (nullif(split_part(sort_keys, E'\n', 2), ''), id);
-- The expression of an index has statistics of its own.
ALTER INDEX read.drivers_search_passport ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX read.drivers_search_licence ALTER COLUMN 1 SET STATISTICS 0;
ALTER INDEX read.drivers_search_name ALTER COLUMN 1 SET STATISTICS 0;

-- One row for every position of the log. `state` is null where the event could not be folded or removed the entity; personal
-- values are encrypted in `ciphertext`.
CREATE TABLE read.revisions (
  position bigint PRIMARY KEY,
  entity text NOT NULL,
  entity_id text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  type text NOT NULL,
  moment timestamptz NOT NULL,
  actor_sub text,
  actor_name text,
  request_id text,
  traceparent text,
  reason text,
  changes json NOT NULL,
  state json,
  public_event json NOT NULL,
  -- The client's own id of the request; request_id is the server's.
  client_request_id text,
  -- Names of the changed fields that are personal; null where they cannot be determined.
  personal json,
  public_state json,
  key_id text COLLATE "C",
  ciphertext bytea,
  -- Null where the event cannot be read.
  actor_is_program boolean
) WITH (toast_tuple_target = 8160);
ALTER TABLE read.revisions ALTER COLUMN ciphertext SET STORAGE EXTERNAL, ALTER COLUMN ciphertext SET STATISTICS 0;
ALTER TABLE read.revisions OWNER TO fleetlog_projector;
CREATE INDEX revisions_of_entity ON read.revisions (entity, entity_id, version, position);
CREATE INDEX revisions_by_moment ON read.revisions (moment, position);
CREATE INDEX revisions_of_actor ON read.revisions (actor_sub, position);
-- Changes are most of the log, so only registrations and removals are worth an index.
CREATE INDEX revisions_of_registrations ON read.revisions (type, position)
WHERE type IN (
  'driver.registered', 'driver.removed', 'trailer.registered', 'trailer.removed',
  'horse.registered', 'horse.removed', 'location.registered', 'location.removed'
);
CREATE INDEX revisions_of_privacy ON read.revisions (entity, entity_id, version)
WHERE split_part(type, '.', 2) IN ('restricted', 'hold_set', 'restriction_lifted', 'erased');
CREATE INDEX revisions_of_dismissals ON read.revisions (entity, entity_id, position)
WHERE split_part(type, '.', 2) = 'possible_duplicate_dismissed';
CREATE INDEX revisions_of_batch ON read.revisions ((public_event ->> 'batch'), position)
WHERE public_event ->> 'batch' IS NOT NULL;
GRANT SELECT ON read.revisions TO fleetlog_reader;
-- The relay sees public data only; the columns are those of projections.tables.
GRANT SELECT (
  position, entity, entity_id, version, type, moment, traceparent, public_event, public_state
) ON read.revisions TO fleetlog_relay;
GRANT SELECT (
  position, entity, entity_id, version, type, moment, public_event
) ON read.revisions TO fleetlog_notifier;
-- For the last days of documents.
GRANT SELECT (id, version, record, key_id, ciphertext, restricted) ON read.drivers TO fleetlog_notifier;
GRANT SELECT (id, sort_keys) ON read.drivers_search TO fleetlog_notifier;
GRANT SELECT ON read.searches TO fleetlog_notifier;

-- Audit -----------------------------------------------------------------------------------------------------------------

CREATE SCHEMA audit;
GRANT USAGE ON SCHEMA audit TO fleetlog_reader, fleetlog_sealer, fleetlog_notifier;

-- Accesses to personal data, as a hash chain to which only audit.record_access adds. Many views are one row, whose action is
-- `views`, and whose details state common values once:
-- {"subjects": […], "who": [{sub, name, is_program}], "what": [{route, kind, entity, fields}],
--  "views": [[number of who, number of what, microseconds since 1970, id, request_id, filter, count]]}
CREATE TABLE audit.accesses (
  number bigint PRIMARY KEY,
  access_id uuid NOT NULL UNIQUE,
  moment timestamptz NOT NULL DEFAULT clock_timestamp(),
  actor_sub text NOT NULL,
  actor_name text NOT NULL,
  request_id text NOT NULL,
  action text NOT NULL,
  details json NOT NULL,
  hash bytea NOT NULL
);
GRANT SELECT ON audit.accesses TO fleetlog_reader, fleetlog_sealer;

-- Hash of a row and of the one before it; ops.tamper_evidence.accesses computes the same. Fields are written with their
-- lengths, so that no bytes can move from one to the next.
CREATE FUNCTION audit.access_hash(previous bytea, access audit.accesses) RETURNS bytea
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp
AS $$
SELECT sha256(previous || convert_to(string_agg(octet_length(convert_to(field, 'UTF8')) || ':' || field, '' ORDER BY number), 'UTF8'))
FROM unnest(ARRAY[
  access.number::text,
  access.access_id::text,
  to_char(access.moment AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US'),
  access.actor_sub,
  access.actor_name,
  access.request_id,
  access.action,
  access.details::text
]) WITH ORDINALITY AS fields (field, number)
$$;
REVOKE EXECUTE ON FUNCTION audit.access_hash FROM PUBLIC;

-- The subjects of a row: a record (`driver:EMP-1`), all of a type (`driver`), all with an id (`*:EMP-1`), everything (`*`).
CREATE FUNCTION audit.subjects_of(action text, details json) RETURNS text[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000 SET search_path = pg_catalog, pg_temp
AS $$
SELECT CASE action
  WHEN 'views' THEN ARRAY(SELECT json_array_elements_text(details -> 'subjects'))
  WHEN 'audit-export-revealed' THEN
    ARRAY[coalesce(details #>> '{filter,entity}', '*') || coalesce(':' || (details #>> '{filter,id}'), '')]
END
$$;
REVOKE EXECUTE ON FUNCTION audit.subjects_of FROM PUBLIC;
GRANT EXECUTE ON FUNCTION audit.subjects_of TO fleetlog_reader;
CREATE INDEX accesses_subjects ON audit.accesses USING gin (audit.subjects_of(action, details));
-- Most rows are views; other accesses are rare.
CREATE INDEX accesses_but_views ON audit.accesses (number) WHERE action <> 'views';

-- Every signed checkpoint in the order of signing. No role may change a row.
CREATE TABLE audit.checkpoints (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  size bigint NOT NULL,
  note text NOT NULL,
  recorded timestamptz NOT NULL DEFAULT clock_timestamp()
);
GRANT SELECT, INSERT ON audit.checkpoints TO fleetlog_sealer;

-- Sign-in ---------------------------------------------------------------------------------------------------------------

CREATE SCHEMA sign_in;
GRANT USAGE ON SCHEMA sign_in TO fleetlog_writer, fleetlog_reader;

-- Revoked access tokens; services follow this list.
CREATE TABLE sign_in.revocations (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Without a session, all tokens of the subject are revoked.
  subject text COLLATE "C" CHECK (length(subject) BETWEEN 1 AND 255),
  session text COLLATE "C" CHECK (length(session) BETWEEN 1 AND 255),
  -- By the issuer's clock: tokens that were issued later are valid. A session never becomes valid again.
  issued_until timestamptz NOT NULL,
  -- The identity provider, or the operator who revoked.
  origin text NOT NULL,
  moment timestamptz NOT NULL DEFAULT clock_timestamp(),
  CHECK (subject IS NOT NULL OR session IS NOT NULL)
);
GRANT SELECT ON sign_in.revocations TO fleetlog_writer, fleetlog_reader;

-- Operations ------------------------------------------------------------------------------------------------------------

-- Data for operators. It contains no personal data, and no response of the API depends on it.
CREATE SCHEMA operations;
GRANT USAGE ON SCHEMA operations
TO fleetlog_writer, fleetlog_projector, fleetlog_reader, fleetlog_relay, fleetlog_sealer, fleetlog_notifier;

-- Heartbeats. A process that shuts down reports its end; a silent one was killed or has lost its connection.
CREATE TABLE operations.services (
  instance text PRIMARY KEY CHECK (length(instance) <= 200),
  name text NOT NULL CHECK (length(name) <= 200),
  process uuid NOT NULL,
  release text NOT NULL CHECK (length(release) <= 200),
  started_at timestamptz NOT NULL,
  seen_at timestamptz NOT NULL,
  health text NOT NULL CHECK (health IN ('ready', 'not_ready', 'ended')),
  reason text,
  -- As in /readyz.
  state json NOT NULL,
  -- Number of the last erasure whose keys the process has dropped from memory; null: none yet.
  forgotten bigint
);
GRANT SELECT (instance, name, seen_at, health, forgotten) ON operations.services TO fleetlog_projector;

-- Response counts of each process in steps of five minutes; buckets are cumulative, as in its histogram.
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

-- Actions that operators have requested, and their progress.
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
  -- The executing worker, and when it was last seen.
  worker uuid,
  seen_at timestamptz,
  attempts integer NOT NULL DEFAULT 0
);
CREATE UNIQUE INDEX actions_under_way ON operations.actions (kind, coalesce(target, ''))
WHERE state IN ('asked', 'running');
CREATE INDEX actions_by_time ON operations.actions (asked_at);
-- No worker can change the request itself.
GRANT SELECT, UPDATE (state, done, total, words, worker, seen_at, attempts) ON operations.actions TO fleetlog_projector;

CREATE TABLE operations.verifications (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  finished_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ok boolean NOT NULL,
  words text NOT NULL
);
GRANT INSERT ON operations.verifications TO fleetlog_sealer;

-- One row per finished backup.
CREATE TABLE operations.backups (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  finished_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  bytes bigint NOT NULL,
  place text NOT NULL
);

GRANT SELECT ON ALL TABLES IN SCHEMA operations TO fleetlog_reader;

-- Privacy ---------------------------------------------------------------------------------------------------------------

CREATE SCHEMA privacy;
GRANT USAGE ON SCHEMA privacy
TO fleetlog_writer, fleetlog_projector, fleetlog_reader, fleetlog_relay, fleetlog_sealer, fleetlog_notifier;

-- Progress and receipt of each erasure, by the version of its event in the stream.
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
-- An issued receipt is immutable, for every role.
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

-- Number of erasures after which all services must drop keys from memory; heartbeats report which number they have reached.
CREATE TABLE privacy.cache_purges (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  number bigint NOT NULL
);
INSERT INTO privacy.cache_purges (number) VALUES (0);
GRANT SELECT ON privacy.cache_purges
TO fleetlog_writer, fleetlog_projector, fleetlog_reader, fleetlog_relay, fleetlog_sealer, fleetlog_notifier;
GRANT UPDATE (number) ON privacy.cache_purges TO fleetlog_projector;

-- Preferences -----------------------------------------------------------------------------------------------------------

-- Settings of users. They are not part of the fleet's history, so they are not events.
CREATE SCHEMA preferences;
GRANT USAGE ON SCHEMA preferences TO fleetlog_writer, fleetlog_reader, fleetlog_sealer;

-- Saved views of lists. Name and filters may contain a person's name, so they are encrypted, under a key per view.
CREATE TABLE preferences.views (
  sub text COLLATE "C",
  id uuid,
  list text COLLATE "C" NOT NULL CHECK (length(list) <= 40),
  changed_at timestamptz NOT NULL,
  key_id text COLLATE "C",
  ciphertext bytea NOT NULL,
  PRIMARY KEY (sub, id)
);
ALTER TABLE preferences.views ALTER COLUMN ciphertext SET STORAGE EXTERNAL, ALTER COLUMN ciphertext SET STATISTICS 0;

-- Keys of replaced views, which backups still contain. The next erasure destroys them.
CREATE TABLE preferences.former_keys (
  key_id text COLLATE "C" PRIMARY KEY
);

GRANT SELECT ON preferences.views TO fleetlog_reader;
GRANT SELECT, DELETE ON preferences.views TO fleetlog_sealer;
GRANT SELECT, INSERT, DELETE ON preferences.former_keys TO fleetlog_sealer;

-- Notifications ---------------------------------------------------------------------------------------------------------

CREATE SCHEMA notify;
GRANT USAGE ON SCHEMA notify TO fleetlog_writer, fleetlog_reader, fleetlog_notifier, fleetlog_sealer;

-- The progress of each subscription's deliveries.
CREATE TABLE notify.cursors (
  subscription_id text COLLATE "C" PRIMARY KEY,
  -- The last position that was delivered, or that the subscription does not select.
  position bigint NOT NULL,
  -- Failed attempts to deliver what follows; all null after a success.
  attempts integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  next_attempt_at timestamptz,
  given_up_at timestamptz,
  reason text,
  -- Whether the installation has the settings without which nothing can be delivered.
  is_configured boolean NOT NULL DEFAULT true,
  -- The addresses that were mailed a link to confirm them, as in `notify.confirmations`.
  welcomed bytea[] NOT NULL DEFAULT '{}',
  changed_at timestamptz NOT NULL DEFAULT clock_timestamp()
);

-- The latest attempts, without addresses and secrets.
CREATE TABLE notify.deliveries (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  subscription_id text COLLATE "C" NOT NULL,
  moment timestamptz NOT NULL,
  kind text NOT NULL CHECK (kind IN ('event', 'test', 'again', 'digest')),
  event_id text,
  event_type text,
  subject text,
  attempt integer NOT NULL,
  ok boolean NOT NULL,
  status integer,
  milliseconds integer,
  error text,
  request text,
  response text
);
CREATE INDEX deliveries_of_subscription ON notify.deliveries (subscription_id, number);

-- What users have requested; for 30 days, so that retries are recognised.
CREATE TABLE notify.requests (
  id uuid PRIMARY KEY,
  subscription_id text COLLATE "C" NOT NULL,
  kind text NOT NULL CHECK (kind IN ('test', 'again', 'replay', 'resume')),
  delivery bigint,
  after bigint,
  since timestamptz,
  -- The user, as in events.
  actor jsonb NOT NULL,
  asked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  is_done boolean NOT NULL DEFAULT false
);

-- Daily digests by local day; `due` without a mail server, which may still be configured on that day.
CREATE TABLE notify.digests (
  subscription_id text COLLATE "C" REFERENCES notify.cursors ON DELETE CASCADE,
  day date,
  state text NOT NULL CHECK (state IN ('due', 'sent', 'refused', 'empty')),
  recipients integer NOT NULL,
  -- Answers of the mail server, without addresses.
  error text,
  moment timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (subscription_id, day)
);

-- The last reminder of each document: its stage and the document's last day, encrypted under the driver's key.
CREATE TABLE notify.reminders (
  subscription_id text COLLATE "C" REFERENCES notify.cursors ON DELETE CASCADE,
  driver text COLLATE "C",
  document text,
  key_id text COLLATE "C",
  ciphertext bytea NOT NULL,
  PRIMARY KEY (subscription_id, driver, document)
);
ALTER TABLE notify.reminders ALTER COLUMN ciphertext SET STATISTICS 0;

-- Addresses that a user with personal:read has confirmed: digests under the data key of the subscription, so that an erasure
-- makes them meaningless.
CREATE TABLE notify.confirmations (
  subscription_id text COLLATE "C",
  recipient bytea,
  confirmed_by text COLLATE "C" NOT NULL,
  confirmed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (subscription_id, recipient)
);

GRANT SELECT ON notify.cursors, notify.deliveries TO fleetlog_reader;
GRANT SELECT, DELETE ON notify.confirmations TO fleetlog_notifier;
GRANT SELECT, INSERT, UPDATE, DELETE ON notify.cursors, notify.digests, notify.reminders TO fleetlog_notifier;
GRANT SELECT, INSERT, DELETE ON notify.deliveries TO fleetlog_notifier;
GRANT SELECT, UPDATE (is_done), DELETE ON notify.requests TO fleetlog_notifier;
-- For the scan of an erasure.
GRANT SELECT ON ALL TABLES IN SCHEMA notify TO fleetlog_sealer;

-- Rights of every role that may connect ---------------------------------------------------------------------------------

-- Any role could fill the disk with large objects. If only a superuser may revoke these rights, PostgreSQL prints warnings.
DO $$
DECLARE
  large_object_function regprocedure;
BEGIN
  FOR large_object_function IN
    SELECT oid FROM pg_proc
    WHERE pronamespace = 'pg_catalog'::regnamespace AND proname ~ '^(lo_|lowrite$|loread$)'
      AND has_function_privilege('public', oid, 'EXECUTE')
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', large_object_function);
  END LOOP;
END
$$;

-- Any role could acquire the workers' advisory locks, and so block them. Only a superuser can revoke this right: see
-- ops/docs/split.md for other owners.
DO $$
DECLARE
  lock_function regprocedure;
BEGIN
  GRANT EXECUTE ON FUNCTION pg_try_advisory_lock(integer, integer), pg_advisory_unlock(integer, integer)
  TO fleetlog_relay, fleetlog_notifier;
  IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
    RAISE WARNING 'any role that may connect to this database can take advisory locks: see ops/docs/split.md';
    RETURN;
  END IF;
  FOR lock_function IN
    SELECT oid FROM pg_proc
    WHERE pronamespace = 'pg_catalog'::regnamespace AND proname ~ '^pg_(try_)?advisory_'
  LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', lock_function);
  END LOOP;
  GRANT EXECUTE ON FUNCTION pg_try_advisory_lock(integer, integer), pg_advisory_unlock(integer, integer)
  TO fleetlog_projector;
  -- The owner holds a lock while it migrates, and need not be a superuser.
  GRANT EXECUTE ON FUNCTION pg_advisory_lock(bigint), pg_advisory_xact_lock(bigint) TO CURRENT_USER;
END
$$;
