-- Adds a task of the workers, and an entry of its user to the access log. Returns the task, or the existing task with
-- the id; no row if an equal task is running.
CREATE OR REPLACE FUNCTION operations.ask(
  id uuid, kind text, target text, actor_sub text, actor_name text, request_id text, is_program boolean DEFAULT false
) RETURNS SETOF operations.actions
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
    INSERT INTO operations.actions (id, kind, target, asked_by) VALUES (ask.id, ask.kind, ask.target, ask.actor_sub)
    ON CONFLICT DO NOTHING
    RETURNING *;
  IF NOT FOUND THEN
    RETURN QUERY SELECT * FROM operations.actions WHERE actions.id = ask.id;
    RETURN;
  END IF;
  PERFORM audit.record_access(
    ask.id, ask.actor_sub, ask.actor_name, ask.request_id, 'system-' || ask.kind,
    json_strip_nulls(json_build_object('target', ask.target, 'is_program', nullif(is_program, false)))
  );
  DELETE FROM operations.actions WHERE asked_at < clock_timestamp() - interval '1 year';
END
$$;
REVOKE EXECUTE ON FUNCTION operations.ask FROM PUBLIC;
GRANT EXECUTE ON FUNCTION operations.ask TO fleetlog_writer;
