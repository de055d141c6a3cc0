"""Concurrent writers that append through the event store."""

import asyncio
import random
from typing import Final
from uuid import uuid4

from command_api.domain.aggregate import Aggregate
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import Event
from command_api.event_store.log import EventLog
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import AppendRequest
from ops.testing.postgres import Database
from projections_testing.fleet import METADATA

_FIELDS: Final = {"driver": "name", "trailer": "identifier", "horse": "identifier", "location": "country"}
"""The field that the writers change, by entity type."""
_ENTITIES_OF_A_WRITER: Final = 10


async def write(database: Database, events: int, *, writers: int, first: int = 1) -> None:
    """Append events of all entity types: each writer registers, changes and removes entities of its own.

    Args:
        writers: the number of concurrent writers.
        first: the number of the first writer, from which the ids of its entities derive.
    """
    async with EventLog.open(database.command) as log:
        shares = [events // writers + (number < events % writers) for number in range(writers)]
        await asyncio.gather(
            *(
                _write(log, first + number, share, random.Random(number))
                for number, share in enumerate(shares)
            )
        )


async def _write(log: EventLog, writer: int, events: int, source: random.Random) -> None:
    aggregates: dict[str, Aggregate] = {}
    while events:
        entity, number = source.choice(list(_FIELDS)), source.randrange(_ENTITIES_OF_A_WRITER)
        stream = f"{entity}:W{writer}-{number}"
        aggregate = aggregates.get(stream) or Aggregate(DEFINITIONS[entity], f"W{writer}-{number}")
        event = _decide(aggregate, source)
        if event is None:
            continue
        new = MAPPER.to_stored_event(event)
        appended = await log.append(AppendRequest(uuid4(), (new,)))
        aggregates[stream] = aggregate.after(event, appended.events[0].moment)
        events -= 1


def _decide(aggregate: Aggregate, source: random.Random) -> Event | None:
    field = _FIELDS[aggregate.definition.name]
    details = {field: f"value {source.randrange(1_000_000)}"}
    if aggregate.state is None:
        return aggregate.register({**aggregate.definition.blank_details(), **details}, METADATA)
    return aggregate.remove(METADATA) if source.random() < 0.1 else aggregate.change(details, METADATA)
