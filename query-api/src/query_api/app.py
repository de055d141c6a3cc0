"""The query API, put together."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

import psycopg
from fastapi import FastAPI
from psycopg_pool import PoolTimeout

from ops.base.database import Pool, listen, open_pool
from ops.base.direct_routes import add_routes
from ops.base.health import Check
from ops.base.http import create_app
from ops.base.log_watch import LogWatch
from ops.base.openapi import complete_openapi
from ops.base.settings import ServiceSettings
from ops.base.sign_in import TokenVerifier
from ops.base.tasks import running
from projections.tables import ENTITY_TABLES, PROJECTED_CHANNEL, READ_TABLES
from query_api.audit.accesses import AccessLog
from query_api.audit.routes import audit_routes
from query_api.audit.timeline import Timeline
from query_api.documentation import record_schemas
from query_api.feed.cursor import Feed
from query_api.feed.newest import Newest
from query_api.feed.reading import Reader
from query_api.feed.routes import feed_routes
from query_api.feed.settings import FeedSettings
from query_api.freshness import Freshness, Wakeups
from query_api.history.past_lists import PastLists
from query_api.history.reading import Histories
from query_api.history.routes import history_routes
from query_api.prepared import PreparedLists
from query_api.reading import ReadTables, Source
from query_api.replica import POLL_SECONDS, Replica
from query_api.routes import entity_routes
from query_api.schemas.routes import schema_routes
from query_api.streaming import LongLists

POOL_SIZE = 8

# Pages, past lists and searches of the timeline take long: few at a time, so that what is quick stays so.
SEARCH_POOL_SIZE = 2
SEARCH_WAIT_SECONDS = 8.0
SEARCH_MOST_WAITING = 64

DESCRIPTION = """The read side of Fleetlog: what commands have changed, at the addresses they were sent to.

A query that carries the position of a command's answer (browsers do, by cookie) waits until it can be read.
Every GET may also be a HEAD."""


def build_app(
    settings: ServiceSettings, feed_settings: FeedSettings | None = None, *, replica: str | None = None
) -> FastAPI:
    """Build the query API.

    Args:
        settings: its settings.
        feed_settings: those of the feed; from the environment if not given.
        replica: DSN of a replica to read lists, records and histories from.
    """
    dsn = settings.database.get_secret_value()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        verifier = TokenVerifier(
            issuer=settings.issuer, audience=settings.audience, jwks_url=settings.keys_url
        )
        wakeups = Wakeups()
        async with (
            verifier,
            open_pool(dsn, size=POOL_SIZE) as pool,
            _search_pool(dsn, "primary") as search_pool,
            AsyncExitStack() as opened,
        ):
            app.state.replica = None
            searched: Source = search_pool
            if replica is not None:
                beside = await opened.enter_async_context(
                    open_pool(replica, size=POOL_SIZE, server="replica")
                )
                search_beside = await opened.enter_async_context(_search_pool(replica, "replica"))
                app.state.replica = Replica(pool, beside)
                searched = app.state.replica.over(search_pool, search_beside)
            source = app.state.replica or pool
            app.state.token_verifier = verifier
            app.state.primary = ReadTables(pool)
            app.state.tables = ReadTables(source, searched)
            app.state.histories = Histories(source)
            app.state.past_lists = PastLists(searched)
            app.state.timeline = Timeline(search_pool)
            app.state.accesses = AccessLog(pool)
            app.state.lists = PreparedLists(app.state.tables)
            app.state.freshness = _freshness(app.state.replica, app.state.primary, wakeups)
            app.state.long_lists = LongLists(app.state.tables, app.state.past_lists, app.state.freshness)
            reader = Reader(pool, settings.public_address)
            newest = Newest(app.state.primary.standing, reader, wakeups)
            app.state.feed = Feed(reader, newest)
            work = [one.run() for one in (newest, app.state.replica) if one is not None]
            async with running(*work, listen(dsn, PROJECTED_CHANNEL, wakeups.notify)):
                yield

    async def readiness() -> Mapping[str, Check]:
        verifier: TokenVerifier = app.state.token_verifier
        checks = {
            "tables": await _check_tables(app.state.primary),
            "sign_in": Check(ok=verifier.ready, detail=None if verifier.ready else "no keys yet"),
        }
        return checks if app.state.replica is None else {**checks, "replica": app.state.replica.check()}

    app = create_app(
        service="query-api",
        title="Fleetlog query API",
        description=DESCRIPTION,
        readiness=readiness,
        lifespan=lifespan,
        watch=LogWatch(dsn),
        requests_per_subject=settings.requests_per_subject,
    )
    for table in ENTITY_TABLES:
        add_routes(app, entity_routes(table))
        add_routes(app, history_routes(table))
    add_routes(app, audit_routes())
    app.include_router(schema_routes(settings.public_address))
    add_routes(app, feed_routes(feed_settings or FeedSettings()))
    complete_openapi(app, record_schemas())
    return app


def _search_pool(dsn: str, server: str) -> AbstractAsyncContextManager[Pool]:
    return open_pool(
        dsn,
        size=SEARCH_POOL_SIZE,
        wait_seconds=SEARCH_WAIT_SECONDS,
        most_waiting=SEARCH_MOST_WAITING,
        server=f"{server}-search",
    )


def _freshness(replica: Replica | None, primary: ReadTables, wakeups: Wakeups) -> Freshness:
    if replica is None:
        return Freshness(primary.standing, wakeups)
    return Freshness(replica.standing, wakeups, poll_seconds=POLL_SECONDS)


async def _check_tables(tables: ReadTables) -> Check:
    try:
        standings = await asyncio.gather(*(tables.standing(table.name) for table in READ_TABLES))
        beyond = [
            table.name
            for table, standing in zip(READ_TABLES, standings, strict=True)
            if standing.position > standing.head
        ]
        if beyond:
            return Check(ok=False, detail=f"filled from more than the log holds: {', '.join(beyond)}")
        return Check(ok=True, detail={"head": standings[0].head})
    except (psycopg.Error, PoolTimeout) as error:
        return Check(ok=False, detail=type(error).__name__)
