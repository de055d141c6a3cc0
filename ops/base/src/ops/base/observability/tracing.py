"""OpenTelemetry's spans, for whoever follows a request; without somewhere to send them, there are none.

OpenTelemetry's SDK is imported, and spans are made, only where its standard variable
`OTEL_EXPORTER_OTLP_ENDPOINT` (or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`) is set. Its other variables hold, too:
`OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_TRACES_SAMPLER`, `OTEL_EXPORTER_OTLP_HEADERS`, …

A span tells names that we gave, counts and positions; nothing of what a client sent, and of no person.
"""

import os
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from itertools import islice
from typing import TYPE_CHECKING, Final

import structlog
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.trace import Link, Span, SpanKind, Status, StatusCode, Tracer
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

if TYPE_CHECKING:
    from ops.base.observability.span_export import ExportingProvider

MOST_LINKS: Final = 128
"""OpenTelemetry's own limit."""
NOT_TRACED: Final = nullcontext(trace.INVALID_SPAN)
"""The context of work that is not traced."""

_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_W3C: Final = TraceContextTextMapPropagator()

logger = structlog.get_logger()


class _Current:
    tracer: Tracer | None = None


def is_on() -> bool:
    """Return whether spans are made."""
    return _Current.tracer is not None


def span(
    name: str,
    *,
    kind: SpanKind = SpanKind.INTERNAL,
    parent: str | None = None,
    linked: Iterable[str | None] | None = None,
    attributes: Mapping[str, str | int] | None = None,
) -> AbstractContextManager[Span]:
    """Trace what is done within a context.

    Args:
        name: from a closed set.
        kind: its part in the exchange.
        parent: W3C trace context of what caused it; None: the span around it, if there is one.
        linked: the trace contexts of all that caused it together; where none of those is recorded, nor is
            this. Not looked at where nothing is traced.
        attributes: what is known of it already.
    """
    tracer = _Current.tracer
    if tracer is None:
        return NOT_TRACED
    links = None if linked is None else _links(linked)
    if links == []:
        return NOT_TRACED
    return _within(tracer.start_span(name, _context(parent) if parent else None, kind, attributes, links))


def traceparent_of(span: Span) -> str | None:
    """Return the W3C trace context of what a span causes; None where nothing is traced."""
    if span is trace.INVALID_SPAN:
        return None
    carrier: dict[str, str] = {}
    _W3C.inject(carrier, trace.set_span_in_context(span, Context()))
    return carrier.get("traceparent")


def fail(span: Span, kind: str) -> None:
    """Mark a span as failed.

    Args:
        span: which.
        kind: from a closed set, such as an exception's type.
    """
    span.set_attribute("error.type", kind)
    span.set_status(Status(StatusCode.ERROR))


@asynccontextmanager
async def tracing(service: str) -> AsyncIterator[None]:
    """Trace for as long as the context lasts, if the environment says where to send spans.

    Args:
        service: such as `command-api`; unless the environment says otherwise, spans come from
            `fleetlog-command-api`.
    """
    provider = _provider(service) if is_wanted(os.environ) else None
    _Current.tracer = provider.get_tracer("fleetlog") if provider else None
    try:
        yield
    finally:
        _Current.tracer = None
        if provider is not None:
            await provider.close()


def is_wanted(environment: Mapping[str, str]) -> bool:
    """Return whether an environment asks for traces, by OpenTelemetry's rules."""
    return (
        any(environment.get(name) for name in _ENDPOINTS)
        and environment.get("OTEL_TRACES_EXPORTER", "otlp") == "otlp"
        and environment.get("OTEL_SDK_DISABLED", "").strip().lower() != "true"
    )


def _provider(service: str) -> "ExportingProvider | None":
    try:
        # Here, for it costs time and memory that others need not spend.
        from ops.base.observability.span_export import ExportingProvider  # noqa: PLC0415

        return ExportingProvider(service)
    except Exception as error:  # noqa: BLE001 - whatever is wrong with the settings, the service does its work
        logger.error("tracing_not_possible", error=f"{type(error).__name__}: {error}")  # noqa: TRY400
        return None


@contextmanager
def _within(span: Span) -> Iterator[Span]:
    # Messages of exceptions may quote what a client sent, so they are not recorded.
    with trace.use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
        try:
            yield span
        except Exception as error:
            fail(span, type(error).__name__)
            raise


def _context(traceparent: str) -> Context:
    return _W3C.extract({"traceparent": traceparent}, Context())


def _links(traceparents: Iterable[str | None]) -> list[Link]:
    causes = (
        trace.get_current_span(_context(traceparent)).get_span_context()
        for traceparent in dict.fromkeys(traceparents)
        if traceparent
    )
    return [Link(cause) for cause in islice((one for one in causes if one.trace_flags.sampled), MOST_LINKS)]
