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
SELECT 'wrong', 'the log''s last moment lies ' || round(extract(epoch FROM moment - clock_timestamp()))
  || ' s in the future', ARRAY['date -u', 'accept_moment']
FROM log.head WHERE stopped IS NULL AND moment - clock_timestamp() > %(jump)s * interval '1 second'
UNION ALL
SELECT 'well', position || ' events', '{}' FROM log.head
""",
    "seals": """
SELECT 'wrong', 'the database remembers a seal of ' || %(remembered)s::bigint || ' events, and '
  || %(seals)s::text || ' has one of ' || %(newest)s::bigint || ': change nothing, and keep copies of both',
  ARRAY['verify']
WHERE %(remembered)s::bigint > %(newest)s::bigint
UNION ALL
SELECT 'well', coalesce(max(size), 0) || ' events are sealed', '{}' FROM audit.checkpoints
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
}
"""By the look's name."""
