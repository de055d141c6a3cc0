"""The command that confirms a recipient, who then receives the names of people."""

from typing import Any, Final

from fastapi import Request
from starlette.responses import Response

from command_api.commands.streams import History
from command_api.domain.definition import DEFINITIONS
from command_api.http.openapi import command, json_body
from command_api.http.requests import is_valid_id, read_json_object
from command_api.http.responses import FAILURES, failure, handler_of
from ops.base.encryption.actors import ACTORS
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.keys import Key
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import EntityId, problem_responses
from ops.base.http.problems import Problem
from ops.base.permissions import Permission
from ops.base.records.signed_links import SignedLink, confirm_purpose, recipient_mark
from ops.base.sign_in import Actor, permitted

PATH: Final = "/api/v1/subscriptions/{entity_id}/confirmations"
_CONFIRM: Final = "SELECT notify.confirm(%s::text, %s::bytea, %s::text)"
_SCHEMA: Final = {
    "type": "object",
    "required": ["link"],
    "additionalProperties": False,
    "properties": {"link": {"type": "string", "description": "Query parameter `link` of the mail's link"}},
}


router = direct_router(tags=["subscriptions"])
_may_confirm: Any = permitted(Permission.PERSONAL_READ)
_ANSWERS: Final = {204: {"description": "Confirmed"}, **problem_responses(404, 410)}
_BODY: Final = json_body(_SCHEMA, {"link": "SUB-4M7Q2XKD.2026-12-05.2tqWmXRdm3GJ0mGoTfZ9Vw"})


@command(router, "POST", PATH, "confirm_recipient", _ANSWERS, body=_BODY, parameters=[])
async def confirm(entity_id: EntityId, request: Request, token: _may_confirm) -> Response:
    """Confirm that the readers of an e-mail address may see personal data.

    The link was mailed to that address, and is valid for 14 days. From now on, mails of this subscription
    to that address name drivers, and each is recorded as a view of the confirming user, until 90 days
    after that user's last sign-in with `personal:read`, or the first sign-in without it.
    """
    text = (await read_json_object(request)).get("link")
    link = SignedLink.parse(text) if isinstance(text, str) else None
    state = "forged"
    if link is not None and link.subscription == entity_id and is_valid_id(entity_id):
        try:
            history, key = await load_with_key(request, entity_id)
        except FAILURES as error:
            raise failure(error) from None
        known = recipients_of(history) if key is not None else []
        states = {link.check(key, confirm_purpose(one)): one for one in known if key is not None}
        if key is not None and "valid" in states:
            await confirm_recipient(request, entity_id, key, states["valid"], token.actor)
            return Response(status_code=204)
        state = "expired" if "expired" in states else "forged"
    if state == "expired":
        raise Problem(410, "link-expired", "This link has expired. Send a test to receive another.")
    raise Problem(404, "link-invalid", "This link is not valid: the address may have been removed.")


def recipients_of(history: History) -> list[str]:
    """Return the addresses of a subscription; none if it is removed or restricted."""
    aggregate = history.aggregate
    is_usable = aggregate.state is not None and aggregate.restriction is None
    return aggregate.state.details["recipients"] if aggregate.state and is_usable else []


async def load_with_key(request: Request, subscription: str) -> tuple[History, Key | None]:
    """Return a subscription and its data key; None: it is not encrypted, or erased. Raises `FAILURES`."""
    history = await handler_of(request).streams.load(DEFINITIONS["subscription"], subscription)
    await KEYS.load([] if history.key_id is None else [history.key_id])
    return history, KEYS.get(history.key_id or "")


async def confirm_recipient(
    request: Request, subscription: str, key: Key, recipient: str, actor: Actor
) -> None:
    """Record that a user has confirmed an address of a subscription."""
    await ACTORS.try_record(actor.sub, actor.name)
    mark = recipient_mark(key, recipient)
    await request.app.state.calls.call(_CONFIRM, subscription, mark, actor.sub)
