"""GET routes of the System screen."""

from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import problem_responses
from ops.base.permissions import Permission
from ops.base.records.operations import SYSTEM_PATH
from ops.base.sign_in import Requires, VerifiedToken
from query_api.http.openapi import ANY_PROBLEM, Closed, add_query, example_of, headers_of_answer
from query_api.reading.readers import readers_of
from query_api.system.models import System, SystemState
from query_api.system.reading import state_of

_CACHE: Final = "no-store"
Operator = Annotated[VerifiedToken, Depends(Requires(Permission.OPERATIONS_READ))]


def system_routes() -> APIRouter:
    """Build the routes."""
    router = direct_router(tags=["system"])

    async def read_system(request: Request, token: Operator) -> Response:  # noqa: ARG001 - the permission
        return _answer(await readers_of(request).operations.system())

    async def read_state(request: Request, token: Operator) -> Response:  # noqa: ARG001 - as above
        return _answer(SystemState(state=state_of(await readers_of(request).operations.alerts())))

    add_query(router, SYSTEM_PATH, read_system, _described("system", "Status of the system", System))
    add_query(
        router,
        f"{SYSTEM_PATH}/state",
        read_state,
        _described("system_state", "Overall state of the system", SystemState),
    )
    return router


def _answer(model: Closed) -> Response:
    headers = {"Cache-Control": _CACHE, "Vary": "Authorization"}
    return Response(model.model_dump_json(by_alias=True), headers=headers, media_type="application/json")


def _described(name: str, summary: str, model: type[Closed]) -> dict[str, Any]:
    return {
        "name": name,
        "summary": summary,
        "responses": {
            200: {
                "model": model,
                "description": "Found",
                "headers": headers_of_answer(_CACHE, {}),
                "content": {"application/json": {"example": example_of(model.model_json_schema(), {})}},
            },
            **problem_responses(401, 503),
            "default": ANY_PROBLEM,
        },
    }
