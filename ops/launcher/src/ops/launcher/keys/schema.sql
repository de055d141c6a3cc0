-- The database of keys. This script can be repeated.
DO $$
DECLARE
  name text;
BEGIN
  -- Roles belong to the server: another of its databases may have created them, or be creating them now.
  FOR name IN SELECT unnest(ARRAY['fleetlog_keys_user', 'fleetlog_keys_eraser']) LOOP
    BEGIN
      EXECUTE format('CREATE ROLE %I NOLOGIN', name);
    EXCEPTION WHEN duplicate_object OR unique_violation THEN
      NULL;
    END;
  END LOOP;
END
$$;

CREATE SCHEMA IF NOT EXISTS keys;

-- A key without a secret was erased; its row remains and prevents that it is added again.
CREATE TABLE IF NOT EXISTS keys.kept (
  id text PRIMARY KEY,
  epoch integer,
  secret bytea,
  CHECK ((epoch IS NULL) = (secret IS NULL))
);

-- Also for the owner: erased keys are not restored, and a key never becomes another one.
CREATE OR REPLACE FUNCTION keys.fence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'UPDATE' THEN
    RAISE EXCEPTION 'keys are erased, not removed' USING ERRCODE = 'restrict_violation';
  ELSIF NEW.id <> OLD.id OR OLD.secret IS NULL OR NEW.epoch <= OLD.epoch THEN
    RAISE EXCEPTION 'a key can only be erased or encrypted in a new epoch' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER fence BEFORE UPDATE OR DELETE ON keys.kept
  FOR EACH ROW EXECUTE FUNCTION keys.fence();
CREATE OR REPLACE TRIGGER fence_all BEFORE TRUNCATE ON keys.kept
  FOR EACH STATEMENT EXECUTE FUNCTION keys.fence();
ALTER TABLE keys.kept ENABLE ALWAYS TRIGGER fence, ENABLE ALWAYS TRIGGER fence_all;

-- A transaction that adds a key holds a share lock on the row; retiring epochs updates it, and so waits.
CREATE TABLE IF NOT EXISTS keys.epochs (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  -- The oldest epoch that is not retired.
  oldest integer NOT NULL
);
INSERT INTO keys.epochs (oldest) VALUES (0) ON CONFLICT DO NOTHING;

-- The last position of each log up to which the store had all keys.
CREATE TABLE IF NOT EXISTS keys.logs (log_id text PRIMARY KEY, position bigint NOT NULL);

CREATE OR REPLACE FUNCTION keys.require_epoch() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  -- An erasure adds rows without an epoch, and must not wait: a rotation may wait for its rows.
  IF NOT EXISTS (SELECT FROM added WHERE epoch IS NOT NULL) THEN
    RETURN NULL;
  ELSIF (SELECT min(epoch) FROM added) < (SELECT oldest FROM keys.epochs FOR SHARE) THEN
    RAISE EXCEPTION 'the epoch of the key is retired' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NULL;
END
$$;
CREATE OR REPLACE TRIGGER require_epoch AFTER INSERT ON keys.kept REFERENCING NEW TABLE AS added
  FOR EACH STATEMENT EXECUTE FUNCTION keys.require_epoch();
ALTER TABLE keys.kept ENABLE ALWAYS TRIGGER require_epoch;

GRANT USAGE ON SCHEMA keys TO fleetlog_keys_user, fleetlog_keys_eraser;
GRANT SELECT, INSERT, UPDATE ON keys.logs TO fleetlog_keys_user, fleetlog_keys_eraser;
GRANT SELECT, INSERT ON keys.kept TO fleetlog_keys_user;
GRANT SELECT ON keys.epochs TO fleetlog_keys_user;
GRANT SELECT, INSERT, UPDATE ON keys.kept TO fleetlog_keys_eraser;
GRANT SELECT, UPDATE ON keys.epochs TO fleetlog_keys_eraser;
