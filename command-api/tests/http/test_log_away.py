"""Commands are answered in time, and the service says that it is not ready, while the log takes nothing."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Callable

import httpx
import pytest
from command_api_testing.fleet import new_body, path_of
from command_api_testing.log_in_memory import LogInMemory

from command_api import app as command_api
from command_api.event_store.records import Append, Appended, Decided
from command_api.http import batch as batches
from ops.base.settings import ServiceSettings
from ops.testing.serving import serving
from ops.testing.token_issuer import TokenIssuer

TIME_LIMIT = 0.5


class StuckLog(LogInMemory):
    """A log of which every append hangs from a moment on."""

    is_stuck = False

    async def append(self, append: Append) -> Appended | Decided:
        if self.is_stuck:
            await asyncio.sleep(3600)
        return await super().append(append)


@pytest.fixture
def stuck_log() -> StuckLog:
    return StuckLog()


@pytest.fixture
def little_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have services answer soon that are built from now on."""
    monkeypatch.setattr(command_api, "ANSWER_SECONDS", TIME_LIMIT)


@pytest.fixture
async def stuck(
    stuck_log: StuckLog, settings_with: Callable[..., ServiceSettings], issuer: TokenIssuer
) -> AsyncIterator[httpx.AsyncClient]:
    """A client of a service on that log."""
    headers = {"Authorization": f"Bearer {issuer.token()}"}
    async with (
        serving(command_api.build_app(settings_with(), stuck_log)) as origin,
        httpx.AsyncClient(base_url=origin, headers=headers, trust_env=False, timeout=60) as client,
    ):
        yield client


@pytest.mark.usefixtures("little_time")
async def test_commands_for_one_record_that_wait_for_each_other_are_answered_in_time(
    stuck: httpx.AsyncClient, stuck_log: StuckLog
) -> None:
    registered = await stuck.post(path_of("trailer"), json=new_body("trailer"))
    stuck_log.is_stuck = True
    changed = {**new_body("trailer"), "status": "MAINTENANCE"}
    changes = [stuck.put(registered.headers["location"], json=changed) for _ in range(5)]
    for answer in await asyncio.gather(*changes):
        assert (answer.status_code, answer.headers["retry-after"]) == (503, "1")
        assert answer.headers["content-type"] == "application/problem+json"


async def test_rows_that_are_not_known_in_time_are_unconfirmed(
    stuck: httpx.AsyncClient, stuck_log: StuckLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(batches, "ROWS_SECONDS", TIME_LIMIT)
    row = {"key": "1", "values": new_body("trailer")}
    batch = {"batch": str(uuid.uuid4()), "dry_run": False, "rows": [row, {"key": "2", "do": "remove"}]}
    stuck_log.is_stuck = True
    (unconfirmed, refused) = (await stuck.post("/api/v1/batches/trailers", json=batch)).json()["rows"]
    assert (unconfirmed["outcome"], refused["outcome"]) == ("unconfirmed", "refused")
    assert unconfirmed["detail"].startswith("The change could not be confirmed")


async def test_a_log_that_takes_nothing_makes_the_service_not_ready(
    stuck: httpx.AsyncClient, stuck_log: StuckLog
) -> None:
    stuck_log.append_error = "DiskFull"
    answer = await stuck.get("/readyz")
    assert answer.status_code == 503
    assert answer.json()["checks"]["log"]["detail"]["error"] == "nothing can be appended: DiskFull"
    stuck_log.append_error = None
    assert (await stuck.get("/readyz")).status_code == 200
