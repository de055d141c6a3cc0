"""The attacks on what is sealed, at their full counts; the suite has a few of each."""

import random
import time
from collections import Counter
from pathlib import Path

import pytest
from projections_testing.following import catch_up
from projections_testing.row_tampering import RowTampering, places_of, places_told
from projections_testing.sealed_data import KEY, append, endless_events, look_at, seal
from psycopg import AsyncConnection

from ops.base.tamper_evidence.sealed_log import SealedLog
from ops.testing.postgres import Database
from ops.testing.soak import soak_count
from projections.commands.verify import verify

pytestmark = [pytest.mark.integration, pytest.mark.soak, pytest.mark.timeout(1800)]

EVENTS = 10_000
EDITS = 1_000
ACCESSES = 200


async def test_every_edit_of_what_people_look_at_is_found(
    database: Database, connection: AsyncConnection, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    append(database.command, endless_events(), number=EVENTS)
    look_at(database, ACCESSES)
    await catch_up(connection)
    await seal(database.sealer, tmp_path, every=1_000, up_to=EVENTS)
    times, seed, began = soak_count(EDITS), random.getrandbits(32), time.monotonic()
    tampering, found, passes = RowTampering(database.owner, seed=seed), Counter[str](), 0
    while found.total() < times:
        with tampering.tampered() as edits:
            capsys.readouterr()
            status = await verify(database.sealer, SealedLog(tmp_path), KEY)
            reported = capsys.readouterr().out
        assert (status, places_told(reported)) == (1, places_of(edits)), f"{edits}, seed {seed}: {reported}"
        found.update(edit.table for edit in edits)
        passes += 1
    assert await verify(database.sealer, SealedLog(tmp_path), KEY) == 0
    with capsys.disabled():
        print(f"\n{found.total()} edits, each named: {dict(found)}")
        print(f"{passes} times {EVENTS} events verified in {time.monotonic() - began:.0f} s")
