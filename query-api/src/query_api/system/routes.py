"""GET routes of the System screen."""

from typing import Annotated, Final

from fastapi import Depends, Request
from starlette.responses import Response

from ops.base.http.direct_routes import direct_router
from ops.base.permissions import Permission
from ops.base.records.operations import SYSTEM_PATH
from ops.base.sign_in import Requires, VerifiedToken
from query_api.database.readers import readers_of
from query_api.http.answers import uncached
from query_api.http.openapi import query
from query_api.system.models import System, SystemState
from query_api.system.status import read_alerts, read_system, state_of

_NO_STORE: Final = "no-store"
Operator = Annotated[VerifiedToken, Depends(Requires(Permission.OPERATIONS_READ))]


router = direct_router(tags=["system"])


@query(router, SYSTEM_PATH, "system", System, cache_control=_NO_STORE, waits=False)
async def show_system(request: Request, token: Operator) -> Response:  # noqa: ARG001 - permission
    """Show the status of services, projections, relay, checkpoints, storage and alerts."""
    return uncached(await readers_of(request).primary.read(read_system), _NO_STORE)


@query(
    *(router, f"{SYSTEM_PATH}/state", "system_state", SystemState),
    cache_control=_NO_STORE,
    waits=False,
)
async def show_state(request: Request, token: Operator) -> Response:  # noqa: ARG001 - permission
    """Show the overall state of the system."""
    alerts = await readers_of(request).primary.read(read_alerts)
    return uncached(SystemState(state=state_of(alerts)), _NO_STORE)
