-- The events of `./fleetlog events export -o events.ndjson` as a table. The other files stand on it:
--   duckdb -c ".read events.sql" -c ".read fleet_size_over_time.sql"
CREATE OR REPLACE VIEW events AS
SELECT
  sequence::BIGINT AS position,
  strptime(time, '%Y-%m-%dT%H:%M:%S.%fZ') AS moment, -- in UTC
  split_part(type, '.', 2) AS entity,
  split_part(type, '.', 3) AS kind,
  subject AS id,
  data ->> '$.actor.id' AS actor, -- a pseudonym
  data
FROM read_ndjson('events.ndjson', columns = {
  sequence: 'VARCHAR', time: 'VARCHAR', type: 'VARCHAR', subject: 'VARCHAR', data: 'JSON'
});
