"""That the log is sealed as it grows, by one sealer, and that what does not fit stops it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from projections_testing.fleet import Fleet
from projections_testing.following import eventually
from psycopg import AsyncConnection
from structlog.testing import capture_logs

from ops.base.tamper_evidence.sealed_log import SealedLog
from ops.base.tamper_evidence.signed_notes import SigningKey
from ops.base.tamper_evidence.verification import Verdict, Verification
from ops.testing.postgres import Database
from projections.sealing.rows import origin_of, rows_between
from projections.sealing.sealer import Sealer

pytestmark = pytest.mark.integration

KEY = SigningKey("fleetlog", Ed25519PrivateKey.generate())


@asynccontextmanager
async def sealing(
    database: Database, folder: Path, *, events: int = 5, seconds: float = 3600, sealers: int = 1
) -> AsyncIterator[None]:
    workers = [
        Sealer(database.projections, SealedLog(folder), KEY, every_events=events, every_seconds=seconds)
        for _ in range(sealers)
    ]
    tasks = [asyncio.create_task(worker.run()) for worker in workers]
    try:
        yield
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def sealed(folder: Path) -> int:
    return max(
        (checkpoint.size for checkpoint in SealedLog(folder).checkpoints(KEY.verifying_key)), default=0
    )


async def verdict_on(connection: AsyncConnection, folder: Path) -> Verdict:
    verification = Verification(SealedLog(folder), KEY.verifying_key, origin=await origin_of(connection))
    async for rows in rows_between(connection, after=0, up_to=2**62):
        verification.take(rows)
    return verification.verdict()


async def test_a_growing_log_is_sealed_after_so_many_events_by_one_sealer(
    fleet: Fleet, database: Database, connection: AsyncConnection, tmp_path: Path
) -> None:
    for number in range(4):
        fleet.register("driver", f"EMP-{number}")
    async with sealing(database, tmp_path, sealers=2):
        for number in range(4, 23):
            fleet.register("driver", f"EMP-{number}")
            await asyncio.sleep(0.01)
        await eventually(lambda: sealed(tmp_path) > 18, seconds=10)
    verdict = await verdict_on(connection, tmp_path)
    assert (verdict.fault, verdict.events, verdict.sealed) == (None, 23, sealed(tmp_path))
    async with sealing(database, tmp_path, events=1):  # which goes on where the other stopped
        await eventually(lambda: sealed(tmp_path) == 23, seconds=10)
    assert (await verdict_on(connection, tmp_path)).sealed == 23


async def test_few_events_are_sealed_after_a_while(fleet: Fleet, database: Database, tmp_path: Path) -> None:
    fleet.register("driver", "EMP-1")
    async with sealing(database, tmp_path, events=1000, seconds=0.1):
        await eventually(lambda: sealed(tmp_path) == 1, seconds=10)


async def test_a_log_that_was_changed_is_found_out_and_one_that_was_cut_off_is_not_sealed(
    fleet: Fleet, database: Database, connection: AsyncConnection, tmp_path: Path
) -> None:
    for number in range(6):
        fleet.register("driver", f"EMP-{number}")
    async with sealing(database, tmp_path):
        await eventually(lambda: sealed(tmp_path) == 6, seconds=10)
    fleet.connection.execute(
        "UPDATE log.events SET moment = moment + interval '1 us' WHERE notification_id = 4"
    )
    verdict = await verdict_on(connection, tmp_path)
    assert (verdict.fault, verdict.position) == ("an event is not what was sealed", 4)
    fleet.connection.execute("DELETE FROM log.events WHERE notification_id > 2")
    with capture_logs() as logs:
        async with sealing(database, tmp_path, events=1):
            await eventually(lambda: any(entry["event"] == "seals_do_not_fit" for entry in logs), seconds=10)
    assert sealed(tmp_path) == 6
