"""The product's services: their commands, database roles and environments."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import NoReturn

from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.sign_in import SETTINGS, Provider
from ops.launcher.paths import PYTHON
from ops.launcher.processes.spec import ProcessSpec, answers_ok


@dataclass(frozen=True)
class ServiceDefinition:
    """A service of the product.

    Attributes:
        arguments: the words after `python -m`.
        role: its database role, as in `SERVICE_GROUPS`; None: no database.
        stop_order: see `ProcessSpec`.
    """

    name: str
    arguments: list[str]
    role: str | None
    stop_order: int


PUBLISH_FREE_TEXT = "FLEETLOG_PUBLISH_FREE_TEXT"
WITNESSES = "FLEETLOG_WITNESSES"
TIME_STAMPS = ("FLEETLOG_TIME_STAMP_AUTHORITIES", "FLEETLOG_TIME_STAMP_CERTIFICATES")
NOTIFY_SETTINGS = ("FLEETLOG_WEBHOOK_NETWORKS", "FLEETLOG_SMTP", "FLEETLOG_MAIL_FROM")
IDENTITY_PROVIDER = ServiceDefinition("identity-provider", ["ops.development.identity_provider"], None, 1)
DATABASE_SERVICES = (
    ServiceDefinition("command-api", ["command_api"], "command", 1),
    ServiceDefinition("query-api", ["query_api"], "query", 1),
    ServiceDefinition("projections", ["projections", "run"], "sealer", 2),
    ServiceDefinition("notify", ["projections", "notify"], "notify", 1),
)
RELAY = ServiceDefinition("relay", ["projections", "relay"], "relay", 2)
"""Runs only with `--kafka`."""
KAFKA_SETTINGS = "FLEETLOG_KAFKA_"
KAFKA_SETTING = f"{KAFKA_SETTINGS}SERVERS"


def service_environment(
    service: ServiceDefinition,
    folder: DataFolder,
    *,
    address: str,
    provider: Provider,
    ports: Mapping[str, int],
    dsns: Mapping[str, str],
    kafka: str | None = None,
) -> dict[str, str]:
    """Return the `FLEETLOG_…` variables of a service.

    Args:
        address: the origin that browsers use.
        ports: by service name.
        dsns: by database role.
    """
    environment = {
        "FLEETLOG_HOST": "127.0.0.1",
        "FLEETLOG_PORT": str(ports[service.name]),
        "FLEETLOG_ISSUER": provider.issuer,
        "FLEETLOG_AUDIENCE": provider.audience,
        "FLEETLOG_JWKS_URL": provider.jwks_url,
        **{name: getattr(provider, field) for field, name in SETTINGS.items()},
        "FLEETLOG_ENVIRONMENT": "production" if provider.issuer.startswith("https:") else "development",
        "FLEETLOG_PUBLIC_ADDRESS": address,
    }
    if service is IDENTITY_PROVIDER:
        environment["FLEETLOG_IDP_STATE"] = str(folder.identity_provider)
        environment["FLEETLOG_IDP_BACK_CHANNEL_LOGOUT"] = f"{address}/api/v1/back-channel-logout"
    if service.name == "projections":
        environment["FLEETLOG_DISK"] = environment["FLEETLOG_SCANNED"] = str(folder.path)
        # Recorded in running.json, so that a rebuild publishes the same fields as the worker.
        environment[PUBLISH_FREE_TEXT] = os.environ.get(PUBLISH_FREE_TEXT, "false")
        environment["FLEETLOG_PSEUDONYM_KEY"] = str(folder.pseudonym_key)
        environment["FLEETLOG_SEALS"] = str(folder.seals)
        environment["FLEETLOG_SEALING_KEY"] = str(folder.sealing_key)
        environment |= {name: os.environ.get(name, "") for name in (WITNESSES, *TIME_STAMPS)}
    if (service is RELAY or "kafka:" in environment.get(WITNESSES, "")) and kafka is not None:
        given = {name: value for name, value in os.environ.items() if name.startswith(KAFKA_SETTINGS)}
        environment |= {**given, KAFKA_SETTING: kafka}
    if service.role is not None:
        environment["FLEETLOG_DATABASE"] = dsns[service.role]
    if service.name in {"command-api", "notify", "projections", "query-api"}:
        environment["FLEETLOG_KEYS"] = os.environ.get("FLEETLOG_KEYS") or str(folder.keys)
    if service.name == "notify":
        environment |= {name: os.environ.get(name, "") for name in NOTIFY_SETTINGS}
    if service.name == "command-api":
        environment["FLEETLOG_CLIENT_ID"] = provider.client_id
    return environment


def become(module: str, environment: Mapping[str, str], *words: str) -> NoReturn:
    """Replace this process by `python -m MODULE WORDS…`, with the environment of a running service."""
    command = [*PYTHON, module, *words]
    # The service itself occupies its port.
    os.execve(command[0], command, {**os.environ, **environment, "FLEETLOG_PORT": "0"})  # noqa: S606


def service_spec(
    service: ServiceDefinition, environment: Mapping[str, str], *, only_alive: bool = False
) -> ProcessSpec:
    """Return the process of a service.

    Args:
        environment: from `service_environment`.
        only_alive: whether `/livez` is enough, as for a stopped log, which `/readyz` reports.
    """
    port = int(environment["FLEETLOG_PORT"])
    path = "/livez" if only_alive else "/readyz"
    return ProcessSpec(
        name=service.name,
        command=[*PYTHON, *service.arguments],
        environment={**os.environ, **environment},
        port=port,
        # An operator examines seals that do not match while the product runs.
        is_ready=partial(answers_ok, port, path, ignored_check="sealing"),
        health=f"http://127.0.0.1:{port}/readyz",
        stop_order=service.stop_order,
    )
