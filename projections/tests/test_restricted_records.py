"""Restricted records are masked in lists and not searchable, however their rows were written."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from projections_testing.encrypted_fleet import encrypt
from projections_testing.fleet import Fleet, rows_by_name
from projections_testing.leases import catch_up, rebuild_equal
from projections_testing.planted import PLANTED
from projections_testing.sealed_data import KEY, seal
from psycopg import AsyncConnection, sql

from ops.base.encryption.stores import KeyStore
from ops.base.records.masks import masked_record
from ops.tamper_evidence.sealed_log import SealedLog
from ops.testing.postgres import Database
from projections.commands.audit import verify
from projections.engine.states import CACHED_BYTES, StateCache
from projections.entity_tables.search_terms import refill
from projections.relay.records import read_revisions
from read_model.tables import ENTITY_TABLES, ReadTable

OF_EACH = {"id", "created_at", "updated_at"}


both = pytest.mark.parametrize("fleet", ["sealed", "clear"], indirect=True)


@pytest.fixture
async def fleet(
    request: pytest.FixtureRequest, fleet: Fleet, store: KeyStore, connection: AsyncConnection
) -> Fleet:
    """Four of each type: not restricted, restricted and held, restricted no longer, and erased."""
    if getattr(request, "param", "sealed") == "sealed":
        await encrypt(fleet, store)
    for entity, planted in PLANTED.items():
        for number in range(1, 5):
            fleet.register(entity, f"ID-{number}", **planted)
        await catch_up(connection)
        for number in range(2, 5):
            fleet.restrict(entity, f"ID-{number}")
        fleet.set_hold(entity, "ID-2", None)
        fleet.lift(entity, "ID-3")
        fleet.erase(entity, "ID-4")
    await catch_up(connection)
    return fleet


def rows_of(fleet: Fleet, table: ReadTable) -> list[dict[str, Any]]:
    return rows_by_name(fleet.connection, table)


@both
async def test_restricted_row_is_masked_in_lists_and_not_searchable(fleet: Fleet) -> None:
    for table in ENTITY_TABLES:
        rows = rows_of(fleet, table)
        assert [(row["id"], row["restricted"]) for row in rows] == [
            *(("ID-1", False), ("ID-2", True), ("ID-3", False))
        ]
        one, restricted, lifted = rows
        masked, listed = [
            {name: value for name, value in item.items() if name not in OF_EACH}
            for item in (masked_record(table.entity, one["list_item"]), restricted["list_item"])
        ]
        assert masked == listed
        assert (restricted["ciphertext"] is None) == (one["ciphertext"] is None)
        assert "masked" not in lifted["list_item"]
        assert [row["id"] for row in rows_of(fleet, table.search)] == ["ID-1", "ID-3"]


@both
@pytest.mark.parametrize("remembered", [CACHED_BYTES, 0])
async def test_rebuild_and_refill_preserve_restricted_rows(
    fleet: Fleet,
    database: Database,
    connection: AsyncConnection,
    monkeypatch: pytest.MonkeyPatch,
    remembered: int,
) -> None:
    monkeypatch.setattr("projections.rebuild.fill.StateCache", partial(StateCache, remembered))
    for table in ENTITY_TABLES:
        rows, found_by = rows_of(fleet, table), rows_of(fleet, table.search)
        await rebuild_equal(database, table.name)
        assert (rows_of(fleet, table), rows_of(fleet, table.search)) == (rows, found_by)
        fleet.connection.execute(sql.SQL("DELETE FROM {}").format(table.search.identifier))
        stray = sql.SQL("INSERT INTO {} VALUES ('ID-2', 3, 'x', '')").format(table.search.identifier)
        fleet.connection.execute(stray)
        assert await refill(connection, table)
        assert rows_of(fleet, table.search) == found_by


async def test_verification_names_search_terms_of_a_restricted_row(
    fleet: Fleet, database: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await seal(database.sealer, tmp_path / "seals", every=fleet.position, up_to=fleet.position)
    assert await verify(database.sealer, SealedLog(tmp_path / "seals"), KEY) == 0, capsys.readouterr()
    fleet.connection.execute("INSERT INTO read.drivers_search VALUES ('ID-2', 3, 'zubeida', '')")
    assert await verify(database.sealer, SealedLog(tmp_path / "seals"), KEY) == 1
    assert "1 rows differ: ID-2" in capsys.readouterr().out


async def test_erased_record_has_one_tombstone(
    fleet: Fleet, connection: AsyncConnection, database: Database
) -> None:
    fleet.remove("driver", "ID-1")
    fleet.restrict("driver", "ID-1")
    fleet.erase("driver", "ID-1")
    await catch_up(connection)
    async with await AsyncConnection.connect(database.owner, autocommit=True) as reading:
        await reading.execute("SET ROLE fleetlog_relay")
        relayed = [
            (one.event.entity_id, one.event.type.partition(".")[2])
            for one in await read_revisions(reading, after=0)
            if one.event.entity == "driver" and one.is_folded and one.state is None
        ]
    assert relayed == [("ID-4", "erased"), ("ID-1", "removed")]
