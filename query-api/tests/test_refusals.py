"""Refused requests, and arbitrary input."""

from typing import Final

import httpx
import pytest

DRIVERS = "/api/v1/drivers"
EMP_1 = f"{DRIVERS}/EMP-1"
AUDIT = "/api/v1/audit"
EVENTS = "/api/v1/events"


@pytest.mark.parametrize(
    "entity_id",
    [
        "EMP-2",
        "add",
        "-EMP",
        "x" * 65,
        "x" * 5000,
        "EMP 1",
        "EMP-1%0A",
        "%00",
        "%ff",
        "%F0%9F%92%A9",
        "..%2F..%2Fdrivers",
        "EMP-1/",
        "EMP-1/history",
        "'; DROP TABLE read.drivers; --",
        "%25s",
    ],
)
async def test_unknown_id_is_not_found(shared_client: httpx.AsyncClient, entity_id: str) -> None:
    answer = await shared_client.get(f"{DRIVERS}/{entity_id}")
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"] == "urn:fleetlog:problem:not-found"
    assert answer.json()["request_id"] == answer.headers["x-request-id"]


@pytest.mark.parametrize("path", ["/", "/api", "/api/v1", "/api/v1/driver", "/api/v1/drivers/", "/docs"])
async def test_unknown_path_is_not_found(shared_client: httpx.AsyncClient, path: str) -> None:
    answer = await shared_client.get(path)
    assert answer.status_code == 404
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "headers",
    [
        {"If-None-Match": "\xff" * 100},
        {"If-None-Match": '"' * 10_000},
        {"Accept-Encoding": ";;;q=,,*;q=x" * 500},
        {"Cookie": 'fleetlog_position="\\377; =; ;;fleetlog_position'},
        {"Cookie": "fleetlog_position=" + "9" * 5000},
        {"Fleetlog-Position": "\xe9:1"},
        {"Fleetlog-Position": "0" * 32 + ":" + "9" * 18},
        {"Fleetlog-Position": "0" * 32 + ":" + "9" * 400},
        {"Fleetlog-Position": ":"},
        {"Range": "bytes=0-1"},
        {"If-Match": '"1"'},
        {"X-Request-Id": "\xff" * 300},
    ],
)
async def test_arbitrary_headers_are_accepted(
    shared_client: httpx.AsyncClient, headers: dict[str, str]
) -> None:
    raw = [(name.encode(), value.encode("latin-1")) for name, value in headers.items()]
    answer = await shared_client.get(DRIVERS + "?as=%ff&%00=;&content[]=x", headers=raw)
    assert answer.status_code == 200
    assert answer.json() == {"content": []}


async def test_bad_parameters_are_refused_by_name_in_both_methods(shared_client: httpx.AsyncClient) -> None:
    for query, names in (
        ("size=0&sort=metadata,asc&q=%00", ["q", "size", "sort"]),
        ("q=" + "secret" * 40, ["q"]),
        ("page=secret&sort=secret,asc", ["page", "sort"]),
    ):
        answer = await shared_client.get(f"{DRIVERS}?{query}")
        assert answer.status_code == 422
        assert answer.headers["content-type"] == "application/problem+json"
        problem = answer.json()
        assert problem["type"] == "urn:fleetlog:problem:validation-failed"
        assert [(error["field"], error["pointer"]) for error in problem["validation_errors"]] == [
            (name, f"#/{name}") for name in names
        ]
        assert "secret" not in answer.text
        assert (await shared_client.head(f"{DRIVERS}?{query}")).status_code == 422


INSTANTS: Final = (
    "as_of=",
    "as_of=yesterday",
    "as_of=2026-11-21",
    "as_of=2026-11-21T10:00:00",
    "as_of=2026-13-21T10:00:00Z",
    "as_of=2026-11-21T10:00:60Z",
    "as_of=0001-01-01T00:00:00%2B23:59",
    "as_of=2026-11-21T10:00:00.Z",
    "as_of=9999-01-01T00:00:00Z",
    "as_of=2026-11-01T10:00:00Z&as_of=2026-11-01T10:00:00Z",
)


ASSIGNMENTS: Final = "/api/v1/assignments?"
FREE: Final = "/api/v1/drivers?free_"
DUE: Final = "/api/v1/due-dates"
CHOICES: Final = "/api/v1/lists/drivers/choices"
EXPORT: Final = "/api/v1/lists/drivers/export?"
DAY: Final = "2026-11-21T00:00:00Z"


@pytest.mark.parametrize(
    ("path", "fields"),
    [
        *((f"{path}?{query}", "as_of") for path in (DRIVERS, EMP_1, f"{EMP_1}/blame") for query in INSTANTS),
        (f"{EMP_1}?version=0", "version"),
        (f"{EMP_1}?version=1&as_of=2026-11-01T10:00:00Z", "as_of"),
        (f"{DRIVERS}?as_of=2026-11-01T10:00:00Z&page=0", "page"),
        (f"{EMP_1}/history?limit=0", "limit"),
        (f"{EMP_1}/history?limit=1001", "limit"),
        (f"{EMP_1}/history?order=up", "order"),
        (f"{EMP_1}/history?cursor=x", "cursor"),
        (f"{EMP_1}/history?field=%00", "field"),
        (f"{EMP_1}/diff", "from to"),
        (f"{EMP_1}/diff?from=1", "to"),
        (f"{EMP_1}/diff?from=-1&to=1", "from"),
        (f"{AUDIT}?entity=drivers", "entity"),
        (f"{AUDIT}?id=%00", "id"),
        (f"{AUDIT}?q=%0a", "q"),
        (f"{AUDIT}?q=" + "x" * 201, "q"),
        (f"{AUDIT}?from=yesterday", "from"),
        (f"{AUDIT}?to=2026-11-21", "to"),
        (f"{AUDIT}?limit=0", "limit"),
        (f"{AUDIT}?cursor=-1", "cursor"),
        (f"{AUDIT}?order=up", "order"),
        (f"{AUDIT}?format=xml", "format"),
        (f"{AUDIT}?format=csv&limit=1", "limit"),
        (f"{AUDIT}?format=csv&cursor=1", "cursor"),
        (f"{AUDIT}?format=csv&reveal=yes", "reveal"),
        (f"{AUDIT}?reveal=true", "reveal"),
        (f"{AUDIT}?actor=a&actor=b", "actor"),
        (f"{ASSIGNMENTS}at=yesterday", "at"),
        (f"{ASSIGNMENTS}until={DAY}", "until"),
        (f"{ASSIGNMENTS}at={DAY}&until={DAY}", "until"),
        (f"{ASSIGNMENTS}known_at=2999-11-21T00:00:00Z", "known_at"),
        (f"{ASSIGNMENTS}driver=E1&sort=id,asc", "driver"),
        (ASSIGNMENTS + "&".join(f"driver=E{number}" for number in range(101)), "driver"),
        (f"{ASSIGNMENTS}driver=E1&as_of={DAY}", "driver"),
        (f"{ASSIGNMENTS}names=yes", "names"),
        (f"{FREE}from={DAY}", "free_from"),
        (f"{FREE}until={DAY}", "free_until"),
        (f"{FREE}from={DAY}&free_until={DAY}", "free_until"),
        (f"{FREE}from={DAY}&free_until=2026-11-22T00:00:00Z&as_of={DAY}", "free_from free_until"),
        (DUE, "until"),
        (f"{DUE}?until=20260201", "until"),
        (f"{DUE}?until=2026-02-01&document=visa", "document"),
        (f"{DUE}?until=2026-02-01&size=501", "size"),
        (f"{DUE}?until=2026-02-30&from=y&page=-1", "from until page"),
        (CHOICES, "field"),
        (f"{CHOICES}?field=name", "field"),
        (f"{CHOICES}?field=passport_expiry_date", "field"),
        (f"{CHOICES}?field=city&field=city", "field"),
        (EXPORT, "columns"),
        (f"{EXPORT}columns=", "columns"),
        (f"{EXPORT}columns=name,nothing", "columns"),
        (f"{EXPORT}columns=name.first", "columns"),
        (f"{EXPORT}columns=name&headers=A&headers=B", "headers"),
        (f"{EXPORT}columns=name&headers=%00", "headers"),
        (f"{EXPORT}columns=name&page=1&sort=x", "sort"),
        (f"{EVENTS}?after=-1", "after"),
        (f"{EVENTS}?after=tomorrow", "after"),
        (f"{EVENTS}?after=" + "0" * 32 + ":", "after"),
        (f"{EVENTS}?after=0&after=1", "after"),
        (f"{EVENTS}?entity=drivers", "entity"),
        (f"{EVENTS}?entity=driver,", "entity"),
        (f"{EVENTS}?entity=driver&entity=", "entity"),
        (f"{EVENTS}?entity=%ff", "entity"),
        (f"{EVENTS}?type=Registered", "type"),
        (f"{EVENTS}?type=plane.registered", "type"),
        (f"{EVENTS}?type=fleetlog.driver.registered", "type"),
        (f"{EVENTS}?type=fleetlog.driver.registered.v0", "type"),
        (f"{EVENTS}?type=" + ",".join(f"a{'b' * number}" for number in range(51)), "type"),
        (f"{EVENTS}?format=csv", "format"),
        (f"{EVENTS}?limit=0", "limit"),
        (f"{EVENTS}?limit=1001", "limit"),
        (f"{EVENTS}?wait=31", "wait"),
        (f"{EVENTS}?wait=0.5", "wait"),
        (f"{EVENTS}?format=sse&limit=1", "limit"),
        (f"{EVENTS}?format=ndjson&wait=1", "wait"),
        (f"{EVENTS}?format=ndjson&follow=yes", "follow"),
        (f"{EVENTS}?format=sse&follow=false", "follow"),
        (f"{EVENTS}?format=batch&follow=true", "follow"),
    ],
)
async def test_bad_parameters_are_refused(shared_client: httpx.AsyncClient, path: str, fields: str) -> None:
    assert (await shared_client.head(path)).status_code == 422
    answer = await shared_client.get(path)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert [error["field"] for error in answer.json()["validation_errors"]] == fields.split()
