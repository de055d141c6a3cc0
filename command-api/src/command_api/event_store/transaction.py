"""One shared commit: many commands' events and decisions, in one transaction."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

import psycopg

from command_api.event_store import statements
from command_api.event_store.records import (
    Append,
    Appended,
    ClockJumped,
    Decided,
    Decision,
    RecordedEvent,
    VersionConflict,
)
from ops.base.database.connection import connect
from ops.base.database.prepared import PreparedSession, Value

AppendResult = Appended | Decided | VersionConflict

ANSWER_SECONDS: Final = 4.0  # more than a dead session may keep the log's lock: see statements.SESSION
_CLOCK_JUMPED: Final = "FLCLK"
"""The SQLSTATE with which `log.append` refuses to record a time that cannot be."""
_MANY: Final = 4
"""From so many commands on the statement for many is the faster one."""
_APPEND: Final = statements.APPEND.encode()
_APPEND_MANY: Final = statements.APPEND_MANY.encode()
_NOTIFY: Final = statements.NOTIFY.encode()
_WRITE_PAGE: Final = b"SELECT pg_logical_emit_message(true, 'fleetlog', repeat(' ', 8192)) IS NULL"


async def open_session(dsn: str) -> PreparedSession:
    """Connect, to append.

    Raises:
        psycopg.OperationalError: the server cannot be reached.
    """
    connection = await connect(dsn, autocommit=True, answer_seconds=ANSWER_SECONDS)
    await connection.execute(statements.SESSION)
    return PreparedSession(connection)


async def notify(session: PreparedSession, position: int) -> None:
    """Tell all who listen where the log ends.

    Raises:
        psycopg.Error: perhaps nobody has been told.
    """
    await session.fetch(_NOTIFY, [str(position)])


async def try_to_write(session: PreparedSession) -> None:
    """Write a page to the write-ahead log that means nothing to anyone.

    Raises:
        psycopg.Error: the server cannot write.
    """
    await session.fetch(_WRITE_PAGE)


async def append_together(
    session: PreparedSession, batch: Sequence[Append], *, clock: datetime | None = None
) -> list[AppendResult]:
    """Append what can be appended of a batch, in its order, and commit.

    A command that has an outcome already is not appended again: that is its outcome. This makes trying again
    safe when the answer to a commit was lost, and when a client sends a command again.

    Args:
        session: in which nobody else runs anything meanwhile.
        batch: the commands.
        clock: the time as this process takes it to be; None: let the database's be right.

    Returns:
        The outcome of each command.

    Raises:
        ClockJumped: nothing was appended, for the time cannot be.
        psycopg.Error: nothing is known of the batch; trying again is safe.
    """
    statement = _APPEND if len(batch) < _MANY else _APPEND_MANY
    try:
        rows = await session.fetch(statement, parameters_of(batch, clock))
    except psycopg.Error as error:
        raise refusal_of(error) from None
    return outcomes_of(batch, rows)


def refusal_of(error: psycopg.Error) -> psycopg.Error | ClockJumped:
    """Return why nothing was appended."""
    return ClockJumped(error.diag.message_primary) if error.sqlstate == _CLOCK_JUMPED else error


def parameters_of(batch: Sequence[Append], clock: datetime | None) -> list[Value]:
    """Return the parameters of `statements.APPEND`; see `append_together`."""
    last_events: list[int] = []
    streams: list[str] = []
    versions: list[int] = []
    topics: list[str | None] = []
    states: list[bytes | None] = []
    for append in batch:
        if append.decision is not None:
            streams.append(append.decision.originator_id)
            versions.append(append.decision.originator_version)
            topics.append(None)
            states.append(None)
        for event in append.events:
            streams.append(str(event.originator_id))
            versions.append(event.originator_version)
            topics.append(event.topic)
            states.append(event.state)
        last_events.append(len(streams))
    return [
        clock,
        [str(append.command_id) for append in batch],
        [append.fingerprint for append in batch],
        [append.decision and append.decision.decision for append in batch],
        *(last_events, streams, versions, topics, states),
    ]


def outcomes_of(batch: Sequence[Append], rows: Sequence[tuple[Any, ...]]) -> list[AppendResult]:
    """Return the outcome of each command from the rows of `statements.APPEND`.

    Each appended event has a row; a command that appended nothing has one.
    """
    outcomes: list[AppendResult] = []
    at = 0
    for append in batch:
        outcome = _outcome(append, rows[at])
        outcomes.append(outcome)
        at += len(outcome.events) if isinstance(outcome, Appended) else 1
    return outcomes


def _outcome(append: Append, row: tuple[Any, ...]) -> AppendResult:
    _, position, moment, stream, version, topic, state, decision, fingerprint = row
    if position is None or moment is None:
        return VersionConflict("another command came first")
    if stream is not None and decision is not None:
        return Decided(Decision(stream, version, decision), position, fingerprint)
    if stream is not None:
        return Appended((RecordedEvent(stream, version, topic or "", state or b"", position, moment),))
    if append.decision is not None:
        return Decided(append.decision, position, append.fingerprint)
    # The events of a command have consecutive positions.
    events = enumerate(append.events, position)
    return Appended(tuple([RecordedEvent.of(new, at, moment) for at, new in events]))
