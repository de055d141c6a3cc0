"""A client that has just written never reads the old state, however slow the projections are.

Positions by header, the end of its patience and positions that mean nothing: query-api/tests.
"""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import psycopg
import pytest

from ops.testing.product.bodies import usual_body
from ops.testing.product.client import Client, version_of
from ops.testing.product.exchanges import PATHS, Actor, unwrap
from ops.testing.product.fields import ENTITIES
from ops.testing.product.history_check import assert_consistent
from ops.testing.product.load import load_on
from ops.testing.product.whole import assert_whole, head_of, wait_until_caught_up
from ops.testing.stack import Stack

pytestmark = pytest.mark.integration

CHANGED: dict[str, dict[str, Any]] = {
    "driver": {"city": "Mysuru"},
    "trailer": {"status": "MAINTENANCE"},
    "horse": {"owner": "Another"},
    "location": {"country": "Nepal"},
}
SLOW_SECONDS = 0.5
CONSISTENCY = "fleetlog-consistency"


class Reader:
    """A browser: it keeps cookies, and knows nothing of positions."""

    def __init__(self, client: Client, actor: Actor, entity: str) -> None:
        self.entity = entity
        self.client = client
        self.actor = actor

    def send(self, method: str, path: str, **more: Any) -> httpx.Response:
        return self.client.request(method, path, actor=self.actor, **more)

    def register(self, entity_id: str) -> tuple[str, dict[str, Any]]:
        """Register an entity and return its address and the record that was answered."""
        given = {"id": entity_id} if self.entity in ("driver", "horse") else {}
        body = usual_body(self.entity).sending(**given).sent
        response = self.send("POST", PATHS[self.entity], json=body)
        assert response.status_code == 201
        return response.headers["location"], self.record(response)

    def record(self, response: httpx.Response) -> dict[str, Any]:
        return unwrap(self.entity, response.json())

    def listed(self, entity_id: str) -> dict[str, Any] | None:
        response = self.send("GET", PATHS[self.entity])
        assert CONSISTENCY not in response.headers
        return next((item for item in response.json()["content"] if item["id"] == entity_id), None)


class Hold:
    """Keeps a projection from committing anything until it is released: it holds the row of its position."""

    def __init__(self, connection: psycopg.Connection, entity: str) -> None:
        self.release = connection.rollback
        connection.execute("SELECT 1 FROM read.positions WHERE projection = %s FOR UPDATE", [f"{entity}s"])

    @contextmanager
    def released_soon(self) -> Iterator[None]:
        """Release it while something waits for it."""
        timer = threading.Timer(SLOW_SECONDS, self.release)
        timer.start()
        yield
        timer.join()


@contextmanager
def projection_held(stack: Stack, entity: str) -> Iterator[Hold]:
    """Hold a projection that has all that was written so far."""
    with psycopg.connect(stack.owner_dsn, autocommit=True) as connection:
        wait_until_caught_up(connection)
    with psycopg.connect(stack.owner_dsn) as connection:
        yield Hold(connection, entity)


@pytest.mark.parametrize("entity", ENTITIES)
def test_a_write_is_read_at_once_alone_and_in_the_list(client: Client, asha: Actor, entity: str) -> None:
    reader = Reader(client, asha, entity)
    for number in range(3):
        address, record = reader.register(f"RYW-{number}")
        assert reader.record(reader.send("GET", address)) == record

        changed = reader.send("PUT", address, json={**record, **CHANGED[entity]})
        item = reader.listed(record["id"])
        assert item is not None
        assert CHANGED[entity].items() <= item.items()
        single = reader.send("GET", address)
        assert (reader.record(single), version_of(single)) == (reader.record(changed), 2)

        assert reader.send("DELETE", address).status_code == 204
        assert reader.listed(record["id"]) is None
        assert reader.send("GET", address).status_code == 404


async def test_many_clients_at_once_each_read_what_they_wrote(stack: Stack, asha: Actor) -> None:
    """Every writer reads back what it wrote, unless the answer says that it may be old."""
    before = head_of(stack)
    async with load_on(stack, asha, writers=12) as load:
        await load.wait_for(commands=300)
    assert_consistent(load.history, assert_whole(stack), before=before)
    assert load.history.stale_reads < load.history.acknowledged / 2


def test_a_reader_waits_for_a_slow_projection(stack: Stack, client: Client, asha: Actor) -> None:
    entity = "trailer"
    reader = Reader(client, asha, entity)
    with Client(stack) as other, projection_held(stack, entity) as hold:
        stranger = Reader(other, asha, entity)
        address, record = reader.register(f"SLOW-{entity}")
        assert stranger.send("GET", address).status_code == 404
        with hold.released_soon():
            assert reader.listed(record["id"]) is not None
        assert reader.record(reader.send("GET", address)) == record
    with Client(stack) as other, projection_held(stack, entity) as hold:
        stranger = Reader(other, asha, entity)
        changed = reader.record(reader.send("PUT", address, json={**record, **CHANGED[entity]}))
        assert stranger.record(stranger.send("GET", address)) == record
        with hold.released_soon():
            assert reader.record(reader.send("GET", address)) == changed
    with Client(stack) as other, projection_held(stack, entity) as hold:
        stranger = Reader(other, asha, entity)
        reader.send("DELETE", address)
        assert stranger.listed(record["id"]) is not None
        with hold.released_soon():
            assert reader.send("GET", address).status_code == 404
        assert reader.listed(record["id"]) is None


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
def test_who_is_refused_for_what_another_wrote_reads_it_at_once(
    stack: Stack, client: Client, asha: Actor, method: str
) -> None:
    reader = Reader(client, asha, "horse")
    with Client(stack) as other, projection_held(stack, "horse") as hold:
        writer = Reader(other, asha, "horse")
        address, record = writer.register(f"REFUSED-{method}")
        changed = writer.record(writer.send("PUT", address, json={**record, **CHANGED["horse"]}))
        body = {"json": {**record, "owner": "Mine"}} if method == "PUT" else {}
        client.http.cookies.clear()
        refused = reader.send(method, address, headers={"If-Match": '"1"'}, **body)
        assert refused.status_code == 412
        with hold.released_soon():
            seen = reader.send("GET", address)
    assert (reader.record(seen), seen.headers["etag"]) == (changed, refused.headers["etag"])
    reader.send("DELETE", address)
