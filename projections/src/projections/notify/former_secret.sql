-- Returns when a subscription's secret was last changed, and the generation before. The caller need not read revisions.
CREATE OR REPLACE FUNCTION notify.former_secret(subscription text) RETURNS TABLE (changed_at timestamptz, former integer)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
  SELECT moment, (change ->> 'from')::integer
  FROM read.revisions CROSS JOIN json_array_elements(changes) AS change
  WHERE entity = 'subscription' AND entity_id = subscription AND type = 'subscription.details_changed'
    AND change ->> 'field' = 'secret_generation'
  ORDER BY position DESC LIMIT 1
$$;
REVOKE EXECUTE ON FUNCTION notify.former_secret FROM PUBLIC;
GRANT EXECUTE ON FUNCTION notify.former_secret TO fleetlog_reader, fleetlog_notifier;
