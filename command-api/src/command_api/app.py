"""Composition of the command API."""

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, closing, nullcontext
from typing import Final

import psycopg
from fastapi import FastAPI
from psycopg_pool import PoolTimeout

from command_api.commands.handler import CommandHandler
from command_api.database_calls import DatabaseCalls
from command_api.domain.catalogue import ACTOR, DEFINITIONS
from command_api.domain.entities.assignment import LICENCE_ENDS, WARNINGS
from command_api.domain.events import Merged, PossibleDuplicateDismissed, event_classes
from command_api.event_store.log import EventLog
from command_api.http.acknowledgement import router as acknowledgement
from command_api.http.actions import router as actions
from command_api.http.back_channel_logout import router as logout
from command_api.http.batch import batch_routes
from command_api.http.confirmation import router as confirmation
from command_api.http.delivery_requests import router as delivery_requests
from command_api.http.dismissal import dismissal_routes
from command_api.http.merges import merge_routes
from command_api.http.openapi import SCHEMAS
from command_api.http.own_digest import router as own_digest
from command_api.http.restriction import restriction_routes
from command_api.http.routes import entity_routes
from command_api.http.saved_views import SavedViews
from command_api.http.saved_views import router as saved_views
from ops.base.access_log.recorder import recording
from ops.base.database.log_watch import LogWatch
from ops.base.encryption.key_cache import KEYS
from ops.base.http.direct_routes import add_routes
from ops.base.http.health import ReadinessCheck, keys_check, sign_in_check
from ops.base.http.openapi import complete_openapi
from ops.base.http.server import create_app
from ops.base.settings import ServiceSettings
from ops.base.sign_in.revocations import Revocations
from ops.base.sign_in.verifier import TokenVerifier

DESCRIPTION = """The write side of Fleetlog: POST, PUT and DELETE append events to the log, and the query API
serves the results at the same addresses."""

ANSWER_SECONDS: Final = 30.0
"""Time limit of an answer: longer than that of an append, shorter than that of gateways."""


def build_app(settings: ServiceSettings, log: EventLog | None = None) -> FastAPI:
    """Build the command API.

    Args:
        log: the log to append to; None: the log in the settings' database.
    """
    dsn = settings.database.get_secret_value()

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        verifier = TokenVerifier(settings)
        opening: AbstractAsyncContextManager[EventLog] = (
            EventLog.open(dsn) if log is None else nullcontext(log)
        )
        async with verifier, KEYS.use(dsn=dsn if log is None else None), opening as opened:
            app.state.token_verifier = verifier
            app.state.log = opened
            app.state.handler = CommandHandler(
                opened,
                shared=settings.duplicates_allowed,
                warnings=WARNINGS if settings.unavailable_vehicles == "warn" else (LICENCE_ENDS,),
            )
            with closing(app.state.handler.unique):
                async with recording(opened.record_views) as app.state.views:
                    yield

    async def readiness() -> Mapping[str, ReadinessCheck]:
        return {
            "log": await _check_log(app.state.log),
            "clock": ReadinessCheck(ok=app.state.log.clock_jumped is None, detail=app.state.log.clock_jumped),
            "keys": await keys_check(vital=True),
            "sign_in": sign_in_check(app),
        }

    def on_new_log() -> None:
        app.state.log.forget_id()
        app.state.handler.clear_cache()

    def clear_cache() -> None:
        if hasattr(app.state, "handler"):
            app.state.handler.clear_cache()

    watch = (
        LogWatch(dsn, on_new_log=on_new_log, revocations=Revocations(), on_purge=clear_cache)
        if log is None
        else None
    )
    app = create_app(
        service="command-api",
        title="Fleetlog command API",
        description=DESCRIPTION,
        readiness=readiness,
        lifespan=lifespan,
        watch=watch,
        requests_per_subject=settings.requests_per_subject,
        answer_seconds=ANSWER_SECONDS,
    )
    app.state.over_https = settings.over_https
    app.state.calls = DatabaseCalls(dsn)
    app.state.saved_views = SavedViews(dsn)
    for definition in DEFINITIONS.values():
        add_routes(app, entity_routes(definition))
        if Merged in event_classes(definition.name):
            add_routes(app, merge_routes(definition))
        add_routes(app, batch_routes(definition))
        add_routes(app, restriction_routes(definition))
        if PossibleDuplicateDismissed in event_classes(definition.name):
            add_routes(app, dismissal_routes(definition))
    add_routes(app, restriction_routes(ACTOR))
    for router in (
        acknowledgement,
        logout,
        actions,
        saved_views,
        delivery_requests,
        confirmation,
        own_digest,
    ):
        add_routes(app, router)
    complete_openapi(app, SCHEMAS)
    return app


async def _check_log(log: EventLog) -> ReadinessCheck:
    try:
        detail: dict[str, object] = {"position": await log.head()}
    except (psycopg.Error, PoolTimeout) as error:
        return ReadinessCheck(ok=False, detail=type(error).__name__)
    if log.append_error is not None:
        detail["error"] = f"the last append failed: {log.append_error}"
    return ReadinessCheck(ok=log.append_error is None, detail=detail)
