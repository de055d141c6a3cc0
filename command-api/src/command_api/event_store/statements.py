"""SQL statements of the log."""

from typing import Final

from ops.base.encryption.states import HEADER_BYTES

# Without these, the session of an appender that lost its network could hold the log's lock for hours.
SESSION: Final = """
SELECT set_config('idle_in_transaction_session_timeout', '2s', false), set_config('lock_timeout', '4s', false)
"""

# Append the events and decisions of commands, and return the outcome of each.
APPEND: Final = """
SELECT * FROM log.append(
  $1::timestamptz, $2::uuid[], $3::text[], $4::text[],
  $5::integer[], $6::text[], $7::bigint[], $8::text[], $9::bytea[],
  $10::text[], $11::integer[], $12::text[], $13::bytea[], $14::tstzrange[],
  $15::integer[], $16::text[], $17::bigint[]
)
"""

UNIQUE_KEY: Final = "SELECT key_id FROM log.unique_key WHERE version = %s"
# Not if a later release has filled them by its rules: releases would replace each other's hashes.
MAY_REFILL: Final = """
SELECT NOT EXISTS (
  SELECT FROM log.unique_key WHERE version > %s OR (version = %s AND key_id IS DISTINCT FROM %s)
)
"""
OWNERS: Final = """
SELECT given.value, one.originator_id
FROM unnest(%s::bytea[], %s::tstzrange[]) AS given (value, during)
CROSS JOIN LATERAL (
  SELECT originator_id FROM log.unique_values AS kept
  WHERE kept.value = given.value AND kept.originator_id <> %s AND (kept.during && given.during) IS NOT FALSE
  LIMIT 1
) AS one
"""
# The streams between two names, in pages.
STREAMS: Final = """
SELECT originator_id FROM log.events
WHERE originator_id > %s AND originator_id < %s AND originator_version = 1
ORDER BY originator_id LIMIT %s
"""
CHANGED_STREAMS: Final = """
SELECT DISTINCT originator_id FROM log.events WHERE notification_id > %s AND notification_id <= %s
"""
LOCK_REFILL: Final = "LOCK TABLE log.unique_refill_lock IN EXCLUSIVE MODE NOWAIT"
EMPTY_UNIQUE_VALUES: Final = "TRUNCATE log.unique_key, log.unique_values"
ADD_UNIQUE_VALUE: Final = "INSERT INTO log.unique_values VALUES (%s, %s, %s)"
DROP_UNIQUE_VALUES: Final = "DELETE FROM log.unique_values WHERE originator_id = ANY (%s)"
SET_UNIQUE_KEY: Final = "INSERT INTO log.unique_key (version, key_id) VALUES (%s, %s)"
LOCK_APPENDS: Final = "SELECT log.lock_appends()"

HEAD: Final = "SELECT position FROM log.head"

_COLUMNS = "originator_id, originator_version, topic, state, notification_id, moment"

# The events after a version of some streams, limited in number and bytes but at least one; and the event of
# that version with the header of its state only. octet_length() reads a large value's size from its pointer.
STREAM_PAGES: Final = f"""
SELECT wanted.stream, wanted.after, event.version, event.position, event.moment, event.topic, event.size,
  CASE WHEN event.version > wanted.after THEN event.state ELSE substr(event.state, 1, {HEADER_BYTES}) END,
  event.seen
FROM unnest(%s::text[], %s::bigint[]) AS wanted (stream, after)
CROSS JOIN LATERAL (
  SELECT *,
    count(*) OVER () AS seen,
    coalesce(sum(CASE WHEN version > wanted.after THEN size END) OVER (
      ORDER BY version ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ), 0) AS bytes_before
  FROM (
    SELECT originator_version AS version, notification_id AS position, moment, topic, state,
      octet_length(state) AS size
    FROM log.events
    WHERE originator_id = wanted.stream AND originator_version >= wanted.after
    ORDER BY originator_version
    LIMIT %s
  ) AS next_events
) AS event
WHERE event.bytes_before < %s
ORDER BY 1, 2, 3
"""

# The latest events of a stream between two versions, limited in number and bytes.
LATEST: Final = f"""
SELECT {_COLUMNS}
FROM (
  SELECT *, coalesce(sum(octet_length(state)) OVER (
    ORDER BY originator_version DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
  ), 0) AS bytes_before
  FROM (
    SELECT {_COLUMNS} FROM log.events
    WHERE originator_id = %s AND originator_version > %s AND originator_version <= %s
    ORDER BY originator_version DESC
    LIMIT %s
  ) AS latest_events
) AS measured
WHERE bytes_before < %s
ORDER BY originator_version
"""

# The newest snapshot of a stream up to a version.
SNAPSHOT: Final = """
SELECT originator_version, key_id, ciphertext FROM log.snapshots
WHERE originator_id = %s AND schema_version = %s AND originator_version <= %s
ORDER BY originator_version DESC
LIMIT 1
"""
ADD_SNAPSHOT: Final = """
INSERT INTO log.snapshots (originator_id, schema_version, originator_version, key_id, ciphertext)
VALUES (%s, %s, %s, %s, %s)
ON CONFLICT DO NOTHING
RETURNING originator_version
"""

_STREAM: Final = f"""
SELECT {_COLUMNS} FROM log.events
WHERE originator_id = %s AND originator_version > %s AND originator_version <= %s
ORDER BY originator_version"""
STREAM: Final = f"{_STREAM} LIMIT %s"
STREAM_LATEST_FIRST: Final = f"{_STREAM} DESC LIMIT %s"

# The events between two positions, of the given topics if any.
AFTER: Final = f"""
SELECT {_COLUMNS} FROM log.events
WHERE notification_id > %(after)s AND notification_id <= %(up_to)s
  AND (%(topics)s::text[] = '{{}}' OR topic = ANY (%(topics)s::text[]))
ORDER BY notification_id
LIMIT %(limit)s
"""

APPENDED_CHANNEL: Final = "fleetlog_events"
"""Notified with the log's head after every append."""
NOTIFY: Final = f"SELECT pg_notify('{APPENDED_CHANNEL}', $1::text)"

LOG_ID: Final = "SELECT log_id FROM log.identity"
