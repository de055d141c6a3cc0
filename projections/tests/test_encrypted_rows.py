"""Encrypted rows of entity tables and revisions, and unlogged search terms."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from projections_testing.encrypted_fleet import encrypt, encrypted_fleet, erase
from projections_testing.fleet import Fleet, rows_by_name
from projections_testing.leases import catch_up, eventually, rebuild_equal
from projections_testing.planted import PLANTED
from projections_testing.sealed_data import KEY, seal
from psycopg import AsyncConnection, sql

from ops.base.database.connection import connect
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.rows import decrypt_row
from ops.base.encryption.stores import KeyStore
from ops.tamper_evidence.sealed_log import SealedLog
from ops.testing.postgres import Database, throw_away_postgres
from projections.catalogue import PROJECTIONS
from projections.commands.audit import verify
from projections.engine.states import CACHED_BYTES, StateCache
from projections.entity_tables.search_terms import refill
from projections.failures import KeysNotConfigured
from projections.progress import searches
from projections.rebuild.rebuild import rebuild
from projections.workers.process import Worker
from read_model.tables import ENTITY_TABLES, READ_TABLES, REVISIONS, EntityTable, ReadTable, list_item_in
from read_model.tables.revision_texts import RevisionTexts
from read_model.tables.search_terms import SECTION_ENDS

DRIVERS = next(table for table in ENTITY_TABLES if table.name == "drivers")
PERSONAL = [text for planted in PLANTED.values() for text in planted.values() if isinstance(text, str)]


@pytest.fixture
async def sealed(fleet: Fleet, store: KeyStore, connection: AsyncConnection) -> Fleet:
    """Three records of each type with planted values: changed, registered again, and removed."""
    await encrypt(fleet, store)
    play(fleet)
    await catch_up(connection)
    return fleet


@pytest.fixture
async def clear(module_database: Database) -> AsyncIterator[Fleet]:
    """The same fleet without encryption."""
    with psycopg.connect(module_database.owner, autocommit=True) as owner:
        fleet = Fleet(owner)
        fleet.clear()
        play(fleet)
        async with await connect(module_database.projections, autocommit=True) as connection:
            await catch_up(connection)
        yield fleet


def play(fleet: Fleet) -> None:
    for entity, planted in PLANTED.items():
        fleet.register(entity, "ID-1")
        fleet.change(entity, "ID-1", **planted)
        fleet.register(entity, "ID-2", **planted)
        fleet.remove(entity, "ID-2")
        for entity_id in ("ID-2", "ID-3"):
            fleet.register(entity, entity_id, **planted)
        fleet.remove(entity, "ID-3")


def rows_of(fleet: Fleet, table: ReadTable) -> list[dict[str, Any]]:
    return rows_by_name(fleet.connection, table, order="position" if table is REVISIONS else "id")


def is_searchable(fleet: Fleet, table: EntityTable) -> bool:
    rows = fleet.connection.execute(
        "SELECT projection FROM read.searches WHERE version = %s", [table.version]
    )
    return (table.name,) in rows.fetchall()


async def opened_revision(row: Mapping[str, Any]) -> RevisionTexts:
    await KEYS.load([row["key_id"]])
    key = KEYS.get(row["key_id"])
    assert key
    return RevisionTexts.opened(key, f"{row['entity']}:{row['entity_id']}", row["version"], row["ciphertext"])


async def opened(table: EntityTable, row: dict[str, Any]) -> list[bytes]:
    await KEYS.load([row["key_id"]])
    stream = f"{table.entity.name}:{row['id']}"
    texts = decrypt_row(table.encrypted_as, stream, row["version"], row["key_id"], row["ciphertext"])
    assert texts
    return texts


async def test_personal_values_are_in_no_column_and_no_statistics(sealed: Fleet) -> None:
    everything = []
    for table in READ_TABLES:
        statement = "SELECT kept::text || coalesce(encode(ciphertext, 'escape'), '') FROM {} AS kept"
        everything += sealed.connection.execute(sql.SQL(statement).format(table.identifier)).fetchall()
    sealed.connection.execute("ANALYZE")
    everything += sealed.connection.execute("SELECT stats::text FROM pg_stats AS stats").fetchall()
    plain = "\n".join(text for (text,) in everything).lower()
    for text in (*PERSONAL, "Menon", "telephone", "ravi-kumar", "Bartholomew", "Yoder"):
        assert text.lower() not in plain
    assert "mat1" in plain  # values that are not personal are readable


async def test_search_tables_are_unlogged(sealed: Fleet) -> None:
    for table in ENTITY_TABLES:
        rows = rows_of(sealed, table.search)
        assert [row["id"] for row in rows] == ["ID-1", "ID-2"]
    assert "zubeida quartermaine" in rows_of(sealed, DRIVERS.search)[0]["search_text"]
    unlogged = sealed.connection.execute(
        "SELECT relname FROM pg_class WHERE relpersistence = 'u' AND relkind = 'r'"
    ).fetchall()
    searches = {"searches", *(table.search.name for table in ENTITY_TABLES)}
    assert {name for (name,) in unlogged} == searches | {"unique_key", "unique_values"}


async def test_encrypted_and_unencrypted_rows_have_equal_values_and_search_terms(
    sealed: Fleet, clear: Fleet
) -> None:
    for table in ENTITY_TABLES:
        assert rows_of(sealed, table.search) == rows_of(clear, table.search)
        for row, plain in zip(rows_of(sealed, table), rows_of(clear, table), strict=True):
            assert (plain["key_id"], plain["ciphertext"]) == (None, None)
            if not table.entity.personal:
                assert row == plain
                continue
            texts = await opened(table, row)
            assert json.loads(texts[0]) == plain["record"]
            assert json.loads(list_item_in(texts)) == plain["list_item"]
            for shown in ("record", "list_item"):
                assert row[shown] == {
                    name: value if name in table.entity.harmless else None
                    for name, value in plain[shown].items()
                }


async def test_ciphertext_of_a_revision_has_the_values_of_an_unencrypted_one(
    sealed: Fleet, clear: Fleet
) -> None:
    for row, plain in zip(rows_of(sealed, REVISIONS), rows_of(clear, REVISIONS), strict=True):
        texts = await opened_revision(row)
        assert json.loads(texts.changes) == plain["changes"]
        assert (texts.state and json.loads(texts.state)) == plain["state"]
        assert json.loads(texts.circumstances) == [
            None,  # user names are stored in log.actors
            *(plain[name] for name in ("request_id", "client_request_id", "reason")),
        ]
        for name in ("personal", "public_event", "public_state", "traceparent", "actor_sub", "moment"):
            assert row[name] == plain[name]
        assert (plain["key_id"], plain["ciphertext"]) == (None, None)


async def test_plaintext_columns_do_not_reveal_empty_personal_fields(sealed: Fleet) -> None:
    registered = rows_of(sealed, REVISIONS)[0]
    assert registered["changes"] == []
    assert {"address_2", "name"} <= set(registered["personal"])
    assert {name for name, value in registered["state"].items() if value is not None} == {"id"}
    changed = next(row for row in rows_of(sealed, REVISIONS) if row["type"] == "horse.details_changed")
    assert {change["field"] for change in changed["changes"]} == set(PLANTED["horse"])
    assert changed["state"]["engine_number"] == "ISBE5.9"


async def test_rebuild_and_projector_write_the_same_revisions(
    sealed: Fleet, database: Database, connection: AsyncConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = rows_of(sealed, REVISIONS)
    for remembered in (CACHED_BYTES, 0):
        monkeypatch.setattr("projections.rebuild.fill.StateCache", partial(StateCache, remembered))
        rebuilt = await rebuild(database.projections, PROJECTIONS["revisions"])
        assert rebuilt.differences
        assert (rebuilt.differences.count, rows_of(sealed, REVISIONS)) == (0, whole)
    sealed.connection.execute("TRUNCATE read.revisions, read.positions")
    await catch_up(connection, max_events=1)
    assert rows_of(sealed, REVISIONS) == whole


async def test_erased_row_has_no_ciphertext_and_no_search_terms_after_a_rebuild(
    sealed: Fleet, store: KeyStore, database: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before, revisions = rows_of(sealed, DRIVERS), rows_of(sealed, REVISIONS)
    await seal(database.sealer, tmp_path / "seals", every=sealed.position, up_to=sealed.position)
    await erase(store, sealed, "driver:ID-1", "horse:ID-2")
    assert await verify(database.sealer, SealedLog(tmp_path / "seals"), KEY) == 0, capsys.readouterr()
    for name in ("drivers", "revisions"):
        await rebuild_equal(database, name)
    assert rows_of(sealed, DRIVERS) == [before[0] | {"ciphertext": None}, before[1]]
    gone = {sealed.key_ids["driver:ID-1"], sealed.key_ids["horse:ID-2"]}
    assert rows_of(sealed, REVISIONS) == [
        row | ({"ciphertext": None} if row["key_id"] in gone else {}) for row in revisions
    ]
    erased, kept = rows_of(sealed, DRIVERS.search)
    assert erased["search_text"] == "id-1" + "".join(SECTION_ENDS)
    assert "zubeida" in kept["search_text"]
    assert await verify(database.sealer, SealedLog(tmp_path / "seals"), KEY) == 0, capsys.readouterr()


ALTERED = "set_byte(ciphertext, 20, 255 - get_byte(ciphertext, 20))"


TAMPERINGS = (
    ("drivers", "ID-1", "UPDATE read.drivers SET ciphertext = NULL WHERE id = 'ID-1'"),
    ("drivers", "ID-1", f"UPDATE read.drivers SET ciphertext = {ALTERED} WHERE id = 'ID-1'"),  # noqa: S608
    ("drivers", "ID-1", "UPDATE read.drivers_search SET search_text = 'somebody else' WHERE id = 'ID-1'"),
    ("drivers", "ID-1", "UPDATE read.drivers_search SET sort_keys = '' WHERE id = 'ID-1'"),
    ("drivers", "ID-1", "DELETE FROM read.drivers_search WHERE id = 'ID-1'"),
    ("drivers", "ID-3", "INSERT INTO read.drivers_search VALUES ('ID-3', 1, '', '')"),
    ("drivers", "ID-4", "INSERT INTO read.drivers_search VALUES ('ID-4', 1, '', '')"),
    *(
        ("revisions", "3", f"UPDATE read.revisions SET ciphertext = {value} WHERE position = 3")  # noqa: S608
        for value in ("NULL", ALTERED, "(SELECT ciphertext FROM read.revisions WHERE position = 1)")
    ),
)
TAMPERED = ("drivers", "drivers_search", "revisions")


async def test_verification_names_changed_rows_and_search_terms(
    sealed: Fleet, database: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    execute = sealed.connection.execute
    await seal(database.sealer, tmp_path / "seals", every=sealed.position, up_to=sealed.position)
    for name in TAMPERED:
        execute(f"CREATE TABLE former_{name} AS TABLE read.{name}")
    execute("SET session_replication_role = replica")
    for table, named, tampering in TAMPERINGS:
        execute(tampering.encode())
        assert await verify(database.sealer, SealedLog(tmp_path / "seals"), KEY) == 1
        expected = f"read.{table} DOES NOT MATCH THE LOG: 1 rows differ: {named}"
        assert expected in capsys.readouterr().out, tampering
        for name in TAMPERED:
            execute(f"DELETE FROM read.{name}; INSERT INTO read.{name} TABLE former_{name}")  # noqa: S608


async def test_rebuild_updates_search_terms_with_the_swap(
    sealed: Fleet, database: Database, connection: AsyncConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    sealed.register("driver", "ID-7")
    await catch_up(connection)
    sealed.change("driver", "ID-1", name="Philippa Nakamura")  # no worker applies these
    sealed.restrict("driver", "ID-7")
    sealed.remove("driver", "ID-2")
    sealed.register("driver", "ID-9", name="Ottoline Mbeki")

    async def not_yet(*_: object) -> bool:
        return False

    monkeypatch.setattr("projections.rebuild.rebuild.refill", not_yet)
    await rebuild(database.projections, PROJECTIONS["drivers"])
    assert is_searchable(sealed, DRIVERS)
    found_by = rows_of(sealed, DRIVERS.search)
    assert [(row["id"], row["search_text"].split(SECTION_ENDS[0])[1].split("\n")[0]) for row in found_by] == [
        ("ID-1", "philippa nakamura"),
        ("ID-9", "ottoline mbeki"),
    ]
    assert await searches.unverified(connection, [DRIVERS]) == [DRIVERS]  # also after a killed rebuild
    assert await refill(connection, DRIVERS)
    assert await searches.unverified(connection, [DRIVERS]) == []
    assert rows_of(sealed, DRIVERS.search) == found_by


async def test_refill_corrects_search_terms_and_changes_the_generation(
    sealed: Fleet, connection: AsyncConnection
) -> None:
    found_by = rows_of(sealed, DRIVERS.search)
    sealed.connection.execute(
        "UPDATE read.drivers_search SET version = 99, search_text = 'x' WHERE id = 'ID-1'"
    )
    sealed.connection.execute("UPDATE read.drivers_search SET id = 'ID-0' WHERE id = 'ID-2'")
    sealed.connection.execute("INSERT INTO read.drivers_search VALUES ('ID-7', 1, '', '')")
    generation = "SELECT generation FROM read.positions WHERE projection = 'drivers'"
    before = sealed.connection.execute(generation).fetchone()
    assert await refill(connection, DRIVERS)
    assert rows_of(sealed, DRIVERS.search) == found_by
    renewed = sealed.connection.execute(generation).fetchone()
    assert renewed != before
    assert await refill(connection, DRIVERS)  # nothing is wrong any more
    assert sealed.connection.execute(generation).fetchone() == renewed


@pytest.mark.integration
async def test_worker_refills_search_terms_after_a_server_crash(
    store: KeyStore,
) -> None:
    with throw_away_postgres() as server:
        database = server.create_database()
        with psycopg.connect(database.owner, autocommit=True) as owner:
            fleet = await encrypted_fleet(owner, store)
            play(fleet)
            async with await connect(database.projections, autocommit=True) as connection:
                await catch_up(connection)
            found_by = [rows_of(fleet, table.search) for table in ENTITY_TABLES]
            os.kill(owner.info.backend_pid, signal.SIGKILL)  # the server restarts as after a crash
        fleet = await asyncio.to_thread(_when_it_is_back, database)
        with fleet.connection:
            assert [rows_of(fleet, table.search) for table in ENTITY_TABLES] == [[] for _ in ENTITY_TABLES]
            assert not any(is_searchable(fleet, table) for table in ENTITY_TABLES)
            assert len(rows_of(fleet, DRIVERS)) == 2
            worker = Worker([PROJECTIONS[table.name] for table in READ_TABLES], database.projections)
            async with worker.running():
                await eventually(lambda: all(is_searchable(fleet, table) for table in ENTITY_TABLES))
                checks = await worker.readiness()
            assert [checks[table.name].degraded for table in READ_TABLES] == [False] * len(READ_TABLES)
            assert [rows_of(fleet, table.search) for table in ENTITY_TABLES] == found_by


def _when_it_is_back(database: Database) -> Fleet:
    """Return the fleet once the server has recovered; it still serves for a moment after the crash."""
    while True:
        with suppress(psycopg.OperationalError):
            fleet = Fleet(psycopg.connect(database.owner, autocommit=True))
            if not rows_of(fleet, DRIVERS.search):
                return fleet
            fleet.connection.close()


async def test_rebuild_of_encrypted_log_requires_a_key_store(
    database: Database, sealed: Fleet, monkeypatch: pytest.MonkeyPatch
) -> None:
    statement = "SELECT * FROM read.drivers ORDER BY id"
    before = sealed.connection.execute(statement).fetchall()
    with monkeypatch.context() as without:
        without.setattr(KEYS, "_store", None)
        with pytest.raises(KeysNotConfigured):
            await rebuild(database.owner, PROJECTIONS["drivers"])
    assert sealed.connection.execute(statement).fetchall() == before != []
    assert (await rebuild(database.owner, PROJECTIONS["drivers"])).rows == len(before)


async def test_events_after_an_erasure_have_masked_revisions(
    sealed: Fleet, store: KeyStore, connection: AsyncConnection
) -> None:
    await erase(store, sealed, "horse:ID-1")
    sealed.change("horse", "ID-1", hired="No")
    await catch_up(connection)
    last = rows_of(sealed, REVISIONS)[-1]
    assert (last["ciphertext"], last["key_id"]) == (None, sealed.key_ids["horse:ID-1"])
    assert (last["state"]["hired"], last["state"]["owner"]) == ("No", None)
