-- Adds a request to the notifier, unless its id exists. Returns null if there is no such subscription; else `accepted`, `full` if
-- too many requests wait, or `mismatch` if the id is another request's. A replay begins after a position or, without one, at
-- a moment.
CREATE OR REPLACE FUNCTION notify.request(
  id uuid, subscription text, kind text, delivery bigint, after bigint, since timestamptz, actor jsonb
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_variable
DECLARE
  known notify.requests;
BEGIN
  IF NOT EXISTS (SELECT FROM read.subscriptions AS one WHERE one.id = subscription) THEN
    RETURN NULL;
  END IF;
  SELECT * INTO known FROM notify.requests AS one WHERE one.id = id;
  IF FOUND THEN
    RETURN CASE WHEN (known.kind, known.delivery, known.since) IS NOT DISTINCT FROM (kind, delivery, since)
        AND (since IS NOT NULL OR known.after IS NOT DISTINCT FROM after)
      THEN 'accepted' ELSE 'mismatch' END;
  END IF;
  IF (SELECT count(*) FROM notify.requests AS one WHERE one.subscription_id = subscription AND NOT one.is_done) >= 20 THEN
    RETURN 'full';
  END IF;
  IF since IS NOT NULL THEN
    after := coalesce(
      (SELECT position FROM read.revisions WHERE moment < since ORDER BY moment DESC, position DESC LIMIT 1), 0
    );
  END IF;
  INSERT INTO notify.requests (id, subscription_id, kind, delivery, after, since, actor)
  VALUES (id, subscription, kind, delivery, after, since, actor)
  ON CONFLICT DO NOTHING;
  PERFORM pg_notify('fleetlog_notify', '');
  RETURN 'accepted';
END
$$;
REVOKE EXECUTE ON FUNCTION notify.request FROM PUBLIC;
GRANT EXECUTE ON FUNCTION notify.request TO fleetlog_writer;
