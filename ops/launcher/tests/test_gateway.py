"""nginx with the real configuration, in front of stand-ins that tell what reached them."""

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
from contextlib import ExitStack, closing
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest
from psutil import Process

from ops.launcher.gateway.configuration import SEVERAL_PROCESSES
from ops.launcher.processes.ports import free_port
from ops.testing.command_lines import command_lines_below
from ops.testing.folders import open_folder
from ops.testing.gateway import Answer, Gateway, problem, start_nginx, stop
from ops.testing.waiting import PATIENCE_SECONDS, wait_for

POLICIES = {
    "/idp/login": "default-src 'none'",
    "/idp/silent": "frame-ancestors http://localhost:5173",
}
PAGE = "<!doctype html><title>page</title>"


class Echo(BaseHTTPRequestHandler):
    """Answers with what it was asked."""

    protocol_version = "HTTP/1.1"
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

    def log_message(self, *arguments: object) -> None:
        pass


@pytest.fixture(scope="module")
def gateway(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Gateway]:
    folder = tmp_path_factory.mktemp("a gateway")
    frontend = folder / "built frontend"
    (frontend / "assets").mkdir(parents=True)
    (frontend / "index.html").write_text(PAGE)
    (frontend / "assets" / "app-1f3a.js").write_text("export {};" * 500)
    servers = {}
    for name in ("command-api", "query-api", "identity-provider"):
        handler = type("Handler", (Echo,), {"upstream": name})
        servers[name] = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=servers[name].serve_forever, daemon=True).start()
    port = free_port()
    upstreams = {name: server.server_port for name, server in servers.items()}
    process = start_nginx(folder, frontend, port, upstreams)
    yield Gateway(port)
    stop(process)
    for server in servers.values():
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(
    ("method", "upstream"),
    [("GET", "query-api"), ("POST", "command-api"), ("PUT", "command-api"), ("DELETE", "command-api")],
)
def test_the_method_decides_who_answers(gateway: Gateway, method: str, upstream: str) -> None:
    answer = gateway("/api/v1/drivers/E%2F1?as_of=x", method)
    assert answer.json["upstream"] == upstream
    assert answer.json["path"] == "/api/v1/drivers/E%2F1?as_of=x"


def test_head_goes_to_the_query_api(gateway: Gateway) -> None:
    answer = gateway("/api/v1/drivers", "HEAD")
    assert (answer.status, answer.headers["ETag"], answer.body) == (200, '"3"', b"")


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
def test_each_address_has_its_upstream(gateway: Gateway, path: str, upstream: str, received: str) -> None:
    answer = gateway(path)
    assert (answer.json["upstream"], answer.json["path"]) == (upstream, received)


@pytest.mark.parametrize(
    "path", ["/livez", "/readyz", "/metrics", "/api/%2e%2e/metrics", "/api/..%2fmetrics"]
)
def test_the_operators_addresses_are_not_routed(gateway: Gateway, path: str) -> None:
    assert gateway(path).status == 404


@pytest.mark.parametrize("path", ["/", "/management/drivers", "/authorized", "/apiary", "/.well-known/other"])
def test_other_addresses_are_the_frontends(gateway: Gateway, path: str) -> None:
    answer = gateway(path)
    assert (answer.status, answer.body.decode(), answer.headers["Cache-Control"]) == (200, PAGE, "no-cache")


def test_hashed_assets_are_kept_for_ever_and_compressed(gateway: Gateway) -> None:
    answer = gateway("/assets/app-1f3a.js", headers={"Accept-Encoding": "gzip"})
    assert answer.headers.get_all("Cache-Control") == ["public, max-age=31536000, immutable"]
    assert answer.headers["Content-Encoding"] == "gzip"


def test_a_missing_asset_is_missing(gateway: Gateway) -> None:
    answer = gateway("/assets/app-old.js")
    assert answer.status == 404
    assert "immutable" not in answer.headers.get("Cache-Control", "")


def test_api_answers_keep_their_strong_etag(gateway: Gateway) -> None:
    answer = gateway("/api/v1/drivers", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["ETag"] == '"3"'
    assert answer.headers["Content-Encoding"] is None


@pytest.mark.parametrize("path", ["/", "/assets/app-1f3a.js", "/config.json", "/api/v1/drivers", "/metrics"])
def test_every_answer_carries_the_security_headers_once(gateway: Gateway, path: str) -> None:
    headers = gateway(path).headers
    assert headers.get_all("X-Content-Type-Options") == ["nosniff"]
    policies = headers.get_all("Content-Security-Policy") or []
    assert len(policies) == 1
    assert "frame-ancestors 'none'" in policies[0]
    assert headers.get_all("X-Frame-Options") == ["DENY"]
    assert headers["Server"] == "nginx"


def test_a_page_with_a_policy_of_its_own_keeps_it(gateway: Gateway) -> None:
    headers = gateway("/idp/login").headers
    assert headers.get_all("Content-Security-Policy") == ["default-src 'none'"]
    assert headers.get_all("X-Frame-Options") == ["DENY"]


def test_only_a_page_that_says_who_may_frame_it_can_be_framed(gateway: Gateway) -> None:
    headers = gateway("/idp/silent").headers
    assert headers.get_all("Content-Security-Policy") == ["frame-ancestors http://localhost:5173"]
    assert "X-Frame-Options" not in headers


def test_over_https_browsers_are_instructed_to_stay_there(gateway: Gateway) -> None:
    output = gateway("/", headers={"X-Forwarded-Proto": "https"}).headers
    assert output["Strict-Transport-Security"] == "max-age=31536000"
    assert "Strict-Transport-Security" not in gateway("/").headers


def test_the_frontend_learns_where_to_sign_in(gateway: Gateway) -> None:
    answer = gateway("/config.json")
    assert answer.headers["Cache-Control"] == "no-cache"
    assert answer.json == {
        "auth": {
            "domain": f"http://localhost:{gateway.port}",
            "clientId": "fleetlog-web",
            "audience": "https://api.fleetlog.example",
        },
        "apiBase": "",
    }


def test_what_a_client_calls_its_request_is_passed_on_and_is_not_its_id(gateway: Gateway) -> None:
    given = gateway("/api/v1/drivers", headers={"X-Request-Id": "trace-1"})
    assert given.json["headers"]["X-Request-Id"] == "trace-1"
    assert "X-Request-Id" not in gateway("/api/v1/drivers").json["headers"]
    refused = gateway("/" + "x" * 40_000, headers={"X-Request-Id": "trace-1"})
    assert problem(refused)[0] == 414
    assert len(refused.json["request_id"]) == 32


def test_upstreams_learn_how_they_were_asked(gateway: Gateway) -> None:
    received = gateway("/api/v1/drivers", headers={"X-Forwarded-For": "203.0.113.9"}).json["headers"]
    assert received["Host"] == f"localhost:{gateway.port}"
    assert received["X-Forwarded-Proto"] == "http"
    assert received["X-Forwarded-For"] in {"127.0.0.1", "::1"}
    behind_tls = gateway("/api/v1/drivers", headers={"X-Forwarded-Proto": "https"}).json["headers"]
    assert behind_tls["X-Forwarded-Proto"] == "https"


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_pages_asked_for_by_number_are_sent_to_where_signing_in_works(gateway: Gateway, host: str) -> None:
    if host == "::1" and not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    answer = gateway("/management/drivers?x=1", host=host)
    assert answer.status == 307
    assert answer.headers["Location"] == f"http://localhost:{gateway.port}/management/drivers?x=1"
    assert gateway("/api/v1/drivers", host=host).status == 200


def test_the_services_themselves_answer_bodies_just_over_their_limit(gateway: Gateway) -> None:
    assert gateway("/api/v1/drivers", "POST", body=b"x" * 300_000).json["upstream"] == "command-api"


def test_a_far_too_large_body_is_a_problem(gateway: Gateway) -> None:
    answer = gateway("/api/v1/drivers", "POST", body=b"x" * 600_000)
    assert problem(answer) == (413, "content-too-large")


def test_an_over_long_header_is_a_problem(gateway: Gateway) -> None:
    answer = gateway("/api/v1/drivers", headers={"Authorization": "Bearer " + "x" * 20_000})
    assert problem(answer) == (431, "invalid-request")


def test_a_long_token_passes(gateway: Gateway) -> None:
    assert gateway("/api/v1/drivers", headers={"Authorization": "Bearer " + "x" * 8192}).status == 200


def test_what_is_not_http_is_a_problem(gateway: Gateway) -> None:
    with socket.create_connection(("127.0.0.1", gateway.port), timeout=60) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\nHost: a b\r\n\r\n")
        answer = http.client.HTTPResponse(connection)
        answer.begin()
        assert problem(Answer(answer.status, answer.headers, answer.read())) == (400, "invalid-request")


def test_a_service_that_is_away_is_a_problem_that_passes(tmp_path: Path) -> None:
    port = free_port()
    (tmp_path / "index.html").write_text(PAGE)
    nowhere = {"command-api": free_port(), "query-api": free_port(), "identity-provider": free_port()}
    process = start_nginx(tmp_path, tmp_path, port, nowhere)
    try:
        answer = Gateway(port)("/api/v1/drivers", "POST", body=b"{}", headers={"X-Request-Id": "mine"})
        assert problem(answer) == (503, "unavailable")
        assert answer.headers["X-Request-Id"] != "mine"
        assert answer.headers["Retry-After"] == "1"
    finally:
        stop(process)


class Dying(Echo):
    """Takes a whole request and goes away without an answer."""

    received: ClassVar[list[str]] = []

    def answer(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.received.append(self.command)
        self.close_connection = True

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = answer  # noqa: N815


@pytest.fixture
def several(tmp_path: Path) -> Iterator[Callable[..., Gateway]]:
    """A gateway with a sound server of each kind behind those that are told: None is one that is away."""
    (tmp_path / "index.html").write_text(PAGE)
    with ExitStack() as running:

        def start(*others: type[Echo] | None) -> Gateway:
            ports = []
            for handler in (*others, Echo):
                if handler is None:
                    ports.append(free_port())
                    continue
                server = running.enter_context(ThreadingHTTPServer(("127.0.0.1", 0), handler))
                threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
                running.callback(server.shutdown)
                ports.append(server.server_port)
            port = free_port()
            named: dict[str, int | list[int]] = {
                "command-api": ports,
                "query-api": ports,
                "identity-provider": ports[-1],
            }
            running.callback(stop, start_nginx(tmp_path, tmp_path, port, named))
            return Gateway(port)

        yield start


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST", "PUT", "DELETE"])
def test_what_was_not_sent_yet_goes_to_a_server_that_is_there(
    several: Callable[..., Gateway], method: str
) -> None:
    gateway = several(None, None, None)
    statuses = [gateway("/api/v1/drivers", method, body=b"{}").status for _ in range(4)]
    assert statuses == [200] * 4


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE"])
def test_a_command_that_was_sent_is_not_sent_again(several: Callable[..., Gateway], method: str) -> None:
    gateway = several(Dying)
    Dying.received.clear()
    answers = [gateway("/api/v1/drivers/1", method, body=b"{}") for _ in range(2)]
    assert Dying.received == [method]
    assert sorted(answer.status for answer in answers) == [200, 503]


def test_a_query_that_was_sent_is_sent_again(several: Callable[..., Gateway]) -> None:
    gateway = several(Dying)
    Dying.received.clear()
    assert [gateway("/api/v1/drivers").status for _ in range(2)] == [200, 200]
    assert Dying.received == ["GET"]


class NameServer(socketserver.BaseRequestHandler):
    """Tells the addresses of every name that is asked for."""

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


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere 127.0.0.2 is not there by itself")
def test_servers_known_by_name_may_come_later_and_go(tmp_path: Path, name_server: type[NameServer]) -> None:
    (tmp_path / "index.html").write_text(PAGE)
    inside, port = free_port(), free_port()
    with ExitStack() as running:
        for address in ("127.0.0.1", "127.0.0.2"):
            handler = type("Handler", (Echo,), {"upstream": address})
            server = running.enter_context(ThreadingHTTPServer((address, inside), handler))
            threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
            running.callback(server.shutdown)
        names = dict.fromkeys(("command-api", "query-api", "identity-provider"), f"api.example:{inside}")
        running.callback(stop, start_nginx(tmp_path, tmp_path, port, names))
        gateway = Gateway(port)
        assert gateway("/api/v1/drivers").status == 503

        def until_answered_by(*addresses: str) -> None:
            name_server.addresses = list(addresses)
            wait_for(
                lambda: {gateway("/api/v1/drivers").json.get("upstream") for _ in range(4)} == set(addresses)
            )

        until_answered_by("127.0.0.1", "127.0.0.2")
        until_answered_by("127.0.0.2")


@pytest.mark.skipif(sys.platform != "linux", reason="what a full queue does to connections is Linux's")
@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_a_server_that_vanishes_with_its_name_is_not_waited_for_in_vain(
    tmp_path: Path, name_server: type[NameServer], method: str
) -> None:
    """As a container that is taken away while it has its name: connections to it get no answer at all."""
    (tmp_path / "index.html").write_text(PAGE)
    inside, port = free_port(), free_port()
    with ExitStack() as running:
        server = running.enter_context(ThreadingHTTPServer(("127.0.0.1", inside), Echo))
        threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
        running.callback(server.shutdown)
        vanished = running.enter_context(socket.create_server(("127.0.0.2", inside), backlog=0))
        running.enter_context(socket.create_connection(vanished.getsockname()))  # its queue is full
        name_server.addresses = ["127.0.0.1"]
        names = dict.fromkeys(("command-api", "query-api", "identity-provider"), f"api.example:{inside}")
        running.callback(stop, start_nginx(tmp_path, tmp_path, port, names))
        gateway = Gateway(port)
        clients = running.enter_context(ThreadPoolExecutor(8))
        wait_for(lambda: gateway("/api/v1/drivers").status == 200)
        deadline = time.monotonic() + PATIENCE_SECONDS
        name_server.addresses = ["127.0.0.1", "127.0.0.2"]
        while True:
            asked = [clients.submit(gateway, "/api/v1/drivers/D-1", method) for _ in range(4)]
            if wait(asked, timeout=0.3).not_done:  # one has met the server that does not answer
                break
            assert time.monotonic() < deadline
        name_server.addresses = ["127.0.0.1"]
        assert [one.result().status for one in asked] == [200] * 4


@pytest.mark.skipif(sys.platform != "linux", reason="what a full queue does to connections is Linux's")
@pytest.mark.parametrize("method", ["GET", "PUT"])
def test_an_address_that_does_not_answer_is_passed_over_within_a_second(tmp_path: Path, method: str) -> None:
    """As that of a container that was removed, until the gateway looks its name up again."""
    (tmp_path / "index.html").write_text(PAGE)
    inside, port = free_port(), free_port()
    with ExitStack() as running:
        server = running.enter_context(ThreadingHTTPServer(("127.0.0.1", inside), Echo))
        threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
        running.callback(server.shutdown)
        vanished = running.enter_context(socket.create_server(("127.0.0.2", inside), backlog=0))
        running.enter_context(socket.create_connection(vanished.getsockname()))  # its queue is full
        both = [f"127.0.0.1:{inside}", f"127.0.0.2:{inside}"]
        upstreams = dict.fromkeys(("command-api", "query-api", "identity-provider"), both)
        running.callback(stop, start_nginx(tmp_path, tmp_path, port, upstreams))
        gateway, waited = Gateway(port), list[float]()
        deadline = time.monotonic() + PATIENCE_SECONDS
        while len(waited) < 3:
            assert time.monotonic() < deadline
            began = time.monotonic()
            assert gateway("/api/v1/drivers/D-1", method).status == 200
            if (seconds := time.monotonic() - began) > 0.4:
                waited.append(seconds)
    assert min(waited) < 1.0


def have_been_told(before: Iterable[int], process: subprocess.Popen[bytes]) -> bool:
    """Whether all workers of before a reload are gone or going, and others are there."""
    now = command_lines_below(process.pid)
    return all("shutting down" in now.get(pid, "shutting down") for pid in before) and bool(
        now.keys() - set(before)
    )


def asked_over(connection: http.client.HTTPConnection) -> tuple[int, str | None]:
    """Gives the status of an answer, and whether the connection is kept after it."""
    connection.request("GET", "/config.json")
    answer = connection.getresponse()
    answer.read()
    return answer.status, answer.headers["Connection"]


def test_who_asks_while_the_gateway_is_reloaded_is_answered() -> None:
    port = free_port()
    nowhere = {"command-api": free_port(), "query-api": free_port(), "identity-provider": free_port()}
    with ExitStack() as running:
        folder = running.enter_context(open_folder())  # nginx's workers are not root
        (folder / "index.html").write_text(PAGE)
        process = start_nginx(folder, folder, port, nowhere, processes=SEVERAL_PROCESSES)
        running.callback(stop, process)
        kept = running.enter_context(closing(http.client.HTTPConnection("127.0.0.1", port, timeout=60)))
        assert asked_over(kept) == (200, "keep-alive")
        before = list(command_lines_below(process.pid))
        process.send_signal(signal.SIGHUP)
        wait_for(lambda: have_been_told(before, process))
        assert asked_over(kept) == (200, "close")


def test_lines_about_requests_are_not_logged_and_those_about_nginx_are(
    capfd: pytest.CaptureFixture[str],
) -> None:
    port = free_port()
    nowhere = {"command-api": free_port(), "query-api": free_port(), "identity-provider": free_port()}
    with ExitStack() as running:
        folder = running.enter_context(open_folder())
        (folder / "index.html").write_text(PAGE)
        (folder / "loop.html").symlink_to("loop.html")  # a critical error
        process = start_nginx(folder, folder, port, nowhere, processes=SEVERAL_PROCESSES)
        running.callback(stop, process)
        gateway = Gateway(port)
        gateway("/loop.html?name=Kumar", headers={"Referer": "http://localhost/?q=Kumar"})
        worker = next(iter(Process(process.pid).children()))
        worker.kill()
        output = ""

        def is_logged() -> bool:
            nonlocal output
            output += capfd.readouterr().err
            return f"worker process {worker.pid} exited on signal 9" in output

        wait_for(is_logged)
    assert "Kumar" not in output


def test_a_killed_gateway_leaves_its_port_free(tmp_path: Path) -> None:
    port = free_port()
    (tmp_path / "index.html").write_text(PAGE)
    nowhere = {"command-api": free_port(), "query-api": free_port(), "identity-provider": free_port()}
    for _ in range(2):
        process = start_nginx(tmp_path, tmp_path, port, nowhere)
        process.kill()
        process.wait()
