"""Queries of the doctor: each row has a level, a text, and commands in the form of `Commands.line`.

Rows of the level `well` are reported only if there are no others.
"""

from collections.abc import Mapping
from typing import Any, Final

from ops.base.records.entities import ENTITY_TYPES

LIMITS: Final[Mapping[str, Any]] = {
    "jump": 300.0,  # with a larger difference, no event is appended
    "kept": 1_000_000_000,  # bytes, retained for an absent receiver until they fill the disk
    "sample": 200,  # events
}
"""Parameters of the queries."""

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
SELECT 'well', CASE WHEN EXISTS (SELECT FROM slots) THEN 'a receiver uses each slot'
  ELSE 'the write-ahead log is not streamed' END, '{}'
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
