"""Encrypted revisions, and the effect of erased keys."""

import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
import pytest
from projections_testing.encrypted_fleet import encrypt, erase
from projections_testing.fleet import METADATA, Fleet, rows_by_name
from projections_testing.leases import catch_up, rebuild_equal
from projections_testing.planted import PLANTED
from projections_testing.sealed_data import KEY, seal
from psycopg import AsyncConnection

from ops.base.database.connection import connect
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.stores import KeyStore
from ops.tamper_evidence.sealed_log import SealedLog
from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS
from projections.commands.audit import verify
from projections.engine.states import CACHED_BYTES, StateCache
from projections.rebuild.rebuild import rebuild
from read_model.tables.revision_texts import RevisionTexts

REVISIONS = PROJECTIONS["revisions"]


@pytest.fixture
async def sealed(fleet: Fleet, store: KeyStore, connection: AsyncConnection) -> Fleet:
    """One of each type with the planted values: registered, changed, removed, and registered again."""
    await encrypt(fleet, store)
    play(fleet)
    await catch_up(connection)
    return fleet


@pytest.fixture
def clear(module_database: Database) -> Iterator[Fleet]:
    """The same fleet without encryption."""
    with psycopg.connect(module_database.owner, autocommit=True) as owner:
        fleet = Fleet(owner)
        fleet.clear()
        play(fleet)
        yield fleet


def play(fleet: Fleet) -> None:
    for entity, planted in PLANTED.items():
        fleet.register(entity, "ID-1")
        fleet.change(entity, "ID-1", **planted)
        fleet.register(entity, "ID-2", **planted)
        fleet.remove(entity, "ID-1")
        fleet.register(entity, "ID-1", **planted)


def rows_of(fleet: Fleet) -> list[dict[str, Any]]:
    return rows_by_name(fleet.connection, REVISIONS.table, order="position")


async def opened(row: Mapping[str, Any]) -> RevisionTexts:
    await KEYS.load([row["key_id"]])
    key = KEYS.get(row["key_id"])
    assert key
    return RevisionTexts.opened(key, f"{row['entity']}:{row['entity_id']}", row["version"], row["ciphertext"])


async def test_nothing_personal_is_in_any_column(sealed: Fleet) -> None:
    rows = sealed.connection.execute(
        "SELECT r::text, encode(ciphertext, 'escape') FROM read.revisions r"
    ).fetchall()
    everything = "\n".join(text for row in rows for text in row)
    personal = [text for planted in PLANTED.values() for text in planted.values() if isinstance(text, str)]
    assert len(rows) == sealed.position
    for text in (*personal, *METADATA.actor.name.split(), "telephone", "ravi-kumar", "Bartholomew", "Yoder"):
        assert text not in everything
    assert "MAT1" in everything  # values that are not personal are readable


async def test_ciphertext_contains_the_values_of_an_unencrypted_row(
    sealed: Fleet, clear: Fleet, module_database: Database
) -> None:
    async with await connect(module_database.projections, autocommit=True) as connection:
        await catch_up(connection)
    for row, plain in zip(rows_of(sealed), rows_of(clear), strict=True):
        texts = await opened(row)
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
    registered = rows_of(sealed)[0]
    assert registered["changes"] == []
    assert {"address_2", "name"} <= set(registered["personal"])
    assert {name for name, value in registered["state"].items() if value is not None} == {"id"}
    changed = next(row for row in rows_of(sealed) if row["type"] == "horse.details_changed")
    assert {change["field"] for change in changed["changes"]} == set(PLANTED["horse"])
    assert changed["state"]["engine_number"] == "ISBE5.9"


async def test_rebuild_and_projector_write_the_same_revisions(
    sealed: Fleet, database: Database, connection: AsyncConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = rows_of(sealed)
    for remembered in (CACHED_BYTES, 0):
        monkeypatch.setattr("projections.rebuild.fill.StateCache", partial(StateCache, remembered))
        rebuilt = await rebuild(database.projections, REVISIONS)
        assert rebuilt.differences
        assert (rebuilt.differences.count, rows_of(sealed)) == (0, whole)
    sealed.connection.execute("TRUNCATE read.revisions, read.positions")
    await catch_up(connection, max_events=1)
    assert rows_of(sealed) == whole


async def test_erased_revision_has_no_ciphertext_after_a_rebuild_and_is_no_difference(
    sealed: Fleet, store: KeyStore, database: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = rows_of(sealed)
    await seal(database.sealer, tmp_path / "seals", every=sealed.position, up_to=sealed.position)
    await erase(store, sealed, "driver:ID-1", "horse:ID-2")
    await verify(database.sealer, SealedLog(tmp_path / "seals"), KEY)
    assert "TABLE read.revisions" not in "".join(capsys.readouterr())
    await rebuild_equal(database, "revisions")
    gone = {sealed.key_ids["driver:ID-1"], sealed.key_ids["horse:ID-2"]}
    expected = [row | ({"ciphertext": None} if row["key_id"] in gone else {}) for row in before]
    assert rows_of(sealed) == expected
    await verify(database.sealer, SealedLog(tmp_path / "seals"), KEY)
    assert "TABLE read.revisions" not in "".join(capsys.readouterr())


async def test_verification_names_removed_changed_and_swapped_ciphertexts(
    sealed: Fleet, store: KeyStore, database: Database, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    await seal(database.sealer, tmp_path / "seals", every=sealed.position, up_to=sealed.position)
    for tampered in (
        "NULL",
        "set_byte(ciphertext, 20, 255 - get_byte(ciphertext, 20))",
        "(SELECT ciphertext FROM read.revisions WHERE position = 1)",
    ):
        former = rows_of(sealed)[2]["ciphertext"]
        sealed.connection.execute(f"UPDATE read.revisions SET ciphertext = {tampered} WHERE position = 3")  # noqa: S608
        capsys.readouterr()
        assert await verify(database.sealer, SealedLog(tmp_path / "seals"), KEY) == 1
        assert "read.revisions DOES NOT MATCH THE LOG: 1 rows differ: 3" in "".join(capsys.readouterr())
        sealed.connection.execute("UPDATE read.revisions SET ciphertext = %s WHERE position = 3", (former,))


async def test_events_after_an_erasure_have_masked_revisions(
    sealed: Fleet, store: KeyStore, connection: AsyncConnection
) -> None:
    await erase(store, sealed, "horse:ID-1")
    sealed.change("horse", "ID-1", hired="No")
    await catch_up(connection)
    last = rows_of(sealed)[-1]
    assert (last["ciphertext"], last["key_id"]) == (None, sealed.key_ids["horse:ID-1"])
    assert (last["state"]["hired"], last["state"]["owner"]) == ("No", None)
