"""Reports of the data held about a record, as JSON or as a page."""

import re
from collections.abc import Callable

import httpx
import psycopg
import pytest
from query_api_testing.served import FollowedFleet, viewed

from ops.base.settings import ServiceSettings
from ops.testing.conditions import wait_until
from ops.testing.postgres import Database
from query_api.__main__ import print_report
from query_api.privacy.page import page_of_actor

EMP_1 = "/api/v1/drivers/EMP-1"
HELD = f"{EMP_1}/privacy/held"


@pytest.fixture
async def driver(fleet: FollowedFleet, database: Database, client: httpx.AsyncClient) -> None:
    """A driver that was changed and viewed."""
    fleet.register("driver", "EMP-1", name="<b>Ravi</b>")
    fleet.change("driver", "EMP-1", city="Mysuru")
    fleet.register("driver", "EMP-2", name="Another driver")
    await client.get(EMP_1)
    await wait_until(lambda: viewed(database) == 1)


async def test_report_has_changes_views_and_places(
    client: httpx.AsyncClient, driver: None, database: Database
) -> None:
    assert (await client.get("/api/v1/drivers/EMP-9/privacy/held")).status_code == 404
    answer = await client.get(HELD)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-disposition"] == 'attachment; filename="held-driver-EMP-1.json"'
    held = answer.json()
    assert held["record"]["city"] == "Mysuru"
    assert [change["type"] for change in held["changes"]] == ["driver.registered", "driver.details_changed"]
    assert [view["kind"] for view in held["seen_by"]] == ["record"]
    assert held["standing"]["state"] == "active"
    assert "Another driver" not in answer.text
    assert {place["place"] for place in held["places"]} >= {"the log", "backups", "the access log"}
    await wait_until(lambda: viewed(database) == 2)  # the report was recorded


async def test_printed_page_is_escaped_and_describes_changes_field_by_field(
    client: httpx.AsyncClient, driver: None
) -> None:
    answer = await client.get(HELD, params={"format": "html"})
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    page = answer.text
    assert "<b>Ravi" not in page
    assert not re.search("<script|<link|<img|https?:|url\\(|@import", page)
    assert "<title>Data held about driver EMP-1</title>" in page
    assert '<th scope="row" data-label="Field">Mobile number 1</th>' in page
    registered, changed = re.findall(r'<td data-label="What">(<div>.*?)</td>', page)
    assert registered.startswith("<div><b>Registered with:</b></div>")
    assert '<div><span class="field">Name:</span> &lt;b&gt;Ravi&lt;/b&gt;</div>' in registered
    assert "→" not in registered
    assert re.fullmatch(
        r'<div><b>Changed</b></div><div><span class="field">City:</span> [^<]+ → Mysuru</div>.*', changed
    )
    assert ">Opened the driver<" in page
    assert ">All personal fields<" in page
    assert not re.search("[a-z]_[a-z0-9]", page), "JSON names"
    assert page.count("All times are in UTC.") == 1
    assert re.search(r'<td data-label="When">\d{1,2} [A-Z][a-z]{2} \d{4}, \d\d:\d\d</td>', page)
    assert not re.search(r"\dT\d\d:|\d\d:\d\d:\d\d", page)


async def test_printed_page_lists_the_members_of_objects(
    fleet: FollowedFleet, client: httpx.AsyncClient
) -> None:
    fleet.register(
        "horse", "HRS-1", metadata={"updated_at": "no\x1f mom\x85ent", "<i\x7f>": {"axle_loads": [7, 12]}}
    )
    page = (await client.get("/api/v1/horses/HRS-1/privacy/held", params={"format": "html"})).text
    members = "<div>Updated at: no moment</div><div>&lt;i&gt;: <div>Axle loads: [7, 12]</div></div>"
    assert page.count(members) == 2, "current record, and registration"


async def test_printed_page_of_an_erased_record_has_no_values(
    fleet: FollowedFleet, client: httpx.AsyncClient, driver: None
) -> None:
    fleet.restrict("driver", "EMP-1")
    fleet.erase("driver", "EMP-1")
    page = (await client.get(HELD, params={"format": "html"})).text
    assert "<h2>Current record</h2>\n<p>Erased.</p>" in page
    assert "<i>Erased:</i> Name, " in page
    assert "<i>(name erased)</i>" in page
    assert "Mysuru" not in page
    assert "→" not in page
    assert "personal data cannot be decrypted" in page
    assert "search terms" not in page


def test_ids_in_the_printed_page_of_a_user_are_escaped() -> None:
    sub = 'dev|"</style><b>\\'
    since = "2026-11-25T04:28:00.694937Z"
    page = page_of_actor(
        {
            "entity": "actor",
            "id": sub,
            "made_at": since,
            "standing": {
                **dict.fromkeys(("basis", "due", "hold_until", "asked_at", "erased_at")),
                "state": "active",
            },
            "names": [{"name": "<b>Asha</b>", "since": since}, {"name": None, "since": since}],
            "views": [{"name": "<b>Mine", "list": "drivers", "query": "q=a&sort=name"}],
            "places": [{"place": "the directory of actors", "what": "all names"}],
        }
    )
    assert "<h1>Data held about member of staff dev|&#34;&lt;/style&gt;&lt;b&gt;\\</h1>" in page
    assert '<td data-label="Since">25 Nov 2026, 04:28</td>' in page
    assert ">\N{EN DASH}</th>" in page
    assert "The directory of staff" in page
    assert "&lt;b&gt;Mine (drivers)" in page
    assert "<b>" not in page
    assert page.count("</style>") == 1
    assert "\\64 \\65 \\76 \\7c \\22 \\3c \\2f " in page, "footer of each sheet"


async def test_report_command_refuses_unknown_subjects(
    fleet: FollowedFleet,
    database: Database,
    settings_with: Callable[..., ServiceSettings],
    capsys: pytest.CaptureFixture[str],
) -> None:
    settings = settings_with(database=database.query)
    assert await print_report(settings, ["driver:EMP-9"]) == 1
    assert "No data was ever held" in capsys.readouterr().err
    assert await print_report(settings, ["nonsense"]) == 1
    with psycopg.connect(database.owner):
        assert capsys.readouterr().out == ""
