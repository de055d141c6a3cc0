"""nginx with the real configuration and small limits per client."""

import http.client
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

from ops.launcher.errors import LauncherError
from ops.launcher.gateway.limits import GatewayLimits
from ops.launcher.gateway.process import knows_javascript
from ops.launcher.paths import PROJECT
from ops.launcher.processes.ports import free_port
from ops.testing.conditions import wait_for
from ops.testing.folders import open_folder
from ops.testing.gateway import (
    Answer,
    Gateway,
    Handler,
    http_server,
    problem,
    running_container,
    running_nginx,
)
from ops.testing.half_sent import HalfSentHeaders

DRIVERS = "/api/v1/drivers"
STREAM = "/api/v1/events"
ANOTHER = "127.0.0.2"
several_addresses = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux has 127.0.0.2 without configuration"
)


class Lasting(Handler):
    """Begins each answer immediately; an answer to X-Last lasts until the test ends."""

    ending = threading.Event()

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.send_response(200)
        if "X-Last" not in self.headers:
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        self.send_header("X-Accel-Buffering", "no")
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(b":\n")
        self.ending.wait(60)

    do_GET = do_POST = answer  # noqa: N815


@pytest.fixture
def server() -> Iterator[int]:
    Lasting.ending.clear()
    with http_server(Lasting) as port:
        yield port
        Lasting.ending.set()


Start = Callable[..., Gateway]


@pytest.fixture
def start(tmp_path: Path, server: int) -> Iterator[Start]:
    """Start a gateway with limits."""
    with ExitStack() as running:

        def start(*, metrics: str | None = None, **limits: object) -> Gateway:
            bounds = GatewayLimits.model_validate(limits)
            return running.enter_context(running_nginx(tmp_path, server, limits=bounds, metrics=metrics))

        yield start


def token(letter: str) -> dict[str, str]:
    return {"Authorization": f"Bearer header.claims.{letter * 342}"}


def lasting(
    gateway: Gateway,
    path: str = DRIVERS,
    *,
    headers: dict[str, str] | None = None,
    source: str | None = None,
) -> http.client.HTTPConnection:
    """Send a request whose answer has begun."""
    connection = http.client.HTTPConnection(
        "127.0.0.1", gateway.port, timeout=60, source_address=(source, 0) if source else None
    )
    connection.request("GET", path, headers={"X-Last": "yes", **(headers or {})})
    assert connection.getresponse().status == 200
    return connection


def refused(answer: Answer) -> bool:
    assert problem(answer) == (429, "too-many-requests")
    assert answer.headers["Retry-After"] == "1"
    return True


def test_incomplete_headers_do_not_block_others(start: Start) -> None:
    gateway = start(connections=64)
    with HalfSentHeaders(gateway.port, 40):
        assert [gateway(DRIVERS).status for _ in range(20)] == [200] * 20


def test_incomplete_headers_time_out(start: Start) -> None:
    """They occupy all connections; without the timeout, it took a minute until one ended."""
    gateway = start(connections=32, header_seconds=1)
    with ExitStack() as half_sent:
        for _ in range(40):
            connection = half_sent.enter_context(socket.create_connection(("127.0.0.1", gateway.port)))
            connection.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n")
        wait_for(gateway.is_up)


def test_requests_wait_while_incomplete_headers_occupy_all_connections(
    start: Start,
) -> None:
    """At its own limit (worker_connections), nginx would close new connections."""
    gateway = start(connections=100, header_seconds=1)
    with HalfSentHeaders(gateway.port, 200):
        for _ in range(5):
            wait_for(lambda: answered(gateway))


def answered(gateway: Gateway) -> bool:
    """Return whether a request succeeds; otherwise it must be answered with 503."""
    answer = gateway(DRIVERS)
    if answer.status != 200:
        assert problem(answer) == (503, "unavailable")
    return answer.status == 200


def test_incomplete_bodies_time_out(start: Start) -> None:
    gateway = start(body_seconds=1)
    with half_a_body(gateway) as connection, suppress(ConnectionResetError):
        assert connection.recv(1) == b""


def half_a_body(gateway: Gateway, source: str = "127.0.0.1") -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", gateway.port), timeout=60, source_address=(source, 0))
    connection.sendall(b"POST /api/v1/drivers HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
    return connection


def test_streams_per_token_are_limited(start: Start) -> None:
    gateway = start(streams_per_token=3)
    with ExitStack() as streams:
        for _ in range(3):
            streams.enter_context(closing(lasting(gateway, STREAM, headers=token("a"))))
        assert refused(gateway(STREAM, headers=token("a")))
        assert gateway(STREAM, headers=token("b")).status == 200
        assert gateway(DRIVERS, headers=token("a")).status == 200
        assert gateway(STREAM, "POST", headers=token("a")).status == 200  # the command API refuses it
    wait_for(lambda: gateway(STREAM, headers=token("a")).status == 200)


def test_requests_per_token_are_limited(start: Start) -> None:
    gateway = start(requests_per_token=3)
    with ExitStack() as requests:
        for _ in range(3):
            requests.enter_context(closing(lasting(gateway, headers=token("a"))))
        assert refused(gateway(DRIVERS, headers=token("a")))
        assert refused(gateway(DRIVERS, "POST", headers=token("a")))
        assert gateway(DRIVERS, headers=token("b")).status == 200
        assert gateway(DRIVERS).status == 200


@several_addresses
def test_requests_per_address_are_limited(start: Start) -> None:
    gateway = start(requests_per_address=3)
    with ExitStack() as requests:
        for letter in "abc":
            requests.enter_context(closing(lasting(gateway, headers=token(letter), source=ANOTHER)))
        for path in (DRIVERS, "/assets/none.js", "/config.json", "/authorize", "/openapi/query.json"):
            assert refused(gateway(path, host="127.0.0.1", source=ANOTHER))
        assert gateway(DRIVERS).status == 200


@several_addresses
def test_commands_per_address_are_limited(start: Start) -> None:
    gateway = start(commands_per_address=3)
    with ExitStack() as requests:
        for _ in range(3):
            requests.enter_context(half_a_body(gateway, ANOTHER))
        wait_for(lambda: gateway(DRIVERS, "POST", host="127.0.0.1", source=ANOTHER).status == 429)
        assert gateway(DRIVERS, host="127.0.0.1", source=ANOTHER).status == 200
        assert gateway(DRIVERS, "POST").status == 200


def test_addresses_forwarded_by_a_trusted_proxy_count(start: Start) -> None:
    gateway = start(requests_per_address=1, trusted_proxies="127.0.0.0/8 ::1")
    first, second = ({"X-Forwarded-For": f"6.6.6.6, 203.0.113.{number}"} for number in (1, 2))
    with closing(lasting(gateway, headers=first)):
        assert refused(gateway(DRIVERS, headers=first))
        assert gateway(DRIVERS, headers=second).status == 200


@pytest.mark.parametrize(
    ("one", "same", "another"),
    [
        ("2001:db8:1:2::1", "2001:db8:1:2:3:4:5:6", "2001:db8:1:3::1"),
        ("2001:db8:1::1", "2001:db8:1::4:5:6", "2001:db8:2::1"),
    ],
)
def test_addresses_of_one_ipv6_network_count_together(
    start: Start, one: str, same: str, another: str
) -> None:
    gateway = start(requests_per_address=1, trusted_proxies="127.0.0.0/8 ::1")
    with closing(lasting(gateway, headers={"X-Forwarded-For": one})):
        assert refused(gateway(DRIVERS, headers={"X-Forwarded-For": same}))
        assert gateway(DRIVERS, headers={"X-Forwarded-For": another}).status == 200


def test_addresses_forwarded_by_other_clients_do_not_count(start: Start) -> None:
    gateway = start(requests_per_address=1)
    with closing(lasting(gateway, headers={"X-Forwarded-For": "203.0.113.1"})):
        assert refused(gateway(DRIVERS, host="127.0.0.1", headers={"X-Forwarded-For": "203.0.113.2"}))


def test_metrics_show_connections_and_refusals(start: Start) -> None:
    if not knows_javascript():
        pytest.skip("this nginx has no JavaScript")
    output = free_port()
    gateway = start(requests_per_token=1, connections=64, metrics=f"127.0.0.1:{output}")
    metrics = Gateway(output)
    with closing(lasting(gateway, headers=token("a"))):
        assert refused(gateway(DRIVERS, headers=token("a")))
    with HalfSentHeaders(gateway.port, 30):
        wait_for(lambda: value(metrics, "connections") >= 30)
    wait_for(lambda: value(metrics, "connections") < 30)
    assert value(metrics, "connections_limit") == 64
    assert value(metrics, "refusals_total") == 1
    assert metrics("/api/v1/drivers").status == 404
    assert gateway("/metrics").status == 404


def test_metrics_of_a_container_count_both_processes(server: int) -> None:
    if not knows_javascript():
        pytest.skip("this nginx has no JavaScript")
    output = free_port()
    settings = {"FLEETLOG_GATEWAY_CONNECTIONS": "64", "FLEETLOG_METRICS_PORT": str(output)}
    with (
        open_folder() as folder,  # nginx's workers are not root
        running_container(folder, settings, f"127.0.0.1:{server}"),
    ):
        wait_for(lambda: value(Gateway(output), "connections_limit") == 2 * 64)


def value(metrics: Gateway, name: str) -> float:
    lines = metrics("/metrics").body.decode().splitlines()
    (output,) = (line for line in lines if line.startswith(f"fleetlog_gateway_{name} "))
    return float(output.split()[1])


def test_an_https_address_sends_the_transport_security_header(tmp_path: Path, server: int) -> None:
    """Also if the proxy that terminates TLS sends no X-Forwarded-Proto."""
    with running_nginx(tmp_path, server, address="https://fleet.example") as gateway:
        output = gateway(DRIVERS).headers
    assert output["Strict-Transport-Security"] == "max-age=31536000"


def test_an_invalid_limit_is_reported_without_its_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLEETLOG_GATEWAY_HEADER_SECONDS", "soon")
    with pytest.raises(LauncherError, match="FLEETLOG_GATEWAY_HEADER_SECONDS") as raised:
        GatewayLimits.load(LauncherError)
    assert "soon" not in str(raised.value)


@pytest.mark.parametrize("name", ["nginx", "edge"])
def test_workers_of_nginx_write_no_core_dump(name: str) -> None:
    template = PROJECT / f"ops/launcher/src/ops/launcher/gateway/{name}.conf.template"
    assert "\nworker_rlimit_core 0;\n" in template.read_text()
