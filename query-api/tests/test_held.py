"""All that is held about a record, for whoever asks: JSON, or a page that carries nothing but text."""

from collections.abc import Callable

import httpx
import psycopg
import pytest
from projections_testing.fleet import Fleet
from projections_testing.following import catch_up
from query_api_testing.views import viewed

from ops.base.connection import connect
from ops.base.permissions import OF_STAFF
from ops.base.settings import ServiceSettings
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer
from ops.testing.waiting import wait_until
from query_api.privacy.telling import tell_held

pytestmark = pytest.mark.integration

EMP_1 = "/api/v1/drivers/EMP-1"
HELD = f"{EMP_1}/privacy/held"


@pytest.fixture
async def driver(fleet: Fleet, database: Database, client: httpx.AsyncClient) -> None:
    """Who was changed, and was looked at."""
    fleet.register("driver", "EMP-1", name="<b>Ravi</b>")
    fleet.change("driver", "EMP-1", city="Mysuru")
    fleet.register("driver", "EMP-2", name="Somebody else")
    async with await connect(database.projections, autocommit=True) as connection:
        await catch_up(connection)
    await client.get(EMP_1)
    await wait_until(lambda: viewed(database) == 1)


async def test_it_tells_every_change_who_has_seen_it_and_where_it_is(
    client: httpx.AsyncClient, driver: None, database: Database
) -> None:
    answer = await client.get(HELD)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-disposition"] == 'attachment; filename="held-driver-EMP-1.json"'
    held = answer.json()
    assert held["record"]["city"] == "Mysuru"
    assert [change["type"] for change in held["changes"]] == ["driver.registered", "driver.details_changed"]
    assert [view["kind"] for view in held["seen_by"]] == ["record"]
    assert held["standing"]["state"] == "active"
    assert "Somebody else" not in answer.text
    assert {place["place"] for place in held["places"]} >= {"the log", "backups", "the access log"}
    await wait_until(lambda: viewed(database) == 2)  # that somebody was given all of it


async def test_a_page_to_print_is_text_and_nothing_that_was_put_into_a_record_runs_in_it(
    client: httpx.AsyncClient, driver: None
) -> None:
    answer = await client.get(HELD, params={"format": "html"})
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert "&lt;b&gt;Ravi&lt;/b&gt;" in answer.text
    assert "<b>" not in answer.text
    assert "city: " in answer.text


async def test_who_may_not_restrict_is_not_told(
    client: httpx.AsyncClient, driver: None, issuer: TokenIssuer
) -> None:
    headers = {"Authorization": f"Bearer {issuer.token(permissions=list(OF_STAFF))}"}
    assert (await client.get(HELD, headers=headers)).status_code == 403
    assert (await client.get("/api/v1/drivers/EMP-9/privacy/held")).status_code == 404


def test_an_operator_prints_the_same(
    fleet: Fleet,
    database: Database,
    settings_with: Callable[..., ServiceSettings],
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings = settings_with(database=database.query)
    assert tell_held(settings, ["driver:EMP-9"]) == 1
    assert "Nothing was ever held" in capsys.readouterr().err
    assert tell_held(settings, ["nonsense"]) == 1
    with psycopg.connect(database.owner):
        assert capsys.readouterr().out == ""
