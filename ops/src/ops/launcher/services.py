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


SERVICES = (
    Service("command-api", ["command_api"], "command", 1),
    Service("query-api", ["query_api"], "query", 1),
    Service("identity-provider", ["ops.launcher.identity_provider"], None, 1),
    Service("projections", ["projections", "run"], "projections", 2),
)


def service_environments(
    folder: DataFolder, *, address: str, dsns: Mapping[str, str], ports: Mapping[str, int]
) -> dict[str, dict[str, str]]:
    """The `FLEETLOG_…` variables of each service.

    Args:
        folder: the instance's data folder.
        address: the one origin that browsers use.
        dsns: the services' DSNs by role.
        ports: the services' ports by service name.
    """
    keys = f"http://127.0.0.1:{ports['identity-provider']}/.well-known/jwks.json"
    environments = {}
    for service in SERVICES:
        environment = {
            "FLEETLOG_HOST": "127.0.0.1",
            "FLEETLOG_PORT": str(ports[service.name]),
            "FLEETLOG_ISSUER": f"{address}/",
            "FLEETLOG_AUDIENCE": AUDIENCE,
            "FLEETLOG_JWKS_URL": keys,
            "FLEETLOG_ENVIRONMENT": "development",
        }
        if service.role is None:
            environment["FLEETLOG_IDP_STATE"] = str(folder.identity_provider)
        else:
            environment["FLEETLOG_DATABASE"] = dsns[service.role]
        environments[service.name] = environment
    return environments


def service_ports() -> dict[str, int]:
    """A free port for each service."""
    return {service.name: free_port() for service in SERVICES}


def service_parts(environments: Mapping[str, Mapping[str, str]]) -> list[Part]:
    """The services as parts, with the environments that `service_environments` made."""
    parts = []
    for service in SERVICES:
        environment = environments[service.name]
        port = int(environment["FLEETLOG_PORT"])
        parts.append(
            Part(
                name=service.name,
                command=[*PYTHON, *service.arguments],
                environment={**os.environ, **environment},
                port=port,
                is_ready=partial(answers_ok, port, "/readyz"),
                health=f"http://127.0.0.1:{port}/readyz",
                stop_order=service.stop_order,
            )
        )
    return parts
