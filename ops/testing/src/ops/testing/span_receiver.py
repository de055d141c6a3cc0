"""A receiver of spans as any OpenTelemetry collector is one: OTLP over HTTP, on a real port."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from ops.testing.waiting import PATIENCE_SECONDS

_PATH: Final = "/v1/traces"


@dataclass(frozen=True)
class ReceivedSpan:
    """A span as far as tests look at it.

    Attributes:
        service: which service it comes from.
        name: its own.
        kind: such as `SERVER`.
        trace_id: hexadecimal.
        span_id: hexadecimal.
        parent_id: hexadecimal; empty: it has none.
        links: trace and span ids of what it is linked to.
        attributes: by their names.
        failed: whether it is marked so.
    """

    service: str
    name: str
    kind: str
    trace_id: str
    span_id: str
    parent_id: str
    links: frozenset[tuple[str, str]]
    attributes: dict[str, Any]
    failed: bool


class SpanReceiver:
    """Takes spans while its context lasts.

    Attributes:
        endpoint: for `OTEL_EXPORTER_OTLP_ENDPOINT`.
        spans: what has come, in its order.
        raw: all bytes that have come.
    """

    def __init__(self) -> None:
        """Bind a port."""
        self.spans: list[ReceivedSpan] = []
        self.raw = b""
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.endpoint = f"http://127.0.0.1:{self._server.server_port}"

    @property
    def environment(self) -> dict[str, str]:
        """What makes a service send its spans here, soon."""
        return {
            "OTEL_EXPORTER_OTLP_ENDPOINT": self.endpoint,
            "OTEL_BSP_SCHEDULE_DELAY": "100",
            "NO_PROXY": "127.0.0.1",
        }

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()

    def wait_for(self, condition: Callable[[list[ReceivedSpan]], object]) -> None:
        """Wait until what has come is as wanted.

        Raises:
            TimeoutError: it was not in time; the text tells what has come.
        """
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not condition(list(self.spans)):
            if time.monotonic() > deadline:
                raise TimeoutError(f"there are {[(span.service, span.name) for span in self.spans]}")
            time.sleep(0.02)

    def _take(self, body: bytes) -> None:
        self.raw += body
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            names = {one.key: one.value.string_value for one in resource.resource.attributes}
            for scope in resource.scope_spans:
                self.spans += [_read(span, names["service.name"]) for span in scope.spans]

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                is_ours = self.path == _PATH and self.headers["Content-Type"] == "application/x-protobuf"
                if is_ours:
                    receiver._take(body)
                answer = ExportTraceServiceResponse().SerializeToString()
                self.send_response(200 if is_ours else 404)
                self.send_header("Content-Type", "application/x-protobuf")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_arguments: object) -> None:
                pass

        return Handler


def _read(span: Span, service: str) -> ReceivedSpan:
    return ReceivedSpan(
        service=service,
        name=span.name,
        kind=Span.SpanKind.Name(span.kind).removeprefix("SPAN_KIND_"),
        trace_id=span.trace_id.hex(),
        span_id=span.span_id.hex(),
        parent_id=span.parent_span_id.hex(),
        links=frozenset((link.trace_id.hex(), link.span_id.hex()) for link in span.links),
        attributes={
            one.key: getattr(one.value, str(one.value.WhichOneof("value"))) for one in span.attributes
        },
        failed=span.status.code == Status.STATUS_CODE_ERROR,
    )
