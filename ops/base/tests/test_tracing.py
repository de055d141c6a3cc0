"""Traces from a request to the read table, and the absence of cost without them."""

import threading
import time
from collections.abc import Sequence

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult

from ops.base.observability.tracing import is_wanted, span, traceparent_of, tracing

STUCK_SECONDS = 100


class StuckExporter(SpanExporter):
    """Sends nothing until it is let go."""

    def __init__(self) -> None:
        self.let_go = threading.Event()

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.let_go.wait(STUCK_SECONDS)
        return SpanExportResult.FAILURE


async def test_shutdown_waits_briefly_for_spans(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    exporter = StuckExporter()
    monkeypatch.setattr("ops.base.observability.span_export.OTLPSpanExporter", lambda: exporter)
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://collector:4318")
    async with tracing("test"):
        with span("work") as made:
            assert traceparent_of(made)
        began = time.monotonic()
    assert time.monotonic() - began < STUCK_SECONDS / 2
    exporter.let_go.set()


@pytest.mark.parametrize(
    ("variables", "wanted"),
    [
        ({}, False),
        ({"OTEL_SERVICE_NAME": "fleet"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"}, True),
        ({"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://collector:4318/v1/traces"}, True),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_TRACES_EXPORTER": "none"}, False),
        ({"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", "OTEL_SDK_DISABLED": "true"}, False),
    ],
)
def test_standard_variables_enable_tracing(variables: dict[str, str], *, wanted: bool) -> None:
    assert is_wanted(variables) == wanted
