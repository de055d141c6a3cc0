"""Rebuilds and repairs of read tables in the running product, during load."""

import asyncio
import time
from itertools import product
from typing import Final

import psycopg
import pytest
from psycopg.rows import class_row

from ops.testing.product.bodies import usual_body
from ops.testing.product.client import sign_in
from ops.testing.product.decryption import Decrypter
from ops.testing.product.exchanges import PATHS, Actor
from ops.testing.product.load import load_on, readers_on
from ops.testing.product.log_fold import Event
from ops.testing.product.read_tables import PROJECTIONS, assert_read_tables_match_log, head_of
from ops.testing.product.writer import Writer
from ops.testing.stack import Stack, running_stack

pytestmark = pytest.mark.integration

SOAK_EVENTS = 1_000_000
EVENTS_PER_STREAM = 100
SWAP_SECONDS = 1.5
"""A rebuild swaps its tables within this time before the end of its process."""
CHANGED_FIELDS = {"driver": "name", "trailer": "owner_name", "horse": "description", "location": "name"}


async def rebuild(stack: Stack, projection: str) -> str:
    printed = await asyncio.to_thread(stack.succeed, "projections", "rebuild", projection)
    assert "DIFFERED" not in printed
    return printed


async def test_rebuilds_under_load_fail_no_request_and_lose_no_row(stack: Stack, asha: Actor) -> None:
    async with load_on(stack, asha, writers=4) as load:
        await load.wait_for(commands=20)
        paths = [PATHS["location"], PATHS["driver"]]
        async with readers_on(stack, asha, paths, readers=2) as readings:
            for projection in ("locations", "revisions"):
                await rebuild(stack, projection)
        await load.wait_for(commands=20)
    assert load.history.stale_reads < load.history.acknowledged / 2
    assert load.history.unknown == 0
    assert readings.answers
    assert (readings.failed, readings.stale) == ({}, 0)
    assert_read_tables_match_log(stack)


async def write_long_streams(stack: Stack, actor: Actor) -> list[str]:
    """Register one entity of each type, change each often, and return their streams."""
    streams = []
    async with Writer(stack, actor, name="long") as writer:
        for entity, field in CHANGED_FIELDS.items():
            address = await writer.register(entity)
            streams.append(f"{entity}:{address.rpartition('/')[2]}")
            for number in range(EVENTS_PER_STREAM - 1):
                body = usual_body(entity, **{field: f"Change {number}"}).sent
                await writer.send("PUT", address, entity, expected=200, json=body)
    return streams


_TEMPLATES: Final = """
SELECT notification_id AS position, originator_id AS stream, originator_version AS version,
       topic, state, moment
FROM log.events WHERE originator_id = ANY(%s) ORDER BY notification_id
"""
_COPY: Final = """
COPY log.events (notification_id, originator_id, originator_version, topic, state, moment) FROM STDIN
"""
_HEAD: Final = "SELECT position, moment FROM log.head"


def copy_streams(stack: Stack, streams: list[str], *, copies: int) -> None:
    """Append copies of streams of different entity types to the log, while no client writes.

    The copies of a driver's stream are named `driver:COPY-1` and so on.
    """
    decrypter = Decrypter(stack.keys)
    with psycopg.connect(stack.owner_dsn) as connection, connection.cursor() as cursor:
        ((position, moment),) = connection.execute(_HEAD).fetchall()
        with connection.cursor(row_factory=class_row(Event)) as reading:
            templates = [
                (event, event.decrypted(decrypter)) for event in reading.execute(_TEMPLATES, [streams])
            ]
        with cursor.copy(_COPY) as copying:
            for number, (event, decrypted) in product(range(1, copies + 1), templates):
                position += 1
                stream = f"{event.stream.partition(':')[0]}:COPY-{number}"
                state = decrypter.encrypted_like(event.state, decrypted.state, stream, event.version)
                copying.write_row((position, stream, event.version, event.topic, state, moment))
    with psycopg.connect(stack.owner_dsn, autocommit=True) as connection:
        connection.execute("VACUUM (ANALYZE) log.events")


@pytest.mark.soak
@pytest.mark.timeout(7200)
async def test_rebuild_of_a_long_log_while_clients_read_and_write() -> None:
    with running_stack() as stack:
        asha = sign_in(stack, "staff")
        streams = await write_long_streams(stack, asha)
        copy_streams(stack, streams, copies=SOAK_EVENTS // (EVENTS_PER_STREAM * len(streams)))
        print(f"\n{head_of(stack)} events; first with outdated tables, then under load")
        for projection in PROJECTIONS:
            print(await rebuild(stack, projection))
        paths = [PATHS["location"], PATHS["driver"], f"{PATHS['horse']}/COPY-1", f"{PATHS['trailer']}/COPY-2"]
        async with (
            load_on(stack, asha, writers=4) as load,
            readers_on(stack, asha, paths, readers=4) as readings,
        ):
            await load.wait_for(commands=200)
            print(f"slowest read before: {1000 * readings.slowest_since():.0f} ms")
            for projection in PROJECTIONS:
                began, written = time.monotonic(), load.history.acknowledged
                print(await rebuild(stack, projection))
                ended = time.monotonic()
                print(
                    f"{projection}: {load.history.acknowledged - written} commands meanwhile; slowest read"
                    f" {1000 * readings.slowest_since(began):.0f} ms,"
                    f" around the swap {1000 * readings.slowest_since(ended - SWAP_SECONDS):.0f} ms"
                )
        assert load.history.unknown == 0
        assert (readings.failed, readings.stale) == ({}, 0)
        print(f"{load.history.stale_reads} reads said that they may be stale")
        verified = stack.succeed("projections", "verify")
        print(f"{len(readings.answers)} reads, none failed; {verified}")
