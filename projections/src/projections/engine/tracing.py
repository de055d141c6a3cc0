"""Spans of batches, linked to the requests that caused the events."""

import json
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager

from opentelemetry.trace import Span, SpanKind

from command_api.event_store.records import RecordedEvent
from ops.base.encryption.states import plaintext_part
from ops.base.observability import tracing
from projections.tables import ReadTable


def tracing_of_batch(table: ReadTable, batch: Sequence[RecordedEvent]) -> AbstractContextManager[Span]:
    """Return a span of applying some events, linked to the requests that caused them."""
    return tracing.span(
        f"project {table.name}",
        kind=SpanKind.CONSUMER,
        linked=_traceparents(batch),
        attributes={
            "fleetlog.projection": table.name,
            "fleetlog.first_position": batch[0].position,
            "fleetlog.last_position": batch[-1].position,
        },
    )


def _traceparents(batch: Sequence[RecordedEvent]) -> Iterator[str]:
    for event in batch:
        try:
            state = event.state if event.key_id is None else plaintext_part(event.state)
            traceparent = json.loads(state)["metadata"]["traceparent"]
        except (ValueError, TypeError, LookupError, RecursionError):
            continue  # an unreadable event is reported where it is applied
        if isinstance(traceparent, str):
            yield traceparent
