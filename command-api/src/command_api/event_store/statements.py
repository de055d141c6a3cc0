"""The log's SQL, each statement with its purpose."""

from typing import Final

# An appender that has lost its network closes nothing: its session would hold the lock, or queue up for it,
# for hours. Between the statements of an append there is no pause.
SESSION: Final = """
SELECT set_config('idle_in_transaction_session_timeout', '2s', false), set_config('lock_timeout', '4s', false)
"""

# Positions must be given in commit order, so one transaction at a time appends. It must be a statement of
# its own: the next ones then see everything that was committed before the lock was had.
LOCK: Final = "SELECT pg_advisory_xact_lock(hashtext('fleetlog.append'))"

# Where the log ends, and the time now.
HEAD: Final = "SELECT position, moment, clock_timestamp() FROM log.head"

# The versions that some streams have reached.
VERSIONS: Final = """
SELECT DISTINCT ON (originator_id) originator_id, originator_version
FROM log.events
WHERE originator_id = ANY(%s)
ORDER BY originator_id, originator_version DESC
"""

_COLUMNS = "originator_id, originator_version, topic, state, notification_id, moment"

# The events of some commands that are in the log already. Only a command's first event carries its id.
OF_COMMANDS: Final = f"SELECT command_id, {_COLUMNS} FROM log.events WHERE command_id = ANY(%s)"

INSERT: Final = """
INSERT INTO log.events
  (notification_id, originator_id, originator_version, topic, state, moment, command_id)
SELECT * FROM unnest(
  %s::bigint[], %s::text[], %s::bigint[], %s::text[], %b::bytea[], %s::timestamptz[], %s::uuid[]
)
"""

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
