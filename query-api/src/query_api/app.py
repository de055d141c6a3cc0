"""The query API, put together."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import psycopg
from fastapi import FastAPI
from psycopg_pool import PoolTimeout

from ops.base.database import listen, open_pool
from ops.base.http import Check, create_app
from ops.base.openapi import complete_openapi
from ops.base.settings import ServiceSettings
from ops.base.sign_in import TokenVerifier
from projections.tables import DRIVERS, ENTITY_TABLES, PROJECTED_CHANNEL
from query_api.audit.accesses import AccessLog
from query_api.audit.routes import audit_routes
from query_api.audit.timeline import Timeline
from query_api.freshness import Freshness, Wakeups
from query_api.history.reading import Histories
from query_api.history.routes import history_routes
from query_api.prepared import PreparedLists
from query_api.reading import ReadTables
from query_api.routes import entity_routes

POOL_SIZE = 8

DESCRIPTION = """The read side of Fleetlog: what commands have changed, at the addresses they were sent to.

A query that carries the position of a command's answer (browsers do, by cookie) waits until it can be read.
Every GET may also be a HEAD."""


def build_app(settings: ServiceSettings) -> FastAPI:
    """Build the query API from its settings."""
    dsn = settings.database.get_secret_value()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        verifier = TokenVerifier(
            issuer=settings.issuer, audience=settings.audience, jwks_url=settings.keys_url
        )
        wakeups = Wakeups()
        async with verifier, open_pool(dsn, size=POOL_SIZE) as pool:
            app.state.token_verifier = verifier
            app.state.tables = ReadTables(pool)
            app.state.histories = Histories(pool)
            app.state.timeline = Timeline(pool)
            app.state.accesses = AccessLog(pool)
            app.state.lists = PreparedLists(app.state.tables)
            app.state.freshness = Freshness(app.state.tables.standing, wakeups)
            listening = asyncio.create_task(listen(dsn, PROJECTED_CHANNEL, wakeups.notify))
            try:
                yield
            finally:
                listening.cancel()
                await asyncio.gather(listening, return_exceptions=True)

    async def readiness() -> Mapping[str, Check]:
        verifier: TokenVerifier = app.state.token_verifier
        return {
            "tables": await _check_tables(app.state.tables),
            "sign_in": Check(ok=verifier.ready, detail=None if verifier.ready else "no keys yet"),
        }

    app = create_app(
        service="query-api",
        title="Fleetlog query API",
        description=DESCRIPTION,
        readiness=readiness,
        lifespan=lifespan,
    )
    for table in ENTITY_TABLES:
        app.include_router(entity_routes(table))
        app.include_router(history_routes(table))
    app.include_router(audit_routes())
    complete_openapi(app)
    return app


async def _check_tables(tables: ReadTables) -> Check:
    try:
        return Check(ok=True, detail={"head": (await tables.standing(DRIVERS.name)).head})
    except (psycopg.Error, PoolTimeout) as error:
        return Check(ok=False, detail=type(error).__name__)
