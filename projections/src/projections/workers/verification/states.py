"""Folds the log while reading it, in bounded memory."""

from collections.abc import Sequence
from typing import Final, NamedTuple

from psycopg import AsyncConnection

from command_api.domain.publication import DEFAULT_POLICY, PublicationPolicy
from command_api.domain.state import State
from command_api.event_store.records import RecordedEvent
from projections.engine.states import StateQuery, Stream, load_states
from projections.event_log import ConnectionSession, read_stream
from projections.revisions.revision import Revision, revise
from read_model.tables import REVISIONS

REMEMBERED_BYTES: Final = 32_000_000
"""Size of folded payloads after which the states are dropped, and loaded again on demand."""

_LOAD: Final = f"""
SELECT wanted.entity, wanted.entity_id, wanted.version, state::text, false, key_id, ciphertext
FROM unnest(%b::text[], %b::text[], %b::bigint[]) AS wanted (entity, entity_id, version)
JOIN {REVISIONS.identifier.as_string()} AS revision
  ON revision.entity = wanted.entity AND revision.entity_id = wanted.entity_id
  AND revision.version = wanted.version
""".encode()  # noqa: S608 - our own name


class Step(NamedTuple):
    """An event, the state before it, and the revision that it must have."""

    event: RecordedEvent
    before: State | None
    revision: Revision


class States:
    """The states of all streams at the current position.

    Dropped states are loaded from the revisions, which have been verified by then, or folded again if the
    revisions were wrong.

    Args:
        connection: in the transaction that reads the log.
        publishing: what is published in addition to public fields.
        remembered_bytes: size of the states in memory, counted in payloads.
    """

    def __init__(
        self,
        connection: AsyncConnection,
        *,
        publishing: PublicationPolicy = DEFAULT_POLICY,
        remembered_bytes: int = REMEMBERED_BYTES,
    ) -> None:
        self._connection = connection
        self._publishing = publishing
        self._remembered_bytes = remembered_bytes
        self._bytes = 0
        self._states: dict[Stream, State | None] = {}
        self._were_dropped = False
        self.distrusted: set[Stream] = set()
        """Streams whose states are not loaded from the revisions."""

    async def add(self, events: Sequence[RecordedEvent]) -> list[Step]:
        """Fold the log's next events."""
        if self._were_dropped:
            await self._load(events)
        steps = []
        for event in events:
            stream = (event.entity, event.entity_id)
            before = self._states.get(stream)
            revision, self._states[stream] = revise(before, event, self._publishing)
            steps.append(Step(event, before, revision))
            self._bytes += len(event.state or b"")
        return steps

    def trim(self) -> None:
        """Drop the states if they exceed the limit, after their revisions have been verified."""
        if self._bytes > self._remembered_bytes:
            self._states.clear()
            self._bytes, self._were_dropped = 0, True

    async def _load(self, events: Sequence[RecordedEvent]) -> None:
        first: dict[Stream, RecordedEvent] = {}
        for event in events:
            first.setdefault((event.entity, event.entity_id), event)
        # A stream that starts among these events has no state before them.
        first = {
            stream: event
            for stream, event in first.items()
            if stream not in self._states and event.originator_version > 1
        }
        wanted = [stream for stream in first if stream not in self.distrusted]
        if wanted:
            versions = [first[stream].originator_version - 1 for stream in wanted]
            entities, ids = zip(*wanted, strict=True)
            query = StateQuery(_LOAD, (list(entities), list(ids), versions), REVISIONS.encrypted_as)
            (known,) = await load_states(ConnectionSession(self._connection), [query])
            self._states.update(known.states)
        for stream, event in first.items():
            if stream not in self._states:
                self._states[stream] = await self._folded(event)

    async def _folded(self, before: RecordedEvent) -> State | None:
        state: State | None = None
        last = before.position - 1
        async for events in read_stream(self._connection, before.originator_id, first=1, last=last):
            for event in events:
                _, state = revise(state, event)
        return state
