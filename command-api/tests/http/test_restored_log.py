"""A change that was based on what a lost log held must not be made to what the restored one holds."""

import httpx
import psycopg
import pytest
from command_api_testing.fleet import new_body, path_of, version_of

from ops.base.consistency import POSITION_HEADER
from ops.launcher.backups.accepting import accept
from ops.testing.postgres import Database

pytestmark = pytest.mark.integration


async def test_a_version_of_the_lost_log_is_not_one_of_the_restored_log(
    client_on_postgres: httpx.AsyncClient, module_database: Database
) -> None:
    client = client_on_postgres
    body = new_body("driver")
    made = await client.post(path_of("driver"), json=body)
    address = made.headers["location"]
    lost = (await client.put(address, json={**body, "city": "Lost"})).headers["etag"]
    log = made.headers[POSITION_HEADER].partition(":")[0]

    with psycopg.connect(module_database.owner) as connection:  # as after a restore to just before the change
        connection.execute("DELETE FROM log.events WHERE notification_id > 1")
    accept(module_database.owner, None, anyway=True)
    while (again := await client.put(address, json=body)).headers[POSITION_HEADER].startswith(log):
        pass
    assert (again.status_code, version_of(again)) == (200, 1)
    assert again.headers["etag"] != made.headers["etag"]
    found = await client.put(address, json={**body, "city": "Found"})
    assert version_of(found) == 2

    for tags in (lost, f'"77", {lost}', made.headers["etag"]):
        for method in ("PUT", "DELETE"):
            sent = {**body, "name": "X"} if method == "PUT" else None
            refused = await client.request(method, address, headers={"If-Match": tags}, json=sent)
            assert refused.status_code == 412
            assert refused.headers["etag"] == found.headers["etag"]
    problem = (await client.put(address, json=body, headers={"If-Match": lost})).json()
    assert problem["detail"].startswith("The data has been restored from a backup")
    assert (problem["current_version"], problem["changed_since"]) == (2, [])

    for tag in (found.headers["etag"], '"3"', f'{lost}, "4"', "*"):  # what is known of this log still holds
        changed = await client.put(address, json={**body, "city": tag}, headers={"If-Match": tag})
        assert changed.status_code == 200
