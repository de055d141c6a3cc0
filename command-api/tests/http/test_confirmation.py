"""Confirmations of recipients: by the link mailed to them, and by users who may see personal data."""

from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final

import httpx
import psycopg
import pytest
from command_api_testing.fleet import client_of
from fastapi import FastAPI

from command_api.app import build_app
from command_api.domain.catalogue import DEFINITIONS
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.keys import Key
from ops.base.permissions import Permission
from ops.base.records.own_digests import PATH, own_digest_id
from ops.base.records.signed_links import LASTING, SignedLink, confirm_purpose, recipient_mark
from ops.base.settings import ServiceSettings
from ops.testing.http_servers import serve, until_ready
from ops.testing.key_stores import OwnKeyStore
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer

pytestmark = pytest.mark.integration

OFFICE: Final = "office@example.com"
MAIL: Final[dict[str, Any]] = {
    "name": "Office",
    "content": "due_dates",
    "channel": "email",
    "recipients": ["depot@example.com", OFFICE],
    "schedule": "daily",
}
TODAY: Final = datetime.now(UTC).date()


@pytest.fixture
def app(
    database: Database,
    settings_with: Callable[..., ServiceSettings],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> FastAPI:
    OwnKeyStore.in_folder(tmp_path)
    monkeypatch.setenv("FLEETLOG_KEYS", str(tmp_path))
    return build_app(settings_with(database=database.command))


@pytest.fixture
async def origin(app: FastAPI) -> AsyncIterator[str]:
    async with serve(app) as origin:
        yield origin


@pytest.fixture
async def client(origin: str, issuer: TokenIssuer) -> AsyncIterator[httpx.AsyncClient]:
    async with client_of(origin, issuer) as client:
        await until_ready(client)
        yield client


async def subscribe(client: httpx.AsyncClient, app: FastAPI) -> tuple[str, Key]:
    """Register a subscription; return its id and its data key."""
    subscription = (await client.post("/api/v1/subscriptions", json=MAIL)).json()["id"]
    history = await app.state.handler.streams.load(DEFINITIONS["subscription"], subscription)
    key = KEYS.get(history.key_id)
    assert key is not None
    return subscription, key


def confirmed(database: Database, subscription: str) -> list[tuple[Any, ...]]:
    with psycopg.connect(database.owner) as connection:
        return connection.execute(
            "SELECT recipient, confirmed_by FROM notify.confirmations WHERE subscription_id = %s",
            (subscription,),
        ).fetchall()


async def test_link_confirms_the_address_that_it_was_mailed_to(
    client: httpx.AsyncClient, app: FastAPI, database: Database
) -> None:
    subscription, key = await subscribe(client, app)
    path = f"/api/v1/subscriptions/{subscription}/confirmations"
    link = SignedLink.sign(key, subscription, confirm_purpose(OFFICE), TODAY)
    for _ in range(2):
        assert (await client.post(path, json={"link": str(link)})).status_code == 204
    assert confirmed(database, subscription) == [(recipient_mark(key, OFFICE), "dev|asha")]

    late = SignedLink.sign(key, subscription, confirm_purpose(OFFICE), TODAY - LASTING - timedelta(days=1))
    assert (await client.post(path, json={"link": str(late)})).status_code == 410
    other = SignedLink.sign(key, subscription, confirm_purpose("other@example.com"), TODAY)
    for forged in (other, link._replace(last_day="2999-01-01"), "", None, ["x"], f"{link}x"):
        refused = await client.post(path, json={"link": forged if forged is None else str(forged)})
        assert refused.json()["type"] == "urn:fleetlog:problem:link-invalid"
    removed = await client.put(path.rpartition("/")[0], json={**MAIL, "recipients": ["depot@example.com"]})
    assert removed.status_code == 200
    assert (await client.post(path, json={"link": str(link)})).status_code == 404


DIGEST: Final = {"hour": 6, "time_zone": "Asia/Kolkata", "status": "active"}
ADDRESS: Final = {"email": OFFICE, "email_verified": True}
FLEET: Final = [Permission.FLEET_READ]


async def test_own_digest_needs_no_more_than_a_verified_address(
    client: httpx.AsyncClient, origin: str, issuer: TokenIssuer, database: Database
) -> None:
    subscription = own_digest_id("dev|mei")
    record = f"/api/v1/subscriptions/{subscription}"
    async with client_of(origin, issuer, sub="dev|mei", permissions=FLEET, **ADDRESS) as mei:
        for body in (DIGEST, DIGEST, {**DIGEST, "hour": 9, "status": "paused"}):
            assert (await mei.put(PATH, json=body)).status_code == 204
        shown = (await client.put(record, json={**MAIL, "name": "Mei"})).json()
        assert shown["name"] == "Mei"
        assert (await mei.put(PATH, json=DIGEST)).status_code == 204
        restored = (await client.post(f"{record}/restore", json={"version": 4})).json()
        assert restored.items() >= {**DIGEST, "recipients": [OFFICE], "content": "due_dates"}.items()
        for _ in range(2):
            assert (await mei.delete(PATH)).status_code == 204
        assert (await mei.put(record, json=MAIL)).status_code == 403
        for name, value in (("hour", 24), ("time_zone", "Mars"), ("status", "x"), ("recipients", [OFFICE])):
            refused = await mei.put(PATH, json={**DIGEST, name: value})
            assert [one["field"] for one in refused.json()["validation_errors"]] == [name]
    assert confirmed(database, subscription) == []  # without personal:read
    async with client_of(origin, issuer, sub="dev|mei", **ADDRESS) as mei:
        saved = await mei.put(PATH, json=DIGEST)
        # It is confirmed before it is active, so that the first mail has names.
        assert (saved.status_code, saved.headers["fleetlog-version"]) == (204, "7")
    assert [user for _, user in confirmed(database, subscription)] == ["dev|mei"]


@pytest.mark.parametrize("claims", [{}, {"email_verified": "true"}, {"email": ["x"], "email_verified": True}])
async def test_own_digest_is_refused_without_a_verified_address(
    client: httpx.AsyncClient,  # ready
    origin: str,
    issuer: TokenIssuer,
    claims: dict[str, Any],
) -> None:
    async with client_of(origin, issuer, **{"email": OFFICE, **claims}) as other:
        answer = await other.put(PATH, json=DIGEST)
    assert (answer.status_code, answer.json()["type"]) == (409, "urn:fleetlog:problem:no-address")
