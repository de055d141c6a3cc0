-- How many drivers, trailers, horses and locations were registered at the end of each day on which that changed?
WITH steps AS (
  SELECT
    moment::DATE AS day,
    entity,
    CASE kind WHEN 'registered' THEN 1 WHEN 'removed' THEN -1 WHEN 'merged_into' THEN -1 END AS step
  FROM events
  WHERE kind IN ('registered', 'removed', 'merged_into')
)
SELECT day, entity, (sum(sum(step)) OVER (PARTITION BY entity ORDER BY day))::BIGINT AS registered
FROM steps
GROUP BY day, entity
ORDER BY day, entity;
