"""One of many competing commands succeeds, and a command with a key has one outcome."""

import asyncio
import contextlib
import itertools
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import httpx
import pytest

from ops.testing.product.bodies import usual_body
from ops.testing.product.client import version_of
from ops.testing.product.exchanges import PATHS, Actor
from ops.testing.product.history import History
from ops.testing.product.history_check import assert_consistent
from ops.testing.product.read_tables import assert_read_tables_match_log, head_of
from ops.testing.product.writer import outcome_of
from ops.testing.service_process import service_process
from ops.testing.soak import soak_count, suite_and_soak
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration


CLIENTS: Final = 16

_numbers = itertools.count(1)


@dataclass
class Racers:
    """Clients with cookies, half of them of a second command API."""

    clients: list[httpx.AsyncClient]
    name: str
    history: History = field(default_factory=History)

    async def send(
        self, number: int, method: str, path: str, *, entity: str, command: str, attempt: int = 1, **more: Any
    ) -> httpx.Response:
        """Send a request as one of the clients; it must be answered, and not with 5xx."""
        request = self.history.invoke(f"{self.name}.{number}", command, attempt)
        headers = {**more.pop("headers", {}), "X-Request-Id": request.id}
        answer = await self.clients[number].request(method, path, headers=headers, **more)
        assert answer.status_code < 500, answer.text
        self.history.complete(request, outcome_of(entity, answer))
        return answer

    async def all(self, send: Callable[[int], Awaitable[httpx.Response]]) -> list[httpx.Response]:
        return await asyncio.gather(*(send(number) for number in range(CLIENTS)))

    def new_name(self) -> str:
        """Return an unused name for a command or an entity."""
        return f"{self.name}-{next(_numbers)}"


@pytest.fixture(scope="module")
async def addresses(stack: Stack) -> AsyncIterator[list[str]]:
    """The stack's command API, and a second one on its database."""
    environment = stack.record().environments["command-api"]
    async with service_process("command-api", environment) as second:
        yield [stack.service_address("command-api"), second.address]


async def one_change_with_an_etag_succeeds(racers: Racers) -> None:
    body = usual_body("location").sent
    made = await racers.send(
        0, "POST", PATHS["location"], entity="location", command=racers.new_name(), json=body
    )
    condition = {"If-Match": made.headers["etag"]}

    async def change(number: int) -> httpx.Response:
        body = usual_body("location", name=f"Writer {number}").sent
        command, path = racers.new_name(), made.headers["location"]
        return await racers.send(
            number, "PUT", path, entity="location", command=command, json=body, headers=condition
        )

    answers = await racers.all(change)
    assert sorted(answer.status_code for answer in answers) == [200] + [412] * (CLIENTS - 1)
    (etag,) = {answer.headers["etag"] for answer in answers}
    assert version_of(answers[0]) == 2, etag


async def one_key_appends_one_event(racers: Racers) -> None:
    key, body = racers.new_name(), usual_body("trailer").sent

    async def register(number: int) -> httpx.Response:
        return await racers.send(
            number,
            "POST",
            PATHS["trailer"],
            entity="trailer",
            command=key,
            attempt=number + 1,
            json=body,
            headers={"Idempotency-Key": key},
        )

    answers = await racers.all(register)
    assert {answer.status_code for answer in answers} == {201}
    output = ("location", "etag", "fleetlog-position")
    assert len({tuple(answer.headers[name] for name in output) for answer in answers}) == 1
    assert len({answer.content for answer in answers}) == 1


async def one_registration_of_an_id_succeeds(racers: Racers) -> None:
    driver = racers.new_name()

    async def register(number: int) -> httpx.Response:
        body = usual_body("driver", name=f"Driver {number}").sending(id=driver).sent
        return await racers.send(
            number, "POST", PATHS["driver"], entity="driver", command=racers.new_name(), json=body
        )

    answers = await racers.all(register)
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * (CLIENTS - 1)


RACES = [
    one_change_with_an_etag_succeeds,
    one_key_appends_one_event,
    one_registration_of_an_id_succeeds,
]


async def run(stack: Stack, actor: Actor, addresses: list[str], rounds: int) -> None:
    """Run rounds of all races, and compare the answers with the log."""
    before = head_of(stack)
    limits = httpx.Limits(keepalive_expiry=1.0)  # less than the servers'
    async with AsyncExitStack() as connections:
        clients = [
            await connections.enter_async_context(
                stack.async_http(actor.token, base_url=addresses[number % 2], limits=limits)
            )
            for number in range(CLIENTS)
        ]
        racers = Racers(clients, name=f"R{before}")
        for race in RACES:
            began = time.monotonic()
            for _ in range(rounds):
                await race(racers)
            print(f"{race.__name__}: {rounds} rounds in {time.monotonic() - began:.1f} s")
    assert_consistent(racers.history, assert_read_tables_match_log(stack), before=before)
    assert racers.history.unknown == 0


@pytest.mark.parametrize("rounds", suite_and_soak(5, 1000))
async def test_one_competing_command_succeeds(
    stack: Stack, asha: Actor, addresses: list[str], rounds: int
) -> None:
    await run(stack, asha, addresses, rounds)


HORSES: Final = 6
ANSWER_SECONDS: Final = 60.0

Answer = tuple[Any, ...]


@dataclass
class Command:
    """A command and all of its answers."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any] | None
    answers: list[Answer] = field(default_factory=list)


class Sender:
    """Sends commands until they are answered, without cookies, which would change the position in answers."""

    def __init__(self, client: httpx.AsyncClient, name: str) -> None:
        self._client = client
        self._name = name
        self.commands: list[Command] = []

    def command(self, source: random.Random, *, keyed: bool) -> Command:
        """Generate a command to one of a few horses; many have no effect or are refused."""
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
                ("POST", f"{path}/undo", {"version": source.randrange(1, 6)}),
            ]
        )
        headers = {"If-Match": f'"{source.randrange(1, 9)}"'} if source.random() < 0.2 else {}
        if keyed:
            headers["Idempotency-Key"] = f"{self._name}-{len(self.commands)}"
            self.commands.append(Command(method, path, headers, content))
            return self.commands[-1]
        return Command(method, path, headers, content)

    async def send(self, command: Command) -> None:
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
        names = ("etag", "location", "fleetlog-position", "fleetlog-version")
        command.answers.append((answer.status_code, body, *(answer.headers.get(name) for name in names)))


@asynccontextmanager
async def client_of(stack: Stack, actor: Actor) -> AsyncIterator[httpx.AsyncClient]:
    client = stack.async_http(actor.token, timeout=20)

    async def clear_cookies(_: httpx.Response) -> None:
        client.cookies.clear()

    client.event_hooks = {"request": [], "response": [clear_cookies]}
    async with client:
        yield client


async def send_and_retry(client: httpx.AsyncClient, name: str, *, commands: int) -> list[Command]:
    """Send commands with keys, some concurrently or again later, and other commands in between."""
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
        sending = asyncio.gather(
            *(send_and_retry(client, f"{name}.{number}", commands=commands) for number in range(senders))
        )
        for _ in range(kills):
            await asyncio.sleep(random.uniform(0.5, 2))
            if sending.done():
                break
            former = stack.kill("command-api")
            await asyncio.to_thread(stack.wait_until_back, "command-api", former)
        sent = [command for of_sender in await sending for command in of_sender]

        before = head_of(stack)
        sender = Sender(client, name)
        for command in sent:
            await sender.send(command)
        assert head_of(stack) == before, "a retry appends nothing"
    for command in sent:
        assert [answers for answers in command.answers if answers != command.answers[0]] == [], command.path
    kinds = {command.answers[0][0] for command in sent}
    print(f"{len(sent)} commands, {sum(len(command.answers) for command in sent)} answers: {sorted(kinds)}")
    assert kinds >= {200, 201, 204, 404, 409, 412, 422}
    assert_read_tables_match_log(stack)


async def test_each_key_has_one_outcome(stack: Stack, asha: Actor) -> None:
    await one_outcome_each(stack, asha, name="repeats", senders=4, commands=40, kills=0)


@pytest.mark.soak
@pytest.mark.timeout(3600)
async def test_attacks_each_key_has_one_outcome_despite_kills(stack: Stack, asha: Actor) -> None:
    commands = soak_count(500)
    await one_outcome_each(stack, asha, name="killed", senders=16, commands=commands, kills=soak_count(60))
