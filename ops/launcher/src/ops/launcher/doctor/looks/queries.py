"""What the database is asked, by look: each row of an answer is a level, what is told, and what to type.

What to type is the name of one of `Commands`, `LOG part`, `SQL statement`, or as it stands. What is well is
told only where nothing else is.
"""

from collections.abc import Mapping
from typing import Any, Final

LIMITS: Final[Mapping[str, Any]] = {
    "needed": 60,  # connections: what the services of one machine open, and somebody who looks after them
    "full": 0.8,
    "apart": 5.0,
    "jump": 300.0,  # nothing is appended when clocks differ by so much
    "idle": 60,
    "locked": 5,
    "age": 1_500_000_000,  # at two billion a database takes no more writes
    "unsealed": 5400,  # FleetlogNotSealed
    "erasing": 600,  # a step may wait for a process to be taken for gone, or look through gigabytes
    "silent": 60,
    "kept": 1_000_000_000,  # so much kept for somebody who does not fetch it fills a disk in the end
    "who": "SQL SELECT pid, usename, state, wait_event_type, query_start, state_change FROM pg_stat_activity",
    "more": "SQL ALTER SYSTEM SET max_connections = 200  # and start the server again",
}
"""What queries are told, beside `now`, the `seals` that can be seen, the `newest` there, and what was
`remembered` before that was looked for."""

QUERIES: Final = {
    "database": """
SELECT 'wrong', 'the database''s encoding is ' || setting || ', and must be UTF8', ARRAY['SQL \\l']
FROM pg_settings WHERE name = 'server_encoding' AND setting <> 'UTF8'
UNION ALL
SELECT 'warning', 'the database''s time zone is ' || setting || ': whoever reads it sees other times',
  ARRAY['SQL ALTER DATABASE ' || current_database() || ' SET timezone = ''UTC''']
FROM pg_settings WHERE name = 'TimeZone' AND setting NOT IN ('UTC', 'Etc/UTC')
UNION ALL
SELECT 'wrong', name || ' is off: what was acknowledged is lost when the machine ends',
  ARRAY['SQL ALTER SYSTEM SET ' || name || ' = on', 'SQL SELECT pg_reload_conf()']
FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'
UNION ALL
SELECT 'wrong', 'the database is a standby, and takes no writes', ARRAY['SQL SELECT pg_promote()']
WHERE pg_is_in_recovery()
UNION ALL
SELECT 'well', 'PostgreSQL ' || current_setting('server_version') || ', in UTC and UTF8, loses nothing', '{}'
""",
    "connections": """
WITH roles AS (
  SELECT usename, count(*) AS used, max(rolconnlimit) AS allowed
  FROM pg_stat_activity JOIN pg_roles ON rolname = usename
  WHERE backend_type = 'client backend' GROUP BY usename
), server AS (
  SELECT sum(used) AS used,
    current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int AS most
  FROM roles
)
SELECT 'warning', most || ' connections for services that may open ' || %(needed)s, ARRAY[%(more)s]
FROM server WHERE most < %(needed)s
UNION ALL
SELECT 'warning', used || ' of ' || most || ' connections are in use', ARRAY[%(who)s, %(more)s]
FROM server WHERE used >= %(full)s * most
UNION ALL
SELECT 'warning', 'the role ' || usename || ' has ' || used || ' of its ' || allowed || ' connections',
  ARRAY[%(who)s]
FROM roles WHERE allowed BETWEEN 1 AND used / %(full)s
UNION ALL
SELECT 'well', used || ' of ' || most || ' connections are in use', '{}' FROM server
""",
    "database's clock": """
WITH clock AS (
  SELECT 'the database''s clock says ' || to_char(clock_timestamp() AT TIME ZONE 'UTC', 'HH24:MI:SS') || ', '
    || round(apart) || ' s from this one' AS told, apart, ARRAY['date -u', 'sudo chronyc makestep'] AS mending
  FROM abs(extract(epoch FROM clock_timestamp()) - %(now)s) AS apart
)
SELECT 'wrong', told || ': nothing is appended', mending FROM clock WHERE apart >= %(jump)s
UNION ALL
SELECT 'warning', told, mending FROM clock WHERE apart > %(apart)s AND apart < %(jump)s
UNION ALL
SELECT 'well', 'the database''s clock is this one''s', '{}'
""",
    "sessions": """
SELECT 'warning', count(*) || ' transactions were left open for more than ' || %(idle)s || ' s',
  ARRAY[%(who)s]
FROM pg_stat_activity
WHERE datname = current_database() AND state LIKE 'idle in transaction%%'
  AND clock_timestamp() - state_change > %(idle)s * interval '1 second'
HAVING count(*) > 0
UNION ALL
SELECT 'warning', count(*) || ' statements have waited for a lock for more than ' || %(locked)s || ' s',
  ARRAY[%(who)s]
FROM pg_stat_activity
WHERE datname = current_database() AND wait_event_type = 'Lock'
  AND clock_timestamp() - query_start > %(locked)s * interval '1 second'
HAVING count(*) > 0
UNION ALL
SELECT 'wrong', 'no transaction was frozen for ' || to_char(age, 'FM999,999,999,999')
  || ': autovacuum does not come through', ARRAY['SQL VACUUM (FREEZE)']
FROM pg_database, age(datfrozenxid) WHERE datname = current_database() AND age > %(age)s
UNION ALL
SELECT 'well', 'nobody keeps others waiting', '{}'
""",
    "log": """
SELECT 'wrong', 'nothing is served until an operator decides: ' || stopped, ARRAY['accept']
FROM log.head WHERE stopped IS NOT NULL
UNION ALL
SELECT 'wrong', 'the log''s last moment lies ' || round(extract(epoch FROM moment - clock_timestamp()))
  || ' s in the future', ARRAY['date -u', 'accept_moment']
FROM log.head WHERE stopped IS NULL AND moment - clock_timestamp() > %(jump)s * interval '1 second'
UNION ALL
SELECT 'well', position || ' events', '{}' FROM log.head
""",
    "seals": """
WITH sealed AS (
  SELECT size, position, (
    SELECT extract(epoch FROM clock_timestamp() - moment) FROM log.events WHERE notification_id = size + 1
  ) AS waits
  FROM log.head, (SELECT coalesce(max(size), 0) AS size FROM audit.checkpoints) AS checkpoints
)
SELECT 'wrong', 'the database remembers a seal of ' || %(remembered)s::bigint || ' events, and '
  || %(seals)s::text || ' has one of ' || %(newest)s::bigint || ': change nothing, and keep copies of both',
  ARRAY['verify']
WHERE %(remembered)s::bigint > %(newest)s::bigint
UNION ALL
SELECT 'warning', position - size || ' events wait for a seal, the oldest for '
  || round(waits / 3600, 1) || ' h', ARRAY['verify', 'LOG projections']
FROM sealed WHERE waits > %(unsealed)s AND %(remembered)s::bigint > %(newest)s::bigint IS NOT TRUE
UNION ALL
SELECT 'well', size || ' of ' || position || ' events are sealed', '{}' FROM sealed
""",
    "erasures": """
WITH late AS (
  SELECT revisions.moment, coalesce(erasures.steps -> 'waits' ->> 'why',
    CASE WHEN erasures.steps IS NULL THEN 'no worker has begun it' ELSE 'a worker is at it' END) AS why
  FROM read.revisions LEFT JOIN privacy.erasures USING (entity, entity_id, version)
  WHERE split_part(type, '.', 2) = 'erased' AND receipt IS NULL
    AND clock_timestamp() - revisions.moment > %(erasing)s * interval '1 second'
)
SELECT 'wrong', count(*) || ' erasures are under way, the oldest for '
  || round(extract(epoch FROM clock_timestamp() - min(moment)) / 3600, 1) || ' h: ' || why,
  ARRAY['LOG projections']
FROM late GROUP BY why
UNION ALL
SELECT 'well', count(receipt) || ' of ' || count(*) || ' erasures have a receipt', '{}' FROM privacy.erasures
""",
    "write-ahead log": """
WITH slots AS (
  SELECT *, coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0) AS waits,
    'SQL SELECT pg_drop_replication_slot(''' || slot_name || ''')'
    || '  # only if who fetched it is gone for good' AS dropping
  FROM pg_replication_slots
), archiver AS (
  SELECT current_setting('archive_mode') <> 'off' AS archives,
    coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) AS fails, *
  FROM pg_stat_archiver
), receivers AS (
  SELECT count(*) FILTER (WHERE state = 'streaming') AS following, count(*) AS all_of_them,
    current_setting('synchronous_standby_names') <> '' AS must_follow
  FROM pg_stat_replication
)
SELECT 'wrong', 'the slot ' || slot_name || ' has lost what it waited for: what it streams has a gap',
  ARRAY['backup', dropping]
FROM slots WHERE wal_status = 'lost'
UNION ALL
SELECT CASE WHEN waits > %(kept)s THEN 'wrong' ELSE 'warning' END,
  'nobody fetches what the slot ' || slot_name || ' keeps'
  || CASE WHEN waits > %(kept)s THEN ': ' || round(waits / 1e9, 1) || ' GB by now' ELSE '' END,
  ARRAY['status', dropping]
FROM slots WHERE NOT active AND wal_status IS DISTINCT FROM 'lost'
UNION ALL
SELECT 'wrong', 'archiving ' || last_failed_wal || ' fails; the last that was archived was at '
  || coalesce(last_archived_time::text, 'no time'),
  ARRAY['LOG postgres']
FROM archiver WHERE archives AND fails
UNION ALL
SELECT 'wrong', 'commits wait for a synchronous standby, and none follows',
  ARRAY['SQL ALTER SYSTEM SET synchronous_standby_names = ''''', 'SQL SELECT pg_reload_conf()']
FROM receivers WHERE must_follow AND following = 0
UNION ALL
SELECT 'warning', all_of_them - following || ' of ' || all_of_them || ' receivers do not follow',
  ARRAY['status']
FROM receivers WHERE following < all_of_them AND NOT (must_follow AND following = 0)
UNION ALL
SELECT 'well', CASE WHEN EXISTS (SELECT FROM slots) THEN all_of_them || ' receivers follow'
  WHEN archives THEN 'archived until ' || coalesce(last_archived_time::text, 'no time')
  ELSE 'nobody streams or archives the write-ahead log' END, '{}'
FROM receivers, archiver
""",
    "kafka's position": """
WITH relay AS (
  SELECT 'Kafka is ' || greatest(head.position - kept.position, 0) || ' events behind' AS told,
    head.position > kept.position AS is_behind,
    round(extract(epoch FROM clock_timestamp() - acknowledged)) AS silent
  FROM read.relay_positions AS kept CROSS JOIN log.head ORDER BY acknowledged DESC LIMIT 1
)
SELECT 'warning', told || ', and has taken none for ' || silent || ' s', ARRAY['LOG relay']
FROM relay WHERE is_behind AND silent > %(silent)s
UNION ALL
SELECT 'well', told, '{}' FROM relay
""",
}
"""By the look's name."""
