"""Spans made by OpenTelemetry and sent by OTLP over HTTP, from a thread that nobody waits for."""

import asyncio
import logging
import threading
from collections.abc import Sequence
from importlib.metadata import version
from typing import Final

import structlog
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from prometheus_client import Counter

CLOSE_SECONDS: Final = 2.0
"""How long a service that stops waits for its last spans to be sent."""

SPANS: Final = Counter(
    "fleetlog_trace_spans_total", "Spans sent, or lost for want of a receiver", ["outcome"]
)
_SENT: Final = SPANS.labels("sent")
_LOST: Final = SPANS.labels("lost")

logger = structlog.get_logger()


class ExportingProvider(TracerProvider):
    """Sends spans in batches; when they cannot be sent, the oldest are lost."""

    def __init__(self, service: str) -> None:
        """Begin, by the environment's settings.

        Raises:
            ValueError: they make no sense.
        """
        # Its own messages quote addresses, and repeat themselves; `_Counting` tells once.
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
        named = {"service.name": f"fleetlog-{service}", "service.version": version("fleetlog-base")}
        given = OTELResourceDetector().detect().attributes
        super().__init__(resource=Resource.create({**named, **given}), shutdown_on_exit=False)
        self.add_span_processor(BatchSpanProcessor(_Counting(OTLPSpanExporter())))

    async def close(self) -> None:
        """Send what is left, but wait for it for `CLOSE_SECONDS` only."""
        # A thread that may be left behind: the exporter goes on trying for longer.
        closing = threading.Thread(target=self.shutdown, daemon=True)
        closing.start()
        await asyncio.to_thread(closing.join, CLOSE_SECONDS)


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
