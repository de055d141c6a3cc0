"""The log's SQL, each statement with its purpose."""

from typing import Final

# An appender that has lost its network closes nothing: its session would queue up for the lock for hours, or
# hold it, should it ever append in a transaction of several statements.
SESSION: Final = """
SELECT set_config('idle_in_transaction_session_timeout', '2s', false), set_config('lock_timeout', '4s', false)
"""

# Appends what can be appended of some commands, and tells what became of each: see its migration.
APPEND: Final = """
SELECT * FROM log.append(
  %s::timestamptz, %s::uuid[], %s::text[], %s::text[],
  %s::integer[], %s::text[], %s::bigint[], %s::text[], %b::bytea[]
)
"""

# Where the log ends.
HEAD: Final = "SELECT position FROM log.head"

_COLUMNS = "originator_id, originator_version, topic, state, notification_id, moment"

# Some streams' histories.
OF_STREAMS: Final = f"""
SELECT {_COLUMNS} FROM log.events WHERE originator_id = ANY(%s) ORDER BY originator_id, originator_version
"""

# The log from a position on, in its order.
AFTER: Final = f"""
SELECT {_COLUMNS} FROM log.events WHERE notification_id > %s ORDER BY notification_id LIMIT %s
"""

NOTIFY: Final = "SELECT pg_notify('fleetlog_events', %s)"

LOG_ID: Final = "SELECT log_id FROM log.identity"
