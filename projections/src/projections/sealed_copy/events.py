"""The log's events: sealed one by one, and compared with what they were."""

from collections.abc import Callable, Sequence
from typing import Final

from psycopg import AsyncConnection

from command_api.domain.events import Event
from command_api.event_store.mapper import MAPPER, UnreadableEvent
from command_api.event_store.records import RecordedEvent
from ops.base.sealing import naming
from ops.base.sealing.keys import CannotOpen, Key
from ops.base.sealing.states import key_id_of, opened_state, sealed_state
from ops.tamper_evidence.checkpoints import Checkpoint
from ops.tamper_evidence.leaves import LogRow
from ops.tamper_evidence.merkle_tree import Frontier
from projections.failures import ProjectionStopped
from projections.sealed_copy.lives import Lives
from projections.sealed_copy.names import Names
from projections.sealing.rows import rows_between

_COPY: Final = """
COPY log.events (notification_id, originator_id, originator_version, topic, state, moment, command_id)
FROM STDIN (FORMAT BINARY)
"""
_TYPES: Final = ("int8", "text", "int8", "text", "bytea", "timestamptz", "uuid")
_NOTHING_SHOWN: Final = b'{"details":{}}'

Tell = Callable[[int], None]
"""Is told up to which position it is done."""


async def copy_events(
    source: AsyncConnection,
    target: AsyncConnection,
    lives: Lives,
    *,
    up_to: int,
    sealed: Checkpoint | None,
    tell: Tell,
) -> bytes:
    """Copy a log into an empty one; of each event all is kept but that it was in the clear.

    Args:
        source: the log.
        target: where no event is yet; in autocommit mode.
        lives: under which keys its records belong.
        up_to: its last position.
        sealed: its last checkpoint; None: nothing was sealed yet.
        tell: hears of progress.

    Returns:
        The root of the tree of the log as it was.

    Raises:
        KeysUnavailable: nothing can be sealed now.
        ProjectionStopped: the log is not whole, or not what was sealed.
    """
    former = Frontier()
    noted = Names()
    if sealed is not None and sealed.size > up_to:
        raise ProjectionStopped(f"the log ends at {up_to}, and was sealed up to {sealed.size}")
    async for rows in rows_between(source, after=0, up_to=up_to):
        copies = await _copies(rows, lives, noted)
        async with target.transaction(), target.cursor() as cursor, cursor.copy(_COPY) as copy:
            copy.set_types(_TYPES)
            for one in copies:
                await copy.write_row(one)
        for row in rows:
            former.append(row.hash())
            if sealed is not None and former.size == sealed.size and former.root != sealed.root:
                raise ProjectionStopped("the log is not what was sealed: audit verify tells more")
        if former.size != rows[-1].position:
            break
        tell(former.size)
    if former.size != up_to:
        raise ProjectionStopped(f"an event at position {up_to} or before is missing")
    return former.root


async def compare_events(
    source: AsyncConnection, target: AsyncConnection, lives: Lives, *, up_to: int, tell: Tell
) -> None:
    """See that each event of a copy tells, opened, what it told in the clear.

    Args:
        source: the log.
        target: its copy.
        lives: as the copy was made with.
        up_to: the log's last position.
        tell: hears of progress.

    Raises:
        KeysUnavailable: what is sealed cannot be opened now.
        ProjectionStopped: one differs.
    """
    async for rows in rows_between(source, after=0, up_to=up_to):
        last = rows[-1].position
        copies = [
            copy
            async for some in rows_between(target, after=rows[0].position - 1, up_to=last)
            for copy in some
        ]
        keys = await lives.load((row.originator_id, row.originator_version) for row in rows)
        names = await naming.names_of((_actor_of(row), row.moment) for row in rows)
        if len(copies) != len(rows):
            raise ProjectionStopped(f"the copy has not all events up to position {last}")
        for row, copy, key in zip(rows, copies, keys, strict=True):
            if copy._replace(state=row.state) != row or not _tells_the_same(row, copy, key, names):
                raise ProjectionStopped(f"the copy of the event at position {row.position} differs")
        tell(last)


async def _copies(rows: Sequence[LogRow], lives: Lives, noted: Names) -> list[LogRow]:
    clear = [row for row in rows if key_id_of(row.state) is None]
    keys = await lives.load((row.originator_id, row.originator_version) for row in clear)
    states = {}
    for row, key in zip(clear, keys, strict=True):
        event = _event_of(row)
        if event is None:
            states[row.position] = sealed_state(
                _NOTHING_SHOWN, row.state, row.originator_id, row.originator_version, key
            )
            continue
        await noted.note(event.metadata.actor.sub, event.metadata.actor.name, row.moment)
        states[row.position] = MAPPER.to_stored_event(event, key).state
    return [row._replace(state=states.get(row.position, row.state)) for row in rows]


def _tells_the_same(row: LogRow, copy: LogRow, key: Key, names: naming.Names) -> bool:
    if key_id_of(row.state) is not None:
        return copy.state == row.state
    if key_id_of(copy.state) != key.id:
        return False
    before = _event_of(row)
    if before is None:
        try:
            return opened_state(copy.state, row.originator_id, row.originator_version, key) == row.state
        except CannotOpen:
            return False
    after = _event_of(copy, key)
    if after is None:
        return False
    actor = before.metadata.actor
    called = names.of(actor.sub, row.moment, None)
    nameless = before.metadata.model_copy(update={"actor": actor.model_copy(update={"name": ""})})
    return after == before.model_copy(update={"metadata": nameless}) and (
        called.withheld is not None or called.name == actor.name
    )


def _event_of(row: LogRow, key: Key | None = None) -> Event | None:
    """Return what a row tells; None: nobody can read it, or write it as it is (JSON has no NaN)."""
    stored = RecordedEvent(
        row.originator_id, row.originator_version, row.topic, row.state, row.position, row.moment
    )
    stored.unlock(key)
    try:
        event = MAPPER.to_domain_event(stored)
    except UnreadableEvent:
        return None
    return event if MAPPER.to_domain_event(MAPPER.to_stored_event(event)) == event else None


def _actor_of(row: LogRow) -> str | None:
    event = _event_of(row) if key_id_of(row.state) is None else None
    return None if event is None else event.metadata.actor.sub
