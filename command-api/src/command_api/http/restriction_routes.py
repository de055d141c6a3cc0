"""Where people's data is restricted, held, and erased."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from command_api.domain.actor import ACTOR
from command_api.domain.definition import Definition
from command_api.http import restriction
from command_api.http import restriction_documentation as documentation
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import EntityId, Subject
from ops.base.permissions import Permission
from ops.base.sign_in import Requires, VerifiedToken

MayRestrict = Annotated[VerifiedToken, Depends(Requires(Permission.PRIVACY_RESTRICT))]
MayErase = Annotated[VerifiedToken, Depends(Requires(Permission.PRIVACY_ERASE))]


def restriction_routes(definition: Definition) -> APIRouter:
    """Build the routes of one entity type."""
    router = direct_router(tags=["privacy"])
    path = f"{definition.entity_type.path}/{{entity_id}}"

    @router.post(path + "/restriction", **documentation.of_restriction(definition))
    async def restrict(entity_id: EntityId, request: Request, token: MayRestrict) -> Response:
        return await restriction.restrict(request, definition, entity_id, token)

    @router.put(path + "/restriction/hold", **documentation.of_hold(definition))
    async def hold(entity_id: EntityId, request: Request, token: MayRestrict) -> Response:
        return await restriction.hold(request, definition, entity_id, token)

    @router.delete(path + "/restriction", **documentation.of_lifting(definition))
    async def lift(entity_id: EntityId, request: Request, token: MayRestrict) -> Response:
        return await restriction.lift(request, definition, entity_id, token)

    @router.post(path + "/erasure", **documentation.of_erasure(definition))
    async def erase(entity_id: EntityId, request: Request, token: MayErase) -> Response:
        return await restriction.erase(request, definition, entity_id, token)

    return router


def actor_routes() -> APIRouter:
    """Build the same for those who act; a subject may have slashes in it."""
    router = direct_router(tags=["privacy"])
    path = f"{ACTOR.entity_type.path}/{{sub:path}}"

    @router.post(path + "/restriction", **documentation.of_restriction(ACTOR))
    async def restrict(sub: Subject, request: Request, token: MayRestrict) -> Response:
        return await restriction.restrict(request, ACTOR, sub, token)

    @router.put(path + "/restriction/hold", **documentation.of_hold(ACTOR))
    async def hold(sub: Subject, request: Request, token: MayRestrict) -> Response:
        return await restriction.hold(request, ACTOR, sub, token)

    @router.delete(path + "/restriction", **documentation.of_lifting(ACTOR))
    async def lift(sub: Subject, request: Request, token: MayRestrict) -> Response:
        return await restriction.lift(request, ACTOR, sub, token)

    @router.post(path + "/erasure", **documentation.of_erasure(ACTOR))
    async def erase(sub: Subject, request: Request, token: MayErase) -> Response:
        return await restriction.erase(request, ACTOR, sub, token)

    return router
