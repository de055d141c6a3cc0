"""Delivers one subscription by e-mail: a digest a day, or a mail for each batch of events."""

import asyncio
import threading
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from functools import cached_property, partial
from typing import Any, Final, Literal, Never
from zoneinfo import ZoneInfo

from psycopg import AsyncConnection

from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.process.failpoints import failpoint
from ops.base.records.signed_links import SignedLink, confirm_purpose
from projections.event_log import read_head
from projections.notify import cursors, deliveries
from projections.notify.channel import ChannelFactory, Context, Request
from projections.notify.events import read_events
from projections.notify.mail.due import DueDocument, Unready, read_due, record_reminders, with_names
from projections.notify.mail.message import (
    MOST_EVENTS,
    TEST,
    WELCOME,
    Content,
    compose,
    due_content,
    events_content,
)
from projections.notify.mail.recipients import marks_of, read_confirmed, record_mail
from projections.notify.mail.schedule import Schedule
from projections.notify.mail.smtp import Answer, MailSettings, send
from projections.notify.subscriptions import ENTITY, Subscription
from read_model.public_events.envelope import PublicEvent

BETWEEN_MAILS: Final = timedelta(minutes=1)
_FIRST_PAUSE: Final = timedelta(minutes=1)
_LONGEST_PAUSE: Final = timedelta(minutes=30)
_POLL_SECONDS: Final = 30.0
_AGAIN_SECONDS: Final = 1.0
_KEPT: Final = timedelta(days=400)

_SET_WELCOMED: Final = "UPDATE notify.cursors SET welcomed = %s WHERE subscription_id = %s"
_LAST: Final = f"""
SELECT (SELECT max(day) FROM notify.digests WHERE subscription_id = %(id)s AND state <> 'due'),
  (SELECT max(moment) FROM read.revisions WHERE entity = '{ENTITY}' AND entity_id = %(id)s)
"""  # noqa: S608 - a constant of this project
_KEEP_DUE: Final = """
INSERT INTO notify.digests (subscription_id, day, state, recipients)
SELECT %s, day, 'due', 0 FROM (SELECT %s::date AS day) AS due WHERE day IS NOT NULL
ON CONFLICT DO NOTHING
"""
_SKIP: Final = """
INSERT INTO notify.digests (subscription_id, day, state, recipients) VALUES (%s, %s, 'empty', 0)
ON CONFLICT DO NOTHING
"""
_CLOSE: Final = """
WITH former AS (
  DELETE FROM notify.digests
  WHERE subscription_id = %(id)s AND (day < %(oldest)s OR day < %(day)s AND state = 'due')
)
INSERT INTO notify.digests (subscription_id, day, state, recipients, error)
VALUES (%(id)s, %(day)s, %(state)s, %(recipients)s, %(error)s)
ON CONFLICT (subscription_id, day)
DO UPDATE SET state = excluded.state, recipients = excluded.recipients, error = excluded.error
"""
# The first condition is that of the index `revisions_of_privacy`.
_WITHHELD: Final = """
SELECT entity || ':' || entity_id, CASE WHEN kind = 'erased' THEN position ELSE 9223372036854775807 END
FROM unnest(%s::text[], %s::text[]) AS record (entity, entity_id), LATERAL (
  SELECT split_part(type, '.', 2) AS kind, position FROM read.revisions AS one
  WHERE split_part(type, '.', 2) IN ('restricted', 'hold_set', 'restriction_lifted', 'erased')
    AND (one.entity, one.entity_id) = (record.entity, record.entity_id)
  ORDER BY version DESC LIMIT 1
) AS latest
WHERE kind <> 'restriction_lifted'
"""


@dataclass
class _Round:
    """A notification that some recipients may have accepted already."""

    position: int
    """Of the cursor when the round began."""
    reached: int
    """The position of the last event of the notification."""
    day: date | None
    """Of a digest."""
    documents: list[DueDocument] = field(default_factory=list)
    answers: dict[str, Answer] = field(default_factory=dict)
    """The final answers, by recipient."""

    @property
    def is_accepted(self) -> bool:
        return any(answer.error is None for answer in self.answers.values())


class MailChannel:
    """Sends a subscription's mails."""

    def __init__(self, settings: MailSettings, subscription: Subscription, context: Context) -> None:
        self._settings = settings
        self._one = subscription
        self._context = context
        self._last: date | None = None
        self._mailed_at: datetime | None = None
        self._head: int | None = None
        self._idle_at: tuple[int, int] | None = None
        self._round: _Round | None = None
        self._confirmed: dict[str, str] = {}

    @cached_property
    def _schedule(self) -> Schedule:
        # Not in the constructor, so that a zone that this machine does not know stops no other channel.
        return Schedule(self._one.hour, ZoneInfo(self._one.time_zone))

    async def run(self) -> Never:
        """See `Channel`."""
        async with self._context.pool.connection() as connection:
            cursor = await cursors.begin(connection, self._one.id)
            self._confirmed = await read_confirmed(connection, self._one)
            if self._settings.missing:
                await cursors.suspend(connection, self._one.id)
            elif not cursor.is_configured:
                await cursors.advance(connection, self._one.id, after=cursor.position, to=cursor.position)
            self._last = await self._read_last(connection)
        if self._one.content == "due_dates" and not self._settings.missing:
            await self._welcome(cursor.welcomed)
        while True:
            try:
                seconds = await self._step(self._context.clock())
            except cursors.CursorMoved:
                self._round, seconds = None, 0.0
            except (Unready, KeysUnavailable):
                seconds = _AGAIN_SECONDS
            await self._context.wait(seconds)

    async def execute(self, request: Request) -> None:
        """See `Channel`."""
        if request.kind == "test":
            async with self._context.pool.connection() as connection:
                self._confirmed = await read_confirmed(connection, self._one)
            today = self._context.clock().astimezone(UTC).date()
            answers = await self._send(TEST, f"test {request.id}", self._one.recipients, today)
            async with self._context.pool.connection() as connection:
                await self._log(connection, "test", TEST.subject, answers)
        else:  # mails contain the current state, so the next attempt repeats them
            async with self._context.pool.connection() as connection:
                await cursors.move(connection, self._one.id, to=None)

    async def close(self) -> None:
        """See `Channel`; there is nothing to release."""

    async def _read_last(self, connection: AsyncConnection) -> date | None:
        """Return the day of the last digest; of a new subscription, of the one before its latest change."""
        one = self._one
        last: date | None
        ((last, changed_at),) = await (await connection.execute(_LAST, {"id": one.id})).fetchall()
        if last is None and changed_at is not None and one.schedule == "daily":
            last, _ = self._schedule.next_digest(changed_at, None)
            # An earlier hour, chosen later, may still make a digest due on the same day.
            await connection.execute(_SKIP, (one.id, last))
        return last

    async def _welcome(self, welcomed: list[bytes]) -> None:
        """Mail the link that confirms an address to new ones; missed, it is in digests and tests as well."""
        marks, today = marks_of(self._one), self._context.clock().astimezone(UTC).date()
        new = [one for one, mark in marks.items() if mark not in welcomed and one not in self._confirmed]
        if list(marks.values()) != welcomed:
            await self._send(WELCOME, f"welcome {today}", new, today)
            async with self._context.pool.connection() as connection:
                await connection.execute(_SET_WELCOMED, (list(marks.values()), self._one.id))

    async def _step(self, now: datetime) -> float:
        """Send what is due; return the seconds after which something may be due."""
        day, moment = None, now
        if self._one.schedule == "daily":
            day, moment = self._schedule.next_digest(now, self._last)
        elif self._mailed_at is not None:
            moment = self._mailed_at + BETWEEN_MAILS
        at = self._context.head, self._context.moves
        if moment > now or at == self._idle_at:
            return _POLL_SECONDS
        async with self._context.pool.connection() as connection:
            if self._settings.missing:
                await connection.execute(_KEEP_DUE, (self._one.id, day))
                self._last = day
                return _POLL_SECONDS
            cursor = await cursors.begin(connection, self._one.id)
            if self._round is not None and self._round.day != day:
                await self._close(connection, self._round)  # recipients without an answer missed it
            is_idle = day is None and cursor.position >= self._context.head
            self._idle_at = at if is_idle else None
            if is_idle or (cursor.next_attempt_at is not None and cursor.next_attempt_at > now):
                return _AGAIN_SECONDS
            current, content = await self._prepare(connection, cursor.position, day, now)
            if content is None:
                await self._close(connection, current, is_empty=True)
                return 0.0
        self._round = current
        await self._deliver(current, content, cursor.attempts, now)
        return 0.0

    async def _prepare(
        self, connection: AsyncConnection, position: int, day: date | None, now: datetime
    ) -> tuple[_Round, Content | None]:
        """Return the round to begin or continue, and its content; None if there is nothing to send."""
        one, current = self._one, self._round
        if current is not None and (current.position != position or not current.is_accepted):
            current = None
        if one.content == "events":
            upto = self._context.head if current is None else current.reached
            events, count, reached = await self._read_events(connection, position, upto)
            content = events_content(events, count, self._schedule.zone) if events else None
            return current or _Round(position, reached, day), content
        today = self._schedule.local_day(now)
        self._head = await read_head(connection) if self._head is None else self._head
        due = await read_due(connection, one.id, today, head=self._head)
        self._head = None
        current = current or _Round(position, position, day, documents=due)
        # A later attempt adds nothing, because recipients of the first would miss it.
        sent = {(document.driver, document.document) for document in current.documents}
        due = [document for document in due if (document.driver, document.document) in sent]
        self._confirmed = await read_confirmed(connection, one)
        if self._confirmed:
            due = await with_names(connection, due)
        return current, due_content(due, today, one.key, one.id) if due else None

    async def _read_events(
        self, connection: AsyncConnection, position: int, upto: int
    ) -> tuple[list[PublicEvent], int, int]:
        """Return the first events up to a position, their number, and the position reached.

        Events that cannot be decoded are left out: their names may be any text.
        """
        first: list[PublicEvent] = []
        count = 0
        while position < upto:
            batch = await read_events(connection, self._one, after=position, upto=upto)
            records = list({(event.entity, event.entity_id) for event in batch.events})
            columns = [[entity for entity, _ in records], [entity_id for _, entity_id in records]]
            withheld: dict[str, int] = dict(await (await connection.execute(_WITHHELD, columns)).fetchall())
            shown = [
                event
                for event in batch.events
                if event.schema_version is not None
                and event.position > withheld.get(f"{event.entity}:{event.entity_id}", 0)
            ]
            first += shown[: MOST_EVENTS - len(first)]
            count += len(shown)
            position = batch.reached
        return first, count, position

    async def _deliver(self, current: _Round, content: Content, attempts: int, now: datetime) -> None:
        """Send to the recipients who have not answered yet, and record the answers."""
        await self._context.wait_until_current()
        pending = [one for one in self._one.recipients if one not in current.answers]
        key, day = str(current.day or current.position), current.day or now.astimezone(UTC).date()
        answers = await self._send(content, key, pending, day)
        failpoint("mail.answered")
        current.answers |= {one: answer for one, answer in answers.items() if answer.is_final}
        later = [answer.error for answer in answers.values() if not answer.is_final]
        if current.is_accepted:
            self._mailed_at = now
        kind: Literal["digest", "event"] = "event" if current.day is None else "digest"
        async with self._context.pool.connection() as connection, connection.transaction():
            await self._log(connection, kind, content.subject, answers)
            if later:
                pause = min(_FIRST_PAUSE * 2 ** min(attempts, 10), _LONGEST_PAUSE)
                where = {"after": current.position, "now": now, "next_attempt_at": now + pause}
                await cursors.fail(connection, self._one.id, **where, reason=str(later[0]))
            else:
                await self._close(connection, current)
        failpoint("mail.recorded")

    async def _send(self, content: Content, key: str, recipients: Any, day: date) -> dict[str, Answer]:
        one, server, sender = self._one, self._settings.server, self._settings.mail_from
        if server is None or sender is None:
            missing = f"{' and '.join(self._settings.missing)} not set"
            return dict.fromkeys(recipients, Answer(is_final=False, status=None, error=missing))
        now, where = self._context.clock(), {"address": self._context.origin.address, "subscription": one.id}
        named = dict.fromkeys(row.id for _, rows in content.sections for row in rows if row.name)
        mails = []
        async with self._context.pool.connection() as connection, connection.transaction():
            for to in recipients:
                user = self._confirmed.get(to)
                its = content if user is not None else content.unnamed(self._confirm(to, day))
                if user is not None and named:
                    mail = f"{one.id}|{key}|{to}|{its}"
                    await record_mail(connection, mail, subscription=one.id, user=user, drivers=named)
                mails.append((to, compose(its, key=key, now=now, sender=sender, recipient=to, **where)))
        is_stopped = threading.Event()
        try:
            answers = await asyncio.to_thread(send, server, mails, is_stopped.is_set)
        finally:
            is_stopped.set()  # the thread outlives a cancellation
        return dict(zip(recipients, answers, strict=True))

    def _confirm(self, recipient: str, day: date) -> str:
        """Return the path of the screen that confirms an address; empty if names are never mailed."""
        one = self._one
        if one.key is None or one.content != "due_dates":
            return ""
        link = SignedLink.sign(one.key, one.id, confirm_purpose(recipient), day)
        return f"/management/notifications/confirm?link={link}"

    async def _log(
        self,
        connection: AsyncConnection,
        kind: Literal["digest", "event", "test"],
        subject: str,
        answers: dict[str, Answer],
    ) -> None:
        """Record answers without addresses."""
        everyone = self._one.recipients
        for recipient, answer in answers.items():
            number = f"Recipient {everyone.index(recipient) + 1} of {len(everyone)}"
            await deliveries.record(
                connection,
                deliveries.Delivery(
                    subscription_id=self._one.id,
                    moment=self._context.clock(),
                    kind=kind,
                    ok=answer.error is None,
                    status=answer.status,
                    error=answer.error,
                    request=f"{number}\n{subject}",
                ),
            )

    async def _close(self, connection: AsyncConnection, closed: _Round, *, is_empty: bool = False) -> None:
        """Record the end of a round and its mails."""
        one, answers = self._one, closed.answers
        missed = [recipient for recipient in one.recipients if recipient not in answers]
        errors = [answer.error for answer in answers.values() if answer.error] + ["not reached"] * len(missed)
        state = "empty" if is_empty else "sent" if closed.is_accepted else "refused"
        # Events without any recipient so far are repeated in the next digest.
        reached = closed.position if state == "refused" and missed else closed.reached
        async with connection.transaction():
            if closed.is_accepted:
                await record_reminders(connection, one.id, closed.documents)
            if closed.day is not None:
                record = {"id": one.id, "day": closed.day, "oldest": closed.day - _KEPT, "state": state}
                record |= {"recipients": len(one.recipients)}
                record |= {"error": None if is_empty else "; ".join(errors) or None}
                await connection.execute(_CLOSE, record)
            await cursors.advance(connection, one.id, after=closed.position, to=reached)
        self._round, self._last = None, closed.day or self._last


def mail(settings: MailSettings) -> ChannelFactory:
    """Return the factory of channels that send mails."""
    return partial(MailChannel, settings)
