"""The queries of how the system is doing."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from pydantic import BaseModel
from starlette.responses import Response

from ops.base.http.direct_routes import direct_router
from ops.base.permissions import Permission
from ops.base.records.operations import SYSTEM_PATH
from ops.base.sign_in import Requires, VerifiedToken
from query_api.http.openapi import add_query
from query_api.reading.readers import readers_of
from query_api.system import documentation
from query_api.system.document import document_of, state_of

MayLook = Annotated[VerifiedToken, Depends(Requires(Permission.OPERATIONS_READ))]


def system_routes() -> APIRouter:
    """Build the routes."""
    router = direct_router(tags=["system"])

    async def read_system(request: Request, token: MayLook) -> Response:  # noqa: ARG001 - who may
        operations = readers_of(request).operations
        facts = await operations.facts()
        return _answer(document_of(facts, await operations.named()))

    async def read_state(request: Request, token: MayLook) -> Response:  # noqa: ARG001 - as above
        facts = await readers_of(request).operations.facts()
        return _answer(documentation.SystemState(state=state_of(facts)))

    add_query(router, SYSTEM_PATH, read_system, documentation.of_system())
    add_query(router, f"{SYSTEM_PATH}/state", read_state, documentation.of_state())
    return router


def _answer(model: BaseModel) -> Response:
    headers = {"Cache-Control": documentation.KEPT, "Vary": "Authorization"}
    body = model.model_dump_json(by_alias=True)
    return Response(body, headers=headers, media_type="application/json")
