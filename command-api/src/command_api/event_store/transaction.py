"""One shared commit: many commands' events and decisions, in one transaction."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from itertools import accumulate
from typing import Any, Final
from uuid import UUID

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

AppendResult = Appended | Decided | VersionConflict

_CLOCK_JUMPED: Final = "FLCLK"
"""The SQLSTATE with which `log.append` refuses to record a time that cannot be."""


async def append_together(
    connection: psycopg.AsyncConnection, batch: Sequence[Append], *, clock: datetime | None = None
) -> list[AppendResult]:
    """Append what can be appended of a batch, in its order, and commit.

    A command that has an outcome already is not appended again: that is its outcome. This makes trying again
    safe when the answer to a commit was lost, and when a client sends a command again.

    Args:
        connection: an autocommit connection that nobody else uses meanwhile.
        batch: the commands.
        clock: the time as this process takes it to be; None: let the database's be right.

    Returns:
        The outcome of each command.

    Raises:
        ClockJumped: nothing was appended, for the time cannot be.
        psycopg.Error: nothing is known of the batch; trying again is safe.
    """
    parameters = parameters_of(batch, clock)
    try:
        rows = await (await connection.execute(statements.APPEND, parameters, binary=True)).fetchall()
    except psycopg.Error as error:
        raise refusal_of(error) from None
    return outcomes_of(batch, rows)


def refusal_of(error: psycopg.Error) -> psycopg.Error | ClockJumped:
    """Return why nothing was appended."""
    return ClockJumped(error.diag.message_primary) if error.sqlstate == _CLOCK_JUMPED else error


def outcomes_of(batch: Sequence[Append], rows: Iterable[tuple[Any, ...]]) -> list[AppendResult]:
    """Return the outcome of each command, as `statements.APPEND` reports them."""
    reported: dict[int, list[tuple[Any, ...]]] = {}
    for number, *columns in rows:
        reported.setdefault(number, []).append(tuple(columns))
    return [_outcome(append, reported[number]) for number, append in enumerate(batch, start=1)]


def parameters_of(batch: Sequence[Append], clock: datetime | None) -> list[Any]:
    """Return the parameters of `statements.APPEND`; see `append_together`."""
    rows = [_rows(append) for append in batch]
    return [
        clock,
        [append.command_id for append in batch],
        [append.fingerprint for append in batch],
        [append.decision.decision if append.decision else None for append in batch],
        list(accumulate(map(len, rows))),
        *([row[column] for of_command in rows for row in of_command] for column in range(4)),
    ]


def _rows(append: Append) -> list[tuple[UUID | str, int, str | None, bytes | None]]:
    if append.decision is not None:
        return [(append.decision.originator_id, append.decision.originator_version, None, None)]
    return [
        (event.originator_id, event.originator_version, event.topic, event.state) for event in append.events
    ]


def _outcome(append: Append, reported: Sequence[tuple[Any, ...]]) -> AppendResult:
    position, moment, stream, version, topic, state, decision, fingerprint = reported[0]
    if position is None:
        return VersionConflict("another command came first")
    if decision is not None:
        return Decided(Decision(stream, version, decision), position, fingerprint)
    if stream is not None:
        return Appended((RecordedEvent(stream, version, topic, state, position, moment),))
    if append.decision is not None:
        return Decided(append.decision, position, append.fingerprint)
    return Appended(
        tuple(
            RecordedEvent.of(new, position, moment)
            for new, (position, moment, *_) in zip(append.events, reported, strict=True)
        )
    )
