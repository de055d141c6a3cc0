"""Loading a small fleet into a real command API, whose log is in memory, with real tokens."""

import asyncio
import json
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import httpx
import pytest
from command_api_testing.log_in_memory import LogInMemory, stored_members
from starlette.responses import Response

from command_api.app import build_app
from command_api.event_store.records import RecordedEvent
from ops.base.encryption.key_cache import KEYS
from ops.base.settings import ServiceSettings
from ops.development import demo
from ops.development.demo.fleet import Size, all_stories, first_story
from ops.development.demo.loading import Loader, open_loader
from ops.development.demo.stories import DemoRequest, Story
from ops.development.identity_provider.users import user_named
from ops.launcher.errors import LauncherError
from ops.testing.http_servers import serve
from ops.testing.token_issuer import TokenIssuer

SMALL = Size(locations=12, drivers=25, trailers=13, horses=25, teams=4)


@dataclass(frozen=True)
class Instance:
    """A command API, and who may use it."""

    address: str
    token_of: Callable[[str], str]


@pytest.fixture
def log() -> LogInMemory:
    return LogInMemory()


@pytest.fixture
async def instance(log: LogInMemory) -> AsyncIterator[Instance]:
    """The command API."""

    def token_of(name: str) -> str:
        user = user_named(name)
        return issuer.token(sub=user.sub, name=user.name, permissions=user.permissions)

    with TokenIssuer() as issuer:
        settings = ServiceSettings.model_validate(
            {
                "database": "",
                "issuer": issuer.issuer,
                "audience": issuer.audience,
            }
        )
        async with serve(build_app(settings, log)) as address:
            yield Instance(address, token_of)


async def events(log: LogInMemory) -> list[tuple[RecordedEvent, dict[str, Any]]]:
    """Return all events, each with its decrypted state."""
    found = await KEYS.unlock(await log.after(0, limit=100_000))
    return [(event, stored_members(event) if event.key else json.loads(event.state)) for event in found]


def opened(instance: Instance) -> AbstractAsyncContextManager[Loader]:
    return open_loader(instance.address, token_of=instance.token_of)


async def run(instance: Instance, capsys: pytest.CaptureFixture[str]) -> str:
    """Run the command as the launcher does, and return what it prints."""
    await asyncio.to_thread(demo.run, instance.address, instance.token_of, SMALL)
    return capsys.readouterr().out


async def test_a_second_run_adds_nothing(
    instance: Instance, log: LogInMemory, capsys: pytest.CaptureFixture[str]
) -> None:
    first = await run(instance, capsys)
    total = await log.head()
    second = await run(instance, capsys)
    assert "26 drivers registered" in first
    assert "Left alone" not in first
    assert second.splitlines()[-2:] == first.splitlines()[-2:]
    assert await log.head() == total


async def test_log_has_exactly_the_stories_with_their_actors(instance: Instance, log: LogInMemory) -> None:
    async with opened(instance) as loader:
        stories = await demo.load(loader, SMALL)
    output = Counter(
        (story.entity_type.name, command.actor) for story in stories for command in story.commands
    )
    logged = Counter(
        (event.originator_id.partition(":")[0], state["metadata"]["actor"]["sub"])
        for event, state in await events(log)
    )
    assert logged == output
    assert loader.loaded.total() == output.total()


class Interrupted(Exception):
    pass


async def test_an_interrupted_run_is_completed_by_the_next(
    instance: Instance, log: LogInMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    send = Loader.send
    sent = 0

    async def fail_at_last(loader: Loader, command: DemoRequest, path: str, key: str) -> httpx.Response:
        nonlocal sent
        sent += 1
        if sent > 95:  # some edits are done, others are not
            raise Interrupted
        return await send(loader, command, path, key)

    with monkeypatch.context() as patch:
        patch.setattr(Loader, "send", fail_at_last)
        async with opened(instance) as loader:
            with pytest.raises(ExceptionGroup) as failure:
                await demo.load(loader, SMALL)
    assert failure.group_contains(Interrupted)
    reached = await log.head()
    async with opened(instance) as loader:
        await demo.load(loader, SMALL)
    assert reached < await log.head() == loader.loaded.total()


async def test_dates_count_from_the_first_run(instance: Instance, log: LogInMemory) -> None:
    async with opened(instance) as loader:
        today = await loader.first_day(first_story(SMALL))
        for event, _ in await events(log):
            log.replace(replace(event, moment=event.moment - timedelta(days=40)))
        began = today - timedelta(days=40)
        await demo.load(loader, SMALL)
    expected = {
        command.body["driving_license_expiry"]
        for story in all_stories(SMALL, began)
        for command in story.commands
        if story.entity_type.name == "driver" and command.method == "POST" and command.body
    }
    logged = [state for event, state in await events(log) if event.topic == "driver.registered"]
    assert {state["details"]["driving_license_expiry"] for state in logged} == expected


async def test_driver_with_a_used_number_is_left_alone(
    instance: Instance, log: LogInMemory, capsys: pytest.CaptureFixture[str]
) -> None:
    story = next(story for story in driver_stories() if len(story.commands) > 2)
    body = {**(story.commands[0].body or {}), "name": "Another Driver"}
    async with opened(instance) as loader:
        await loader.send(
            DemoRequest("", "POST", "dev|asha", body), story.entity_type.path, "of-another-user"
        )
    printed = await run(instance, capsys)
    assert f"removed the records: {len(story.commands)} changes" in printed
    assert len(log.stream(f"driver:{story.name}")) == 1


def driver_stories() -> list[Story]:
    today = date(2026, 11, 21)
    stories = all_stories(SMALL, today)
    return [story for story in stories if story.entity_type.name == "driver"]


async def test_fleet_of_another_release_is_left_alone(
    instance: Instance, log: LogInMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("ops.development.demo.draw.SEED", "another")
        async with opened(instance) as loader:
            await demo.load(loader, SMALL)
    before = await events(log)
    async with opened(instance) as loader:
        await demo.load(loader, SMALL)
    assert not loader.loaded
    assert await events(log) == before


async def test_a_refused_command_ends_loading_with_one_line(instance: Instance) -> None:
    story = driver_stories()[0]
    broken = Story(story.entity_type, story.name, [DemoRequest("", "POST", "dev|asha", {"id": story.name})])
    async with opened(instance) as loader:
        with pytest.raises(LauncherError, match="refused POST of driver EMP-0001: 422") as failure:
            await loader.load([broken], lambda: None)
    assert "name: Driver name is required" in str(failure.value)
    assert "\n" not in str(failure.value)


async def test_unavailable_api_is_reported(instance: Instance) -> None:
    async with serve(Response(status_code=503)) as address:
        pass
    gone = replace(instance, address=address)
    async with opened(gone) as loader:
        with pytest.raises(LauncherError, match="does not answer") as failure:
            await loader.send(DemoRequest("", "POST", "dev|asha", {}), "/api/locations", "key")
    assert address in str(failure.value)
    assert "\n" not in str(failure.value)


async def test_assignments_are_all_accepted_and_of_every_kind(instance: Instance) -> None:
    async with opened(instance) as loader:
        stories = await demo.load(loader, SMALL)
    trips = [story for story in stories if story.entity_type.name == "assignment"]
    assert loader.left_alone == 0
    assert loader.loaded["assignments registered"] == len(trips)
    assert loader.loaded["corrections"] > 0
    bodies = [story.commands[0].body or {} for story in trips]
    now = datetime.now(UTC).isoformat()
    assert {body["ends_at"] is None for body in bodies} == {True, False}
    assert {body["starts_at"] > now for body in bodies} == {True, False}
    assert len({(body["horse"], body["driver"]) for body in bodies}) > SMALL.teams
