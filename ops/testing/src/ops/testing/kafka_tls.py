"""A Kafka broker configured by `ops/compose/kafka-tls.yaml`: TLS, passwords and access rights."""

import os
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from ops.development.kafka.broker import HOST, java_command
from ops.launcher.paths import PROJECT
from ops.launcher.processes.ports import free_port
from ops.testing.folders import open_folder
from ops.testing.kafka import KafkaBroker

FILE: Final = PROJECT / "ops/compose/kafka-tls.yaml"
CERTIFICATE: Final = PROJECT / "ops/compose/certificate.sh"
_SECRETS: Final = "/run/secrets"
_COMMANDS: Final = {
    "kafka-configs.sh": "kafka.admin.ConfigCommand",
    "kafka-acls.sh": "org.apache.kafka.tools.AclCommand",
}
"""Programs of the image, and their Java classes."""


@dataclass(frozen=True)
class SecuredKafka:
    """The running broker.

    Attributes:
        secrets: the folder mounted at `/run/secrets` in containers.
        local: address of the listener without authentication.
    """

    broker: KafkaBroker
    secrets: Path
    local: str

    def environment(self, name: str = "relay") -> dict[str, str]:
        """Return a service's variables, with addresses and paths of this machine."""
        variables: dict[str, str] = _services()[name]["environment"]
        places = {"kafka:9094": self.broker.address, _SECRETS: str(self.secrets)}
        return {variable: _replaced(value, places) for variable, value in variables.items()}


@contextmanager
def secured_kafka() -> Iterator[SecuredKafka]:
    """Run the broker with the certificate and the users of the file.

    Raises:
        LauncherError: Java or Maven are missing.
    """
    with open_folder() as folder:
        secrets, local = folder / "secrets", f"{HOST}:{free_port()}"
        secrets.mkdir()
        make_certificate(secrets, "kafka", f"kafka,{HOST}")
        (secrets / "kafka-password").write_text("correct horse\n")
        places = {
            "127.0.0.1:9092": local, "127.0.0.1:9093": "{host}:{controller_port}",
            "0.0.0.0:9094": "{host}:{port}", "kafka:9094": "{host}:{port}", _SECRETS: str(secrets),
        }  # fmt: skip
        properties = [
            f"{_property(name)}={_replaced(value, places)}\n"
            for name, value in _services()["kafka"]["environment"].items()
        ]
        broker = KafkaBroker(folder / "broker", properties="".join(properties))
        broker.folder.mkdir()
        broker.start()
        try:
            _make_users(folder, {"127.0.0.1:9092": local, _SECRETS: str(secrets)})
            yield SecuredKafka(broker, secrets, local)
        finally:
            broker.stop()


def make_certificate(secrets: Path, name: str, hosts: str) -> None:
    """Create a certificate and its authority with the script for trials."""
    subprocess.run([str(CERTIFICATE), str(secrets), name, hosts], check=True, capture_output=True)


def _services() -> Any:
    return yaml.safe_load(FILE.read_text())["services"]


def _property(variable: str) -> str:
    """Return the Kafka property that the image derives from a variable."""
    name = variable.removeprefix("KAFKA_").lower().replace("_", ".")
    return name.replace("...", "-").replace("..", "_")


def _replaced(text: str, places: dict[str, str]) -> str:
    for old, new in places.items():
        text = text.replace(old, new)
    return text


def _make_users(folder: Path, places: dict[str, str]) -> None:
    """Run the command of the service `kafka-users`."""
    programs, own = folder / "bin", folder / "tmp"
    programs.mkdir()
    own.mkdir()
    java = java_command("-Xmx128m", "-XX:TieredStopAtLevel=1")
    for name, main in _COMMANDS.items():
        program = programs / name
        program.write_text(f'#!/bin/sh\nexec {shlex.join([*java, main])} "$@"\n')
        program.chmod(0o755)
    *command, script = _services()["kafka-users"]["command"]
    own_places = {"$$": "$", "/tmp/": f"{own}/", "/opt/kafka/bin": str(programs)}  # noqa: S108
    script = _replaced(script, own_places | places)
    subprocess.run([*command, script], check=True, env={**os.environ, "LC_ALL": "C"}, capture_output=True)
