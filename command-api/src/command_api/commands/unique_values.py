"""Hashes of the unique values that events release and claim, and their refill after a crash of the server."""

import asyncio
import time
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any, Final

import structlog

from command_api.commands.reasons import Duplicate
from command_api.commands.streams import Streams
from command_api.domain.aggregate import Aggregate
from command_api.domain.definition import STREAMS, Definition
from command_api.domain.events import DetailsChanged, Event, Registered
from command_api.domain.state import InapplicableEvent
from command_api.domain.uniqueness import VERSION, UniqueValue, changed_values, unique_values
from command_api.event_store.log import EventLog
from command_api.event_store.mapper import UnreadableEvent
from command_api.event_store.records import UniqueChange, UniqueValuesUnavailable, ValueTaken
from command_api.event_store.unique_refill import Refill
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.keys import Key
from ops.base.process.tasks import supervised

WAIT_SECONDS: Final = 2.0
"""How long a command waits for a refill; in an empty log it takes milliseconds."""
_RETRY_SECONDS: Final = 0.1

FormerIds = Mapping[tuple[str, str], Sequence[str]]
"""By field and id of a record to which it refers, the ids of the records that were merged into that one."""
NOT_MERGED: Final[FormerIds] = MappingProxyType({})

logger = structlog.get_logger()


class UniqueValues:
    """The unique values of the records in a log, which stores keyed hashes only."""

    def __init__(self, log: EventLog, *, shared: Collection[str] = ()) -> None:
        """Prepare the unique values of a log.

        Args:
            shared: fields that records may share, such as `driver.passport_number`; `all`: every field.
        """
        self._log = log
        self._shared = frozenset(shared)
        self._key_id: str | None = None
        self._refilling: asyncio.Task[None] | None = None

    def forget_key(self) -> None:
        """Read the key's id again: the hashes were lost or refilled."""
        self._key_id = None

    def close(self) -> None:
        """Stop a refill."""
        if self._refilling is not None:
            self._refilling.cancel()

    async def change_of(
        self, before: Aggregate, event: Event, former: FormerIds = NOT_MERGED
    ) -> UniqueChange | None:
        """Return the hashes that an event releases and claims; None if it changes no unique value.

        Raises:
            UniqueValuesUnavailable: it claims values while the hashes are incomplete.
            KeysUnavailable: the hashes' key is unavailable.
        """
        released, claimed = changed_values(before, event)
        if not released and not claimed:
            return None
        key = await self._key(wait=bool(claimed))
        if key is None:
            return UniqueChange("")
        definition = before.definition
        avoided = [
            one._replace(text=text) for one in claimed for text in former.get((one.field, one.text), ())
        ]
        hashes = {one: _hash(key, definition, one) for one in (*claimed, *avoided)}
        shared = [one for one in claimed if self._shared and self._is_shared(definition, one.field)]
        return UniqueChange(
            key.id,
            tuple([_hash(key, definition, one) for one in released]),
            tuple([hashes[one] for one in claimed if one not in shared]),
            tuple([hashes[one] for one in shared]),
            tuple([hashes[one] for one in avoided]),
            {value: one.during for one, value in hashes.items() if one.during},
            {value: one.field for one, value in hashes.items()},
        )

    async def changes_of(
        self, events: Sequence[tuple[Aggregate, Event]], former: FormerIds = NOT_MERGED
    ) -> list[UniqueChange | None]:
        """Return what `change_of` returns for each event of a command, which follow different states.

        Raises:
            Duplicate: two events claim a value.
        """
        changes = [await self.change_of(*one, former) for one in events]
        if len(changes) == 1:
            return changes
        if len({change.key_id for change in changes if change is not None}) > 1:
            return await self.changes_of(events, former)  # they were refilled between two events
        owners: dict[bytes, str] = {}
        for (before, _), change in zip(events, changes, strict=True):
            if change is None:
                continue
            for value in change.claimed:
                if (owner := owners.setdefault(value, stream := _stream(before))) != stream:
                    raise duplicate(change, ValueTaken(value, owner))
        return changes

    async def require_free(
        self, events: Sequence[tuple[Aggregate, Event]], former: FormerIds
    ) -> dict[str, bytes]:
        """Return the hashes of the values that a command claims for any time, by field.

        Raises:
            Duplicate: another record has such a value, or as `changes_of` does.
        """
        changes = await self.changes_of(events, former)
        pairs = [
            (_stream(before), change)
            for (before, _), change in zip(events, changes, strict=True)
            if change is not None
        ]
        released = {(value, stream) for stream, change in pairs for value in change.released}
        for stream, change in pairs:
            wanted = {value: change.during.get(value) for value in (*change.claimed, *change.avoided)}
            owners = await self._log.owners(wanted, excluding=stream) if wanted else {}
            for value, owner in owners.items():
                if (value, owner) not in released:
                    raise duplicate(change, ValueTaken(value, owner))
        return {
            change.fields[value]: value
            for _, change in pairs
            for value in change.claimed
            if value not in change.during
        }

    async def doubles(self, definition: Definition, entity_id: str, event: Event | None) -> dict[str, str]:
        """Return the shared fields that an event sets to the value of another record, with that record's id.

        Empty while the hashes are being refilled.
        """
        given: Mapping[str, Any] = {}
        match event:
            case Registered():
                given = {"id": entity_id, **event.details}
            case DetailsChanged():
                given = {name: change.to for name, change in event.changes.items()}
        shared = [name for name in given if self._shared and self._is_shared(definition, name)]
        values = unique_values(definition, entity_id, given) if shared else []
        asked = [one for one in values if one.field in shared]
        key = await self._key(wait=False) if asked else None
        if key is None:
            return {}
        names = {_hash(key, definition, one): one.field for one in asked}
        owners = await self._log.owners(dict.fromkeys(names), excluding=definition.stream(entity_id))
        return {names[value]: owner.partition(":")[2] for value, owner in owners.items()}

    async def _key(self, *, wait: bool) -> Key | None:
        """Return the key of the hashes; None while they are incomplete."""
        key_id = self._key_id or await self._log.unique_key(VERSION)
        key = await _load(key_id)
        if key is None:
            # The hashes are lost, or their key is, if the key store was restored from an older backup.
            if self._refilling is None or self._refilling.done():
                refill = partial(self._refill, key_id)
                self._refilling = asyncio.create_task(supervised(refill), name="refill unique values")
            if not wait:
                return None
            key_id, key = await self._wait(self._refilling)
        self._key_id = key_id
        return key

    async def _wait(self, refilling: "asyncio.Task[None]") -> tuple[str | None, Key]:
        deadline = time.monotonic() + WAIT_SECONDS
        await asyncio.wait([refilling], timeout=WAIT_SECONDS)
        while (key := await _load(key_id := await self._log.unique_key(VERSION))) is None:
            # Another process may refill.
            if time.monotonic() > deadline:
                raise UniqueValuesUnavailable("unique values are being refilled")
            await asyncio.sleep(_RETRY_SECONDS)
        return key_id, key

    async def _refill(self, former_key_id: str | None) -> None:
        began = time.monotonic()
        key = await KEYS.issue()
        streams = Streams(self._log)

        async def hashes_of(stream: str) -> list[tuple[bytes, str, str | None]]:
            entity, _, entity_id = stream.partition(":")
            definition = STREAMS.get(entity)
            if definition is None or not definition.unique:
                return []
            try:
                aggregate = (await streams.load(definition, entity_id)).aggregate
            except (UnreadableEvent, InapplicableEvent) as error:
                logger.warning("unique_values_unreadable", stream=stream, error=type(error).__name__)
                return []
            if aggregate.state is None:
                return []
            values = unique_values(definition, entity_id, aggregate.state.details)
            return [(_hash(key, definition, one), stream, one.during or None) for one in values]

        async def hash_streams(some: Sequence[str]) -> list[tuple[bytes, str, str | None]]:
            return [one for few in await asyncio.gather(*map(hashes_of, some)) for one in few]

        types = [definition.name for definition in STREAMS.values() if definition.unique]
        is_done = await self._log.refill_unique_values(
            Refill(VERSION, former_key_id, key.id, types, hash_streams)
        )
        if not is_done:
            KEYS.put_back(key)
            return
        logger.info("unique_values_refilled", seconds=round(time.monotonic() - began, 1))

    def _is_shared(self, definition: Definition, name: str) -> bool:
        mark = definition.unique.get(name)
        is_always = mark is not None and mark.during is None
        return is_always and not self._shared.isdisjoint(("all", f"{definition.name}.{name}"))


def duplicate(change: UniqueChange, taken: ValueTaken) -> Duplicate:
    """Return the reason of a refusal because another record has a value that a change claims or avoids."""
    return Duplicate(change.fields[taken.value], taken.owner.partition(":")[2])


def _stream(aggregate: Aggregate) -> str:
    return aggregate.definition.stream(aggregate.id)


async def _load(key_id: str | None) -> Key | None:
    if key_id is None:
        return None
    await KEYS.load([key_id])
    return KEYS.get(key_id)


def _hash(key: Key, definition: Definition, value: UniqueValue) -> bytes:
    return key.hash(f"{definition.name}.{value.field}|{value.text}")
