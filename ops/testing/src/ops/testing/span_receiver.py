"""A receiver of OpenTelemetry spans: OTLP over HTTP, on a real port."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import (
    ExportTraceServiceRequest,
    ExportTraceServiceResponse,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from ops.testing.conditions import wait_for
from ops.testing.gateway import Handler, http_server

_PATH: Final = "/v1/traces"


@dataclass(frozen=True)
class ReceivedSpan:
    """The members of a span that tests compare.

    Attributes:
        kind: such as `SERVER`.
        trace_id: hexadecimal, as are `span_id` and `parent_id`.
        parent_id: empty for a root.
        links: trace and span ids of linked spans.
        failed: whether its status is an error.
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


@dataclass
class SpanReceiver:
    """The spans received while its context lasts.

    Attributes:
        endpoint: value for `OTEL_EXPORTER_OTLP_ENDPOINT`.
        spans: in the order of their arrival.
        raw: all received bytes.
    """

    endpoint: str = ""
    spans: list[ReceivedSpan] = field(default_factory=list)
    raw: bytes = b""

    @property
    def environment(self) -> dict[str, str]:
        """Variables with which a service exports its spans to this receiver within 0.1 s."""
        return {
            "OTEL_EXPORTER_OTLP_ENDPOINT": self.endpoint,
            "OTEL_BSP_SCHEDULE_DELAY": "100",
            "NO_PROXY": "127.0.0.1",
        }

    def wait_for(self, condition: Callable[[list[ReceivedSpan]], object]) -> None:
        """Wait until the received spans meet a condition.

        Raises:
            TimeoutError: they do not; the text lists them.
        """
        wait_for(
            lambda: condition(list(self.spans)),
            failure=lambda: [(span.service, span.name) for span in self.spans],
        )

    def receive(self, body: bytes) -> None:
        """Record the spans of a request."""
        self.raw += body
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            names = {one.key: one.value.string_value for one in resource.resource.attributes}
            for scope in resource.scope_spans:
                self.spans += [_read(span, names["service.name"]) for span in scope.spans]


@contextmanager
def span_receiver() -> Iterator[SpanReceiver]:
    """Run a receiver on a free port of 127.0.0.1."""
    receiver = SpanReceiver()

    class SpanHandler(Handler):
        def do_POST(self) -> None:  # noqa: N802 - the base class's name
            body = self.rfile.read(int(self.headers["Content-Length"]))
            is_ours = self.path == _PATH and self.headers["Content-Type"] == "application/x-protobuf"
            if is_ours:
                receiver.receive(body)
            answer = ExportTraceServiceResponse().SerializeToString()
            self.send_response(200 if is_ours else 404)
            self.send_header("Content-Type", "application/x-protobuf")
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

    with http_server(SpanHandler) as port:
        receiver.endpoint = f"http://127.0.0.1:{port}"
        yield receiver


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
