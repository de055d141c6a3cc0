"""`python -m command_api.floor`: what this framework gives on this machine when nothing is stored or read.

`./fleetlog bench` measures the services against it. It has their routes (called by FastAPI itself, not by
`ops.base.direct_routes`), their middleware, their token check and, where a body comes in, their validation;
only what they are for is missing. Nothing else runs it.
"""

import gzip
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from fastapi import APIRouter, Depends, FastAPI, Request
from starlette.responses import Response

from command_api.domain.catalogue import DEFINITIONS
from command_api.domain.definition import Definition
from command_api.http.entity_body import read_changed, read_new
from command_api.http.request_headers import read_json_object
from ops.base.direct_routes import add_routes, direct_router
from ops.base.health import Check
from ops.base.http import create_app, serve
from ops.base.json_values import json_bytes
from ops.base.settings import ServiceSettings
from ops.base.sign_in import TokenVerifier, require_actor
from ops.base.telemetry import configure_logging

_GZIP_LEVEL = 1


def build_floor(settings: ServiceSettings) -> FastAPI:
    """Build the application that does nothing but what every request costs."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with TokenVerifier(
            issuer=settings.issuer, audience=settings.audience, jwks_url=settings.keys_url
        ) as verifier:
            app.state.token_verifier = verifier
            yield

    async def readiness() -> Mapping[str, Check]:
        return {"sign_in": Check(ok=app.state.token_verifier.ready)}

    app = create_app(
        service="floor",
        title="Fleetlog's floor",
        description="Answers as the services do, without doing what they do.",
        readiness=readiness,
        lifespan=lifespan,
    )
    for definition in DEFINITIONS.values():
        add_routes(app, _routes(definition))
    return app


def _routes(definition: Definition) -> APIRouter:
    router = direct_router(dependencies=[Depends(require_actor)])
    path = definition.entity_type.path
    record = {"id": "EXAMPLE", **definition.example}
    one = json_bytes(definition.entity_type.wrap(record))
    records: dict[int, list[dict[str, Any]]] = {}

    @router.post(path)
    async def register(request: Request) -> Response:
        read_new(definition, await read_json_object(request))
        return Response(one, status_code=201, media_type="application/json")

    @router.put(path + "/{entity_id}")
    async def change(entity_id: str, request: Request) -> Response:
        read_changed(definition, await read_json_object(request), path_id=entity_id)
        return Response(one, media_type="application/json")

    @router.get(path + "/{entity_id}")
    async def read_one(entity_id: str) -> Response:  # noqa: ARG001 - as the real one
        return Response(one, media_type="application/json")

    @router.get(path)
    async def read_list(request: Request) -> Response:
        count = int(request.query_params.get("count", 0))
        if count not in records:
            records[count] = [record | {"id": f"BENCH-{number:06}"} for number in range(count)]
        body = json_bytes({"content": records[count]})
        if "gzip" not in request.headers.get("accept-encoding", ""):
            return Response(body, media_type="application/json")
        return Response(
            gzip.compress(body, _GZIP_LEVEL, mtime=0),
            media_type="application/json",
            headers={"Content-Encoding": "gzip"},
        )

    return router


def main() -> None:
    """Serve until SIGINT or SIGTERM."""
    settings = ServiceSettings.load()
    configure_logging("floor", settings.log_format)
    serve(build_floor(settings), settings)


if __name__ == "__main__":
    main()
