"""Export of OpenTelemetry spans by OTLP over HTTP, in a background thread."""

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
"""Time-out of the last export at shutdown."""

SPANS: Final = Counter(
    "fleetlog_trace_spans_total", "Spans sent, or lost because the receiver was unavailable", ["outcome"]
)
_SENT: Final = SPANS.labels("sent")
_LOST: Final = SPANS.labels("lost")

logger = structlog.get_logger()


class ExportingProvider(TracerProvider):
    """Sends spans in batches; during an outage of the receiver, the oldest are dropped."""

    def __init__(self, service: str) -> None:
        """Create a provider from the environment's settings; raises `ValueError`."""
        # OpenTelemetry's own messages quote addresses and repeat; `_Counting` logs changes.
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
        named = {"service.name": f"fleetlog-{service}", "service.version": version("fleetlog-base")}
        given = OTELResourceDetector().detect().attributes
        super().__init__(resource=Resource.create({**named, **given}), shutdown_on_exit=False)
        self.add_span_processor(BatchSpanProcessor(_Counting(OTLPSpanExporter())))

    async def close(self) -> None:
        """Send the remaining spans within `CLOSE_SECONDS`."""
        # In a daemon thread, because the exporter retries for longer.
        closing = threading.Thread(target=self.shutdown, daemon=True)
        closing.start()
        await asyncio.to_thread(closing.join, CLOSE_SECONDS)


class _Counting(SpanExporter):
    """Counts sent and lost spans, and logs changes between both states."""

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
                logger.info("span_export_recovered")
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()
