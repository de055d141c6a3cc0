"""Queries of the doctor: each row has a level, a text, and commands in the form of `Commands.line`.

Rows of the level `well` are reported only if there are no others.
"""

from collections.abc import Mapping
from typing import Any, Final

from ops.base.records.entities import ENTITY_TYPES

LIMITS: Final[Mapping[str, Any]] = {
    "needed": 60,  # connections of the services of one machine, and of an operator
    "full": 0.8,
    "apart": 5.0,
    "jump": 300.0,  # with a larger difference, no event is appended
    "idle": 60,
    "locked": 5,
    "age": 1_500_000_000,  # at two billion, PostgreSQL refuses writes
    "kept": 1_000_000_000,  # bytes, retained for an absent receiver until they fill the disk
    "sample": 200,  # events
    "who": "SQL SELECT pid, usename, state, wait_event_type, query_start, state_change FROM pg_stat_activity",
    "more": "SQL ALTER SYSTEM SET max_connections = 200  # and start the server again",
}
"""Parameters of the queries, together with `now`."""

_COLLECTIONS: Final = ", ".join(f"('{one.name}', '{one.collection}')" for one in ENTITY_TYPES)
_SHOWN: Final = " UNION ALL ".join(
    f"SELECT id, position, record FROM read.{one.collection}"  # noqa: S608 - of our own constants
    f" WHERE newest.entity = '{one.name}' AND id = newest.entity_id"
    for one in ENTITY_TYPES
)

QUERIES: Final = {
    "database": """
SELECT 'wrong', 'the database''s encoding is ' || setting || ', and must be UTF8', ARRAY['SQL \\l']
FROM pg_settings WHERE name = 'server_encoding' AND setting <> 'UTF8'
UNION ALL
SELECT 'warning', 'the database''s time zone is ' || setting || ', not UTC',
  ARRAY['SQL ALTER DATABASE ' || current_database() || ' SET timezone = ''UTC''']
FROM pg_settings WHERE name = 'TimeZone' AND setting NOT IN ('UTC', 'Etc/UTC')
UNION ALL
SELECT 'wrong', name || ' is off: acknowledged changes are lost when the machine fails',
  ARRAY['SQL ALTER SYSTEM SET ' || name || ' = on', 'SQL SELECT pg_reload_conf()']
FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off'
UNION ALL
SELECT 'wrong', 'the database is a standby, and accepts no writes', ARRAY['SQL SELECT pg_promote()']
WHERE pg_is_in_recovery()
UNION ALL
SELECT 'well', 'PostgreSQL ' || current_setting('server_version') || ', in UTC and UTF8, durable', '{}'
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
    || round(apart) || ' s from this one' AS what, apart, ARRAY['date -u', 'sudo chronyc makestep'] AS fix
  FROM abs(extract(epoch FROM clock_timestamp()) - %(now)s) AS apart
)
SELECT 'wrong', what || ': no event is appended', fix FROM clock WHERE apart >= %(jump)s
UNION ALL
SELECT 'warning', what, fix FROM clock WHERE apart > %(apart)s AND apart < %(jump)s
UNION ALL
SELECT 'well', 'the database''s clock agrees with this one', '{}'
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
SELECT 'wrong', 'no transaction was frozen within ' || to_char(age, 'FM999,999,999,999')
  || ': autovacuum cannot finish', ARRAY['SQL VACUUM (FREEZE)']
FROM pg_database, age(datfrozenxid) WHERE datname = current_database() AND age > %(age)s
UNION ALL
SELECT 'well', 'no session blocks others', '{}'
""",
    "log": """
SELECT 'wrong', 'the log''s last moment lies ' || round(extract(epoch FROM moment - clock_timestamp()))
  || ' s in the future', ARRAY['date -u', 'accept_moment']
FROM log.head WHERE stopped IS NULL AND moment - clock_timestamp() > %(jump)s * interval '1 second'
UNION ALL
SELECT 'well', position || ' events', '{}' FROM log.head
""",
    "write-ahead log": """
WITH slots AS (
  SELECT *, coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), restart_lsn), 0) AS waits,
    'SQL SELECT pg_drop_replication_slot(''' || slot_name || ''')'
    || '  # only if its receiver is gone for good' AS dropping
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
SELECT 'wrong', 'the slot ' || slot_name || ' has lost write-ahead log: its stream has a gap',
  ARRAY['backup', dropping]
FROM slots WHERE wal_status = 'lost'
UNION ALL
SELECT CASE WHEN waits > %(kept)s THEN 'wrong' ELSE 'warning' END,
  'no receiver uses the slot ' || slot_name || ', which retains write-ahead log'
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
  ELSE 'the write-ahead log is neither streamed nor archived' END, '{}'
FROM receivers, archiver
""",
    # Random events lead to records, and so to rows that are missing, too. Personal values are not compared.
    "read tables": f"""
WITH sample AS MATERIALIZED (
  SELECT DISTINCT entity, entity_id, collection
  FROM read.revisions JOIN (VALUES {_COLLECTIONS}) AS known (entity, collection) USING (entity)
  WHERE position IN (
    SELECT 1 + floor(random() * position)::bigint FROM log.head, generate_series(1, %(sample)s)
  )
), newest AS (
  SELECT sample.*, last.position, last.state
  FROM sample CROSS JOIN LATERAL (
    SELECT position, state FROM read.revisions AS one
    WHERE one.entity = sample.entity AND one.entity_id = sample.entity_id
    ORDER BY version DESC, position DESC LIMIT 1
  ) AS last
  -- Rows of a projection that lags differ for a moment.
  WHERE (SELECT position FROM read.positions WHERE projection = 'revisions')
    = (SELECT position FROM read.positions WHERE projection = collection)
    AND NOT EXISTS (
      SELECT FROM read.quarantined_streams
      WHERE projection IN ('revisions', collection) AND originator_id = entity || ':' || entity_id
    )
), compared AS (
  SELECT collection, count(*) AS records, count(*) FILTER (WHERE CASE
    WHEN newest.state IS NULL THEN shown.id IS NOT NULL
    ELSE (shown.position = newest.position AND shown.record::jsonb = newest.state::jsonb) IS NOT TRUE
  END) AS different
  FROM newest LEFT JOIN LATERAL ({_SHOWN}) AS shown ON true GROUP BY collection
)
SELECT 'wrong', different || ' of ' || records || ' sampled records of ' || collection
  || ' differ from their newest revision', ARRAY['REBUILD ' || collection]
FROM compared WHERE different > 0
UNION ALL
SELECT 'well', coalesce(sum(records), 0) || ' sampled records equal their newest revision', '{{}}'
FROM compared
""",  # noqa: S608 - as above
}
"""By the check's name."""
