"""The progress, the deliveries and the secret of a subscription."""

from datetime import UTC, datetime, timedelta
from typing import Any, Final

import httpx
import pytest
from query_api_testing.served import FollowedFleet

from ops.base.encryption.key_cache import KEYS
from ops.base.records.webhook_secrets import webhook_secret

pytestmark = pytest.mark.integration

SUBSCRIPTION: Final = "/api/v1/subscriptions/SUB-1"
DELIVERIES: Final = f"{SUBSCRIPTION}/deliveries"
SECRET: Final = f"{SUBSCRIPTION}/secret"
NOW: Final = datetime(2026, 11, 21, 4, 0, tzinfo=UTC)


@pytest.fixture
async def fleet(encrypted_fleet: FollowedFleet) -> FollowedFleet:
    """A fleet with a webhook."""
    encrypted_fleet.register("subscription", "SUB-1")
    return encrypted_fleet


def progress(fleet: FollowedFleet, **columns: Any) -> None:
    """Store the progress of a subscription, as the notifier does."""
    names = ", ".join(columns)
    fleet.connection.execute("DELETE FROM notify.cursors")
    fleet.connection.execute(
        f"INSERT INTO notify.cursors (subscription_id, position, {names})"  # noqa: S608 - constants
        f" VALUES ('SUB-1', 0{', %s' * len(columns)})".encode(),
        list(columns.values()),
    )


async def test_the_state_follows_the_progress(client: httpx.AsyncClient, fleet: FollowedFleet) -> None:
    async def state() -> dict[str, Any]:
        answer = await client.get(DELIVERIES)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()["state"]
        return found

    new = {"state": "active", "position": None, "head": 1}
    assert await state() == {**new, **dict.fromkeys(("failing_since", "next_attempt_at", "reason"))}
    progress(
        fleet, attempts=3, failing_since=NOW, next_attempt_at=NOW + timedelta(hours=1), reason="status 503"
    )
    assert await state() == {
        "state": "waiting",
        "position": 0,
        "head": 1,
        "failing_since": "2026-11-21T04:00:00.000Z",
        "next_attempt_at": "2026-11-21T05:00:00.000Z",
        "reason": "status 503",
    }
    progress(fleet, failing_since=NOW, given_up_at=NOW, reason="status 410")
    assert (await state())["state"] == "given_up"
    alerts = {one["name"]: one["summary"] for one in (await client.get("/api/v1/system")).json()["alerts"]}
    assert "SUB-1" in alerts["FleetlogNotificationsFail"]
    progress(fleet, is_configured=False)
    assert (await state())["state"] == "not_configured"
    fleet.change("subscription", "SUB-1", status="paused")
    assert (await state())["state"] == "paused"


async def test_deliveries_are_listed_by_page_newest_first(
    client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    fleet.connection.execute(
        "INSERT INTO notify.deliveries"
        " (subscription_id, moment, kind, event_id, attempt, ok, status, response)"
        " SELECT name, %s, 'event', 'log:' || number, 1, true, 204, 'thanks'"
        " FROM generate_series(1, 60) AS number, unnest('{SUB-1,SUB-2}'::text[]) AS name",
        (NOW,),
    )
    first = (await client.get(DELIVERIES)).json()
    second = (await client.get(DELIVERIES, params={"before": first["next"]})).json()
    found = first["content"] + second["content"]
    assert [one["event_id"] for one in found] == [f"log:{number}" for number in range(60, 0, -1)]
    assert (len(first["content"]), second["next"]) == (50, None)
    unknown = dict.fromkeys(("event_type", "subject", "milliseconds", "error", "request"))
    assert found[0] == {
        **unknown,
        "number": found[0]["number"],
        "moment": "2026-11-21T04:00:00.000Z",
        "kind": "event",
        "event_id": "log:60",
        "attempt": 1,
        "ok": True,
        "status": 204,
        "response": "thanks",
    }


async def test_the_secret_is_derived_and_the_former_one_signs_for_a_day(
    client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    answer = await client.get(SECRET)
    await KEYS.load([fleet.key_ids["subscription:SUB-1"]])
    key = KEYS.get(fleet.key_ids["subscription:SUB-1"])
    assert key
    assert answer.json() == {"secret": webhook_secret(key, "SUB-1", 1), "previous_until": None}
    assert answer.headers["cache-control"] == "no-store"
    fleet.change("subscription", "SUB-1", secret_generation=2)
    answer = await client.get(DELIVERIES)  # the read tables catch up
    fleet.connection.execute(
        "UPDATE read.revisions SET moment = now() - interval '23 hours' WHERE position = 2"
    )
    rotated = (await client.get(SECRET)).json()
    assert rotated["secret"] == webhook_secret(key, "SUB-1", 2)
    left = datetime.fromisoformat(rotated["previous_until"]) - datetime.now(UTC)
    assert timedelta(minutes=50) < left < timedelta(hours=1)
    fleet.connection.execute(
        "UPDATE read.revisions SET moment = now() - interval '25 hours' WHERE position = 2"
    )
    assert (await client.get(SECRET)).json()["previous_until"] is None


async def test_nothing_is_shown_of_other_subscriptions(
    client: httpx.AsyncClient, fleet: FollowedFleet
) -> None:
    for path in (DELIVERIES, SECRET):
        for name in ("SUB-2", "%00"):
            assert (await client.get(path.replace("SUB-1", name))).status_code == 404
    mail = {"channel": "email", "url": None, "recipients": ["office@example.com"]}
    fleet.register("subscription", "SUB-3", **mail)
    assert (await client.get(SECRET.replace("SUB-1", "SUB-3"))).status_code == 404
    fleet.restrict("subscription", "SUB-1")
    assert (await client.get(DELIVERIES)).status_code == 404
