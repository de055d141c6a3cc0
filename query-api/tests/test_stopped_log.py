"""A log that an operator must decide about: nothing is read from it, and nothing old is taken for new."""

import httpx
import pytest
from projections_testing.fleet import Fleet

from ops.launcher.backups.accepting import accept
from ops.testing.postgres import Database

pytestmark = pytest.mark.integration


async def test_a_stopped_log_is_not_served_until_it_is_accepted_and_then_under_new_etags(
    fleet: Fleet, database: Database, client: httpx.AsyncClient
) -> None:
    fleet.connection.execute("INSERT INTO read.positions VALUES ('drivers', 0, 0, 1)")
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


async def test_tables_that_hold_more_than_the_log_are_not_ready(
    fleet: Fleet, client: httpx.AsyncClient
) -> None:
    assert (await client.get("/readyz")).status_code == 200
    fleet.connection.execute("INSERT INTO read.positions VALUES ('horses', 1, 1, 1)")
    answer = await client.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"]["tables"]["detail"] == "filled from more than the log holds: horses"
