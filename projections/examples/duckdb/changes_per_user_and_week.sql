-- How many changes did each user make in each week? Weeks begin on Mondays.
SELECT date_trunc('week', moment)::DATE AS week, actor, count(*) AS changes
FROM events
GROUP BY week, actor
ORDER BY week, actor;
