"""Commands about the daily digest of due dates that a user receives at the user's own address."""

from functools import partial
from typing import Annotated, Any, Final
from uuid import uuid4

from fastapi import Request
from starlette.responses import Response

from command_api.commands.execution import CommandResult
from command_api.domain.definition import DEFINITIONS, Details
from command_api.domain.entities.subscription import STATUSES, SubscriptionDetails
from command_api.domain.rules import OneOf, TimeZone, WholeNumber
from command_api.http.confirmation import confirm_recipient, load_with_key
from command_api.http.openapi import command, json_body
from command_api.http.requests import command_context, read_details, read_json_object
from command_api.http.responses import answer, handler_of, log_id_of
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import POSITION
from ops.base.http.problems import Problem
from ops.base.permissions import Permission
from ops.base.records.own_digests import PATH, own_digest_id
from ops.base.sign_in import permitted


class OwnDigestDetails(Details):
    """When the digest is sent."""

    hour: Annotated[int, WholeNumber(0, 23)]
    time_zone: Annotated[str, TimeZone()]
    status: Annotated[str, OneOf(STATUSES)]


router = direct_router(tags=["me"])
_may_read: Any = permitted(Permission.FLEET_READ)
_DEFINITION: Final = DEFINITIONS["subscription"]
_BODY: Final = json_body(OwnDigestDetails, {"hour": 7, "time_zone": "Asia/Kolkata", "status": "active"})
_DONE: Final = {204: {"description": "Done", "headers": POSITION}}


@command(router, "PUT", PATH, "save_own_digest", _DONE, body=_BODY)
async def save(request: Request, token: _may_read) -> Response:
    """Receive due dates daily at the own address, or change or pause that.

    The identity provider vouches for the address. The mails name drivers if the user has `personal:read`.
    Users with `notifications:manage` see the subscription among the others.
    """
    sent = await read_json_object(request)
    given, actor, email = read_details(OwnDigestDetails, sent), token.actor, token.email
    if email is None:
        detail = "Your sign-in names no confirmed e-mail address. Ask the administrator of your account."
        raise Problem(409, "no-address", detail)
    named = {"name": f"Due dates for {actor.name}", "recipients": [email]}
    fixed = {"content": "due_dates", "channel": "email", "schedule": "daily"}
    details = read_details(SubscriptionDetails, {**named, **fixed, **given})
    own_id = own_digest_id(actor.sub)
    context = command_context(request, actor, sent, log_id=await log_id_of(request))

    async def saved() -> CommandResult:
        save = partial(handler_of(request).save, _DEFINITION, own_id, may_register=True)
        history, key = await load_with_key(request, own_id)
        if token.may(Permission.PERSONAL_READ):
            if history.aggregate.state is None:
                # The first mail may follow at once, and the confirmation needs the record's key.
                first = context._replace(command_id=uuid4(), is_repeatable=False)
                await save(lambda _: {**details, "status": "paused"}, first)
                _, key = await load_with_key(request, own_id)
            if key is not None:
                await confirm_recipient(request, own_id, key, email, actor)
        return await save(lambda _: details, context)

    return await answer(request, _DEFINITION, saved(), token, _done)


@command(router, "DELETE", PATH, "remove_own_digest", _DONE)
async def remove(request: Request, token: _may_read) -> Response:
    """Stop the own digest, and remove it."""
    context = command_context(request, token.actor, None, log_id=await log_id_of(request))
    removal = handler_of(request).remove(_DEFINITION, own_digest_id(token.actor.sub), context)
    return await answer(request, _DEFINITION, removal, token, _done)


def _done(*_: object) -> Response:
    return Response(status_code=204)
