"""What a command on a record is told whose history the log holds, but nobody can read."""

from typing import LiteralString

import httpx
import psycopg
import pytest
from command_api_testing.fleet import new_body, path_of
from psycopg import sql

from ops.testing.postgres import Database

pytestmark = pytest.mark.integration


POISONS: dict[str, LiteralString] = {
    "another shape": 'state = \'{"name": "Ravi Kumar"}\'',
    "unknown topic": "topic = 'horse.exploded'",
    "impossible order": "topic = 'horse.removed',"
    " state = convert_to((convert_from(state, 'UTF8')::jsonb - 'details')::text, 'UTF8')",
}


@pytest.mark.parametrize("poison", POISONS)
async def test_a_command_on_an_unreadable_history_is_refused_with_a_clear_problem(
    client: httpx.AsyncClient, module_database: Database, poison: str
) -> None:
    posted = await client.post(path_of("horse"), json=new_body("horse"))
    address = posted.headers["location"]
    stream = f"horse:{address.rpartition('/')[2]}"
    with psycopg.connect(module_database.owner) as connection:
        spoil = sql.SQL("UPDATE log.events SET {} WHERE originator_id = %s")
        connection.execute(spoil.format(sql.SQL(POISONS[poison])), (stream,))
        (before,) = connection.execute("SELECT count(*) FROM log.events").fetchone() or (0,)
    changed = await client.put(address, json={**new_body("horse"), "hired": "Yes"})
    removed = await client.delete(address)
    for answer in (changed, removed):
        assert answer.status_code == 500
        assert answer.headers["content-type"] == "application/problem+json"
        assert answer.json()["type"] == "urn:fleetlog:problem:history-unreadable"
        assert "Ravi" not in answer.text
    with psycopg.connect(module_database.owner) as connection:
        assert connection.execute("SELECT count(*) FROM log.events").fetchone() == (before,)
    assert (await client.post(path_of("horse"), json=new_body("horse"))).status_code == 201
