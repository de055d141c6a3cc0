"""The gateway speaks TLS by itself, and takes another certificate while it runs."""

import http.client
import os
import shutil
import signal
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from ops.launcher.paths import PROJECT, PYTHON
from ops.launcher.processes.ports import free_port
from ops.testing.folders import open_folder
from ops.testing.gateway import Gateway, stop
from ops.testing.kafka_tls import make_certificate
from ops.testing.waiting import wait_for

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl")
FILE = PROJECT / "ops/compose/gateway-tls.yaml"
ADDRESS = "https://fleet.example"


def told(folder: Path) -> dict[str, str]:
    """What the file tells the gateway, and what compose does."""
    by_file = yaml.safe_load(FILE.read_text())["services"]["gateway"]["environment"]
    return {
        "FLEETLOG_PORT": str(free_port()),
        "FLEETLOG_PUBLIC_ADDRESS": ADDRESS,
        "FLEETLOG_ISSUER": "https://tenant.example/",
        "FLEETLOG_CLIENT_ID": "web",
        "FLEETLOG_AUDIENCE": "https://api.example",
        "FLEETLOG_COMMAND_API": "127.0.0.1:1",
        "FLEETLOG_QUERY_API": "127.0.0.1:1",
        "FLEETLOG_FRONTEND_DIST": str(folder),
        "FLEETLOG_GATEWAY_STATE": str(folder),
        **{name: value.replace("/run/secrets", str(folder)) for name, value in by_file.items()},
        **{f"FLEETLOG_{name}_PORT": str(free_port()) for name in ("REDIRECT", "TLS", "EDGE_TLS")},
    }


@dataclass
class Running:
    folder: Path
    process: subprocess.Popen[bytes]
    plain: Gateway
    redirects: Gateway
    port: int

    def connected(self, **limits: ssl.TLSVersion) -> http.client.HTTPSConnection:
        context = ssl.create_default_context(cafile=self.folder / "gateway-ca.pem")
        for name, version in limits.items():
            setattr(context, name, version)
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=60, context=context)

    def serial(self) -> str:
        """The number of the certificate that a new connection is shown."""
        with closing(self.connected()) as connection:
            connection.connect()
            shown = connection.sock.getpeercert() or {}
        return str(shown["serialNumber"])

    def reload_later(self) -> None:
        """Let it read its files again, as of another second: nginx keeps what was read of one of the same."""
        os.utime(self.folder / "gateway.pem", (0, time.time() + 60))
        self.process.send_signal(signal.SIGHUP)


@pytest.fixture
def gateway() -> Iterator[Running]:
    with ExitStack() as running:
        folder = running.enter_context(open_folder())  # nginx's workers are not root
        (folder / "index.html").write_text("page")
        make_certificate(folder, "gateway", "fleet.example,127.0.0.1")
        settings = told(folder)
        output = running.enter_context((folder / "output").open("wb"))
        command, environment = [*PYTHON, "ops.launcher.gateway"], {**os.environ, **settings}
        process = subprocess.Popen(command, env=environment, stderr=output)
        running.callback(stop, process)
        plain = Gateway(int(settings["FLEETLOG_PORT"]))
        wait_for(lambda: process.poll() is not None or answers(plain))
        assert process.poll() is None
        redirects = Gateway(int(settings["FLEETLOG_REDIRECT_PORT"]))
        yield Running(folder, process, plain, redirects, int(settings["FLEETLOG_TLS_PORT"]))


def answers(gateway: Gateway) -> bool:
    try:
        return gateway("/config.json").status == 200
    except OSError:
        return False


def asked(connection: http.client.HTTPConnection, path: str = "/config.json") -> http.client.HTTPResponse:
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    return answer


def test_browsers_are_served_by_https_and_sent_there_from_http(gateway: Running) -> None:
    with closing(gateway.connected()) as connection:
        answer = asked(connection)
        assert connection.sock.version() == "TLSv1.3"
    assert answer.status == 200
    assert answer.headers["Strict-Transport-Security"] == "max-age=31536000"
    with closing(gateway.connected(maximum_version=ssl.TLSVersion.TLSv1_2)) as connection:
        assert asked(connection).status == 200
    sent = gateway.redirects("/drivers?q=1")
    assert (sent.status, sent.headers["Location"]) == (308, f"{ADDRESS}/drivers?q=1")
    assert gateway.redirects("/config.json").status == 200  # for health checks
    assert gateway.plain("/drivers").status == 200  # within, such as doctor


def test_the_sign_in_without_passwords_is_told_where_others_could_reach_it() -> None:
    services = yaml.safe_load(FILE.read_text())["services"]
    (published,) = services["edge"]["ports"]
    told = services["identity-provider"]["environment"]["FLEETLOG_PUBLISH"]
    assert published == f"{told}:{services['edge']['environment']['FLEETLOG_TLS_PORT']}"


def test_another_certificate_is_taken_without_a_dropped_connection(gateway: Running) -> None:
    before = gateway.serial()
    with closing(gateway.connected()) as kept:
        assert asked(kept).status == 200
        make_certificate(gateway.folder, "gateway", "fleet.example,127.0.0.1")
        assert gateway.serial() == before  # it is not read before it is to be
        gateway.reload_later()
        wait_for(lambda: gateway.serial() != before)
        assert asked(kept).status == 200


def test_a_certificate_that_is_none_is_refused_and_the_former_goes_on(gateway: Running) -> None:
    before = gateway.serial()
    (gateway.folder / "gateway.pem").write_text("nothing")
    gateway.reload_later()
    wait_for(lambda: "gateway.pem" in (gateway.folder / "output").read_text())
    assert gateway.serial() == before


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"FLEETLOG_TLS_CERTIFICATE": "/nowhere"}, "/nowhere has no key with its certificate: No such file"),
        ({"FLEETLOG_TLS_PORT": None}, "FLEETLOG_TLS_PORT and FLEETLOG_TLS_CERTIFICATE go together"),
        ({"FLEETLOG_PUBLIC_ADDRESS": "http://fleet.example"}, "FLEETLOG_PUBLIC_ADDRESS begins with https:"),
    ],
)
def test_what_cannot_be_is_said_in_one_line(
    tmp_path: Path, changes: dict[str, str | None], said: str
) -> None:
    make_certificate(tmp_path, "gateway", "fleet.example")
    settings = {name: value for name, value in (told(tmp_path) | changes).items() if value is not None}
    done = subprocess.run(
        [*PYTHON, "ops.launcher.gateway"],
        env={**os.environ, **settings}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert said in line
