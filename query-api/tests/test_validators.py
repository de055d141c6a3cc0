"""What a cache has of a lost log, or of a row that was mended, is not taken for what there is now."""

from collections.abc import Mapping
from datetime import UTC, datetime

import httpx
import pytest
from projections_testing.fleet import Fleet
from projections_testing.following import catch_up

from ops.base.database import connect
from ops.base.record_etags import RecordETag
from ops.launcher.backups.accepting import accept
from ops.testing.postgres import Database
from projections.catalogue import PROJECTIONS
from projections.rebuild.rebuilding import rebuild

pytestmark = pytest.mark.integration

LIST = "/api/v1/drivers"
ONE = f"{LIST}/EMP-1"


async def answers(client: httpx.AsyncClient, moment: str) -> dict[str, httpx.Response]:
    """What every address answers that tells of one driver."""
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
    for address, answer in known.items():
        now = await client.get(address, headers={"If-None-Match": answer.headers["etag"]})
        assert (address, now.status_code) == (address, 200)
        assert now.content != answer.content


async def test_nothing_of_a_lost_log_is_taken_for_what_the_restored_one_holds(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    fleet.register("driver", "EMP-1")
    fleet.change("driver", "EMP-1", city="Lost")
    async with await connect(database.projections, autocommit=True) as connection:
        await catch_up(connection)
    moment = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    known = await answers(client, moment)

    fleet.clear()
    accept(database.owner, None, anyway=True)
    fleet.register("driver", "EMP-1")
    fleet.change("driver", "EMP-1", city="Found")
    async with await connect(database.projections, autocommit=True) as connection:
        await catch_up(connection)
    await assert_not_taken_for(client, known)


async def test_nothing_of_a_row_that_was_mended_is_taken_for_what_it_is_now(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    fleet.register("driver", "EMP-1")
    fleet.change("driver", "EMP-1", city="Pune")
    async with await connect(database.projections, autocommit=True) as connection:
        await catch_up(connection)
    for column in ("drivers SET record", "drivers SET list_item", "revisions SET state"):
        table, _, name = column.split()
        fleet.connection.execute(
            f"UPDATE read.{column} = replace({name}::text, 'Pune', 'Goa')::json".encode()
        )
    moment = datetime.now(UTC).isoformat().replace("+00:00", "Z")
    known = await answers(client, moment)
    del known[f"{ONE}/history"]  # tells changes, which were not hurt

    for table in ("drivers", "revisions"):
        await rebuild(database.projections, PROJECTIONS[table])
    await assert_not_taken_for(client, known)


async def test_a_record_s_tag_names_version_and_log_and_a_history_s_changes_do_too(
    client: httpx.AsyncClient, fleet: Fleet, database: Database
) -> None:
    fleet.register("driver", "EMP-1")
    fleet.change("driver", "EMP-1", city="Pune")
    async with await connect(database.projections, autocommit=True) as connection:
        await catch_up(connection)
    row = fleet.connection.execute("SELECT log_id FROM log.identity").fetchone()
    assert row
    answer = await client.get(ONE)
    assert answer.headers["etag"] == str(RecordETag.of(2, row[0], answer.content))
    reported = [change["etag"] for change in (await client.get(f"{ONE}/history")).json()["content"]]
    assert reported == [str(RecordETag.of(version, row[0])) for version in (1, 2)]
