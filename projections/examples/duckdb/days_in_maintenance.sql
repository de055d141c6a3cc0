-- How long do trailers stay in maintenance? One row for each stay; `until` is null while it lasts.
WITH statuses AS ( -- each event that says what a trailer's status is from then on
  SELECT
    id,
    position,
    moment,
    coalesce(data ->> '$.details.status', data ->> '$.changes.status.to') AS status
  FROM events
  WHERE entity = 'trailer' AND (kind NOT IN ('details_changed', 'merged', 'possible_duplicate_dismissed') OR json_exists(data, '$.changes.status'))
), spells AS (
  SELECT id, status, moment AS since, lead(moment) OVER (PARTITION BY id ORDER BY position) AS until
  FROM statuses
)
SELECT id, since, until, round(epoch(until - since) / 86400, 3) AS days
FROM spells
WHERE status = 'Maintenance'
ORDER BY since, id;
