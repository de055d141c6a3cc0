"""Answers that last end when their reader is signed out: streams, waits, exports and long lists."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import Any

import httpx
import pytest
from query_api_testing.served import AUDIT, FollowedFleet, client_of, streams

from ops.base.settings import ServiceSettings
from ops.base.sign_in.revocations import Revocations
from ops.testing.conditions import wait_until
from ops.testing.http_servers import serve
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer
from query_api.app import build_app
from query_api.audit.timeline import Timeline

EVENTS = "/api/v1/events"
FOLLOWED = f"{EVENTS}?format=ndjson&follow=true"
LONG = 30
"""Seconds: the longest wait that one may ask for."""
BROKEN_OFF = (httpx.RemoteProtocolError, httpx.ReadError)


@pytest.fixture
def past(fleet: FollowedFleet) -> FollowedFleet:
    for number in range(1, 6):
        fleet.register("horse", f"HRS-{number}")
    return fleet


@pytest.fixture
async def served(
    database: Database, settings_with: Callable[..., ServiceSettings], past: FollowedFleet
) -> AsyncIterator[tuple[str, Revocations]]:
    await past.catch_up()
    app = build_app(settings_with(database=database.query))
    async with serve(app) as origin:
        yield origin, app.state.revocations


def sign_out(revocations: Revocations, session: str) -> None:
    revocations.add([(1, None, session, datetime.now(UTC))])


async def test_sign_out_ends_only_the_users_streams(
    served: tuple[str, Revocations], issuer: TokenIssuer
) -> None:
    origin, revocations = served
    async with client_of(origin, issuer, sid="S1") as here, client_of(origin, issuer, sid="S2") as there:
        reading = [
            asyncio.create_task(here.get(f"{EVENTS}?{query}"))
            for query in ("format=sse", f"after=head&wait={LONG}")
        ]
        async with (
            here.stream("GET", FOLLOWED) as ended,
            there.stream("GET", FOLLOWED) as other,
        ):
            lines, lines_of_other = ended.aiter_lines(), other.aiter_lines()
            assert all([await anext(lines) for _ in range(5)])
            await anext(lines_of_other)
            await wait_until(lambda: streams() == 4)
            sign_out(revocations, "S1")
            sse, batch = await asyncio.gather(*reading)
            assert [line async for line in lines] == []
            await wait_until(lambda: streams() == 1)
            assert await anext(lines_of_other)
    assert sse.text.endswith(": you have been signed out; sign in again\n\n")
    assert (batch.status_code, batch.json()["type"]) == (401, "urn:fleetlog:problem:unauthorized")


async def in_two_steps(
    found: AsyncIterator[Any], going_on: asyncio.Event, halves: Callable[[Any], list[Any]]
) -> AsyncIterator[Any]:
    async for whole in found:
        for half in halves(whole):
            yield half
            await going_on.wait()


async def test_sign_out_cuts_an_export_short(
    served: tuple[str, Revocations],
    issuer: TokenIssuer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    origin, revocations = served
    going_on, everything = asyncio.Event(), Timeline.everything

    def one_by_one(*arguments: Any, **more: Any) -> AsyncIterator[Any]:
        return in_two_steps(everything(*arguments, **more), going_on, lambda found: [[one] for one in found])

    monkeypatch.setattr(Timeline, "everything", one_by_one)
    for session, lines in (("S1", 1), ("S2", 5)):
        async with (
            client_of(origin, issuer, sid=session) as client,
            client.stream("GET", AUDIT, params={"format": "ndjson"}) as answer,
        ):
            taken = answer.aiter_lines()
            read = [await anext(taken)]
            sign_out(revocations, "S1")
            going_on.set()
            if session == "S1":
                with pytest.raises(BROKEN_OFF):
                    await anext(taken)
            else:
                read += [line async for line in taken]
            assert len(read) == lines
