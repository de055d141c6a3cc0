"""TLS termination by the gateway, and renewal of the certificate."""

import http.client
import os
import shutil
import signal
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

from ops.launcher.paths import PROJECT, PYTHON
from ops.launcher.processes.ports import free_port
from ops.testing.conditions import wait_for
from ops.testing.folders import open_folder
from ops.testing.gateway import Gateway, container_environment, running_container
from ops.testing.kafka_tls import make_certificate

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="there is no openssl")
FILE = PROJECT / "ops/compose/gateway-tls.yaml"
ADDRESS = "https://fleet.example"


def settings_of(folder: Path) -> dict[str, str]:
    """Return the gateway's environment, from the file and from compose."""
    by_file = yaml.safe_load(FILE.read_text())["services"]["gateway"]["environment"]
    return {
        **container_environment(folder),
        "FLEETLOG_PORT": str(free_port()),
        "FLEETLOG_PUBLIC_ADDRESS": ADDRESS,
        **{name: value.replace("/run/secrets", str(folder)) for name, value in by_file.items()},
        **{f"FLEETLOG_{name}_PORT": str(free_port()) for name in ("REDIRECT", "TLS", "EDGE_TLS")},
    }


@dataclass
class Running:
    folder: Path
    plain: Gateway
    redirects: Gateway
    port: int

    def connected(self, **limits: ssl.TLSVersion) -> http.client.HTTPSConnection:
        context = ssl.create_default_context(cafile=self.folder / "gateway-ca.pem")
        for name, version in limits.items():
            setattr(context, name, version)
        return http.client.HTTPSConnection("127.0.0.1", self.port, timeout=60, context=context)

    def serial(self) -> str:
        """Return the serial number of the certificate on a new connection."""
        with closing(self.connected()) as connection:
            connection.connect()
            shown = connection.sock.getpeercert() or {}
        return str(shown["serialNumber"])

    def reload_later(self) -> None:
        """Reload with a later file time: nginx does not read a file again whose time is the same."""
        os.utime(self.folder / "gateway.pem", (0, time.time() + 60))
        self.plain.process.send_signal(signal.SIGHUP)


@pytest.fixture
def gateway() -> Iterator[Running]:
    with open_folder() as folder, (folder / "output").open("wb") as output:  # nginx's workers are not root
        make_certificate(folder, "gateway", "fleet.example,127.0.0.1")
        settings = settings_of(folder)
        with running_container(folder, settings, output=output) as plain:
            redirects = Gateway(int(settings["FLEETLOG_REDIRECT_PORT"]))
            yield Running(folder, plain, redirects, int(settings["FLEETLOG_TLS_PORT"]))


def asked(connection: http.client.HTTPConnection, path: str = "/config.json") -> http.client.HTTPResponse:
    connection.request("GET", path)
    answer = connection.getresponse()
    answer.read()
    return answer


def test_browsers_are_redirected_from_http_to_https(gateway: Running) -> None:
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
    assert gateway.plain("/drivers").status == 200  # internal clients, such as doctor


def test_the_development_provider_knows_the_published_address() -> None:
    services = yaml.safe_load(FILE.read_text())["services"]
    (published,) = services["edge"]["ports"]
    known = services["identity-provider"]["environment"]["FLEETLOG_PUBLISH"]
    assert published == f"{known}:{services['edge']['environment']['FLEETLOG_TLS_PORT']}"


def test_a_new_certificate_is_loaded_without_a_dropped_connection(gateway: Running) -> None:
    before = gateway.serial()
    with closing(gateway.connected()) as kept:
        assert asked(kept).status == 200
        make_certificate(gateway.folder, "gateway", "fleet.example,127.0.0.1")
        assert gateway.serial() == before  # not before the reload
        gateway.reload_later()
        wait_for(lambda: gateway.serial() != before)
        assert asked(kept).status == 200


def test_an_invalid_certificate_is_refused_and_the_former_stays_in_use(gateway: Running) -> None:
    before = gateway.serial()
    (gateway.folder / "gateway.pem").write_text("nothing")
    gateway.reload_later()
    wait_for(lambda: "gateway.pem" in (gateway.folder / "output").read_text())
    assert gateway.serial() == before


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"FLEETLOG_TLS_CERTIFICATE": "/nowhere"}, "/nowhere lacks a key with its certificate: No such file"),
        ({"FLEETLOG_TLS_PORT": None}, "FLEETLOG_TLS_PORT and FLEETLOG_TLS_CERTIFICATE must be set together"),
        (
            {"FLEETLOG_PUBLIC_ADDRESS": "http://fleet.example"},
            "FLEETLOG_PUBLIC_ADDRESS must begin with https:",
        ),
    ],
)
def test_invalid_settings_of_tls_are_reported_in_one_line(
    tmp_path: Path, changes: dict[str, str | None], said: str
) -> None:
    make_certificate(tmp_path, "gateway", "fleet.example")
    settings = {name: value for name, value in (settings_of(tmp_path) | changes).items() if value is not None}
    done = subprocess.run(
        [*PYTHON, "ops.launcher.gateway"],
        env={**os.environ, **settings}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert said in line
