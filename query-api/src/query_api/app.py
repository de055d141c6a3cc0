"""The query API, put together."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from functools import partial

import psycopg
from fastapi import FastAPI
from psycopg_pool import PoolTimeout

from ops.base.access_log.recorder import recording
from ops.base.database.log_watch import LogWatch
from ops.base.encryption.key_cache import KEYS
from ops.base.http.direct_routes import add_routes
from ops.base.http.health import Check, keys_check, sign_in_check
from ops.base.http.openapi import complete_openapi
from ops.base.http.server import create_app
from ops.base.process.tasks import running
from ops.base.settings import ServiceSettings
from ops.base.sign_in.revocations import Revocations
from ops.base.sign_in.verifier import TokenVerifier
from projections.tables import ENTITY_TABLES, READ_TABLES
from query_api.audit.routes import audit_routes
from query_api.due.routes import due_routes
from query_api.feed.cursor import Feed
from query_api.feed.newest import Newest
from query_api.feed.routes import feed_routes
from query_api.feed.settings import FeedSettings
from query_api.freshness.waiting import Projections
from query_api.history.routes import history_routes
from query_api.http.me import me_routes
from query_api.http.parameters import forget_queries
from query_api.http.record_schemas import record_schemas
from query_api.http.routes import entity_routes
from query_api.http.streaming import LongLists
from query_api.paging.routes import list_routes
from query_api.prepared.answers import PreparedLists, PreparedRecords
from query_api.privacy.actor_routes import actor_routes
from query_api.privacy.routes import privacy_routes, standing_routes
from query_api.reading.readers import Readers, open_readers
from query_api.saved_views.routes import saved_view_routes
from query_api.schemas.routes import schema_routes
from query_api.system.routes import system_routes
from query_api.views.reading import record_views
from query_api.views.routes import seen_by_routes
from query_api.views.showing import forget_filters

DESCRIPTION = """The read side of Fleetlog: what commands have changed, at the addresses they were sent to.

A query that carries the position of a command's answer (browsers do, by cookie) waits until it can be read.
Every GET may also be a HEAD."""


def build_app(
    settings: ServiceSettings,
    feed_settings: FeedSettings | None = None,
    *,
    replica: str | None = None,
) -> FastAPI:
    """Build the query API.

    Args:
        settings: its settings.
        feed_settings: those of the feed; from the environment if not given.
        replica: DSN of a replica to read lists, records and histories from.
    """
    dsn, address = settings.database.get_secret_value(), settings.public_address

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        verifier = TokenVerifier.of(settings)
        opening = open_readers(dsn, address=address, replica=replica)
        async with verifier, KEYS.use(dsn=dsn), opening as opened:
            app.state.token_verifier = verifier
            app.state.readers = opened
            app.state.lists = PreparedLists(opened.lists, opened.notified)
            app.state.records = PreparedRecords(opened.notified)
            app.state.freshness = opened.freshness()
            app.state.long_lists = LongLists(opened.lists, opened.past_lists, app.state.freshness)
            newest = Newest(opened.projections.progress, opened.events, opened.notified)
            app.state.feed = Feed(opened.events, newest)
            async with (
                recording(partial(record_views, opened.primary)) as app.state.views,
                running(newest.run),
            ):
                yield

    async def readiness() -> Mapping[str, Check]:
        opened: Readers = app.state.readers
        checks = {
            "tables": await _check_tables(opened.projections),
            "keys": await keys_check(vital=False),
            "sign_in": sign_in_check(app),
        }
        return checks if opened.replica is None else {**checks, "replica": opened.replica.check()}

    def forget_log() -> None:
        opened: Readers = app.state.readers
        opened.notified.forget()

    def forget_people() -> None:
        forget_queries()
        forget_filters()
        if hasattr(app.state, "records"):
            app.state.lists.forget()
            app.state.records.forget()

    app = create_app(
        service="query-api",
        title="Fleetlog query API",
        description=DESCRIPTION,
        readiness=readiness,
        lifespan=lifespan,
        watch=LogWatch(dsn, on_new_log=forget_log, revocations=Revocations(), on_purge=forget_people),
        requests_per_subject=settings.requests_per_subject,
    )
    for table in ENTITY_TABLES:
        add_routes(app, entity_routes(table))
        add_routes(app, list_routes(table))
        add_routes(app, history_routes(table))
        add_routes(app, seen_by_routes(table))
        add_routes(app, standing_routes(table))
    add_routes(app, audit_routes())
    add_routes(app, due_routes())
    add_routes(app, privacy_routes())
    add_routes(app, actor_routes())
    add_routes(app, me_routes())
    add_routes(app, saved_view_routes())
    add_routes(app, system_routes())
    add_routes(app, schema_routes(address))
    add_routes(app, feed_routes(feed_settings or FeedSettings()))
    complete_openapi(app, record_schemas())
    return app


async def _check_tables(projections: Projections) -> Check:
    try:
        progresses = await asyncio.gather(*(projections.progress(table.name) for table in READ_TABLES))
        beyond = [
            table.name
            for table, progress in zip(READ_TABLES, progresses, strict=True)
            if progress.position > progress.head
        ]
        if beyond:
            return Check(ok=False, detail=f"filled from more than the log holds: {', '.join(beyond)}")
        return Check(ok=True, detail={"head": progresses[0].head})
    except (psycopg.Error, PoolTimeout) as error:
        return Check(ok=False, detail=type(error).__name__)
