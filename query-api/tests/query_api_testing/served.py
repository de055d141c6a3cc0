"""A fleet in PostgreSQL with read tables, clients of its query API, and what the access log recorded."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import datetime, timedelta
from typing import Any, Final

import httpx
import psycopg
from projections_testing.fleet import BEGIN, Fleet, insert_event
from projections_testing.leases import catch_up

from ops.base.database.connection import connect
from ops.base.http.consistency import POSITION_HEADER
from ops.testing.conditions import PATIENCE_SECONDS
from ops.testing.metrics import sample
from ops.testing.postgres import Database
from ops.testing.token_issuer import TokenIssuer
from query_api.http.parameters import QueryParameters

ADDRESS: Final = "https://fleet.example"
AUDIT: Final = "/api/v1/audit"

_EMPTY: Final = """
DO $$
DECLARE name regclass;
BEGIN
  SET LOCAL session_replication_role = replica;
  FOR name IN
    SELECT class.oid FROM pg_class AS class JOIN pg_namespace AS space ON space.oid = relnamespace
    WHERE relkind = 'r' AND nspname IN
      ('audit', 'log', 'notify', 'operations', 'preferences', 'privacy', 'read', 'sign_in')
    AND (nspname, relname) NOT IN
      (('log', 'identity'), ('log', 'schema_revisions'), ('log', 'append_lock'), ('privacy', 'cache_purges'),
      ('privacy', 'erasures'))
  LOOP
    EXECUTE format('DELETE FROM %s', name);
  END LOOP;
  TRUNCATE privacy.erasures;  -- whose trigger refuses deletion
  UPDATE log.identity SET log_id = replace(gen_random_uuid()::text, '-', ''), stopped = NULL;
END $$
"""


def empty(owner: psycopg.Connection) -> None:
    """Delete all rows of a database, which gets a new log: faster than creating a database."""
    owner.execute(_EMPTY)


class FollowedFleet(Fleet):
    """A fleet whose read tables catch up before the next request of its clients."""

    def __init__(self, connection: psycopg.Connection, database: Database) -> None:
        """Begin with an empty log; see `Fleet`."""
        super().__init__(connection)
        self._projections = database.projections
        self._is_behind = True

    @property
    def log_id(self) -> str:
        ((log_id,),) = self.connection.execute("SELECT log_id FROM log.identity").fetchall()
        return str(log_id)

    def append(self, event: Any) -> None:
        """See `Fleet`."""
        super().append(event)
        self._is_behind = True

    def insert(self, stream: str, version: int, topic: str, moment: datetime = BEGIN) -> None:
        """Append an event that cannot be decoded."""
        self.position += 1
        insert_event(
            self.connection,
            position=self.position,
            stream=stream,
            version=version,
            topic=topic,
            state=b"{}",
            moment=moment,
        )
        self._is_behind = True

    def place(self, offset: int = 0) -> str:
        """Return the last position, moved by an offset, as in the answer of a command."""
        return f"{self.log_id}:{self.position + offset}"

    def written(self) -> dict[str, str]:
        """Return the headers of a client that has written the last event."""
        return {POSITION_HEADER: self.place()}

    async def catch_up(self) -> None:
        """Let all projections catch up."""
        if self._is_behind:
            self._is_behind = False
            async with await connect(self._projections, autocommit=True) as connection:
                await catch_up(connection)

    async def catch_up_before(self, request: httpx.Request) -> None:
        """Catch up, and let a request wait until the query API has been notified."""
        await self.catch_up()
        request.headers.setdefault(POSITION_HEADER, self.place())


def streams() -> float:
    """Return the number of running streams and long polls."""
    return sample("fleetlog_limit_running", limit="streams")


def client_of(
    origin: str, issuer: TokenIssuer, fleet: FollowedFleet | None = None, **claims: Any
) -> httpx.AsyncClient:
    """Return a client with a token.

    Args:
        origin: the query API's.
        issuer: issues the token.
        fleet: catches up before each request; None: the read tables stay where they are.
        claims: of the token.
    """
    return httpx.AsyncClient(
        base_url=origin,
        headers={"Authorization": f"Bearer {issuer.token(**claims)}"},
        event_hooks={"request": [] if fleet is None else [fleet.catch_up_before]},
        trust_env=False,
        timeout=60,
    )


async def get_json(client: httpx.AsyncClient, path: str, **parameters: Any) -> Any:
    """Return the JSON of a successful answer."""
    answer = await client.get(path, params=parameters or None)
    assert answer.status_code == 200, answer.text
    return answer.json()


async def until(
    client: httpx.AsyncClient, path: str, fits: Callable[[httpx.Response], bool], **headers: str
) -> httpx.Response:
    """Repeat a request until its answer fits, and return the answer."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            answer = await client.get(path, headers=headers)
            if fits(answer):
                return answer
            await asyncio.sleep(0.01)


async def parts_of(
    read: Callable[[Any], Awaitable[tuple[Any, ...]]], asked: QueryParameters
) -> AsyncIterator[Any]:
    """Yield the content of each page that a reader of pages returns."""
    while True:
        found, cursor, *_ = await read(asked)
        yield found
        if cursor is None:
            break
        asked = asked.model_copy(update={"cursor": cursor})


async def positions(client: httpx.AsyncClient, **parameters: Any) -> list[int]:
    """Return the positions of the changes found, which must fit into one page."""
    response = await client.get(AUDIT, params=parameters)
    assert response.status_code == 200, response.text
    assert response.json()["next"] is None
    return [change["position"] for change in response.json()["content"]]


def at(position: int) -> str:
    """Return the moment of the fleet's event at a position."""
    return (BEGIN + timedelta(seconds=position)).isoformat()


_MEMBERS = ("moment", "id", "request_id", "filter", "count", "search")


def recorded_views(owner: psycopg.Connection) -> list[dict[str, Any]]:
    """Return the recorded views, each with the members that its batch states once."""
    rows = owner.execute("SELECT details FROM audit.accesses WHERE action = 'views' ORDER BY number")
    return [
        {"actor": batch["who"][who], **batch["what"][what], **dict(zip(_MEMBERS, rest, strict=False))}
        for (batch,) in rows
        for who, what, *rest in batch["views"]
    ]


def viewed(database: Database) -> int:
    """Return the number of recorded views."""
    with psycopg.connect(database.owner) as owner:
        return len(recorded_views(owner))
