"""The three services, each with a network of its own to the database, which can be made to fail."""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import Final

from pydantic import SecretStr

from ops.base.encryption.settings import NOTHING_SEALED, KeySettings
from ops.testing.faulty_network import FaultyNetwork, faulty_network
from ops.testing.postgres import Database
from ops.testing.product.exchanges import Actor
from ops.testing.service_process import ServiceProcess, service_environment, service_process
from ops.testing.token_issuer import TokenIssuer

SERVICES: Final = ("command-api", "query-api", "projections")

FAULTS: Final[Mapping[str, Callable[[FaultyNetwork], None]]] = {
    "cut": FaultyNetwork.cut,
    "reset": FaultyNetwork.reset,
    "held back": FaultyNetwork.hold_back,
    "silent": FaultyNetwork.fall_silent,
    "silent to the server": partial(FaultyNetwork.fall_silent, to_client=False),
    "silent to the client": partial(FaultyNetwork.fall_silent, to_server=False),
}
"""By what a test's report calls them."""


@dataclass(frozen=True)
class FaultyServices:
    """Running services.

    Attributes:
        command_address: where commands are sent to.
        query_address: where queries are sent to.
        owner_dsn: DSN of the database's owner, past the networks.
        keys: they seal nothing.
        networks: by service.
        actor: one whom they know.
    """

    command_address: str
    query_address: str
    owner_dsn: str
    keys: KeySettings
    networks: Mapping[str, FaultyNetwork]
    actor: Actor

    def heal(self) -> None:
        """End all faults."""
        for network in self.networks.values():
            network.heal()

    def forget_the_silent(self) -> None:
        """Let the server notice, at last, which of its clients are gone."""
        for network in self.networks.values():
            network.forget_the_silent()


@asynccontextmanager
async def faulty_services(database: Database, issuer: TokenIssuer) -> AsyncIterator[FaultyServices]:
    """Run the services on a database.

    Args:
        database: which nobody else writes to.
        issuer: whose tokens they accept.
    """
    networks: dict[str, FaultyNetwork] = {}
    async with AsyncExitStack() as running:

        async def start(name: str) -> ServiceProcess:
            environment = service_environment(name, database, issuer)
            networks[name], environment["FLEETLOG_DATABASE"] = await running.enter_async_context(
                faulty_network(environment["FLEETLOG_DATABASE"])
            )
            return await running.enter_async_context(service_process(name, environment))

        command_api, query_api, _ = await asyncio.gather(*(start(name) for name in SERVICES))
        yield FaultyServices(
            command_api.address,
            query_api.address,
            database.owner,
            KeySettings(keys=SecretStr(NOTHING_SEALED)),
            networks,
            Actor("dev|asha", "Asha Menon", issuer.token(exp=issuer.claims()["iat"] + 24 * 3600)),
        )
