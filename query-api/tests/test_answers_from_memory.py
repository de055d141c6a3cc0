"""Answers from memory with a real database: no statement without a change, and no stale answer."""

from collections.abc import AsyncIterator, Callable, Collection

import httpx
import psycopg
import pytest
from projections_testing.poison import spoil
from query_api_testing.served import FollowedFleet, client_of, until

from ops.base.database.connection import connect
from ops.base.database.pools import Pool
from ops.testing.metrics import sample
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer
from projections.catalogue import PROJECTIONS
from projections.engine.retry import retry
from projections.rebuild.rebuild import rebuild

LIST = "/api/v1/drivers"
ONE = f"{LIST}/EMP-1"
HISTORY = f"{ONE}/history"
PATHS = (ONE, LIST, HISTORY)


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """Return a counter of reads from pools."""
    reads = 0
    read = Pool.read

    async def counted(*arguments: object, **more: object) -> object:
        nonlocal reads
        reads += 1
        return await read(*arguments, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Pool, "read", counted)
    return lambda: reads


@pytest.fixture
async def client(origin: str, issuer: TokenIssuer) -> AsyncIterator[httpx.AsyncClient]:
    """A client whose requests name no position unless a test says so."""
    async with client_of(origin, issuer) as client:
        yield client


async def remembered(
    client: httpx.AsyncClient, path: str, statements: Callable[[], int], **headers: str
) -> httpx.Response:
    """Repeat a request until its answer needs no statement."""

    def before() -> tuple[int, float]:
        return statements(), sample("fleetlog_reads_from_memory_total")

    counted = before()

    def is_from_memory(_: httpx.Response) -> bool:
        nonlocal counted
        former, counted = counted, before()
        return counted == (former[0], former[1] + 1)

    return await until(client, path, is_from_memory, **headers)


async def cities(client: httpx.AsyncClient, paths: Collection[str], **headers: str) -> list[str]:
    """Return the driver's city in each path's answer."""
    texts = [(await client.get(path, headers=headers)).text for path in paths]
    return ["Pune" if "Pune" in text else "Bengaluru" for text in texts]


async def test_unchanged_answer_needs_no_statement(
    client: httpx.AsyncClient, fleet: FollowedFleet, statements: Callable[[], int]
) -> None:
    fleet.register("driver", "EMP-1")
    await fleet.catch_up()
    for path in PATHS:
        first = await client.get(path, headers=fleet.written())
        again = await remembered(client, path, statements)
        assert (again.content, again.headers["etag"]) == (first.content, first.headers["etag"])
        known = await remembered(client, path, statements, **{"If-None-Match": first.headers["etag"]})
        assert (known.status_code, known.content) == (304, b"")
        waited = await remembered(client, path, statements, **fleet.written())
        assert waited.content == first.content
        packed = await remembered(client, path, statements, **{"Accept-Encoding": "identity"})
        assert packed.content == first.content


async def test_own_write_is_read_despite_cached_answers(
    client: httpx.AsyncClient, fleet: FollowedFleet, statements: Callable[[], int]
) -> None:
    for number in (1, 2):
        fleet.register("driver", f"EMP-{number}")
    await fleet.catch_up()
    for path in (*PATHS, f"{LIST}/EMP-2"):
        await remembered(client, path, statements)
    for city in ("Pune", "Bengaluru", "Pune"):
        fleet.change("driver", "EMP-1", city=city)
        await fleet.catch_up()
        for path in PATHS:
            assert city in (await client.get(path, headers=fleet.written())).text
    fleet.remove("driver", "EMP-1")
    await fleet.catch_up()
    assert (await client.get(ONE, headers=fleet.written())).status_code == 404
    assert "EMP-1" not in (await client.get(LIST, headers=fleet.written())).text
    await remembered(client, f"{LIST}/EMP-2", statements)


async def test_lost_listener_causes_no_stale_answer(
    client: httpx.AsyncClient, fleet: FollowedFleet, statements: Callable[[], int]
) -> None:
    fleet.register("driver", "EMP-1")
    await fleet.catch_up()
    for path in PATHS:
        await remembered(client, path, statements)
    fleet.connection.execute(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename LIKE %s", ("%query",)
    )
    fleet.change("driver", "EMP-1", city="Pune")
    await fleet.catch_up()
    assert await cities(client, PATHS, **fleet.written()) == ["Pune"] * 3
    for path in PATHS:
        assert "Pune" in (await remembered(client, path, statements)).text


async def test_changes_without_a_notification_are_noticed(
    client: httpx.AsyncClient, fleet: FollowedFleet, database: Database, statements: Callable[[], int]
) -> None:
    fleet.register("driver", "EMP-1")
    await fleet.catch_up()
    for path in (ONE, LIST):
        await remembered(client, path, statements)
    with psycopg.connect(database.owner) as connection:
        connection.execute(
            "UPDATE read.drivers SET record = replace(record::text, 'Bengaluru', 'Pune')::json,"
            " list_item = replace(list_item::text, 'Bengaluru', 'Pune')::json"
        )
        connection.execute("UPDATE read.positions SET generation = generation + 1")
    for path in (ONE, LIST):
        await until(client, path, lambda answer: "Pune" in answer.text)
        assert "Pune" in (await remembered(client, path, statements)).text


async def test_answers_of_a_former_log_are_discarded(
    client: httpx.AsyncClient, fleet: FollowedFleet, statements: Callable[[], int]
) -> None:
    fleet.register("driver", "EMP-1")
    await fleet.catch_up()
    etags = {path: (await remembered(client, path, statements)).headers["etag"] for path in PATHS}
    fleet.connection.execute("UPDATE log.identity SET log_id = %s", ("e" * 32,))
    for path in PATHS:
        answer = await until(client, path, lambda answer: "e" * 12 in answer.text + answer.headers["etag"])
        assert answer.headers["etag"] != etags[path]


async def test_quarantine_retry_and_rebuild_invalidate_cached_answers(
    client: httpx.AsyncClient, fleet: FollowedFleet, database: Database, statements: Callable[[], int]
) -> None:
    def is_stale(answer: httpx.Response) -> bool:
        return "fleetlog-consistency" in answer.headers

    fleet.register("driver", "EMP-1")
    await fleet.catch_up()
    for path in (ONE, LIST):
        assert not is_stale(await remembered(client, path, statements))
    fleet.change("driver", "EMP-1", city="Pune")
    mend = spoil(fleet.connection, 2, "another shape")
    await fleet.catch_up()
    for path in (ONE, LIST):
        assert is_stale(await client.get(path, headers=fleet.written()))
        assert is_stale(await remembered(client, path, statements))
    mend()
    async with await connect(database.projections, autocommit=True) as connection:
        await retry(connection, PROJECTIONS["drivers"], "driver:EMP-1")
    for path in (ONE, LIST):
        await until(client, path, lambda answer: not is_stale(answer))
        healed = await remembered(client, path, statements)
        assert ("Pune" in healed.text, is_stale(healed)) == (True, False)
    await rebuild(database.projections, PROJECTIONS["drivers"])
    await until(client, LIST, lambda answer: answer.headers["etag"] != healed.headers["etag"])
