"""Commands on an encrypted log: keys of events, retries, erasures, and outages of the key store."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from uuid import uuid4

import psycopg
import pytest
from command_api_testing.contexts import command
from command_api_testing.log_in_memory import LogInMemory
from command_api_testing.whole_log import WholeLog

from command_api.commands.context import fingerprint
from command_api.commands.execution import CommandRefused, CommandResult
from command_api.commands.handler import CommandHandler
from command_api.commands.reasons import IdempotencyMismatch, NoSuchVersion, PreconditionFailed
from command_api.commands.streams import MAX_CHANGES, Streams
from command_api.domain.aggregate import AlreadyRegistered, NotRegistered
from command_api.domain.catalogue import DEFINITIONS
from command_api.event_store.log import PAGE_EVENTS
from command_api.event_store.mapper import MAPPER
from command_api.event_store.records import AppendRequest, Snapshot
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.testing.key_stores import OwnKeyStore
from ops.testing.postgres import Database

DRIVER: Final = DEFINITIONS["driver"]
RAVI: Final = {**DRIVER.blank_details(), **DRIVER.example}
MARK: Final = b"Ravi"
TODAY: Final = datetime.now(UTC).date()


@pytest.fixture
def store(tmp_path: Path) -> OwnKeyStore:
    return OwnKeyStore.in_folder(tmp_path / "keys")


@pytest.fixture
async def log(database: Database) -> AsyncIterator[WholeLog]:
    async with WholeLog.open(database.command, pool_size=2) as log:
        yield log


@asynccontextmanager
async def product(log: WholeLog, store: OwnKeyStore) -> AsyncIterator[CommandHandler]:
    """A restarted command API."""
    async with KEYS.use(store):
        yield CommandHandler(log, shared=["all"])


async def key_ids(log: WholeLog) -> list[str | None]:
    return [event.key_id for event in await log.after(0, limit=1000)]


def outcome_of(result: CommandResult) -> tuple[int, int, Any]:
    aggregate = result.aggregate
    return result.position, aggregate.version, aggregate.state and aggregate.state.record()


async def test_all_registrations_of_an_id_have_one_key(log: WholeLog, store: OwnKeyStore) -> None:
    async with product(log, store) as handler:
        await handler.register(DRIVER, "EMP-1", RAVI, command())
        await handler.register(DRIVER, "EMP-2", RAVI, command())
        await handler.change(DRIVER, "EMP-1", {**RAVI, "city": "Mysuru"}, command())
        await handler.remove(DRIVER, "EMP-1", command())
        await handler.register(DRIVER, "EMP-1", {**RAVI, "city": "Salem"}, command())
        restored = await handler.restore(DRIVER, "EMP-1", 2, command())
    assert restored.aggregate.state
    assert restored.aggregate.state.details == {**RAVI, "city": "Mysuru"}
    first, second, *others = await key_ids(log)
    assert None not in (first, second)
    assert first != second
    assert others == [first] * 4
    for event in await log.after(0, limit=10):
        assert MARK not in event.state


@pytest.mark.parametrize("restarted", [False, True])
async def test_retry_is_answered_as_the_first_time_and_another_body_is_refused(
    log: WholeLog, store: OwnKeyStore, *, restarted: bool
) -> None:
    """For commands that append an event, have nothing to do, or are refused."""
    sent = {name: uuid4() for name in ("register", "change", "nothing", "in use", "unknown", "stale")}
    mysuru = {**RAVI, "city": "Mysuru"}

    async def answers(handler: CommandHandler, body: Any) -> list[Any]:
        async def answer(name: str, if_match: int | None = None) -> Any:
            context = command(body, retry_id=sent[name], if_match=if_match)
            try:
                match name:
                    case "register" | "in use":
                        return outcome_of(await handler.register(DRIVER, "EMP-1", RAVI, context))
                    case "unknown":
                        return outcome_of(await handler.change(DRIVER, "EMP-9", RAVI, context))
                    case _:
                        return outcome_of(await handler.change(DRIVER, "EMP-1", mysuru, context))
            except CommandRefused as refused:
                return type(refused.reason), refused.history.aggregate.version
            except IdempotencyMismatch as mismatch:
                return type(mismatch)

        return [await answer(name, if_match=1 if name == "stale" else None) for name in sent]

    async with product(log, store) as handler:
        first = await answers(handler, "body")
        await handler.change(DRIVER, "EMP-1", {**RAVI, "city": "Salem"}, command())
        if not restarted:
            assert await answers(handler, "body") == first
    if restarted:
        async with product(log, store) as handler:
            assert await answers(handler, "body") == first
            assert await answers(handler, "another body") == [IdempotencyMismatch] * len(sent)
    assert [one[0] for one in first] == [1, 2, 2, AlreadyRegistered, NotRegistered, PreconditionFailed]
    assert await log.head() == 3


async def test_stream_with_unencrypted_events_is_encrypted_from_the_next_event(
    log: WholeLog, store: OwnKeyStore
) -> None:
    """An application without a key store writes such events."""
    first = command("body", retry_id=uuid4())
    event = DRIVER.unused("EMP-1").register(RAVI, first.metadata)
    stored = (MAPPER.to_stored_event(event),)
    await log.append(AppendRequest(first.command_id, stored, fingerprint=first.metadata.fingerprint))
    async with product(log, store) as handler:
        retried = await handler.register(DRIVER, "EMP-1", RAVI, first)
        assert outcome_of(retried)[:2] == (1, 1)
        with pytest.raises(IdempotencyMismatch):
            await handler.register(DRIVER, "EMP-1", RAVI, command("other", retry_id=first.command_id))
        for city in ("Mysuru", "Salem"):
            await handler.change(DRIVER, "EMP-1", {**RAVI, "city": city}, command())
    unencrypted, *encrypted = await key_ids(log)
    assert unencrypted is None
    assert encrypted[0]
    assert encrypted == [encrypted[0]] * 2


async def test_long_stream_keeps_its_key_with_and_without_snapshot(
    store: OwnKeyStore,
) -> None:
    log = LogInMemory(page_events=3)
    async with KEYS.use(store):
        handler = CommandHandler(log, shared=["all"])
        await handler.register(DRIVER, "EMP-1", RAVI, command())
        for number in range(10):
            known = await handler.change(DRIVER, "EMP-1", {**RAVI, "city": f"{number}"}, command())
        folded = await Streams(log).load(DRIVER, "EMP-1")
        assert known.aggregate.state
        last = log.stream("driver:EMP-1")[-1].reference
        log.add_snapshot("driver:EMP-1", folded.key_id, Snapshot(last, known.aggregate.state.record()))
        skipped = await Streams(log).load(DRIVER, "EMP-1")
        assert (folded.key_id, outcome_of(CommandResult(folded.aggregate, folded.position))) == (
            *(skipped.key_id, outcome_of(CommandResult(skipped.aggregate, skipped.position))),
        )
        await CommandHandler(log, shared=["all"]).change(DRIVER, "EMP-1", RAVI, command())
    assert {event.key_id for event in log.stream("driver:EMP-1")} == {folded.key_id}


async def test_long_stream_is_decrypted_page_by_page(log: WholeLog, store: OwnKeyStore) -> None:
    async with product(log, store) as handler:
        await handler.register(DRIVER, "EMP-1", RAVI, command())
        for number in range(PAGE_EVENTS + 2):
            await handler.change(DRIVER, "EMP-1", {**RAVI, "city": f"{number}"}, command())
        fetched = store.fetched
    async with product(log, store) as handler:
        with pytest.raises(CommandRefused) as raised:
            await handler.change(DRIVER, "EMP-1", RAVI, command(if_match=1))
        assert store.fetched == fetched + 2, "the keys of record and actor, once each"
    assert len(raised.value.changes) == MAX_CHANGES
    assert {event.metadata.reason for event, _ in raised.value.changes} == {"Ravi has moved"}


async def test_removed_record_with_an_erased_key_is_registered_with_a_new_key(
    log: WholeLog, store: OwnKeyStore
) -> None:
    async with product(log, store) as handler:
        await handler.register(DRIVER, "EMP-1", RAVI, command())
        await handler.remove(DRIVER, "EMP-1", command())
    (first,) = set(await key_ids(log))
    assert first
    await store.erase([first])
    for remembered in (False, True):
        async with product(log, store) as handler:
            again = await handler.register(DRIVER, "EMP-1", {**RAVI, "city": "Salem"}, command())
            if remembered:
                KEYS.clear()
            changed = await handler.change(DRIVER, "EMP-1", {**RAVI, "city": "Erode"}, command())
            assert changed.aggregate.version == again.aggregate.version + 1
            await handler.remove(DRIVER, "EMP-1", command())
    ids = await key_ids(log)
    assert ids[:2] == [first] * 2
    assert ids[2]
    assert ids[2] != first
    assert ids[2:] == [ids[2]] * 6


@pytest.mark.parametrize("restarted", [False, True])
async def test_record_with_an_erased_key_refuses_commands(
    log: WholeLog, store: OwnKeyStore, *, restarted: bool
) -> None:
    async with product(log, store) as handler:
        await handler.register(DRIVER, "EMP-1", RAVI, command())
        await handler.register(DRIVER, "EMP-2", RAVI, command())
        (erased, _) = await key_ids(log)
        assert erased
        await store.erase([erased])
        KEYS.clear()
        again = CommandHandler(log, shared=["all"]) if restarted else handler
        for attempt in (
            again.change(DRIVER, "EMP-1", {**RAVI, "city": "Mysuru"}, command()),
            again.remove(DRIVER, "EMP-1", command()),
            again.restore(DRIVER, "EMP-1", 1, command()),
        ):
            with pytest.raises(KeysUnavailable):
                await attempt
        assert await log.head() == 2
        changed = await again.change(DRIVER, "EMP-2", {**RAVI, "city": "Mysuru"}, command())
    assert changed.position == 3


@pytest.mark.parametrize("restarted", [False, True])
async def test_retry_of_an_erasure_is_answered_after_its_key_was_destroyed(
    log: WholeLog, store: OwnKeyStore, *, restarted: bool
) -> None:
    once = command(who="samuel", retry_id=uuid4())
    async with product(log, store) as handler:
        await handler.register(DRIVER, "EMP-1", RAVI, command())
        await handler.decide_for_person(
            DRIVER, "EMP-1", lambda one, metadata: one.restrict("asked", TODAY, metadata), command()
        )

        async def erase(handler: CommandHandler) -> CommandResult:
            return await handler.decide_for_person(
                DRIVER, "EMP-1", lambda one, metadata: one.erase(TODAY, metadata), once
            )

        first = await erase(handler)
        await store.erase([str((await key_ids(log))[0])])
        KEYS.clear()
        again = await erase(CommandHandler(log, shared=["all"]) if restarted else handler)
    assert (outcome_of(again), again.is_appended) == (outcome_of(first), False)
    assert again.aggregate.is_erased


async def test_commands_fail_while_the_key_store_is_unavailable(log: WholeLog, store: OwnKeyStore) -> None:
    async with product(log, store) as handler:
        await handler.register(DRIVER, "EMP-1", RAVI, command())
        KEYS.clear()
        store.away = True
        for again in (handler, CommandHandler(log, shared=["all"])):
            with pytest.raises(KeysUnavailable):
                await again.change(DRIVER, "EMP-1", {**RAVI, "city": "Mysuru"}, command())
        assert await log.head() == 1
        store.away = False
        changed = await handler.change(DRIVER, "EMP-1", {**RAVI, "city": "Mysuru"}, command())
    assert outcome_of(changed)[:2] == (2, 2)
    async with product(log, store) as handler:
        store.away = True
        with pytest.raises(KeysUnavailable):
            await handler.register(DRIVER, "EMP-2", RAVI, command())
        assert await log.head() == 2
        store.away = False
        await handler.register(DRIVER, "EMP-2", RAVI, command())
    assert None not in await key_ids(log)


async def test_commands_that_append_nothing_use_no_key(log: WholeLog, store: OwnKeyStore) -> None:
    """Otherwise a client that tries ids fills the key store."""
    sent = uuid4()
    async with product(log, store) as handler:
        await handler.register(DRIVER, "EMP-1", RAVI, command("body", retry_id=sent))
        issued = len(await _issued(store))
        for _ in range(2 * issued):
            with pytest.raises(CommandRefused):
                await handler.register(DRIVER, "EMP-1", RAVI, command())
            with pytest.raises(CommandRefused):
                await handler.change(DRIVER, "EMP-9", RAVI, command())
            await CommandHandler(log, shared=["all"]).register(
                DRIVER, "EMP-1", RAVI, command("body", retry_id=sent)
            )
        assert len(await _issued(store)) == issued


async def _issued(store: OwnKeyStore) -> list[str]:
    rows = await store._database.select("SELECT id FROM keys.kept")
    return [row[0] for row in rows]


async def test_fingerprint_of_a_decision_is_keyed(
    log: WholeLog, store: OwnKeyStore, database: Database
) -> None:
    body = {"name": "Ravi"}
    async with product(log, store) as handler:
        await handler.register(DRIVER, "EMP-1", RAVI, command())
        await handler.change(DRIVER, "EMP-1", RAVI, command(body, retry_id=uuid4()))
    with psycopg.connect(database.owner) as connection:
        ((kept,),) = connection.execute("SELECT fingerprint FROM log.outcomes").fetchall()
    (key_id,) = await key_ids(log)
    assert fingerprint("PUT", body) not in kept
    assert kept.startswith(f"{key_id}.")


@pytest.fixture
async def keys(store: OwnKeyStore) -> AsyncIterator[OwnKeyStore]:
    async with KEYS.use(store):
        yield store


async def forget(handler: CommandHandler, employee: str) -> None:
    await handler.decide(
        DRIVER, employee, lambda one, metadata: one.restrict("asked", TODAY, metadata), command(who="ingrid")
    )
    await handler.decide(DRIVER, employee, lambda one, metadata: one.erase(TODAY, metadata), command())


@pytest.mark.parametrize("is_restarted", [False, True])
@pytest.mark.parametrize("is_destroyed", [False, True])
async def test_registration_after_an_erasure_gets_a_new_key(
    log: WholeLog, keys: OwnKeyStore, *, is_restarted: bool, is_destroyed: bool
) -> None:
    """Before and after the destruction of the key, with and without cache."""
    handler = CommandHandler(log, shared=["all"])
    await handler.register(DRIVER, "EMP-1", RAVI, command())
    await handler.change(DRIVER, "EMP-1", {**RAVI, "city": "Mysuru"}, command())
    await forget(handler, "EMP-1")
    first, *_, erased = [event.key_id for event in await log.after(0, limit=10)]
    assert erased == first
    if is_destroyed:
        await keys.erase([str(first)])
        KEYS.clear()
    if is_restarted:
        handler = CommandHandler(log, shared=["all"])

    with pytest.raises(CommandRefused) as refused:
        await handler.restore(DRIVER, "EMP-1", 1, command())
    assert isinstance(refused.value.reason, NotRegistered)
    again = await handler.register(DRIVER, "EMP-1", {**RAVI, "name": "Another driver"}, command())
    assert again.aggregate.state
    (*_, registered) = await log.after(0, limit=10)
    assert registered.key_id not in (None, first)
    with pytest.raises(CommandRefused) as refused:
        await handler.restore(DRIVER, "EMP-1", 2, command())
    assert isinstance(refused.value.reason, NoSuchVersion)
    changed = await handler.change(DRIVER, "EMP-1", {**RAVI, "city": "Salem"}, command())
    assert changed.aggregate.version == 6
    assert [event.key_id for event in await log.after(5, limit=10)] == [registered.key_id]


async def test_retry_after_an_erasure_reveals_nothing(log: WholeLog, keys: OwnKeyStore) -> None:
    handler, sent = CommandHandler(log, shared=["all"]), uuid4()
    await handler.register(DRIVER, "EMP-1", RAVI, command(retry_id=sent))
    await forget(handler, "EMP-1")
    (first, *_) = await log.after(0, limit=1)
    await keys.erase([str(first.key_id)])
    KEYS.clear()
    handler.clear_cache()
    with pytest.raises(IdempotencyMismatch):
        await handler.register(DRIVER, "EMP-1", RAVI, command(retry_id=sent))
