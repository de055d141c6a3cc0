"""Commands on who was forgotten: somebody new has a key of their own, and nothing of the old comes back."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final
from uuid import UUID, uuid4

import pytest
from command_api_testing.whole_log import WholeLog

from command_api.commands.context import CommandContext, fingerprint
from command_api.commands.execution import Refused
from command_api.commands.handler import CommandHandler
from command_api.commands.idempotency import IdempotencyMismatch
from command_api.commands.reasons import NoSuchVersion
from command_api.domain.aggregate import IsRestricted, NotRegistered
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import EventActor, EventMetadata
from ops.base.encryption.key_cache import KEYS
from ops.testing.key_stores import OwnKeyStore
from ops.testing.postgres import Database

pytestmark = pytest.mark.integration

DRIVER: Final = DEFINITIONS["driver"]
RAVI: Final = {**DRIVER.blank_details(), **DRIVER.example}
TODAY: Final = datetime.now(UTC).date()


@pytest.fixture
async def log(database: Database) -> AsyncIterator[WholeLog]:
    async with WholeLog.open(database.command, pool_size=2) as log:
        yield log


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[OwnKeyStore]:
    store = OwnKeyStore.in_folder(tmp_path / "keys")
    async with KEYS.use(store):
        yield store


def command(who: str = "asha", *, sent: UUID | None = None) -> CommandContext:
    metadata = EventMetadata(
        actor=EventActor(sub=f"dev|{who}", name=who),
        request_id=uuid4().hex,
        fingerprint=fingerprint("PUT", {}),
    )
    return CommandContext(sent or uuid4(), metadata, may_be_repeat=sent is not None)


async def forget(handler: CommandHandler, employee: str) -> None:
    await handler.decide(
        DRIVER, employee, lambda one, metadata: one.restrict("asked", TODAY, metadata), command("ingrid")
    )
    await handler.decide(DRIVER, employee, lambda one, metadata: one.erase(TODAY, metadata), command("asha"))


@pytest.mark.parametrize("is_restarted", [False, True])
@pytest.mark.parametrize("is_destroyed", [False, True])
@pytest.mark.usefixtures("store")
async def test_who_comes_back_is_somebody_new(
    log: WholeLog, store: OwnKeyStore, *, is_restarted: bool, is_destroyed: bool
) -> None:
    """Whether the key has been destroyed by then or not, and whatever the process remembers."""
    handler = CommandHandler(log)
    await handler.register(DRIVER, "EMP-1", RAVI, command())
    await handler.change(DRIVER, "EMP-1", {**RAVI, "city": "Mysuru"}, command())
    await forget(handler, "EMP-1")
    first, *_, erased = [event.key_id for event in await log.after(0, limit=10)]
    assert erased == first
    if is_destroyed:
        await store.erase([str(first)])
        KEYS.clear()
    if is_restarted:
        handler = CommandHandler(log)

    with pytest.raises(Refused) as refused:
        await handler.restore(DRIVER, "EMP-1", 1, command())
    assert isinstance(refused.value.reason, NotRegistered)
    again = await handler.register(DRIVER, "EMP-1", {**RAVI, "name": "Somebody else"}, command())
    assert again.aggregate.state
    (*_, registered) = await log.after(0, limit=10)
    assert registered.key_id not in (None, first)
    with pytest.raises(Refused) as refused:
        await handler.restore(DRIVER, "EMP-1", 2, command())
    assert isinstance(refused.value.reason, NoSuchVersion)
    changed = await handler.change(DRIVER, "EMP-1", {**RAVI, "city": "Salem"}, command())
    assert changed.aggregate.version == 6
    assert [event.key_id for event in await log.after(5, limit=10)] == [registered.key_id]


@pytest.mark.usefixtures("store")
async def test_a_command_that_is_sent_again_shows_nothing_of_who_was_forgotten(
    log: WholeLog, store: OwnKeyStore
) -> None:
    handler, sent = CommandHandler(log), uuid4()
    await handler.register(DRIVER, "EMP-1", RAVI, command(sent=sent))
    await forget(handler, "EMP-1")
    (first, *_) = await log.after(0, limit=1)
    await store.erase([str(first.key_id)])
    KEYS.clear()
    handler.forget()
    with pytest.raises(IdempotencyMismatch):
        await handler.register(DRIVER, "EMP-1", RAVI, command(sent=sent))


@pytest.mark.parametrize("is_restarted", [False, True])
@pytest.mark.usefixtures("store")
async def test_what_is_restricted_stays_so_whatever_a_process_remembers(
    log: WholeLog, *, is_restarted: bool
) -> None:
    handler = CommandHandler(log)
    await handler.register(DRIVER, "EMP-1", RAVI, command())
    due = TODAY + timedelta(days=3)
    await handler.decide(
        DRIVER, "EMP-1", lambda one, metadata: one.restrict("asked", due, metadata), command("ingrid")
    )
    if is_restarted:
        handler = CommandHandler(log)
    with pytest.raises(Refused) as refused:
        await handler.change(DRIVER, "EMP-1", {**RAVI, "city": "Salem"}, command())
    assert isinstance(refused.value.reason, IsRestricted)
    with pytest.raises(Refused):
        await handler.remove(DRIVER, "EMP-1", command())
    await handler.decide(DRIVER, "EMP-1", lambda one, metadata: one.lift(metadata), command())
    changed = await handler.change(DRIVER, "EMP-1", {**RAVI, "city": "Salem"}, command())
    assert changed.aggregate.state
    assert changed.aggregate.state.details["city"] == "Salem"
