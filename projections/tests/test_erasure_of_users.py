"""Users can be erased, with their names, and saved views that identify an erased person are deleted."""

from contextlib import closing
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from projections_testing.erasures import (
    OTHER,
    PERSON,
    InstanceFolder,
    act,
    erased,
    forget,
    receipts,
    register,
)
from projections_testing.leases import eventually
from projections_testing.processes import RunningWorker
from projections_testing.sealed_data import KEY

from command_api.commands.execution import CommandRefused
from command_api.commands.handler import CommandHandler
from command_api.domain.catalogue import ACTOR
from command_api.http.saved_views import SavedViews
from ops.base.encryption.actors import ACTORS
from ops.base.encryption.key_cache import KEYS
from ops.base.records.saved_views import STORED_COLUMNS, StoredView
from ops.tamper_evidence.receipts import NOT_COVERED_OF_ACTOR, check_receipt
from ops.testing.postgres import Database

FIRST, SECOND = "Ottoline Quartermaine", "Ottoline Featherstonehaugh"


@pytest.fixture
async def handler(sealing_handler: CommandHandler) -> CommandHandler:
    """A command handler, and a driver that a user with two names has changed."""
    await register(sealing_handler, "EMP-1", OTHER)
    for name in (FIRST, SECOND):
        await act(sealing_handler, "ottoline", name, "EMP-1")
    return sealing_handler


def row(database: Database, sub: str) -> tuple[Any, ...]:
    with psycopg.connect(database.owner) as connection:
        (found,) = connection.execute(
            "SELECT key_id, ciphertext FROM log.actors WHERE sub = %s", [sub]
        ).fetchall()
        return found


async def test_erased_user_loses_all_names_and_has_a_receipt(
    database: Database, instance: InstanceFolder, handler: CommandHandler
) -> None:
    key_id, ciphertext = row(database, "dev|ottoline")
    assert ciphertext is not None
    with RunningWorker(database, environment=instance.environment) as worker:
        await eventually(worker.is_ready)
        await forget(handler, "dev|ottoline", ACTOR)
        await eventually(lambda: bool(receipts(database)))
    assert row(database, "dev|ottoline") == (key_id, None)
    (text,) = receipts(database)
    statement, event, _ = check_receipt(text, KEY.verifying_key)
    assert (event.originator_id, event.topic) == ("actor:dev|ottoline", "actor.erased")
    assert [key["id"] for key in statement["keys"]] == [key_id]
    assert tuple(statement["not_covered"]) == NOT_COVERED_OF_ACTOR
    assert (statement["scan"]["texts"], statement["scan"]["found"]) == (2, [])
    assert "ottoline" not in text.split('"event"')[0].lower()

    KEYS.clear()
    ACTORS.clear()
    await act(handler, "ottoline", SECOND, "EMP-1")
    assert row(database, "dev|ottoline") == (key_id, None), "who goes on is never named again"
    with pytest.raises(CommandRefused):
        await forget(handler, "dev|ottoline", ACTOR)


async def test_user_name_that_a_driver_shares_is_not_scanned_for(
    database: Database, instance: InstanceFolder, handler: CommandHandler
) -> None:
    await register(handler, "EMP-2", {**OTHER, "name": SECOND})
    await forget(handler, "dev|ottoline", ACTOR)
    statement = await erased(database, instance)
    assert (statement["scan"]["texts"], statement["scan"]["found"]) == (1, [])


async def test_users_cannot_decide_about_their_own_erasure(handler: CommandHandler) -> None:
    for sub in ("dev|ingrid", "dev|omar"):
        with pytest.raises(CommandRefused, match="about yourself"):
            await forget(handler, sub, ACTOR)


@pytest.fixture
async def people(sealing_handler: CommandHandler) -> CommandHandler:
    await register(sealing_handler, "EMP-1", PERSON)
    await register(sealing_handler, "EMP-2", OTHER)
    await act(sealing_handler, "ottoline", "Ottoline Featherstonehaugh", "EMP-2")
    return sealing_handler


def rows(database: Database) -> list[StoredView]:
    with psycopg.connect(database.owner) as connection:
        found = connection.execute(f"SELECT {STORED_COLUMNS} FROM preferences.views").fetchall()  # noqa: S608
    return [StoredView._make(row) for row in found]


async def save(database: Database, sub: str, name: str, query: str) -> str:
    """Save a view, and return its key's id."""
    view_id = uuid4()
    await SavedViews(database.command).save(sub, view_id, "drivers", name, query)
    (key_id,) = [row.key_id for row in rows(database) if row.id == view_id]
    assert key_id is not None
    return key_id


async def is_erased(instance: InstanceFolder, key_id: str) -> bool:
    with closing(instance.store()) as store:
        return (await store.fetch([key_id]))[key_id] is None


async def test_erased_user_loses_current_and_former_views(
    database: Database, instance: InstanceFolder, people: CommandHandler
) -> None:
    own = await save(database, "dev|ottoline", "Mine", "city=Kochi")
    another = await save(database, "dev|asha", "Hers", "city=Kochi")
    views, view_id = SavedViews(database.command), uuid4()
    former = []
    for name in ("At first", "Later"):
        await views.save("dev|asha", view_id, "drivers", name, "")
        former += [row.key_id for row in rows(database) if row.id == view_id]
    await views.delete("dev|asha", view_id)

    await forget(people, "dev|ottoline", ACTOR)
    await erased(database, instance)
    assert [row.key_id for row in rows(database)] == [another]
    assert [await is_erased(instance, key) for key in (own, *filter(None, former))] == [True, True, True]
    assert not await is_erased(instance, another)
    with psycopg.connect(database.owner) as connection:
        assert connection.execute("SELECT * FROM preferences.former_keys").fetchall() == []


async def test_views_that_identify_an_erased_person_are_deleted(
    database: Database, instance: InstanceFolder, people: CommandHandler
) -> None:
    gone = [
        await save(database, "dev|asha", "Call Zubeida Quartermaine", "city=Kochi"),
        await save(database, "dev|asha", "Mine", "q=quartermai&sort=name"),
        await save(database, "dev|omar", "His", "owner=Zubeida+Quartermaine+and+Sons"),
        await save(database, "dev|asha", "QUARTERMÁINE's papers", ""),
        await save(database, "dev|asha", "Renewals", "name=zubeida"),
        await save(database, "dev|asha", "Zubeida.Quartermaine@home", ""),
        await save(database, "dev|asha", "About EMP-1", ""),
    ]
    stay = [
        await save(database, "dev|asha", "Zu", "q=Zu"),
        await save(database, "dev|asha", "Lane", "city=Wandering"),
        await save(database, "dev|asha", "Quarter ends", "q=Mbeki"),
        await save(database, "dev|asha", "EMP-10", "id=EMP-2"),
    ]
    await forget(people, "EMP-1")
    await erased(database, instance)
    assert {row.key_id for row in rows(database)} == set(stay)
    assert [await is_erased(instance, key) for key in (*gone, *stay)] == [True] * len(gone) + [False] * len(
        stay
    )
