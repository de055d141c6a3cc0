"""Logs of many events, and sealers."""

import asyncio
import math
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Final
from uuid import UUID, uuid4

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509 import Certificate
from psycopg import AsyncConnection

from command_api.domain.aggregate import Aggregate
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import Event
from command_api.event_store.mapper import MAPPER
from ops.base.database.connection import connect
from ops.tamper_evidence.checkpoints import Checkpoint
from ops.tamper_evidence.merkle_tree import EMPTY_ROOT
from ops.tamper_evidence.sealed_log import SealedLog
from ops.tamper_evidence.signed_notes import SigningKey
from ops.tamper_evidence.verification import Verdict, Verification
from ops.testing.postgres import Database
from ops.testing.sealed_logs import a_log, checkpoint_of
from projections.commands.audit import verify
from projections.workers.sealing.audit_tables import add_checkpoints, last_note
from projections.workers.sealing.rows import all_rows, former_origins, origin_of
from projections.workers.sealing.sealer import Sealer, signed_now
from projections.workers.sealing.witnesses import Witness
from projections.workers.verification.verification import Scope
from projections_testing.fleet import BEGIN, DETAILS, METADATA
from projections_testing.leases import eventually

_PRIVATE_KEY: Final = Ed25519PrivateKey.generate()
KEY: Final = SigningKey("fleetlog", _PRIVATE_KEY)
Capture = pytest.CaptureFixture[str]
LOG_ONLY: Final = Scope(log_only=True)
_STREAMS: Final = 100
_CHANGED: Final = {"assignment": "note", "driver": "city", "trailer": "identifier", "horse": "identifier"}
"""A field by entity; others have a name."""
_AT_ONCE: Final = 500
_APPEND: Final = """
WITH given AS (SELECT %s::uuid[] AS ids)
SELECT count(*) FROM given CROSS JOIN LATERAL log.append(
  NULL, ids, array_fill(NULL::text, ARRAY[cardinality(ids)]), array_fill(NULL::text, ARRAY[cardinality(ids)]),
  %s::integer[], %s::text[], %s::bigint[], %s::text[], %b::bytea[]
)
"""


def endless_events() -> Iterator[Event]:
    """Yield events of many entities in turns."""
    aggregates = [
        Aggregate(DEFINITIONS[entity], f"{entity[:3].upper()}-{number}")
        for number in range(_STREAMS // len(DEFINITIONS))
        for entity in DEFINITIONS
    ]
    for number in count():
        for index, aggregate in enumerate(aggregates):
            entity = aggregate.definition.name
            event: Event | None = (
                aggregate.change({_CHANGED.get(entity, "name"): f"Changed {number} times"}, METADATA)
                if number
                else aggregate.register(DETAILS[entity], METADATA)
            )
            if event is not None:
                aggregates[index] = aggregate.after(event, BEGIN)
                yield event


def append(dsn: str, events: Iterator[Event], *, number: int) -> None:
    """Append some events as the command API does: through `log.append`, many at once."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        for first in range(0, number, _AT_ONCE):
            batch = [next(events) for _ in range(min(_AT_ONCE, number - first))]
            connection.execute(
                _APPEND,
                (
                    [_command_id(event) for event in batch],
                    list(range(1, len(batch) + 1)),
                    [event.originator_id for event in batch],
                    [event.originator_version for event in batch],
                    [event.type for event in batch],
                    [MAPPER.to_stored_event(event).state for event in batch],
                ),
            )


REVEAL: Final = ("audit-export-revealed", '{"filter":  {"entity":  "dríver"}}')
VIEWS: Final = ("views", '{"subjects":["driver:EMP-1"],  "views":[[0,0,"EMP-1"], [0,0,null]]}')


def look_at(database: Database, times: int) -> None:
    """Record accesses to personal data."""
    with psycopg.connect(database.query, autocommit=True) as connection:
        for number in range(times):
            connection.execute(
                "SELECT audit.record_access(%s::uuid, 'auth0|1', 'Åsa \"A\"', %s, %s, %s::json)",
                (uuid4(), f"request-{number}", *(VIEWS if number % 2 else REVEAL)),
            )


def _command_id(event: Event) -> UUID:
    return UUID(int=hash((event.originator_id, event.originator_version)) & (2**128 - 1))


async def begin_sealing(dsn: str, folder: Path, key: SigningKey = KEY) -> None:
    """Sign the checkpoint of the empty log, as the sealer of a new instance does."""
    seals = SealedLog(folder)
    async with await connect(dsn, autocommit=True) as connection:
        if any(seals.notes()) or await last_note(connection) is not None:
            return
        checkpoint = signed_now(Checkpoint(await origin_of(connection), 0, EMPTY_ROOT, 0), after=None)
        await add_checkpoints(connection, [(0, seals.seal([], checkpoint, key))])


def write_key(path: Path) -> Path:
    """Write the tests' signing key to a file."""
    path.write_bytes(_PRIVATE_KEY.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    return path


def note_of(size: int, previous: int = 0) -> str:
    """Return the signed note of a checkpoint of another log."""
    return checkpoint_of(a_log(20)[:size], previous=previous).signed(KEY)


@asynccontextmanager
async def sealing(
    dsn: str,
    folder: Path,
    *,
    events: int = 5,
    seconds: float = math.inf,
    sealers: int = 1,
    key: SigningKey = KEY,
    witnesses: Sequence[Witness] = (),
    authorities: Sequence[str] = (),
    trusted: Sequence[Certificate] = (),
    begin: bool = True,
    access_log_days: int = 0,
) -> AsyncIterator[list[Sealer]]:
    """Run sealers while the context lasts, after sealing the empty log if `begin` is set.

    By default they seal by count alone, because most events in tests are years old.
    """
    if begin:
        await begin_sealing(dsn, folder, key)
    workers = [
        Sealer(
            dsn,
            SealedLog(folder),
            key,
            every_events=events,
            every_seconds=seconds,
            witnesses=witnesses,
            authorities=authorities,
            trusted=trusted,
            access_log_days=access_log_days,
        )
        for _ in range(sealers)
    ]
    tasks = [asyncio.create_task(worker.run()) for worker in workers]
    try:
        yield workers
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def sealed(folder: Path, key: SigningKey = KEY) -> int:
    """Return the position up to which checkpoint and hashes exist."""
    seals = SealedLog(folder)
    latest = seals.latest(key.verifying_key)
    return min(latest.size, seals.hashed) if latest else 0


async def verified(
    database: Database, folder: Path, capsys: Capture, scope: Scope = LOG_ONLY
) -> tuple[int, str]:
    """Verify an instance by the command, and return its exit code and output."""
    capsys.readouterr()
    status = await verify(database.sealer, SealedLog(folder), KEY, scope)
    return status, "".join(capsys.readouterr()).strip()


async def verdict_on(connection: AsyncConnection, folder: Path) -> Verdict:
    """Verify the log against the seals in a folder."""
    verification = Verification(
        SealedLog(folder),
        KEY.verifying_key,
        origin=await origin_of(connection),
        former=await former_origins(connection),
    )
    async for rows in all_rows(connection):
        verification.add(rows)
    return verification.verdict()


async def seal(
    dsn: str,
    folder: Path,
    *,
    every: int,
    up_to: int,
    key: SigningKey = KEY,
    witnesses: Sequence[Witness] = (),
) -> None:
    """Run a sealer until a position is sealed, and the witnesses have the checkpoint."""
    async with sealing(dsn, folder, events=every, key=key, witnesses=witnesses) as workers:
        await eventually(lambda: sealed(folder, key) == up_to)
        await eventually(
            lambda: all(w.last(key.verifying_key) == SealedLog(folder).note(up_to) for w in witnesses),
        )
        await eventually(lambda: workers[0].readiness().detail["position"] == up_to)
