"""Entity tags of a lost log, or of a repaired row, do not match current answers."""

from collections.abc import Mapping
from datetime import UTC, datetime

import httpx
from query_api_testing.served import FollowedFleet, until

from ops.base.http.record_etags import RecordETag
from ops.launcher.backups.acceptance import accept
from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS
from projections.rebuild.rebuild import rebuild

LIST = "/api/v1/drivers"
ONE = f"{LIST}/EMP-1"


async def answers(client: httpx.AsyncClient, moment: str) -> dict[str, httpx.Response]:
    """Return the answer of every address that shows a driver."""
    addresses = (
        LIST,
        f"{LIST}?q=EMP",
        f"{LIST}?as_of={moment}",
        ONE,
        f"{ONE}?version=2",
        f"{ONE}?as_of={moment}",
        f"{ONE}/history",
        f"{ONE}/diff?from=1&to=2",
        f"{ONE}/blame",
    )
    reported = {address: await client.get(address) for address in addresses}
    assert {answer.status_code for answer in reported.values()} == {200}
    for address, answer in reported.items():
        again = await client.get(address, headers={"If-None-Match": answer.headers["etag"]})
        assert again.status_code == 304
    return reported


async def assert_not_taken_for(client: httpx.AsyncClient, known: Mapping[str, httpx.Response]) -> None:
    """Check that no answer is the former one, once the API has been notified."""
    for address, answer in known.items():
        known_etag = {"If-None-Match": answer.headers["etag"]}
        now = await until(client, address, lambda now: now.status_code != 304, **known_etag)
        assert (address, now.status_code) == (address, 200)
        assert now.content != answer.content


async def test_etags_of_a_lost_log_do_not_match_the_restored_one(
    client: httpx.AsyncClient, fleet: FollowedFleet, database: Database
) -> None:
    fleet.register("driver", "EMP-1")
    fleet.change("driver", "EMP-1", city="Lost")
    moment = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    known = await answers(client, moment)

    fleet.clear()
    accept(database.owner, None, anyway=True)
    fleet.register("driver", "EMP-1")
    fleet.change("driver", "EMP-1", city="Found")
    await assert_not_taken_for(client, known)


async def test_etags_of_a_repaired_row_change(
    client: httpx.AsyncClient, fleet: FollowedFleet, database: Database
) -> None:
    fleet.register("driver", "EMP-1")
    fleet.change("driver", "EMP-1", city="Pune")
    await fleet.catch_up()
    for column in ("drivers SET record", "drivers SET list_item", "revisions SET state"):
        table, _, name = column.split()
        fleet.connection.execute(
            f"UPDATE read.{column} = replace({name}::text, 'Pune', 'Goa')::json".encode()
        )
    moment = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    known = await answers(client, moment)
    del known[f"{ONE}/history"]  # has changes, which were not damaged

    for table in ("drivers", "revisions"):
        await rebuild(database.projections, PROJECTIONS[table])
    await assert_not_taken_for(client, known)


async def test_etags_of_record_and_history_name_version_and_log(
    client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    fleet.register("driver", "EMP-1")
    fleet.change("driver", "EMP-1", city="Pune")
    answer = await client.get(ONE)
    assert answer.headers["etag"] == str(RecordETag.of(2, fleet.log_id, answer.content))
    reported = [change["etag"] for change in (await client.get(f"{ONE}/history")).json()["content"]]
    assert reported == [str(RecordETag.of(version, fleet.log_id)) for version in (1, 2)]


async def test_stopped_log_is_503_until_accepted(
    fleet: FollowedFleet, database: Database, client: httpx.AsyncClient
) -> None:
    before = await client.get("/api/v1/drivers")
    assert before.status_code == 200
    statuses: list[int] = []

    async def until(status: int) -> None:
        while not statuses or statuses[-1] != status:
            statuses.append((await client.get("/api/v1/drivers")).status_code)

    fleet.connection.execute("SELECT log.stop('it was restored')")
    await until(503)
    refused = await client.get("/api/v1/events")
    assert (refused.status_code, refused.headers["content-type"]) == (503, "application/problem+json")
    assert refused.json()["detail"].startswith("The data was restored from a backup")
    readiness = (await client.get("/readyz")).json()
    assert readiness["checks"]["log_stopped"] == {"ok": False, "detail": "it was restored"}
    assert (await client.get("/livez")).status_code == 200

    accept(database.owner, None)
    await until(200)
    assert set(statuses) == {200, 503}
    known = {"If-None-Match": before.headers["etag"]}
    assert (await client.get("/api/v1/drivers", headers=known)).status_code == 200


async def test_tables_ahead_of_the_log_are_not_ready(fleet: FollowedFleet, client: httpx.AsyncClient) -> None:
    assert (await client.get("/readyz")).status_code == 200
    fleet.connection.execute("UPDATE read.positions SET position = 1 WHERE projection = 'horses'")
    answer = await client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"]["tables"]["detail"] == "filled from more than the log holds: horses"
