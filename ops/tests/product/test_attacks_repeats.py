"""Each command with an idempotency key has one outcome, whatever others do, and whatever is killed."""

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import httpx
import pytest

from ops.testing.product.bodies import usual_body
from ops.testing.product.exchanges import PATHS, Actor
from ops.testing.product.whole import assert_whole, head_of
from ops.testing.soak import soak_count
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration

HORSES: Final = 6
ANSWER_SECONDS: Final = 60.0

Told = tuple[Any, ...]


@dataclass
class Command:
    """What is sent with a key, and sent again."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any] | None
    told: list[Told] = field(default_factory=list)
    """Every answer to it."""


class Sender:
    """Sends commands until they are answered, without cookies: these would name later positions."""

    def __init__(self, client: httpx.AsyncClient, name: str) -> None:
        self._client = client
        self._name = name
        self.commands: list[Command] = []

    def command(self, source: random.Random, *, keyed: bool) -> Command:
        """Make up a command to one of a few horses, such that many change nothing or are refused."""
        horse = f"{self._name}-{source.randrange(HORSES)}"
        path = f"{PATHS['horse']}/{horse}"
        body = {**usual_body("horse").sent, "owner": source.choice("AB")}
        method, path, content = source.choice(
            [
                ("POST", PATHS["horse"], {**body, "id": horse}),
                ("PUT", path, body),
                ("PUT", path, body),
                ("PUT", path, body),
                ("DELETE", path, None),
                ("POST", f"{path}/restore", {"version": source.randrange(1, 6)}),
            ]
        )
        headers = {"If-Match": f'"{source.randrange(1, 9)}"'} if source.random() < 0.2 else {}
        if keyed:
            headers["Idempotency-Key"] = f"{self._name}-{len(self.commands)}"
            self.commands.append(Command(method, path, headers, content))
            return self.commands[-1]
        return Command(method, path, headers, content)

    async def send(self, command: Command) -> None:
        """Send a command until there is an answer."""
        async with asyncio.timeout(ANSWER_SECONDS):
            while True:
                with contextlib.suppress(httpx.TransportError):
                    answer = await self._client.request(
                        command.method, command.path, headers=command.headers, json=command.body
                    )
                    if answer.status_code not in (429, 502, 503):
                        break
                await asyncio.sleep(0.1)
        assert answer.status_code < 500, answer.text
        body = answer.json() if answer.content else {}
        body.pop("request_id", None)
        names = ("etag", "location", "fleetlog-position")
        command.told.append((answer.status_code, body, *(answer.headers.get(name) for name in names)))


@asynccontextmanager
async def client_of(stack: Stack, actor: Actor) -> AsyncIterator[httpx.AsyncClient]:
    client = httpx.AsyncClient(
        base_url=stack.address,
        headers={"Authorization": f"Bearer {actor.token}"},
        timeout=20,
        trust_env=False,
    )

    async def forget(_: httpx.Response) -> None:
        client.cookies.clear()

    client.event_hooks = {"request": [], "response": [forget]}
    async with client:
        yield client


async def talk(client: httpx.AsyncClient, name: str, *, commands: int) -> list[Command]:
    """Send commands with keys, some of them several times at once or again later, and others in between."""
    source = random.Random(name)
    sender = Sender(client, name)
    for _ in range(commands):
        command = sender.command(source, keyed=True)
        await asyncio.gather(*(sender.send(command) for _ in range(source.choice([1, 1, 3]))))
        for _ in range(source.randrange(3)):
            await sender.send(sender.command(source, keyed=False))
        await sender.send(source.choice(sender.commands))
    return sender.commands


async def one_outcome_each(
    stack: Stack, actor: Actor, *, name: str, senders: int, commands: int, kills: int
) -> None:
    async with client_of(stack, actor) as client:
        talking = asyncio.gather(
            *(talk(client, f"{name}.{number}", commands=commands) for number in range(senders))
        )
        for _ in range(kills):
            await asyncio.sleep(random.uniform(0.5, 2))
            if talking.done():
                break
            former = stack.kill("command-api")
            await asyncio.to_thread(stack.wait_until_back, "command-api", former)
        sent = [command for of_sender in await talking for command in of_sender]

        before = head_of(stack)
        sender = Sender(client, name)
        for command in sent:
            await sender.send(command)
        assert head_of(stack) == before, "what is sent again appends nothing"
    for command in sent:
        assert [told for told in command.told if told != command.told[0]] == [], command.path
    kinds = {command.told[0][0] for command in sent}
    print(f"{len(sent)} commands, {sum(len(command.told) for command in sent)} answers: {sorted(kinds)}")
    assert kinds >= {200, 201, 204, 404, 409, 412, 422}
    assert_whole(stack)


async def test_each_key_has_one_outcome(stack: Stack, asha: Actor) -> None:
    await one_outcome_each(stack, asha, name="repeats", senders=4, commands=40, kills=0)


@pytest.mark.soak
@pytest.mark.timeout(3600)
async def test_each_key_has_one_outcome_whatever_is_killed(stack: Stack, asha: Actor) -> None:
    commands = soak_count(500)
    await one_outcome_each(stack, asha, name="killed", senders=16, commands=commands, kills=soak_count(60))
