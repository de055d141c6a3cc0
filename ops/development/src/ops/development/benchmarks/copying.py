"""Copies of an event, straight into the log: each in a stream of its own, sealed under a key of its own."""

import asyncio
import json
import uuid
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from itertools import product
from secrets import token_hex
from typing import Final

import psycopg

from ops.base.json_values import to_json
from ops.base.sealing.keys import Key
from ops.base.sealing.states import key_id_of, opened_state, sealed_state, shown_in
from ops.base.sealing.stores import KeySettings, configured_store

_ORIGINAL: Final = """
SELECT originator_id, originator_version, topic, state FROM log.events WHERE notification_id = %s
"""
_HEAD: Final = "SELECT position, greatest(moment, clock_timestamp()) FROM log.head"
_COPY: Final = """
COPY log.events
  (notification_id, originator_id, originator_version, topic, state, moment, command_id)
FROM STDIN
"""
_MICROSECOND: Final = timedelta(microseconds=1)
_ENVELOPE: Final = frozenset({"sealed", "key"})

Varying = Callable[[], Iterable[tuple[bytes, bytes]]]
"""Gives what is to be replaced by what in the next copy."""
_Row = tuple[int, str, int, str, bytes, datetime, uuid.UUID]


class Copying:
    """Copies events, and remembers the keys of the streams that it has begun."""

    def __init__(self, settings: KeySettings) -> None:
        """Prepare to copy.

        Args:
            settings: where the instance's keys are.
        """
        self._settings = settings
        self._keys: dict[str, Key] = {}

    def copy(
        self,
        connection: psycopg.Connection,
        position: int,
        ids: Sequence[str],
        *,
        marker: str,
        version: int,
        times: int = 1,
        varying: Varying = tuple,
    ) -> None:
        """Append copies of an event, each a microsecond later: at the end of a million that has passed.

        Args:
            connection: of the log's owner, in the transaction that holds the log's lock.
            position: of the event.
            ids: of the entities that they are to be of.
            marker: a text in the event, in the place of which each copy has letters of its own.
            version: of the first copy in each stream.
            times: how many each stream gets.
            varying: what else differs from copy to copy.
        """
        ((stream, original_version, topic, state),) = connection.execute(_ORIGINAL, (position,)).fetchall()
        entity = stream.partition(":")[0]
        streams = [f"{entity}:{entity_id}" for entity_id in ids]
        shown, text = None, bytes(state)
        if (key_id := key_id_of(state)) is not None:
            envelope = json.loads(shown_in(state))
            shown = to_json({name: envelope[name] for name in envelope if name not in _ENVELOPE})
            text = opened_state(state, stream, original_version, self._have(key_id, streams))
        ((head, moment),) = connection.execute(_HEAD).fetchall()

        def rows() -> Iterator[_Row]:
            for number, (further, of) in enumerate(product(range(times), streams)):
                own = token_hex(len(marker))[: len(marker)]
                content, at = text.replace(marker.encode(), own.encode()), version + further
                for former, other in varying():
                    content = content.replace(former, other)
                if shown is not None:
                    content = sealed_state(
                        shown.replace(marker, own).encode(), content, of, at, self._keys[of]
                    )
                yield head + number + 1, of, at, topic, content, moment + number * _MICROSECOND, uuid.uuid4()

        with connection.cursor() as cursor, cursor.copy(_COPY) as copy:
            for row in rows():
                copy.write_row(row)

    def _have(self, key_id: str, streams: Sequence[str]) -> Key:
        """Return the original's key, and have one for each stream."""
        beginning = [stream for stream in streams if stream not in self._keys]

        async def ask() -> tuple[Key, list[Key]]:
            async with configured_store(self._settings) as store:
                found = None if store is None else (await store.fetch([key_id])).get(key_id)
                if store is None or found is None:
                    raise LookupError(key_id)
                return found, await store.issue(len(beginning)) if beginning else []

        original, issued = asyncio.run(ask())
        self._keys.update(zip(beginning, issued, strict=True))
        return original
