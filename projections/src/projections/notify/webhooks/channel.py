"""Delivers events to one webhook, in the order of the log."""

import json
import random
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any, Final, Never

from command_api.domain.events import DeliveryGivenUp
from ops.base.http.client import trusting
from ops.base.http.consistency import LogPosition
from ops.base.process.failpoints import failpoint
from ops.base.records.operations import moment_text
from ops.base.records.webhook_secrets import OVERLAP, webhook_secret
from projections.notify import cursors, deliveries, history, metrics
from projections.notify.channel import POLL_SECONDS, ChannelFactory, Context, Request
from projections.notify.cursors import Cursor, CursorMoved
from projections.notify.deliveries import Delivery
from projections.notify.events import read_event, select
from projections.notify.settings import Networks
from projections.notify.subscriptions import Subscription
from projections.notify.webhooks.guard import GuardedBackend
from projections.notify.webhooks.sender import Answer, Sender
from projections.notify.webhooks.signatures import signed_headers
from read_model.public_events.envelope import DATA_CONTENT_TYPE, TYPE_PREFIX, PublicEvent, type_of

FIRST_PAUSE: Final = timedelta(seconds=5)
LONGEST_PAUSE: Final = timedelta(hours=1)
GIVE_UP_AFTER: Final = timedelta(days=4)
TEST_TYPE: Final = f"{TYPE_PREFIX}.webhook.test"
_GONE: Final = 410
_MEDIA_TYPE: Final = "application/cloudevents+json"
_SAVED_EVERY: Final = 1_000
"""Positions without a selected event after which the cursor is saved."""
_FORMER_SECRET: Final = "SELECT changed_at, former FROM notify.former_secret(%s)"  # noqa: S105 - a statement
_DELIVERY: Final = """
SELECT kind, event_id FROM notify.deliveries WHERE subscription_id = %s AND number = %s
"""


def webhooks(networks: Networks) -> ChannelFactory:
    """Return the factory of webhooks, which may reach some networks although they are not public."""
    tls = trusting()

    def create(subscription: Subscription, context: Context) -> Webhook:
        sender = Sender(subscription.url or "", GuardedBackend(networks), tls)
        return Webhook(subscription, context, sender)

    return create


def pause_after(
    attempts: int, asked_seconds: float, jitter: Callable[[], float] = random.random
) -> timedelta:
    """Return the time until the next attempt.

    Args:
        attempts: the number of failed ones.
        asked_seconds: how long the receiver asks to wait, at least.
        jitter: returns a number from 0 to 1.
    """
    seconds = min(FIRST_PAUSE.total_seconds() * 2 ** min(attempts - 1, 20), LONGEST_PAUSE.total_seconds())
    asked = min(timedelta(seconds=min(asked_seconds, 1e6)), LONGEST_PAUSE)
    return max(timedelta(seconds=seconds * (0.75 + 0.25 * jitter())), FIRST_PAUSE, asked)


class Webhook:
    """Posts the events that a subscription selects; see `projections.notify.channel.Channel`."""

    def __init__(self, subscription: Subscription, context: Context, sender: Sender) -> None:
        self._subscription = subscription
        self._context = context
        self._sender = sender
        self._former: tuple[datetime, int] | None = None

    async def run(self) -> Never:
        """Deliver the events after the cursor, and wait for more, until cancelled."""
        context, subscription_id = self._context, self._subscription.id
        while True:
            moves = context.moves
            cursor = await context.writer.begin(subscription_id)
            now = context.clock()
            if cursor.given_up_at is not None or (cursor.next_attempt_at or now) > now:
                await context.pause(until=cursor.next_attempt_at, moves=moves)
                continue
            try:
                await self._follow(cursor, moves)
            except CursorMoved:
                continue

    async def execute(self, request: Request) -> None:
        """Send a test, or an event of the log again."""
        kind, event_id = ("test", None)
        if request.kind == "again":
            async with self._context.pool.connection() as connection:
                found = await connection.execute(_DELIVERY, (self._subscription.id, request.delivery))
                kind, event_id = await found.fetchone() or ("unknown", None)
        if kind == "test":
            body = json.dumps(self._test_event(str(request.id))).encode()
            delivery, _ = await self._post("test", (str(request.id), TEST_TYPE, self._subscription.id), body)
        else:
            position = LogPosition.parse(event_id or "")
            if position is None or position.log_id != self._context.origin.log_id:
                return
            async with self._context.pool.connection() as connection:
                event = await read_event(connection, position.position)
            if event is None:
                return
            delivery, _ = await self._post_event("again", event)
        async with self._context.pool.connection() as connection:
            await deliveries.record(connection, delivery)

    async def close(self) -> None:
        """Close the connections."""
        await self._sender.close()

    async def _follow(self, cursor: Cursor, moves: int) -> None:
        """Deliver until a delivery fails, or a request moves the cursor."""
        context, one = self._context, self._subscription
        saved = reached = cursor.position
        attempts = cursor.attempts
        while context.moves == moves:
            if (head := context.head) <= reached:
                await context.wait(POLL_SECONDS)
                if reached > saved and context.head == head:
                    await context.writer.advance(one.id, after=saved, to=reached)
                    saved = reached
                continue
            batch = select(one, await context.events.get((reached, head)) or (), after=reached)
            for event in batch.events:
                await context.wait_until_current()
                delivery, answer = await self._post_event("event", event, attempt=attempts + 1)
                failpoint("notify.posted")
                if not delivery.ok:
                    await self._fail(delivery, answer, saved, cursor._replace(attempts=attempts))
                    return
                await context.writer.advance(one.id, delivery, after=saved, to=event.position)
                saved, attempts, cursor = event.position, 0, cursor._replace(failing_since=None)
            reached = batch.reached
            if reached - saved >= _SAVED_EVERY:
                await context.writer.advance(one.id, after=saved, to=reached)
                saved = reached

    async def _fail(self, delivery: Delivery, answer: Answer, saved: int, cursor: Cursor) -> None:
        now, one = self._context.clock(), self._subscription
        is_over = answer.status == _GONE or now - (cursor.failing_since or now) >= GIVE_UP_AFTER
        pause = pause_after(cursor.attempts + 1, answer.retry_seconds(now))
        next_attempt_at, reason = None if is_over else now + pause, answer.reason
        await self._context.writer.flush()
        async with self._context.pool.connection() as connection, connection.transaction():
            await deliveries.record(connection, delivery)
            await cursors.fail(
                connection, one.id, after=saved, now=now, next_attempt_at=next_attempt_at, reason=reason
            )
            if is_over:
                await history.append(connection, one, DeliveryGivenUp, saved, reason=reason)

    async def _post_event(
        self, kind: Any, event: PublicEvent, *, attempt: int = 1
    ) -> tuple[Delivery, Answer]:
        origin = self._context.origin
        event_id, body = str(LogPosition(origin.log_id, event.position)), origin.structured(event).encode()
        return await self._post(kind, (event_id, type_of(event), event.entity_id), body, attempt)

    async def _post(
        self, kind: Any, event: tuple[str, str, str], body: bytes, attempt: int = 1
    ) -> tuple[Delivery, Answer]:
        event_id, event_type, subject = event
        moment = self._context.clock()
        headers = signed_headers(event_id, moment, body, await self._secrets(moment))
        answer = await self._sender.post({"content-type": _MEDIA_TYPE, **headers}, body)
        metrics.DELIVERIES.labels("webhook", str(answer.ok).lower()).inc()
        shown = {name: value for name, value in headers.items() if name != "webhook-signature"}
        delivery = Delivery(
            subscription_id=self._subscription.id,
            moment=moment,
            kind=kind,
            ok=answer.ok,
            attempt=attempt,
            event_id=event_id,
            event_type=event_type,
            subject=subject,
            status=answer.status,
            milliseconds=answer.milliseconds,
            error=answer.error,
            request="".join(f"{name}: {value}\n" for name, value in shown.items()) + "\n" + body.decode(),
            response=answer.response,
        )
        return delivery, answer

    async def _secrets(self, now: datetime) -> list[str]:
        """Return the secrets that sign now: the current one, and for a day after a change the former one."""
        one = self._subscription
        if one.key is None:
            return []
        if one.secret_generation > 1 and self._former is None:
            async with self._context.pool.connection() as connection:
                self._former = await (await connection.execute(_FORMER_SECRET, (one.id,))).fetchone()
        generations = [one.secret_generation]
        if self._former is not None and now - self._former[0] < OVERLAP:
            generations.append(self._former[1])
        return [webhook_secret(one.key, one.id, generation) for generation in generations]

    def _test_event(self, event_id: str) -> dict[str, Any]:
        return {
            "specversion": "1.0",
            "id": event_id,
            "source": f"/{TYPE_PREFIX}/{self._context.origin.log_id}",
            "type": TEST_TYPE,
            "subject": self._subscription.id,
            "time": moment_text(self._context.clock()),
            "datacontenttype": DATA_CONTENT_TYPE,
            "data": {},
        }
