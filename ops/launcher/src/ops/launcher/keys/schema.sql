-- The database of the keys. It may be run as often as one likes.
DO $$
DECLARE
  name text;
BEGIN
  -- Roles are the whole server's, so another database of it may have made them, or be making them now.
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

-- A key without a secret was erased: a fence, for ever.
CREATE TABLE IF NOT EXISTS keys.kept (
  id text PRIMARY KEY,
  epoch integer,
  secret bytea,
  CHECK ((epoch IS NULL) = (secret IS NULL))
);

-- For everybody, the owner too: what was erased does not come back, and no key becomes another one.
CREATE OR REPLACE FUNCTION keys.fence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'UPDATE' THEN
    RAISE EXCEPTION 'a key is erased, and not removed' USING ERRCODE = 'restrict_violation';
  ELSIF NEW.id <> OLD.id OR OLD.secret IS NULL OR NEW.epoch <= OLD.epoch THEN
    RAISE EXCEPTION 'a key is erased or wrapped anew, and nothing else' USING ERRCODE = 'restrict_violation';
  END IF;
  RETURN NEW;
END
$$;
CREATE OR REPLACE TRIGGER fence BEFORE UPDATE OR DELETE ON keys.kept
  FOR EACH ROW EXECUTE FUNCTION keys.fence();
CREATE OR REPLACE TRIGGER fence_all BEFORE TRUNCATE ON keys.kept
  FOR EACH STATEMENT EXECUTE FUNCTION keys.fence();
ALTER TABLE keys.kept ENABLE ALWAYS TRIGGER fence, ENABLE ALWAYS TRIGGER fence_all;

-- Who issues a key locks the row until it is there; who retires epochs waits for that, and has all others wait.
CREATE TABLE IF NOT EXISTS keys.epochs (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  -- The oldest one that is not retired.
  oldest integer NOT NULL
);
INSERT INTO keys.epochs (oldest) VALUES (0) ON CONFLICT DO NOTHING;

-- Up to which position of each log the store was seen to hold all keys.
CREATE TABLE IF NOT EXISTS keys.logs (log_id text PRIMARY KEY, position bigint NOT NULL);

CREATE OR REPLACE FUNCTION keys.require_epoch() RETURNS trigger
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
BEGIN
  -- Who only erases has rows that the other one may wait for, and waits for nobody.
  IF NOT EXISTS (SELECT FROM added WHERE epoch IS NOT NULL) THEN
    RETURN NULL;
  ELSIF (SELECT min(epoch) FROM added) < (SELECT oldest FROM keys.epochs FOR SHARE) THEN
    RAISE EXCEPTION 'its epoch is retired' USING ERRCODE = 'restrict_violation';
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
