"""Commands while appends hang or fail, or the key store is unavailable."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import pytest
from command_api_testing.fleet import client_of, new_body, path_of, register
from command_api_testing.log_in_memory import LogInMemory

from command_api import app as command_api
from command_api.event_store.records import AppendedEvents, AppendRequest, RecordedDecision
from command_api.http import batch as batches
from ops.base.permissions import Permission
from ops.base.settings import ServiceSettings
from ops.testing.http_servers import serve
from ops.testing.key_stores import OwnKeyStore
from ops.testing.token_issuer import TokenIssuer

TIME_LIMIT = 0.5


class StuckLog(LogInMemory):
    """A log whose appends can be made to hang."""

    is_stuck = False

    async def append(self, request: AppendRequest) -> AppendedEvents | RecordedDecision:
        if self.is_stuck:
            await asyncio.sleep(3600)
        return await super().append(request)


@pytest.fixture
def stuck_log() -> StuckLog:
    return StuckLog()


@pytest.fixture
def little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Shorten the time limit of answers."""
    monkeypatch.setattr(command_api, "ANSWER_SECONDS", TIME_LIMIT)


@pytest.fixture
async def stuck(
    stuck_log: StuckLog, users_of: Callable[..., Awaitable[dict[str, httpx.AsyncClient]]]
) -> httpx.AsyncClient:
    """A client of a service on the stuck log."""
    return (await users_of(stuck_log, {"asha": Permission}))["asha"]


@pytest.mark.usefixtures("little_time")
async def test_waiting_commands_for_one_record_are_answered_in_time(
    stuck: httpx.AsyncClient, stuck_log: StuckLog
) -> None:
    address, _ = await register(stuck, "trailer")
    stuck_log.is_stuck = True
    changed = {**new_body("trailer"), "status": "MAINTENANCE"}
    changes = [stuck.put(address, json=changed) for _ in range(5)]
    for answer in await asyncio.gather(*changes):
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert answer.headers["content-type"] == "application/problem+json"


async def test_rows_without_an_outcome_in_time_are_unconfirmed(
    stuck: httpx.AsyncClient, stuck_log: StuckLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "ROWS_SECONDS", TIME_LIMIT)
    row = {"key": "1", "values": new_body("trailer")}
    batch = {"batch": str(uuid.uuid4()), "dry_run": False, "rows": [row, {"key": "2", "do": "remove"}]}
    stuck_log.is_stuck = True
    (unconfirmed, refused) = (await stuck.post("/api/v1/batches/trailers", json=batch)).json()["rows"]
    assert (unconfirmed["outcome"], refused["outcome"]) == ("unconfirmed", "refused")
    assert unconfirmed["detail"].startswith("The change could not be confirmed")


async def test_service_is_not_ready_while_appends_fail(stuck: httpx.AsyncClient, stuck_log: StuckLog) -> None:
    stuck_log.append_error = "DiskFull"
    answer = await stuck.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"]["log"]["detail"]["error"] == "the last append failed: DiskFull"
    stuck_log.append_error = None
    assert (await stuck.get("/readyz")).status_code == 200


async def test_command_is_refused_without_key_store_and_succeeds_on_retry(
    settings_with: Callable[..., ServiceSettings],
    issuer: TokenIssuer,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FLEETLOG_KEYS", str(tmp_path))
    log = LogInMemory()
    body = new_body("driver")
    async with (
        serve(command_api.build_app(settings_with(), log)) as origin,
        client_of(origin, issuer) as client,
    ):
        client.headers["Idempotency-Key"] = "once"
        refused = await client.post(path_of("driver"), json=body)
        assert refused.status_code == 503
        assert refused.headers["content-type"] == "application/problem+json"
        assert "retry-after" in refused.headers
        assert refused.json()["detail"].startswith("Nothing was changed: the key")
        assert str(tmp_path) not in refused.text
        assert await log.head() == 0

        OwnKeyStore.in_folder(tmp_path)
        done = await client.post(path_of("driver"), json=body)
        assert done.status_code == 201
        again = await client.post(path_of("driver"), json=body)
        assert (again.status_code, again.content) == (201, done.content)
    (event,) = await log.after(0, limit=10)
    assert event.key_id
    assert body["name"].encode() not in event.state
