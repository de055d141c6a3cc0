"""The deliveries of subscriptions, and the secrets that webhooks are signed with."""

from datetime import datetime
from typing import Annotated, Any, Final, Literal, NamedTuple

from fastapi import Depends, Query, Request
from pydantic import Field
from starlette.responses import Response

from ops.base.encryption.key_cache import KEYS
from ops.base.http.direct_routes import direct_router
from ops.base.http.openapi import Closed, EntityId
from ops.base.permissions import Permission
from ops.base.records.entities import is_id
from ops.base.records.operations import MOMENT, moment_text
from ops.base.records.webhook_secrets import OVERLAP, webhook_secret
from ops.base.sign_in import Requires, VerifiedToken
from query_api.database.readers import readers_of
from query_api.database.source import fetch
from query_api.http.answers import not_found, uncached
from query_api.http.openapi import query
from query_api.http.parameters import MAX_CURSOR, QueryParameters, whole_number

PATH: Final = "/api/v1/subscriptions/{entity_id}"
_NO_STORE: Final = "no-store"
_PAGE: Final = 50
_SUBSCRIPTION: Final = """
SELECT record ->> 'status', record ->> 'channel', (record ->> 'secret_generation')::integer, key_id,
  cursors.position, coalesce(revisions.position, 0), failing_since, next_attempt_at, given_up_at, reason,
  is_configured, former.changed_at
FROM read.subscriptions
  LEFT JOIN notify.cursors ON subscription_id = id
  LEFT JOIN read.positions AS revisions ON projection = 'revisions'
  LEFT JOIN LATERAL notify.former_secret(id) AS former ON true
WHERE id = %s AND NOT restricted
"""
_DELIVERIES: Final = """
SELECT number, moment, kind, event_id, event_type, subject, attempt, ok, status, milliseconds, error, request,
  response
FROM notify.deliveries WHERE subscription_id = %s AND number < %s ORDER BY number DESC LIMIT %s
"""

MayManage = Annotated[VerifiedToken, Depends(Requires(Permission.NOTIFICATIONS_MANAGE))]


class DeliveryState(Closed):
    """The progress of a subscription."""

    state: Literal["active", "waiting", "paused", "given_up", "not_configured"] = Field(
        description="`waiting`: a failed delivery is repeated; `given_up`: until a request resumes it;"
        " `not_configured`: the product has no mail server",
        examples=["active"],
    )
    position: int | None = Field(description="Last delivered position; null: not started", examples=[120])
    head: int = Field(description="Last position of the log", examples=[120])
    failing_since: str | None = Field(**MOMENT)
    next_attempt_at: str | None = Field(**MOMENT)
    reason: str | None = Field(description="Why the last delivery failed", examples=["status 503"])


class Delivery(Closed):
    """An attempt to deliver something."""

    number: int = Field(examples=[7])
    moment: str = Field(**MOMENT)
    kind: Literal["event", "test", "again", "digest"] = Field(examples=["event"])
    event_id: str | None = Field(examples=["3f0c9f4e0a354c0a9d2f0e9a8d6f2b11:7"])
    event_type: str | None = Field(examples=["fleetlog.driver.registered.v2"])
    subject: str | None = Field(description="Id of the record", examples=["EMP-001"])
    attempt: int = Field(examples=[1])
    ok: bool = Field(examples=[True])
    status: int | None = Field(description="HTTP status of the receiver", examples=[204])
    milliseconds: int | None = Field(examples=[41])
    error: str | None = Field(examples=["the name cannot be resolved"])
    request: str | None = Field(description="Beginning of the message", examples=['{"specversion": "1.0"}'])
    response: str | None = Field(description="Beginning of the answer", examples=["thanks"])


class Deliveries(Closed):
    """The latest deliveries of a subscription, newest first."""

    state: DeliveryState
    content: list[Delivery]
    next: int | None = Field(description="`before` of the next page; null after the last", examples=[7])


class WebhookSecret(Closed):
    """The secret of a webhook."""

    secret: str = Field(
        description="As in Standard Webhooks", examples=["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"]
    )
    previous_until: str | None = Field(
        json_schema_extra=MOMENT["json_schema_extra"],
        description="Time until which the former secret signs too; null: it does not",
        examples=["2026-11-24T09:41:00.123Z"],
    )


class DeliveryPage(QueryParameters):
    """A page of deliveries."""

    before: Annotated[int, whole_number(0, MAX_CURSOR)] = Field(
        MAX_CURSOR, description="Only deliveries with lower numbers", examples=[8]
    )


class _Subscription(NamedTuple):
    """A subscription's columns in `_SUBSCRIPTION`."""

    status: str
    channel: str
    generation: int | None
    key_id: str | None
    position: int | None
    head: int
    failing_since: datetime | None
    next_attempt_at: datetime | None
    given_up_at: datetime | None
    reason: str | None
    is_configured: bool | None
    secret_changed_at: datetime | None

    @property
    def state(self) -> DeliveryState:
        state: Any = "active"
        if self.status != "active":
            state = "paused"
        elif self.is_configured is False:
            state = "not_configured"
        elif self.given_up_at is not None:
            state = "given_up"
        elif self.failing_since is not None:
            state = "waiting"
        moments = {name: _text(getattr(self, name)) for name in ("failing_since", "next_attempt_at")}
        return DeliveryState(
            state=state, position=self.position, head=self.head, reason=self.reason, **moments
        )


router = direct_router(tags=["subscriptions"])


@query(
    *(router, f"{PATH}/deliveries", "deliveries", Deliveries),
    cache_control=_NO_STORE,
    waits=False,
    refusals=[404],
)
async def read_deliveries(
    entity_id: EntityId,
    request: Request,
    token: MayManage,  # noqa: ARG001 - permission
    page: Annotated[DeliveryPage, Query()],
) -> Response:
    """Show the progress of a subscription, and its latest deliveries: at most 1,000, for 30 days."""
    one = await _subscription(request, entity_id)
    rows = await fetch(readers_of(request).primary, _DELIVERIES, (entity_id, page.before, _PAGE + 1))
    content = [Delivery(**dict(zip(Delivery.model_fields, _row(row), strict=True))) for row in rows[:_PAGE]]
    following = content[-1].number if len(rows) > _PAGE else None
    return uncached(Deliveries(state=one.state, content=content, next=following), _NO_STORE)


@query(
    *(router, f"{PATH}/secret", "secret", WebhookSecret), cache_control=_NO_STORE, waits=False, refusals=[404]
)
async def read_secret(entity_id: EntityId, request: Request, token: MayManage) -> Response:  # noqa: ARG001 - as above
    """Show the secret that deliveries are signed with; a change of `secret_generation` replaces it."""
    one = await _subscription(request, entity_id)
    await KEYS.load([] if one.key_id is None else [one.key_id])
    key = KEYS.get(one.key_id or "")
    if one.channel != "webhook" or one.generation is None or key is None:
        raise not_found(fresh=True)
    until = one.secret_changed_at and one.secret_changed_at + OVERLAP
    is_over = until is None or until <= datetime.now(until.tzinfo)
    secret = webhook_secret(key, entity_id, one.generation)
    return uncached(WebhookSecret(secret=secret, previous_until=None if is_over else _text(until)), _NO_STORE)


async def _subscription(request: Request, entity_id: str) -> _Subscription:
    rows = is_id(entity_id) and await fetch(readers_of(request).primary, _SUBSCRIPTION, (entity_id,))
    if not rows:
        raise not_found(fresh=True)
    return _Subscription(*rows[0])


def _row(row: tuple[Any, ...]) -> tuple[Any, ...]:
    number, moment, *others = row
    return number, moment_text(moment), *others


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else moment_text(moment)
