"""Reminders of a driver's documents: those acknowledged, and the links in mails that lead there."""

from typing import Annotated, Any, Final, Literal

from fastapi import Query, Request
from pydantic import Field
from starlette.responses import Response

from ops.base.access_log.views import ACTOR_NAME, PersonalContent
from ops.base.encryption.actors import load_actor_names
from ops.base.encryption.key_cache import KEYS
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import Closed, EntityId
from ops.base.http.problems import Problem
from ops.base.permissions import Permission
from ops.base.records.entities import is_id
from ops.base.records.json_values import json_bytes
from ops.base.records.signed_links import SignedLink, acknowledge_purpose
from ops.base.sign_in import permitted
from query_api.access_log.disclosure import disclose
from query_api.database.readers import readers_of
from query_api.database.source import fetch
from query_api.freshness.read_your_writes import is_fresh
from query_api.history.models import Actor, Moment
from query_api.history.wire import actor_json, moment_text
from query_api.http.answers import answer_json, not_found
from query_api.http.openapi import query
from query_api.http.parameters import PLAIN_TEXT, QueryParameters, one_of
from query_api.masking.masks import is_masked_for, may_see_restricted
from read_model.tables import REVISIONS
from read_model.tables.acknowledgements import ACKNOWLEDGED_BY, DOCUMENTS

PATH: Final = "/api/v1/drivers/{entity_id}"
Document = Literal["licence", "passport"]
_KEY: Final = "SELECT key_id FROM read.subscriptions WHERE id = %s AND NOT restricted"
_OF_ACTORS: Final = PersonalContent(f"{PATH}/acknowledgements", "history", "driver", (ACTOR_NAME,))

router = direct_router(tags=["drivers"])
_may_read: Any = permitted(Permission.FLEET_READ)
_may_see_authors: Any = permitted(Permission.FLEET_READ, Permission.HISTORY_READ)


class AcknowledgedReminder(Closed):
    """The last acknowledgement of a document's reminder."""

    document: Document = Field(examples=["licence"])
    until: str | None = Field(
        description="When reminders begin again; null: after the renewal", examples=["2027-03-03"]
    )
    moment: Moment
    actor: Actor | None


class AcknowledgedReminders(Closed):
    """A driver's acknowledged reminders, at most one of each document."""

    content: list[AcknowledgedReminder]


class ReminderLink(Closed):
    """A link of a mail."""

    document: Document = Field(examples=["licence"])


class LinkParameters(QueryParameters):
    """Query parameters of a link in a mail."""

    document: Annotated[Document, one_of(*DOCUMENTS)] = Field(
        description="The document of the reminder", examples=["licence"]
    )
    link: Annotated[str, PLAIN_TEXT] = Field(
        description="The signature", examples=["SUB-4M7Q2XKD.2026-12-05.2tqWmXRdm3GJ0mGoTfZ9Vw"]
    )


@query(router, _OF_ACTORS.route, "acknowledgements", AcknowledgedReminders)
async def read_acknowledgements(entity_id: EntityId, request: Request, token: _may_see_authors) -> Response:
    """List the acknowledgements that no renewal has ended; their last days may have passed."""
    fresh = await is_fresh(request, REVISIONS)
    if not is_id(entity_id):
        raise not_found(fresh=fresh)
    rows = await fetch(readers_of(request).source, ACKNOWLEDGED_BY, {"ids": [entity_id]})
    names = await load_actor_names(
        ((sub, moment) for *_, moment, sub, _, _ in rows), restricted=may_see_restricted(token)
    )
    content = []
    for _, document, until, moment, sub, name, is_program in rows:
        shown = None if is_masked_for(token) else names.of(sub, moment, name).name
        actor = actor_json(sub, shown, is_program=bool(is_program))
        one = {"document": document, "until": until, "moment": moment_text(moment), "actor": actor}
        content.append(one)
    response = await answer_json(request, json_bytes({"content": content}), fresh=fresh)
    return disclose(request, token, response, _OF_ACTORS, of=entity_id) if content else response


@query(router, f"{PATH}/reminder-link", "reminder_link", ReminderLink, waits=False, refusals=[404, 410])
async def check_link(
    entity_id: EntityId,
    request: Request,
    token: _may_read,  # noqa: ARG001 - permission
    params: Annotated[LinkParameters, Query()],
) -> Response:
    """Check a link of a mail to the reminder of a driver's document.

    It is signed, valid for 14 days, and grants nothing: users acknowledge with their own permission.
    """
    link = SignedLink.parse(params.link)
    rows = link and is_id(link.subscription) and await _key_ids(request, link.subscription)
    key_id = rows[0][0] if rows else None
    await KEYS.load([] if key_id is None else [key_id])
    key = KEYS.get(key_id or "")
    state = link.check(key, acknowledge_purpose(entity_id, params.document)) if link and key else "forged"
    if state == "forged":
        raise Problem(404, "link-invalid", "This link is not valid. Use a link of the latest mail.")
    if state == "expired":
        raise Problem(410, "link-expired", "This link has expired. Use a link of the latest mail.")
    return await answer_json(request, json_bytes({"document": params.document}), fresh=True)


async def _key_ids(request: Request, subscription: str) -> Any:
    return await fetch(readers_of(request).primary, _KEY, (subscription,))
