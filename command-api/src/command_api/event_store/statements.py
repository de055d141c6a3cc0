"""The log's SQL, each statement with its purpose."""

from typing import Final

from ops.base.encryption.states import HEADER_BYTES

# An appender that has lost its network closes nothing: its session would queue up for the lock for hours, or
# hold it, should it ever append in a transaction of several statements.
SESSION: Final = """
SELECT set_config('idle_in_transaction_session_timeout', '2s', false), set_config('lock_timeout', '4s', false)
"""

# Append the events and decisions of commands, and return the outcome of each; for cursors that take `$1`.
APPEND: Final = """
SELECT * FROM log.append(
  $1::timestamptz, $2::uuid[], $3::text[], $4::text[],
  $5::integer[], $6::text[], $7::bigint[], $8::text[], $9::bytea[]
)
"""
# The same, faster for many.
APPEND_MANY: Final = APPEND.replace("log.append", "log.append_many")

# Where the log ends.
HEAD: Final = "SELECT position FROM log.head"

_COLUMNS = "originator_id, originator_version, topic, state, notification_id, moment"

# What follows a version in some streams, each bounded in events and bytes, but at least one event; and,
# of its state the beginning only, the event of that version. octet_length() reads a large value's size from
# its pointer.
STRETCHES: Final = f"""
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

# The latest events of a stream between two versions, bounded likewise.
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

# The newest state that the revisions have of an entity, up to a version: one that says all that commands ask.
SNAPSHOT: Final = """
SELECT version, position, moment, type, state::text, key_id, box
FROM read.revisions
WHERE entity = %s AND entity_id = %s AND version <= %s AND state IS NOT NULL
  AND type <> ALL (ARRAY[entity || '.restricted', entity || '.hold_set'])
ORDER BY version DESC
LIMIT 1
"""

# A stream between two versions.
_STREAM: Final = f"""
SELECT {_COLUMNS} FROM log.events
WHERE originator_id = %s AND originator_version > %s AND originator_version <= %s
ORDER BY originator_version"""
STREAM: Final = f"{_STREAM} LIMIT %s"
STREAM_LATEST_FIRST: Final = f"{_STREAM} DESC LIMIT %s"

# The log between two positions, in its order; of some topics only, if any are named.
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
