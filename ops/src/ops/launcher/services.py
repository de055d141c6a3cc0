"""The product's own services as parts: what each is run with."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from ops.launcher.gateway.configuration import AUDIENCE
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.paths import PYTHON
from ops.launcher.processes.part import Part, answers_ok
from ops.launcher.processes.ports import free_port


@dataclass(frozen=True)
class Service:
    """One of our services.

    Attributes:
        name: as a part.
        arguments: what follows `python -m`.
        role: whose database rights it has, by the names of `SERVICE_GROUPS`; None without a database.
        stop_order: see `Part`.
    """

    name: str
    arguments: list[str]
    role: str | None
    stop_order: int


IDENTITY_PROVIDER = Service("identity-provider", ["ops.launcher.identity_provider"], None, 1)
DATABASE_SERVICES = (
    Service("command-api", ["command_api"], "command", 1),
    Service("query-api", ["query_api"], "query", 1),
    Service("projections", ["projections", "run"], "projections", 2),
)
SERVICES = (IDENTITY_PROVIDER, *DATABASE_SERVICES)


def service_environment(
    service: Service, folder: DataFolder, *, address: str, ports: Mapping[str, int], dsns: Mapping[str, str]
) -> dict[str, str]:
    """The `FLEETLOG_…` variables of a service.

    Args:
        service: which.
        folder: the instance's data folder.
        address: the one origin that browsers use.
        ports: the services' ports by service name.
        dsns: the services' DSNs by role.
    """
    keys = f"http://127.0.0.1:{ports[IDENTITY_PROVIDER.name]}/.well-known/jwks.json"
    environment = {
        "FLEETLOG_HOST": "127.0.0.1",
        "FLEETLOG_PORT": str(ports[service.name]),
        "FLEETLOG_ISSUER": f"{address}/",
        "FLEETLOG_AUDIENCE": AUDIENCE,
        "FLEETLOG_JWKS_URL": keys,
        "FLEETLOG_ENVIRONMENT": "development",
    }
    if service is IDENTITY_PROVIDER:
        environment["FLEETLOG_IDP_STATE"] = str(folder.identity_provider)
    if service.name == "projections":
        environment["FLEETLOG_SEALS"] = str(folder.seals)
        environment["FLEETLOG_SEALING_KEY"] = str(folder.sealing_key)
    if service.role is not None:
        environment["FLEETLOG_DATABASE"] = dsns[service.role]
    return environment


def service_ports() -> dict[str, int]:
    """A free port for each service."""
    return {service.name: free_port() for service in SERVICES}


def service_part(service: Service, environment: Mapping[str, str]) -> Part:
    """A service as a part, with the environment that `service_environment` made."""
    port = int(environment["FLEETLOG_PORT"])
    return Part(
        name=service.name,
        command=[*PYTHON, *service.arguments],
        environment={**os.environ, **environment},
        port=port,
        is_ready=partial(answers_ok, port, "/readyz"),
        health=f"http://127.0.0.1:{port}/readyz",
        stop_order=service.stop_order,
    )
