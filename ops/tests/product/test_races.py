"""One of many competing commands to two processes succeeds, and commands with one key append one event."""

import asyncio
import itertools
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Final

import httpx
import pytest

from ops.testing.product.bodies import usual_body
from ops.testing.product.client import version_of
from ops.testing.product.exchanges import PATHS, Actor
from ops.testing.product.history import OperationHistory
from ops.testing.product.history_check import assert_consistent
from ops.testing.product.read_tables import assert_read_tables_match_log, head_of
from ops.testing.product.writer import outcome_of
from ops.testing.service_process import service_process
from ops.testing.soak import suite_and_soak
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration


CLIENTS: Final = 16

_numbers = itertools.count(1)


@dataclass
class Racers:
    """Clients with cookies, half of them of a second command API."""

    clients: list[httpx.AsyncClient]
    name: str
    history: OperationHistory = field(default_factory=OperationHistory)

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


async def one_assignment_of_a_driver_succeeds(racers: Racers) -> None:
    driver = racers.new_name()
    body = usual_body("driver").sending(id=driver).sent
    await racers.send(0, "POST", PATHS["driver"], entity="driver", command=racers.new_name(), json=body)
    day = {"starts_at": "2026-12-01T00:00:00Z", "ends_at": "2026-12-02T00:00:00Z"}

    async def assign(number: int) -> httpx.Response:
        horse = racers.new_name()
        body = usual_body("horse").sending(id=horse).sent
        await racers.send(
            number, "POST", PATHS["horse"], entity="horse", command=racers.new_name(), json=body
        )
        body = {"horse": horse, "driver": driver, **day}
        command, path = racers.new_name(), PATHS["assignment"]
        return await racers.send(number, "POST", path, entity="assignment", command=command, json=body)

    answers = await racers.all(assign)
    assert sorted(answer.status_code for answer in answers) == [201] + [409] * (CLIENTS - 1)
    (made,) = (answer.json()["id"] for answer in answers if answer.status_code == 201)
    assert {answer.json()["record"] for answer in answers if answer.status_code == 409} == {made}


RACES = [
    one_change_with_an_etag_succeeds,
    one_key_appends_one_event,
    one_registration_of_an_id_succeeds,
    one_assignment_of_a_driver_succeeds,
]


@pytest.mark.parametrize("rounds", suite_and_soak(5, 1000))
async def test_one_competing_command_succeeds(
    stack: Stack, asha: Actor, addresses: list[str], rounds: int
) -> None:
    before = head_of(stack)
    limits = httpx.Limits(keepalive_expiry=1.0)  # less than the servers'
    async with AsyncExitStack() as connections:
        clients = [
            await connections.enter_async_context(
                stack.async_http(asha.token, base_url=addresses[number % 2], limits=limits)
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
