"""Commands on a sealed log: whose key an event is under, what repeats are told, and what an outage is."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Final
from uuid import UUID, uuid4

import psycopg
import pytest
from command_api_testing.log_in_memory import LogInMemory
from command_api_testing.whole_log import WholeLog

from command_api.commands.context import CommandContext, IfMatch, fingerprint
from command_api.commands.execution import CommandResult, Refused
from command_api.commands.handler import CommandHandler
from command_api.commands.idempotency import IdempotencyMismatch
from command_api.commands.reasons import PreconditionFailed
from command_api.commands.streams import MOST_CHANGES, Streams
from command_api.domain.aggregate import AlreadyRegistered, NotRegistered
from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.events import EventActor, EventMetadata
from command_api.event_store.log import STRETCH_EVENTS
from command_api.event_store.records import Snapshot
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.testing.key_stores import OwnKeyStore
from ops.testing.postgres import Database

pytestmark = pytest.mark.integration

DRIVER: Final = DEFINITIONS["driver"]
RAVI: Final = {**DRIVER.blank_details(), **DRIVER.example}
MARK: Final = b"Ravi"


@pytest.fixture
def store(tmp_path: Path) -> OwnKeyStore:
    return OwnKeyStore.in_folder(tmp_path / "keys")


@pytest.fixture
async def log(database: Database) -> AsyncIterator[WholeLog]:
    async with WholeLog.open(database.command, pool_size=2) as log:
        yield log


@asynccontextmanager
async def product(log: WholeLog, store: OwnKeyStore) -> AsyncIterator[CommandHandler]:
    """A command API of its own, which remembers nothing of those before."""
    async with KEYS.use(store):
        yield CommandHandler(log)


def command(body: Any = None, *, sent: UUID | None = None, if_match: int | None = None) -> CommandContext:
    """The circumstances of a command; `sent`: it may come again under this id, with a body."""
    metadata = EventMetadata(
        actor=EventActor(sub="dev|asha", name="Ravi's planner"),
        request_id=uuid4().hex,
        client_request_id="for Ravi",
        reason="Ravi has moved",
        fingerprint=fingerprint("PUT", body),
    )
    condition = None if if_match is None else IfMatch.parse(f'"{if_match}"', log_id="")
    return CommandContext(sent or uuid4(), metadata, may_be_repeat=sent is not None, if_match=condition)


async def key_ids(log: WholeLog) -> list[str | None]:
    return [event.key_id for event in await log.after(0, limit=1000)]


def told(result: CommandResult) -> tuple[int, int, Any]:
    aggregate = result.aggregate
    return result.position, aggregate.version, aggregate.state and aggregate.state.record()


async def test_all_lives_of_a_person_are_under_one_key_of_their_own(
    log: WholeLog, store: OwnKeyStore
) -> None:
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


async def test_a_restarted_product_goes_on_under_the_key_that_was_there(
    log: WholeLog, store: OwnKeyStore
) -> None:
    async with product(log, store) as handler:
        await handler.register(DRIVER, "EMP-1", RAVI, command())
    async with product(log, store) as handler:
        changed = await handler.change(DRIVER, "EMP-1", {**RAVI, "city": "Mysuru"}, command())
    assert changed.aggregate.state
    assert changed.aggregate.state.details == {**RAVI, "city": "Mysuru"}
    assert len(set(await key_ids(log))) == 1


@pytest.mark.parametrize("restarted", [False, True])
async def test_what_is_sent_again_is_answered_as_it_was_and_another_body_is_not(
    log: WholeLog, store: OwnKeyStore, *, restarted: bool
) -> None:
    """Of what appends an event, of what has nothing to do, and of what is refused."""
    sent = {name: uuid4() for name in ("register", "change", "nothing", "in use", "unknown", "stale")}
    mysuru = {**RAVI, "city": "Mysuru"}

    async def answers(handler: CommandHandler, body: Any) -> list[Any]:
        async def answer(name: str, if_match: int | None = None) -> Any:
            context = command(body, sent=sent[name], if_match=if_match)
            try:
                match name:
                    case "register" | "in use":
                        return told(await handler.register(DRIVER, "EMP-1", RAVI, context))
                    case "unknown":
                        return told(await handler.change(DRIVER, "EMP-9", RAVI, context))
                    case _:
                        return told(await handler.change(DRIVER, "EMP-1", mysuru, context))
            except Refused as refused:
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


async def test_what_an_earlier_release_stored_in_the_clear_is_still_known_when_it_is_sent_again(
    log: WholeLog, store: OwnKeyStore
) -> None:
    registered, nothing, refused = uuid4(), uuid4(), uuid4()

    async def send(handler: CommandHandler, body: str) -> list[Any]:
        first = await handler.register(DRIVER, "EMP-1", RAVI, command(body, sent=registered))
        second = await handler.change(DRIVER, "EMP-1", RAVI, command(body, sent=nothing))
        with pytest.raises(Refused) as raised:
            await handler.register(DRIVER, "EMP-1", RAVI, command(body, sent=refused))
        return [told(first), told(second), raised.value.history.aggregate.version]

    before = await send(CommandHandler(log), "body")
    async with product(log, store) as handler:
        assert await send(handler, "body") == before
        for sent in (registered, nothing, refused):
            with pytest.raises(IdempotencyMismatch):
                await handler.register(DRIVER, "EMP-1", RAVI, command("another body", sent=sent))
    assert await key_ids(log) == [None]


async def test_a_stream_that_began_in_the_clear_is_sealed_from_its_next_event_on(
    log: WholeLog, store: OwnKeyStore
) -> None:
    await CommandHandler(log).register(DRIVER, "EMP-1", RAVI, command())
    async with product(log, store) as handler:
        await handler.change(DRIVER, "EMP-1", {**RAVI, "city": "Mysuru"}, command())
        await handler.change(DRIVER, "EMP-1", {**RAVI, "city": "Salem"}, command())
    clear, *sealed = await key_ids(log)
    assert clear is None
    assert sealed[0]
    assert sealed == [sealed[0]] * 2


async def test_a_long_stream_keeps_its_key_whether_it_is_folded_or_a_snapshot_is_gone_on_from(
    store: OwnKeyStore,
) -> None:
    log = LogInMemory(stretch_events=3)
    async with KEYS.use(store):
        handler = CommandHandler(log)
        await handler.register(DRIVER, "EMP-1", RAVI, command())
        for number in range(10):
            known = await handler.change(DRIVER, "EMP-1", {**RAVI, "city": f"{number}"}, command())
        folded = await Streams(log).load(DRIVER, "EMP-1")
        assert known.aggregate.state
        last = log.stream("driver:EMP-1")[-1].place._replace(size=None)
        log.snapshots["driver", "EMP-1"] = [Snapshot(last, known.aggregate.state.record())]
        skipped = await Streams(log).load(DRIVER, "EMP-1")
        assert (folded.key_id, told(CommandResult(folded.aggregate, folded.position))) == (
            *(skipped.key_id, told(CommandResult(skipped.aggregate, skipped.position))),
        )
        await CommandHandler(log).change(DRIVER, "EMP-1", RAVI, command())
    assert {event.key_id for event in log.stream("driver:EMP-1")} == {folded.key_id}


async def test_a_long_stream_of_the_log_is_opened_in_stretches(log: WholeLog, store: OwnKeyStore) -> None:
    async with product(log, store) as handler:
        await handler.register(DRIVER, "EMP-1", RAVI, command())
        for number in range(STRETCH_EVENTS + 2):
            await handler.change(DRIVER, "EMP-1", {**RAVI, "city": f"{number}"}, command())
        fetched = store.fetched
    async with product(log, store) as handler:
        with pytest.raises(Refused) as raised:
            await handler.change(DRIVER, "EMP-1", RAVI, command(if_match=1))
        assert store.fetched == fetched + 2, "its key and who acted's, once, however long it is"
    assert len(raised.value.changes) == MOST_CHANGES
    assert {event.metadata.reason for event, _ in raised.value.changes} == {"Ravi has moved"}


async def test_who_comes_back_after_their_key_was_erased_is_somebody_new(
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
async def test_a_record_whose_key_was_erased_takes_no_command_and_others_do(
    log: WholeLog, store: OwnKeyStore, *, restarted: bool
) -> None:
    async with product(log, store) as handler:
        await handler.register(DRIVER, "EMP-1", RAVI, command())
        await handler.register(DRIVER, "EMP-2", RAVI, command())
        (erased, _) = await key_ids(log)
        assert erased
        await store.erase([erased])
        KEYS.clear()
        again = CommandHandler(log) if restarted else handler
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


async def test_while_the_key_store_is_away_nothing_is_appended_and_then_all_goes_on(
    log: WholeLog, store: OwnKeyStore
) -> None:
    async with product(log, store) as handler:
        await handler.register(DRIVER, "EMP-1", RAVI, command())
        KEYS.clear()
        store.away = True
        for again in (handler, CommandHandler(log)):
            with pytest.raises(KeysUnavailable):
                await again.change(DRIVER, "EMP-1", {**RAVI, "city": "Mysuru"}, command())
        assert await log.head() == 1
        store.away = False
        changed = await handler.change(DRIVER, "EMP-1", {**RAVI, "city": "Mysuru"}, command())
    assert told(changed)[:2] == (2, 2)
    async with product(log, store) as handler:
        store.away = True
        with pytest.raises(KeysUnavailable):
            await handler.register(DRIVER, "EMP-2", RAVI, command())
        assert await log.head() == 2
        store.away = False
        await handler.register(DRIVER, "EMP-2", RAVI, command())
    assert None not in await key_ids(log)


async def test_no_key_is_lost_to_commands_that_append_nothing(log: WholeLog, store: OwnKeyStore) -> None:
    """Else a client that tries ids fills the key store."""
    sent = uuid4()
    async with product(log, store) as handler:
        await handler.register(DRIVER, "EMP-1", RAVI, command("body", sent=sent))
        issued = len(await _issued(store))
        for _ in range(2 * issued):
            with pytest.raises(Refused):
                await handler.register(DRIVER, "EMP-1", RAVI, command())
            with pytest.raises(Refused):
                await handler.change(DRIVER, "EMP-9", RAVI, command())
            await CommandHandler(log).register(DRIVER, "EMP-1", RAVI, command("body", sent=sent))
        assert len(await _issued(store)) == issued


async def _issued(store: OwnKeyStore) -> list[str]:
    rows = await store._database.select("SELECT id FROM keys.kept")
    return [row[0] for row in rows]


async def test_what_was_decided_is_kept_with_a_fingerprint_that_only_the_key_can_be_made_of(
    log: WholeLog, store: OwnKeyStore, database: Database
) -> None:
    body = {"name": "Ravi"}
    async with product(log, store) as handler:
        await handler.register(DRIVER, "EMP-1", RAVI, command())
        await handler.change(DRIVER, "EMP-1", RAVI, command(body, sent=uuid4()))
    with psycopg.connect(database.owner) as connection:
        ((kept,),) = connection.execute("SELECT fingerprint FROM log.outcomes").fetchall()
    (key_id,) = await key_ids(log)
    assert fingerprint("PUT", body) not in kept
    assert kept.startswith(f"{key_id}.")
