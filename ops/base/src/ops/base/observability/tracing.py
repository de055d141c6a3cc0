"""OpenTelemetry spans.

OpenTelemetry's SDK is imported, and spans are created, only if its standard variable
`OTEL_EXPORTER_OTLP_ENDPOINT` (or `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`) is set. Other variables apply, too:
`OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_TRACES_SAMPLER`, `OTEL_EXPORTER_OTLP_HEADERS`, …

Spans contain names from closed sets, counts and positions, but no client data and no personal data.
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
"""The context of untraced work."""

_ENDPOINTS: Final = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_W3C: Final = TraceContextTextMapPropagator()

logger = structlog.get_logger()


class _Current:
    tracer: Tracer | None = None


def is_on() -> bool:
    """Return whether tracing is enabled."""
    return _Current.tracer is not None


def span(
    name: str,
    *,
    kind: SpanKind = SpanKind.INTERNAL,
    parent: str | None = None,
    linked: Iterable[str | None] | None = None,
    attributes: Mapping[str, str | int] | None = None,
) -> AbstractContextManager[Span]:
    """Trace the work of a context, under a name from a closed set.

    Args:
        parent: W3C trace context of the parent; None: the current span.
        linked: trace contexts of several causes; if none of them is sampled, nor is this span. Not evaluated
            if tracing is disabled.
    """
    tracer = _Current.tracer
    if tracer is None:
        return NOT_TRACED
    links = None if linked is None else _links(linked)
    if links == []:
        return NOT_TRACED
    return _within(tracer.start_span(name, _context(parent) if parent else None, kind, attributes, links))


def traceparent_of(span: Span) -> str | None:
    """Return a span's W3C trace context; None if tracing is disabled."""
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
    """Enable tracing within the context, if the environment configures a receiver.

    Args:
        service: such as `command-api`, for the default service name `fleetlog-command-api`.
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
        # Imported here, because the SDK costs time and memory.
        from ops.base.observability.span_export import ExportingProvider  # noqa: PLC0415

        return ExportingProvider(service)
    except Exception as error:  # noqa: BLE001 - wrong settings must not stop the service
        logger.error("tracing_unavailable", error=f"{type(error).__name__}: {error}")  # noqa: TRY400
        return None


@contextmanager
def _within(span: Span) -> Iterator[Span]:
    # Messages of exceptions may quote client data, so they are not recorded.
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
