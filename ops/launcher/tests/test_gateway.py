"""nginx with the real configuration, in front of servers that echo requests."""

import http.client
import json
import signal
import socket
import socketserver
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import ClassVar

import pytest
from psutil import Process

from ops.launcher.gateway.configuration import SEVERAL_PROCESSES
from ops.launcher.processes.ports import free_port
from ops.testing.conditions import PATIENCE_SECONDS, wait_for
from ops.testing.folders import open_folder
from ops.testing.gateway import (
    PAGE,
    SERVERS,
    Answer,
    Gateway,
    Handler,
    http_server,
    problem,
    running_nginx,
)
from ops.testing.processes import command_lines_below

POLICIES = {"/idp/login": "default-src 'none'"}


class Echo(Handler):
    """Echoes the request."""

    upstream = ""

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        output = {
            "upstream": self.upstream,
            "path": self.path,
            "headers": dict(self.headers),
            "filler": "x" * 3000,
        }
        body = json.dumps(output).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", '"3"')
        if policy := POLICIES.get(self.path):
            self.send_header("Content-Security-Policy", policy)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_OPTIONS = answer  # noqa: N815


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    folder = tmp_path_factory.mktemp("a gateway")
    frontend = folder / "built frontend"
    (frontend / "assets").mkdir(parents=True)
    (frontend / "index.html").write_text(PAGE)
    (frontend / "signed-in.html").write_text("<title>Signing in</title>")
    (frontend / "assets" / "app-1f3a.js").write_text("export {};" * 500)
    (frontend / "assets" / "app-1f3a.css").write_text("a {}" * 500)
    for name in ("app-1f3a.js", "app-1f3a.css"):
        (frontend / "assets" / f"{name}.br").write_text("compressed")
    with ExitStack() as running:
        upstreams = {
            name: running.enter_context(http_server(type("Named", (Echo,), {"upstream": name})))
            for name in SERVERS
        }
        yield running.enter_context(running_nginx(folder, upstreams=upstreams, frontend=frontend))


@pytest.mark.parametrize(
    ("method", "upstream"),
    [("GET", "query-api"), ("POST", "command-api"), ("PUT", "command-api"), ("DELETE", "command-api")],
)
def test_the_method_determines_the_service(gateway: Gateway, method: str, upstream: str) -> None:
    answer = gateway("/api/v1/drivers/E%2F1?as_of=x", method)
    assert answer.json["upstream"] == upstream
    assert answer.json["path"] == "/api/v1/drivers/E%2F1?as_of=x"


def test_values_for_suggestions_go_to_the_query_api_by_post(gateway: Gateway) -> None:
    path = "/api/v1/possible-duplicates"
    assert gateway(path, "POST", body=b"{}").json["upstream"] == "query-api"
    for other in (f"{path}/1", "/api/v1/drivers", "/api/v1/drivers?x=/api/v1/possible-duplicates"):
        assert gateway(other, "POST", body=b"{}").json["upstream"] == "command-api"
    assert gateway(path, "PUT", body=b"{}").json["upstream"] == "command-api"


@pytest.mark.parametrize(
    ("path", "upstream", "received"),
    [
        ("/openapi/command.json", "command-api", "/openapi.json"),
        ("/openapi/query.json", "query-api", "/openapi.json"),
        ("/authorize?state=1", "identity-provider", "/authorize?state=1"),
        ("/oauth/token", "identity-provider", "/oauth/token"),
        ("/v2/logout?client_id=x", "identity-provider", "/v2/logout?client_id=x"),
        ("/idp/login.css", "identity-provider", "/idp/login.css"),
        ("/.well-known/jwks.json", "identity-provider", "/.well-known/jwks.json"),
        ("/.well-known/openid-configuration", "identity-provider", "/.well-known/openid-configuration"),
    ],
)
def test_each_path_has_its_upstream(gateway: Gateway, path: str, upstream: str, received: str) -> None:
    answer = gateway(path)
    assert (answer.json["upstream"], answer.json["path"]) == (upstream, received)


@pytest.mark.parametrize(
    "path", ["/livez", "/readyz", "/metrics", "/api/%2e%2e/metrics", "/api/..%2fmetrics"]
)
def test_operational_paths_are_not_routed(gateway: Gateway, path: str) -> None:
    assert gateway(path).status == 404


@pytest.mark.parametrize("path", ["/", "/management/drivers", "/authorized", "/apiary", "/.well-known/other"])
def test_other_paths_belong_to_the_frontend(gateway: Gateway, path: str) -> None:
    answer = gateway(path)
    assert (answer.status, answer.body.decode(), answer.headers["Cache-Control"]) == (200, PAGE, "no-cache")


@pytest.mark.parametrize(
    ("name", "accepted", "encoding"),
    [
        ("app-1f3a.js", "gzip, deflate, br, zstd", "br"),
        ("app-1f3a.css", "br;q=0.5", "br"),
        ("app-1f3a.js", "gzip, br;q=0", "gzip"),
        ("app-1f3a.js", "brotli", None),
    ],
)
def test_assets_compressed_by_the_build_are_sent_to_browsers_that_accept_it(
    gateway: Gateway, name: str, accepted: str, encoding: str | None
) -> None:
    answer = gateway(f"/assets/{name}", headers={"Accept-Encoding": accepted})
    assert answer.headers.get_all("Content-Type") == ["text/css" if "css" in name else "text/javascript"]
    assert answer.headers["Content-Encoding"] == encoding
    assert answer.headers.get_all("Vary") == ["Accept-Encoding"]
    assert answer.headers.get_all("Cache-Control") == ["public, max-age=31536000, immutable"]
    assert (answer.body == b"compressed") == (encoding == "br")


def test_a_missing_asset_is_answered_with_404(gateway: Gateway) -> None:
    answer = gateway("/assets/app-old.js")
    assert answer.status == 404
    assert "immutable" not in answer.headers.get("Cache-Control", "")


def test_a_page_keeps_its_own_content_security_policy(gateway: Gateway) -> None:
    headers = gateway("/idp/login").headers
    assert headers.get_all("Content-Security-Policy") == ["default-src 'none'"]
    assert headers.get_all("X-Frame-Options") == ["DENY"]


def test_the_page_for_sign_in_answers_can_be_framed_and_opened_by_this_origin_only(gateway: Gateway) -> None:
    headers = gateway("/signed-in.html?code=c&state=s").headers
    (policy,) = headers.get_all("Content-Security-Policy") or []
    assert policy.startswith("default-src 'none'; script-src 'self'; frame-ancestors 'self';")
    assert headers.get_all("X-Frame-Options") == ["SAMEORIGIN"]
    # With the frontend's own policy, a popup would lose the page that watches it.
    assert headers.get_all("Cross-Origin-Opener-Policy") == ["unsafe-none"]


def test_transport_security_is_sent_only_over_https(gateway: Gateway) -> None:
    output = gateway("/", headers={"X-Forwarded-Proto": "https"}).headers
    assert output["Strict-Transport-Security"] == "max-age=31536000"
    assert "Strict-Transport-Security" not in gateway("/").headers


def test_a_clients_request_id_is_forwarded_but_not_used(gateway: Gateway) -> None:
    given = gateway("/api/v1/drivers", headers={"X-Request-Id": "trace-1"})
    assert given.json["headers"]["X-Request-Id"] == "trace-1"
    assert "X-Request-Id" not in gateway("/api/v1/drivers").json["headers"]
    refused = gateway("/" + "x" * 40_000, headers={"X-Request-Id": "trace-1"})
    assert problem(refused)[0] == 414
    assert len(refused.json["request_id"]) == 32


def test_upstreams_get_forwarding_headers(gateway: Gateway) -> None:
    received = gateway("/api/v1/drivers", headers={"X-Forwarded-For": "203.0.113.9"}).json["headers"]
    assert received["Host"] == f"localhost:{gateway.port}"
    assert received["X-Forwarded-Proto"] == "http"
    assert received["X-Forwarded-For"] in {"127.0.0.1", "::1"}
    behind_tls = gateway("/api/v1/drivers", headers={"X-Forwarded-Proto": "https"}).json["headers"]
    assert behind_tls["X-Forwarded-Proto"] == "https"


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_numeric_loopback_addresses_redirect_to_the_public_address(gateway: Gateway, host: str) -> None:
    if host == "::1" and not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    answer = gateway("/management/drivers?x=1", host=host)
    assert answer.status == 307
    assert answer.headers["Location"] == f"http://localhost:{gateway.port}/management/drivers?x=1"
    assert gateway("/api/v1/drivers", host=host).status == 200


def test_a_far_too_large_body_is_answered_with_a_problem(gateway: Gateway) -> None:
    answer = gateway("/api/v1/drivers", "POST", body=b"x" * 600_000)
    assert problem(answer) == (413, "content-too-large")


def test_an_overlong_header_is_answered_with_a_problem(gateway: Gateway) -> None:
    answer = gateway("/api/v1/drivers", headers={"Authorization": "Bearer " + "x" * 20_000})
    assert problem(answer) == (431, "invalid-request")


def test_a_long_token_passes(gateway: Gateway) -> None:
    assert gateway("/api/v1/drivers", headers={"Authorization": "Bearer " + "x" * 8192}).status == 200


def test_malformed_http_is_answered_with_a_problem(gateway: Gateway) -> None:
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=60) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n")
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        assert problem(Answer(answer.status, answer.headers, answer.read())) == (400, "invalid-request")


def test_an_unreachable_service_is_answered_with_a_temporary_problem(tmp_path: Path) -> None:
    with running_nginx(tmp_path) as gateway:
        answer = gateway("/api/v1/drivers", "POST", body=b"{}", headers={"X-Request-Id": "mine"})
    assert problem(answer) == (503, "unavailable")
    assert answer.headers["X-Request-Id"] != "mine"
    assert answer.headers["Retry-After"] == "1"


class Dying(Echo):
    """Reads a request and closes the connection without an answer."""

    received: ClassVar[list[str]] = []

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.received.append(self.command)
        self.close_connection = True

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = answer  # noqa: N815


@pytest.fixture
def several(tmp_path: Path) -> Iterator[Callable[..., Gateway]]:
    """Start a gateway with the given servers, followed by a working one; None is a port without a server."""
    with ExitStack() as running:

        def start(*others: type[Echo] | None) -> Gateway:
            ports = [
                free_port() if handler is None else running.enter_context(http_server(handler))
                for handler in (*others, Echo)
            ]
            return running.enter_context(running_nginx(tmp_path, *ports))

        yield start


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE"])
def test_unsent_requests_go_to_an_available_server(several: Callable[..., Gateway], method: str) -> None:
    gateway = several(None, None, None)
    statuses = [gateway("/api/v1/drivers", method, body=b"{}").status for _ in range(4)]
    assert statuses == [200] * 4


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_a_sent_command_is_not_retried(several: Callable[..., Gateway], method: str) -> None:
    gateway = several(Dying)
    Dying.received.clear()
    answers = [gateway("/api/v1/drivers/1", method, body=b"{}") for _ in range(2)]
    assert Dying.received == [method]
    assert sorted(answer.status for answer in answers) == [200, 503]


def test_a_sent_query_is_retried(several: Callable[..., Gateway]) -> None:
    gateway = several(Dying)
    Dying.received.clear()
    assert [gateway("/api/v1/drivers").status for _ in range(2)] == [200, 200]
    assert Dying.received == ["GET"]


class NameServer(socketserver.BaseRequestHandler):
    """A name server with the same addresses for every name."""

    addresses: ClassVar[list[str]] = []

    def handle(self) -> None:
        query, sender = self.request
        end = query.index(b"\0", 12) + 5  # of the question
        found = [b"\xc0\x0c" + struct.pack(">HHIH", 1, 1, 0, 4) + socket.inet_aton(a) for a in self.addresses]
        flags = 0x8180 if found else 0x8183
        head = query[:2] + struct.pack(">HHHHH", flags, 1, len(found), 0, 0)
        sender.sendto(head + query[12:end] + b"".join(found), self.client_address)


@pytest.fixture
def name_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[type[NameServer]]:
    with socketserver.ThreadingUDPServer(("127.0.0.1", 0), NameServer) as server:
        threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
        file = tmp_path / "resolv.conf"
        file.write_text(f"nameserver 127.0.0.1:{server.server_address[1]}\n")
        monkeypatch.setattr("ops.launcher.gateway.servers.RESOLVER_FILE", file)
        NameServer.addresses = []
        yield NameServer
        server.shutdown()


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux has 127.0.0.2 without configuration")
def test_servers_behind_a_name_may_change(tmp_path: Path, name_server: type[NameServer]) -> None:
    inside = free_port()
    with ExitStack() as running:
        for address in ("127.0.0.1", "127.0.0.2"):
            handler = type("Named", (Echo,), {"upstream": address})
            running.enter_context(http_server(handler, address, inside))
        gateway = running.enter_context(running_nginx(tmp_path, f"api.example:{inside}"))
        assert gateway("/api/v1/drivers").status == 503

        def until_answered_by(*addresses: str) -> None:
            name_server.addresses = list(addresses)
            wait_for(
                lambda: {gateway("/api/v1/drivers").json.get("upstream") for _ in range(4)} == set(addresses)
            )

        until_answered_by("127.0.0.1", "127.0.0.2")
        until_answered_by("127.0.0.2")


@contextmanager
def vanished_server(inside: int) -> Iterator[None]:
    """Run a working server on 127.0.0.1; 127.0.0.2 does not answer connections, as a removed container."""
    with (
        http_server(Echo, port=inside),
        socket.create_server(("127.0.0.2", inside), backlog=0) as vanished,
        socket.create_connection(vanished.getsockname()),  # its queue is full
    ):
        yield


@pytest.mark.skipif(sys.platform != "linux", reason="a full queue behaves so on Linux")
@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_a_vanished_server_is_skipped_by_name_and_by_address(
    tmp_path: Path, name_server: type[NameServer], method: str
) -> None:
    inside = free_port()
    deadline = time.monotonic() + PATIENCE_SECONDS
    with vanished_server(inside), ThreadPoolExecutor(8) as clients:
        name_server.addresses = ["127.0.0.1"]
        with running_nginx(tmp_path, f"api.example:{inside}") as gateway:
            wait_for(lambda: gateway("/api/v1/drivers").status == 200)
            name_server.addresses = ["127.0.0.1", "127.0.0.2"]
            while True:
                asked = [clients.submit(gateway, "/api/v1/drivers/D-1", method) for _ in range(4)]
                if wait(asked, timeout=0.3).not_done:  # one waits for the server that does not answer
                    break
                assert time.monotonic() < deadline
            name_server.addresses = ["127.0.0.1"]
            assert [one.result().status for one in asked] == [200] * 4
        # By address, as in the second before the name is resolved again.
        waited = list[float]()
        with running_nginx(tmp_path, f"127.0.0.1:{inside}", f"127.0.0.2:{inside}") as gateway:
            while len(waited) < 3:
                assert time.monotonic() < deadline
                began = time.monotonic()
                assert gateway("/api/v1/drivers/D-1", method).status == 200
                if (seconds := time.monotonic() - began) > 0.4:
                    waited.append(seconds)
    assert min(waited) < 1.0


def has_reloaded(before: Iterable[int], process: subprocess.Popen[bytes]) -> bool:
    """Return whether all former workers have ended or are ending, and new ones run."""
    now = command_lines_below(process.pid)
    return all("shutting down" in now.get(pid, "shutting down") for pid in before) and bool(
        now.keys() - set(before)
    )


def asked_over(connection: http.client.HTTPConnection) -> tuple[int, str | None]:
    """Return the status of an answer, and the header that says whether the connection stays open."""
    connection.request("GET", "/config.json")
    answer = connection.getresponse()
    answer.read()
    return answer.status, answer.headers["Connection"]


def test_requests_during_a_reload_of_the_gateway_are_answered() -> None:
    with (
        open_folder() as folder,  # nginx's workers are not root
        running_nginx(folder, processes=SEVERAL_PROCESSES) as gateway,
        closing(http.client.HTTPConnection("127.0.0.1", gateway.port, timeout=60)) as kept,
    ):
        assert asked_over(kept) == (200, "keep-alive")
        before = list(command_lines_below(gateway.process.pid))
        gateway.process.send_signal(signal.SIGHUP)
        wait_for(lambda: has_reloaded(before, gateway.process))
        assert asked_over(kept) == (200, "close")


def test_lines_about_nginx_are_logged_but_not_those_about_requests(
    capfd: pytest.CaptureFixture[str],
) -> None:
    with open_folder() as folder, running_nginx(folder, processes=SEVERAL_PROCESSES) as gateway:
        (folder / "loop.html").symlink_to("loop.html")  # a critical error
        gateway("/loop.html?name=Kumar", headers={"Referer": "http://localhost/?q=Kumar"})
        worker = next(iter(Process(gateway.process.pid).children()))
        worker.kill()
        output = ""

        def is_logged() -> bool:
            nonlocal output
            output += capfd.readouterr().err
            return f"worker process {worker.pid} exited on signal 9" in output

        wait_for(is_logged)
    assert "Kumar" not in output
