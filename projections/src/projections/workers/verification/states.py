"""The log folded as it is read, in bounded memory: for each event the state before it."""

from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

from psycopg import AsyncConnection

from command_api.domain.publication import DEFAULT_POLICY, PublicationPolicy
from command_api.domain.state import State
from command_api.event_store.records import RecordedEvent
from projections.engine.states import Question, Stream, ask
from projections.reading.log import read_stream
from projections.reading.session import ConnectionSession
from projections.revisions.revision import Revision, revise
from projections.tables import REVISIONS

REMEMBERED_BYTES: Final = 32_000_000
"""Once this much of payloads has been folded, the states are forgotten, and found again when needed."""

_LOAD: Final = f"""
SELECT wanted.entity, wanted.entity_id, wanted.version, state::text, false, key_id, box
FROM unnest(%b::text[], %b::text[], %b::bigint[]) AS wanted (entity, entity_id, version)
JOIN {REVISIONS.identifier.as_string()} AS revision
  ON revision.entity = wanted.entity AND revision.entity_id = wanted.entity_id
  AND revision.version = wanted.version
""".encode()  # noqa: S608 - our own name


class Step(NamedTuple):
    """An event, and what it does."""

    event: RecordedEvent
    before: State | None
    revision: Revision


class States:
    """The states of all streams at the point that has been reached.

    What was forgotten is read from the revisions, which have been held against the log by then, or folded
    again where they did not fit.
    """

    def __init__(
        self,
        connection: AsyncConnection,
        *,
        publishing: PublicationPolicy = DEFAULT_POLICY,
        remembered_bytes: int = REMEMBERED_BYTES,
    ) -> None:
        """Begin before the first event.

        Args:
            connection: in the transaction in which the log is read.
            publishing: what is published besides what is declared public.
            remembered_bytes: roughly how much to keep in memory, counted in payloads.
        """
        self._connection = connection
        self._publishing = publishing
        self._remembered_bytes = remembered_bytes
        self._bytes = 0
        self._states: dict[Stream, State | None] = {}
        self._forgotten = False
        self._distrusted: set[Stream] = set()

    async def take(self, events: Sequence[RecordedEvent]) -> list[Step]:
        """Fold the log's next events."""
        if self._forgotten:
            await self._recall(events)
        steps = []
        for event in events:
            stream = (event.entity, event.entity_id)
            before = self._states.get(stream)
            revision, self._states[stream] = revise(before, event, self._publishing)
            steps.append(Step(event, before, revision))
            self._bytes += len(event.state or b"")
        return steps

    def distrust(self, streams: Collection[Stream]) -> None:
        """Take no state of these streams from the revisions."""
        self._distrusted.update(streams)

    def forget_some(self) -> None:
        """Forget the states if they are many, after the events that led to them have been checked."""
        if self._bytes > self._remembered_bytes:
            self._states.clear()
            self._bytes, self._forgotten = 0, True

    async def _recall(self, events: Sequence[RecordedEvent]) -> None:
        first: dict[Stream, RecordedEvent] = {}
        for event in events:
            first.setdefault((event.entity, event.entity_id), event)
        # A stream that begins among these events has no state before them, whatever is known of it later.
        first = {
            stream: event
            for stream, event in first.items()
            if stream not in self._states and event.originator_version > 1
        }
        wanted = [stream for stream in first if stream not in self._distrusted]
        if wanted:
            versions = [first[stream].originator_version - 1 for stream in wanted]
            entities, ids = zip(*wanted, strict=True)
            question = Question(_LOAD, (list(entities), list(ids), versions), REVISIONS.sealed_as)
            (known,) = await ask(ConnectionSession(self._connection), [question])
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
