"""Events about deliveries, in the streams of subscriptions."""

from typing import Final
from uuid import uuid4

from psycopg import AsyncConnection

from command_api.domain.events import DeliveryGivenUp, EventActor, EventMetadata
from command_api.event_store.mapper import MAPPER
from projections.notify.subscriptions import ENTITY, Subscription

NOTIFIER: Final = EventActor(sub="fleetlog-notify", is_program=True)

_VERSION: Final = "SELECT version FROM read.subscriptions WHERE id = %s AND NOT restricted"
_APPEND: Final = "SELECT notify.append(%s, %s, %s, %s)"


async def append(
    connection: AsyncConnection,
    subscription: Subscription,
    event_class: type[DeliveryGivenUp],
    position: int,
    *,
    actor: EventActor = NOTIFIER,
    reason: str | None = None,
) -> None:
    """Append an event in the transaction of the change that it records; of a removed subscription, none.

    Raises:
        psycopg.errors.SerializationFailure: the read table lags, or another event came first.
    """
    row = await (await connection.execute(_VERSION, (subscription.id,))).fetchone()
    if row is None:
        return
    event = event_class(
        originator_id=f"{ENTITY}:{subscription.id}",
        originator_version=row[0] + 1,
        metadata=EventMetadata(actor=actor, request_id=uuid4().hex, reason=reason, fingerprint=""),
        position=position,
    )
    state = MAPPER.to_stored_event(event, subscription.key).state
    await connection.execute(_APPEND, (subscription.id, event.originator_version, event.kind, state))
