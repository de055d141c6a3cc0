"""The log's SQL, each statement with its purpose."""

from typing import Final

# An appender that has lost its network closes nothing: its session would queue up for the lock for hours, or
# hold it, should it ever append in a transaction of several statements.
SESSION: Final = """
SELECT set_config('idle_in_transaction_session_timeout', '2s', false), set_config('lock_timeout', '4s', false)
"""

# Appends what can be appended of some commands, and tells what became of each: see its migration.
APPEND: Final = """
SELECT * FROM log.append(%s::uuid[], %s::integer[], %s::text[], %s::bigint[], %s::text[], %b::bytea[])
"""

# Where the log ends.
HEAD: Final = "SELECT position FROM log.head"

_COLUMNS = "originator_id, originator_version, topic, state, notification_id, moment"

# The events of some commands that are in the log already. Only a command's first event carries its id.
OF_COMMANDS: Final = f"SELECT command_id, {_COLUMNS} FROM log.events WHERE command_id = ANY(%s)"

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
