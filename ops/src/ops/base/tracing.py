"""Spans, for whoever follows a request through the services; without somewhere to send them they are nothing.

OpenTelemetry's SDK is imported, and spans are made, only where its standard variable
`OTEL_EXPORTER_OTLP_ENDPOINT` (or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`) is set. Its other variables hold, too:
`OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_TRACES_SAMPLER`, `OTEL_EXPORTER_OTLP_HEADERS`, …

A span tells names that we gave, counts and positions; nothing of what a client sent, and of no person.
"""

import os
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, Final, Literal

import structlog

if TYPE_CHECKING:
    from ops.base.span_export import ExportingTracer

Kind = Literal["server", "internal", "producer", "consumer"]
Attributes = Mapping[str, str | int]

_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")

logger = structlog.get_logger()


class Span:
    """A stretch of work; this one is not recorded."""

    @property
    def traceparent(self) -> str | None:
        """W3C trace context of what this span causes; None where nothing is traced."""
        return None

    def tell(self, attributes: Attributes, *, name: str | None = None) -> None:
        """Add what is known by now, and give it a better name."""

    def fail(self, kind: str) -> None:
        """Mark it as failed.

        Args:
            kind: from a closed set, such as an exception's type.
        """


class _Current:
    tracer: "ExportingTracer | None" = None


NOT_TRACED: Final = nullcontext(Span())
"""The context of work that is not traced."""


def is_on() -> bool:
    """Return whether spans are made."""
    return _Current.tracer is not None


def span(
    name: str,
    *,
    kind: Kind = "internal",
    parent: str | None = None,
    linked: Callable[[], Iterable[str | None]] | None = None,
    attributes: Attributes | None = None,
) -> AbstractContextManager[Span]:
    """Trace what is done within a context.

    Args:
        name: from a closed set.
        kind: its part in the exchange, by OpenTelemetry's words.
        parent: W3C trace context of what caused it; None: the span around it, if there is one.
        linked: gives the trace contexts of all that caused it together; where none of those is recorded,
            nor is this. Not asked where nothing is traced.
        attributes: what is known of it already.
    """
    tracer = _Current.tracer
    if tracer is None:
        return NOT_TRACED
    return tracer.span(name, kind=kind, parent=parent, linked=linked, attributes=attributes or {})


@asynccontextmanager
async def tracing(service: str) -> AsyncIterator[None]:
    """Trace for as long as the context lasts, if the environment says where to send spans.

    Args:
        service: such as `command-api`; unless the environment says otherwise, spans come from
            `fleetlog-command-api`.
    """
    tracer = _tracer(service) if is_wanted(os.environ) else None
    _Current.tracer = tracer
    try:
        yield
    finally:
        _Current.tracer = None
        if tracer is not None:
            await tracer.close()


def is_wanted(environment: Mapping[str, str]) -> bool:
    """Return whether an environment asks for traces, by OpenTelemetry's rules."""
    return (
        any(environment.get(name) for name in _ENDPOINTS)
        and environment.get("OTEL_TRACES_EXPORTER", "otlp") == "otlp"
        and environment.get("OTEL_SDK_DISABLED", "").strip().lower() != "true"
    )


def _tracer(service: str) -> "ExportingTracer | None":
    try:
        # Here, for it costs time and memory that others need not spend.
        from ops.base.span_export import ExportingTracer  # noqa: PLC0415

        return ExportingTracer(service)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with the settings, the service does its work
        logger.error("tracing_not_possible", error=f"{type(error).__name__}: {error}")  # noqa: TRY400
        return None
