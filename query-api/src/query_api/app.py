"""The query API's application."""

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
from ops.base.http.health import ReadinessCheck, keys_check, sign_in_check
from ops.base.http.openapi import complete_openapi
from ops.base.http.server import create_app
from ops.base.process.tasks import running
from ops.base.settings import ServiceSettings
from ops.base.sign_in.revocations import Revocations
from ops.base.sign_in.verifier import TokenVerifier
from query_api.access_log.routes import router as access_log
from query_api.access_log.routes import seen_by_routes
from query_api.access_log.views import record_views
from query_api.audit.routes import router as audit
from query_api.audit_file.checkpoints import router as checkpoints
from query_api.audit_file.processes import AuditFileProcesses
from query_api.audit_file.routes import router as audit_file
from query_api.cache.answers import CachedLists, CachedRecords
from query_api.database.readers import Readers, open_readers
from query_api.deliveries import router as deliveries
from query_api.due import router as due
from query_api.feed.recent_events import RecentEvents
from query_api.feed.routes import feed_routes
from query_api.freshness.read_your_writes import Projections
from query_api.history.routes import history_routes
from query_api.http.long_lists import LongLists
from query_api.http.me import router as me
from query_api.http.parameters import clear_parsed_queries
from query_api.http.record_schemas import record_schemas
from query_api.http.routes import entity_routes
from query_api.own_digest import router as own_digest
from query_api.paging.routes import list_routes
from query_api.possible_duplicates.routes import router as possible_duplicates
from query_api.possible_duplicates.scored_pairs import ScoredPairs
from query_api.privacy.routes import record_privacy_routes
from query_api.privacy.routes import router as privacy
from query_api.reminders import router as reminders
from query_api.saved_views import router as saved_views
from query_api.schemas.routes import schema_routes
from query_api.settings import FeedSettings
from query_api.system.routes import router as system
from read_model.tables import ENTITY_TABLES, READ_TABLES

DESCRIPTION = """The read side of Fleetlog, at the same addresses as the commands.

A query that carries the position of a command's answer (browsers do, by cookie) waits until that position
can be read. Every GET may also be a HEAD."""


def build_app(
    settings: ServiceSettings,
    feed_settings: FeedSettings | None = None,
    *,
    replica: str | None = None,
) -> FastAPI:
    """Build the query API.

    Args:
        feed_settings: settings of the feed, by default from the environment.
        replica: DSN of a replica to read lists, records and histories from.
    """
    dsn, address = settings.database.get_secret_value(), settings.public_address

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with (
            TokenVerifier(settings) as app.state.token_verifier,
            KEYS.use(dsn=dsn),
            open_readers(dsn, address=address, replica=replica) as readers,
        ):
            app.state.readers = readers
            app.state.lists = CachedLists(readers.lists, readers.notifications)
            app.state.records = CachedRecords(readers.notifications)
            app.state.scored_pairs = ScoredPairs()
            app.state.freshness = readers.freshness()
            app.state.long_lists = LongLists(readers.lists, readers.past_lists, app.state.freshness)
            app.state.audit_files = AuditFileProcesses(dsn)
            app.state.feed = RecentEvents(readers.projections.progress, readers.events, readers.notifications)
            async with (
                recording(partial(record_views, readers.primary)) as app.state.views,
                running(app.state.feed.run),
            ):
                yield

    async def readiness() -> Mapping[str, ReadinessCheck]:
        readers: Readers = app.state.readers
        checks = {
            "tables": await _check_tables(readers.projections),
            "keys": await keys_check(vital=False),
            "sign_in": sign_in_check(app),
        }
        return checks if readers.replica is None else {**checks, "replica": readers.replica.check()}

    def discard_notifications() -> None:
        app.state.readers.notifications.discard()

    def clear_caches() -> None:
        clear_parsed_queries()
        if hasattr(app.state, "records"):
            app.state.lists.clear()
            app.state.records.clear()
            app.state.scored_pairs.clear()
            app.state.audit_files.kill()

    app = create_app(
        service="query-api",
        title="Fleetlog query API",
        description=DESCRIPTION,
        readiness=readiness,
        lifespan=lifespan,
        watch=LogWatch(
            dsn,
            on_new_log=discard_notifications,
            revocations=Revocations(),
            on_purge=clear_caches,
        ),
        requests_per_subject=settings.requests_per_subject,
    )
    for table in ENTITY_TABLES:
        add_routes(app, entity_routes(table))
        add_routes(app, list_routes(table))
        add_routes(app, history_routes(table))
        add_routes(app, seen_by_routes(table))
        add_routes(app, record_privacy_routes(table))
    for router in (
        audit,
        audit_file,
        checkpoints,
        access_log,
        deliveries,
        due,
        possible_duplicates,
        privacy,
        me,
        own_digest,
        reminders,
        saved_views,
        system,
    ):
        add_routes(app, router)
    add_routes(app, schema_routes(address))
    add_routes(app, feed_routes(feed_settings or FeedSettings()))
    complete_openapi(app, record_schemas())
    return app


async def _check_tables(projections: Projections) -> ReadinessCheck:
    try:
        progresses = await asyncio.gather(*(projections.progress(table.name) for table in READ_TABLES))
    except (psycopg.Error, PoolTimeout) as error:
        return ReadinessCheck(ok=False, detail=type(error).__name__)
    beyond = [
        table.name
        for table, progress in zip(READ_TABLES, progresses, strict=True)
        if progress.position > progress.head
    ]
    if beyond:
        return ReadinessCheck(ok=False, detail=f"filled from more than the log holds: {', '.join(beyond)}")
    return ReadinessCheck(ok=True, detail={"head": progresses[0].head})
