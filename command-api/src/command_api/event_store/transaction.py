"""One shared commit: many commands' events and decisions, in one transaction."""

import struct
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Final

import psycopg
from psycopg.pq.abc import PGresult

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
from ops.base.database.prepared import PreparedSession

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
_EPOCH: Final = datetime(2000, 1, 1, tzinfo=UTC)
"""From which the server counts microseconds."""
_MICROSECOND: Final = timedelta(microseconds=1)
_UUID, _TEXT, _INTEGER, _BIGINT, _BYTEA = (
    psycopg.adapters.types[name].oid for name in ("uuid", "text", "int4", "int8", "bytea")
)
_SIZE: Final = struct.Struct(">i").pack
_NULL: Final = _SIZE(-1)
_EMPTY: Final = struct.Struct(">iiI").pack
_ARRAY: Final = struct.Struct(">iiIii").pack
"""How many dimensions, whether there may be nulls, of which type, how many elements, counted from where."""


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
    await session.execute(_NOTIFY, [b"%d" % position])


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
        result = await session.execute(statement, parameters_of(batch, clock))
    except psycopg.Error as error:
        raise refusal_of(error) from None
    return outcomes_of(batch, result)


def refusal_of(error: psycopg.Error) -> psycopg.Error | ClockJumped:
    """Return why nothing was appended."""
    return ClockJumped(error.diag.message_primary) if error.sqlstate == _CLOCK_JUMPED else error


def parameters_of(batch: Sequence[Append], clock: datetime | None) -> list[bytes | None]:
    """Return the parameters of `statements.APPEND` as they are sent; see `append_together`."""
    ids, fingerprints, decisions, last_events = [], [], [], []
    streams, versions, topics, states = [], [], [], []
    for append in batch:
        decision = append.decision
        if decision is not None:
            streams.append(_text(decision.originator_id))
            versions.append(_element(_bigint(decision.originator_version)))
            topics.append(_NULL)
            states.append(_NULL)
        for event in append.events:
            streams.append(_text(str(event.originator_id)))
            versions.append(_element(_bigint(event.originator_version)))
            topics.append(_text(event.topic))
            states.append(_element(event.state))
        ids.append(_element(append.command_id.bytes))
        fingerprints.append(_text(append.fingerprint))
        decisions.append(_text(decision.decision if decision else None))
        last_events.append(_element(_SIZE(len(streams))))
    return [
        None if clock is None else _bigint((clock - _EPOCH) // _MICROSECOND),
        *(_array(_UUID, ids), _array(_TEXT, fingerprints), _array(_TEXT, decisions)),
        *(_array(_INTEGER, last_events), _array(_TEXT, streams), _array(_BIGINT, versions)),
        *(_array(_TEXT, topics), _array(_BYTEA, states)),
    ]


def outcomes_of(batch: Sequence[Append], result: PGresult) -> list[AppendResult]:
    """Return the outcome of each command, as `statements.APPEND` reports them."""
    outcomes: list[AppendResult] = []
    row = 0
    for append in batch:
        outcome = _outcome(append, result, row)
        outcomes.append(outcome)
        row += len(outcome.events) if isinstance(outcome, Appended) else 1
    return outcomes


def _outcome(append: Append, result: PGresult, row: int) -> AppendResult:
    """Read what begins in a row: one for each event that was appended, else one for the command."""
    value = result.get_value
    position, moment, stream = value(row, 1), value(row, 2), value(row, 3)
    if position is None or moment is None:
        return VersionConflict("another command came first")
    if stream is not None:
        return _kept(result, row, stream.decode(), _integer(position), _moment(moment))
    first = _integer(position)
    if append.decision is not None:
        return Decided(append.decision, first, append.fingerprint)
    # Nothing comes between the events of one command.
    events = enumerate(append.events, first)
    return Appended(tuple([RecordedEvent.of(new, at, _moment(moment)) for at, new in events]))


def _kept(result: PGresult, row: int, stream: str, position: int, moment: datetime) -> Appended | Decided:
    version, *texts, state = (result.get_value(row, column) for column in (4, 5, 7, 8, 6))
    topic, decision, fingerprint = (None if text is None else text.decode() for text in texts)
    at = _integer(version or b"")
    if decision is not None:
        return Decided(Decision(stream, at, decision), position, fingerprint)
    return Appended((RecordedEvent(stream, at, topic or "", bytes(state or b""), position, moment),))


def _text(text: str | None) -> bytes:
    return _NULL if text is None else _element(text.encode())


def _element(value: bytes) -> bytes:
    return _SIZE(len(value)) + value


def _array(of: int, elements: list[bytes]) -> bytes:
    if not elements:
        return _EMPTY(0, 0, of)
    return b"".join([_ARRAY(1, 1, of, len(elements), 1), *elements])


def _bigint(number: int) -> bytes:
    return number.to_bytes(8, "big", signed=True)


def _integer(value: bytes) -> int:
    return int.from_bytes(value, "big", signed=True)


@lru_cache(maxsize=1)  # it is the same for all of a batch
def _moment(value: bytes) -> datetime:
    return _EPOCH + _integer(value) * _MICROSECOND
