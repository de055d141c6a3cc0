"""Users can be erased, with all names that they have had."""

from typing import Any

import psycopg
import pytest
from projections_testing.erasures import OTHER, InstanceFolder, act, erased, forget_actor, receipts, register
from projections_testing.leases import eventually
from projections_testing.processes import RunningWorker
from projections_testing.sealed_data import KEY

from command_api.commands.execution import CommandRefused
from command_api.commands.handler import CommandHandler
from ops.base.encryption.actors import ACTORS
from ops.base.encryption.key_cache import KEYS
from ops.tamper_evidence.receipts import NOT_COVERED_OF_ACTOR, check_receipt
from ops.testing.postgres import Database

pytestmark = pytest.mark.integration
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
        (found,) = connection.execute("SELECT key_id, box FROM log.actors WHERE sub = %s", [sub]).fetchall()
        return found


async def test_erased_user_loses_all_names_and_has_a_receipt(
    database: Database, instance: InstanceFolder, handler: CommandHandler
) -> None:
    key_id, box = row(database, "dev|ottoline")
    assert box is not None
    with RunningWorker(database, environment=instance.environment) as worker:
        await eventually(worker.is_ready)
        await forget_actor(handler, "dev|ottoline")
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
        await forget_actor(handler, "dev|ottoline")


async def test_user_name_that_a_driver_shares_is_not_scanned_for(
    database: Database, instance: InstanceFolder, handler: CommandHandler
) -> None:
    await register(handler, "EMP-2", {**OTHER, "name": SECOND})
    await forget_actor(handler, "dev|ottoline")
    statement = await erased(database, instance)
    assert (statement["scan"]["texts"], statement["scan"]["found"]) == (1, [])


async def test_users_cannot_decide_about_their_own_erasure(handler: CommandHandler) -> None:
    for sub in ("dev|ingrid", "dev|omar"):
        with pytest.raises(CommandRefused, match="about yourself"):
            await forget_actor(handler, sub)
