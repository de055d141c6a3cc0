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


async def test_user_without_personal_read_cannot_confirm(
    client: httpx.AsyncClient, app: FastAPI, origin: str, issuer: TokenIssuer, database: Database
) -> None:
    subscription, key = await subscribe(client, app)
    link = str(SignedLink.sign(key, subscription, confirm_purpose(OFFICE), TODAY))
    others = sorted(set(Permission) - {Permission.PERSONAL_READ})
    async with client_of(origin, issuer, permissions=others) as other:
        answer = await other.post(f"/api/v1/subscriptions/{subscription}/confirmations", json={"link": link})
    assert (answer.status_code, answer.json()["missing_permissions"]) == (403, ["personal:read"])
    assert confirmed(database, subscription) == []
