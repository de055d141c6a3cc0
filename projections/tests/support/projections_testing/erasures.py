"""Erasures by a running worker, and their receipts."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import psycopg
from psycopg.rows import dict_row

from command_api.commands.context import CommandContext, fingerprint
from command_api.commands.handler import CommandHandler
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.definition import Definition
from command_api.domain.events import EventActor, EventMetadata
from command_api.event_store.log import EventLog
from ops.base.encryption.sqlite import local_store
from ops.base.encryption.stores import KeyStore
from ops.tamper_evidence.receipts import check_receipt
from ops.testing.key_store_locations import create_local_store
from ops.testing.postgres import Database
from projections_testing.leases import eventually
from projections_testing.processes import RunningWorker
from projections_testing.sealed_data import KEY, write_key

DRIVER: Final = DEFINITIONS["driver"]
PERSON: Final = {
    **DRIVER.blank_details(),
    **DRIVER.example,
    "name": "Zubeida Quartermaine",
    "passport_number": "Z7654321",
    "email_address": "zubeida@quartermaine.example",
}
CHANGED: Final = "19 Wandering Lane"
OTHER: Final = {
    **PERSON,
    "name": "Ottoline Mbeki",
    "passport_number": "M1111111",
    "email_address": "o@m.example",
}


@dataclass(frozen=True)
class InstanceFolder:
    """The folder with keys and seals of an instance."""

    folder: Path

    @property
    def keys(self) -> Path:
        """The key store."""
        return self.folder / "keys"

    @property
    def seals(self) -> Path:
        """The seals."""
        return self.folder / "seals"

    @property
    def environment(self) -> Mapping[str, str]:
        """The worker's settings."""
        return {
            "FLEETLOG_KEYS": str(self.keys),
            "FLEETLOG_SEALS": str(self.seals),
            "FLEETLOG_SEALING_KEY": str(self.folder / "sealing-key.pem"),
            "FLEETLOG_SCANNED": str(self.folder),
        }

    def store(self) -> KeyStore:
        """Return the key store."""
        return local_store(self.keys)

    @classmethod
    def create(cls, folder: Path) -> "InstanceFolder":
        """Create an empty key store and a sealing key."""
        instance = cls(folder)
        create_local_store(instance.keys)
        write_key(folder / "sealing-key.pem")
        return instance


@asynccontextmanager
async def open_command_handler(database: Database) -> AsyncIterator[CommandHandler]:
    """Yield a command handler."""
    async with EventLog.open(database.command, pool_size=2) as log:
        yield CommandHandler(log, shared=["all"])


async def register(handler: CommandHandler, employee: str, details: dict[str, Any]) -> None:
    """Register a driver, and change the address."""
    await handler.register(DRIVER, employee, details, command_of("asha"))
    await handler.change(
        DRIVER, employee, {**details, "address_1": f"{CHANGED} {employee}"}, command_of("asha")
    )


async def forget(handler: CommandHandler, person: str, definition: Definition = DRIVER) -> None:
    """Restrict a driver or a user, and erase the person."""
    today = datetime.now(UTC).date()
    await handler.decide(
        definition, person, lambda one, metadata: one.restrict("asked", today, metadata), command_of("ingrid")
    )
    await handler.decide(
        definition, person, lambda one, metadata: one.erase(today, metadata), command_of("omar")
    )


async def act(handler: CommandHandler, who: str, name: str, employee: str) -> None:
    """Change a driver as a user with a given name, without personal data."""
    command = command_of(who)
    actor = EventActor(sub=f"dev|{who}", name=name)
    metadata = command.metadata.model_copy(update={"actor": actor})
    await handler.change(
        DRIVER, employee, {**OTHER, "bank_name": uuid4().hex}, command._replace(metadata=metadata)
    )


def erasures(database: Database) -> list[dict[str, Any]]:
    """Return all erasures, the oldest first."""
    with psycopg.connect(database.owner, row_factory=dict_row) as connection:
        return connection.execute("SELECT * FROM privacy.erasures ORDER BY position").fetchall()


async def erased(database: Database, instance: InstanceFolder) -> dict[str, Any]:
    """Run a worker until it has issued a receipt, and return the first one's statement."""
    with RunningWorker(database, environment=instance.environment):
        await eventually(lambda: bool(receipts(database)))
    return dict(check_receipt(receipts(database)[0], KEY.verifying_key).statement)


def receipts(database: Database) -> list[str]:
    """Return the issued receipts."""
    return [one["receipt"] for one in erasures(database) if one["receipt"] is not None]


def command_of(who: str) -> CommandContext:
    """Return the context of a user's next command."""
    metadata = EventMetadata(
        actor=EventActor(sub=f"dev|{who}", name=who),
        request_id=uuid4().hex,
        fingerprint=fingerprint("PUT", {}),
    )
    return CommandContext(uuid4(), metadata, is_repeatable=False)
