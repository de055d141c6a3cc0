"""Commands fail in time if the log cannot be reached."""

import asyncio
import uuid
from errno import ENOSPC

import pytest
from eventsourcing.persistence import StoredEvent

from command_api.event_store import appender as appenders
from command_api.event_store.appender import BATCH_COMMANDS, Appender
from command_api.event_store.records import AppendRequest, LogUnavailable
from ops.launcher.processes.ports import free_port


def new_append() -> AppendRequest:
    return AppendRequest(uuid.uuid4(), (StoredEvent(f"horse:{uuid.uuid4()}", 1, "horse.registered", b"{}"),))


async def test_waiting_commands_fail_if_the_log_is_unreachable() -> None:
    appender = Appender(f"host=127.0.0.1 port={free_port()} dbname=nowhere", patience=0.2)
    async with appender.running(), asyncio.timeout(60):
        for commands in (1, 2 * BATCH_COMMANDS + 1):
            appends = [appender.append(new_append()) for _ in range(commands)]
            outcomes = await asyncio.gather(*appends, return_exceptions=True)
            assert {type(outcome) for outcome in outcomes} == {LogUnavailable}


async def test_command_fails_in_time_if_the_writer_hangs(monkeypatch: pytest.MonkeyPatch) -> None:
    async def never(_: str) -> None:
        await asyncio.sleep(3600)

    monkeypatch.setattr(appenders, "open_session", never)
    appender = Appender("", patience=0.2)
    async with appender.running(), asyncio.timeout(60):
        for _ in range(2):
            with pytest.raises(LogUnavailable):
                await appender.append(new_append())


async def test_failed_writer_is_restarted(monkeypatch: pytest.MonkeyPatch) -> None:
    writes = 0

    async def full(_: str) -> None:
        nonlocal writes
        writes += 1
        raise OSError(ENOSPC, "No space left on device")

    async def fail(*_: object) -> None:
        raise OSError(ENOSPC, "No space left on device")

    appender = Appender("", patience=1000)
    monkeypatch.setattr(appenders, "open_session", full)
    monkeypatch.setattr(appender, "_disconnect", fail)
    async with asyncio.timeout(60):
        async with appender.running():
            for _ in range(3):
                with pytest.raises(LogUnavailable):
                    await appender.append(new_append())
            monkeypatch.undo()
    assert writes == 3


async def test_connection_error_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(appenders, "RETRY_CHECK_SECONDS", 0.01)
    appender = Appender(f"host=127.0.0.1 port={free_port()} dbname=nowhere", patience=0.2)
    async with appender.running(), asyncio.timeout(60):
        assert appender.error is None
        with pytest.raises(LogUnavailable):
            await appender.append(new_append())
        assert appender.error == "OperationalError"
