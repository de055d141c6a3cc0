"""Spans made by OpenTelemetry and sent by OTLP over HTTP, from a thread that nobody waits for."""

import asyncio
import logging
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from importlib.metadata import version
from itertools import islice
from typing import Final

import structlog
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from prometheus_client import Counter

from ops.base.tracing import Attributes, Kind, Span

CLOSE_SECONDS: Final = 2.0
"""How long a service that stops waits for its last spans to be sent."""
MOST_LINKS: Final = 128
"""OpenTelemetry's own limit."""

SPANS: Final = Counter(
    "fleetlog_trace_spans_total", "Spans sent, or lost for want of a receiver", ["outcome"]
)
_SENT: Final = SPANS.labels("sent")
_LOST: Final = SPANS.labels("lost")
_KINDS: Final = {
    "server": trace.SpanKind.SERVER,
    "internal": trace.SpanKind.INTERNAL,
    "producer": trace.SpanKind.PRODUCER,
    "consumer": trace.SpanKind.CONSUMER,
}
_W3C: Final = TraceContextTextMapPropagator()

logger = structlog.get_logger()


class ExportingTracer:
    """Makes spans and sends them in batches; when they cannot be sent, the oldest are lost."""

    def __init__(self, service: str) -> None:
        """Begin, by the environment's settings.

        Raises:
            ValueError: they make no sense.
        """
        # Its own messages quote addresses, and repeat themselves; `_Counting` tells once.
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
        named = {"service.name": f"fleetlog-{service}", "service.version": version("fleetlog-ops")}
        given = OTELResourceDetector().detect().attributes
        self._provider = TracerProvider(resource=Resource.create({**named, **given}), shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(_Counting(OTLPSpanExporter())))
        self._tracer = self._provider.get_tracer("fleetlog")

    @contextmanager
    def span(
        self,
        name: str,
        *,
        kind: Kind,
        parent: str | None,
        linked: Callable[[], Iterable[str | None]] | None,
        attributes: Attributes,
    ) -> Iterator[Span]:
        """See `ops.base.tracing.span`."""
        try:
            links = _links(linked()) if linked else []
            if linked and not links:
                made = None
            else:
                context = _context(parent) if parent else None
                made = self._tracer.start_span(name, context, _KINDS[kind], dict(attributes), links)
        except Exception as error:  # noqa: BLE001 - whatever it is, the work goes on
            logger.error("span_not_made", error=type(error).__name__)  # noqa: TRY400 - may quote what was sent
            made = None
        if made is None:
            yield Span()
            return
        # Messages of exceptions may quote what a client sent, too.
        with trace.use_span(made, end_on_exit=True, record_exception=False, set_status_on_exception=False):
            reported = _MadeSpan(made)
            try:
                yield reported
            except Exception as error:
                reported.fail(type(error).__name__)
                raise

    async def close(self) -> None:
        """Send what is left, but wait for it for `CLOSE_SECONDS` only."""
        # A thread that may be left behind: the exporter goes on trying for longer.
        closing = threading.Thread(target=self._provider.shutdown, daemon=True)
        closing.start()
        await asyncio.to_thread(closing.join, CLOSE_SECONDS)


class _MadeSpan(Span):
    """A span of OpenTelemetry's."""

    def __init__(self, made: trace.Span) -> None:
        self._made = made

    @property
    def traceparent(self) -> str | None:
        context = self._made.get_span_context()
        return f"00-{context.trace_id:032x}-{context.span_id:016x}-{context.trace_flags:02x}"

    def tell(self, attributes: Attributes, *, name: str | None = None) -> None:
        self._made.set_attributes(dict(attributes))
        if name is not None:
            self._made.update_name(name)

    def fail(self, kind: str) -> None:
        self._made.set_attribute("error.type", kind)
        self._made.set_status(trace.Status(trace.StatusCode.ERROR))


class _Counting(SpanExporter):
    """Counts what is sent and what is lost, and tells in the log when that changes."""

    def __init__(self, exporter: SpanExporter) -> None:
        self._exporter = exporter
        self._is_losing = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        result = self._exporter.export(spans)
        is_lost = result is not SpanExportResult.SUCCESS
        (_LOST if is_lost else _SENT).inc(len(spans))
        if is_lost != self._is_losing:
            self._is_losing = is_lost
            if is_lost:
                logger.warning("spans_lost", spans=len(spans))
            else:
                logger.info("spans_sent_again")
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()


def _context(traceparent: str) -> Context:
    return _W3C.extract({"traceparent": traceparent}, Context())


def _links(traceparents: Iterable[str | None]) -> list[trace.Link]:
    contexts = (
        trace.get_current_span(_context(traceparent)).get_span_context()
        for traceparent in dict.fromkeys(traceparents)
        if traceparent
    )
    recorded = (context for context in contexts if context.is_valid and context.trace_flags.sampled)
    return [trace.Link(context) for context in islice(recorded, MOST_LINKS)]
