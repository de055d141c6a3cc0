"""One shared commit: many commands' events, appended in one transaction."""

from collections.abc import Sequence
from itertools import accumulate

import psycopg

from command_api.event_store import statements
from command_api.event_store.records import Append, Appended, NewEvent, RecordedEvent, VersionConflict

Outcome = Appended | VersionConflict


async def append_together(connection: psycopg.AsyncConnection, batch: Sequence[Append]) -> list[Outcome]:
    """Append what can be appended of a batch, in its order, and commit.

    A command whose id is in the log already is not appended again: its recorded event is the outcome. That
    is what makes trying again safe when the answer to a commit was lost.

    Args:
        connection: an autocommit connection that nobody else uses meanwhile.
        batch: the commands.

    Returns:
        The outcome of each command.

    Raises:
        psycopg.Error: nothing is known of the batch; trying again is safe.
    """
    cursor = await connection.execute(statements.APPEND, _parameters(batch), binary=True)
    recorded: dict[int, list[RecordedEvent]] = {}
    for number, position, moment, *repeated in await cursor.fetchall():
        events = recorded.setdefault(number, [])
        if position is None:
            continue  # another command came first
        new = batch[number - 1].events[len(events)]
        if repeated[0] is not None:
            new = NewEvent(*repeated)
        events.append(
            RecordedEvent(new.originator_id, new.originator_version, new.topic, new.state, position, moment)
        )
    return [_outcome(append, recorded[number]) for number, append in enumerate(batch, start=1)]


def _parameters(batch: Sequence[Append]) -> list[list[object]]:
    events = [event for append in batch for event in append.events]
    return [
        [append.command_id for append in batch],
        list(accumulate(len(append.events) for append in batch)),
        [event.originator_id for event in events],
        [event.originator_version for event in events],
        [event.topic for event in events],
        [event.state for event in events],
    ]


def _outcome(append: Append, events: Sequence[RecordedEvent]) -> Outcome:
    return Appended(tuple(events)) if events else VersionConflict(append.events[0].originator_id)
