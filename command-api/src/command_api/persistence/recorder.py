"""The library's recorder on the log, and a subscription that survives restarts of the server."""

import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from threading import Thread
from typing import Any, Final
from uuid import UUID

import psycopg
import structlog
from eventsourcing.persistence import (
    ApplicationRecorder,
    IntegrityError,
    InterfaceError,
    ListenNotifySubscription,
    Notification,
    OperationalError,
    PersistenceError,
    StoredEvent,
)
from eventsourcing.postgres import PostgresDatastore
from eventsourcing.utils import retry
from psycopg.rows import args_row, tuple_row

from command_api.event_store import statements
from command_api.event_store.appender import outcomes_of, parameters_of, refusal_of
from command_api.event_store.records import (
    MAX_VERSION,
    AppendRequest,
    ClockJumped,
    RecordedEvent,
)
from command_api.persistence.keys import Keys
from ops.base.clock import STEADY_CLOCK
from ops.base.encryption.keys import Key

POLL_SECONDS: Final = 1.0
"""The longest delay of an event whose notification was lost."""
_STOP_CHECK_SECONDS: Final = 0.1
"""The interval of checks whether the subscription was stopped."""
_BEFORE_ALL: Final = -1  # the library's streams may begin with version 0
_LOCK_TIMEOUT: Final = "SET LOCAL lock_timeout = '4s'"  # for appends only
_retry = retry((InterfaceError, OperationalError), max_attempts=10, wait=0.2)

logger = structlog.get_logger()


class FleetlogRecorder(ApplicationRecorder):
    """Reads and follows the log; appends to it if the role may call `log.append`."""

    def __init__(self, datastore: PostgresDatastore, keys: Keys | None = None) -> None:
        """Prepare the recorder.

        Args:
            datastore: the library's connections, of a role that may select from `log.events` and `log.head`.
            keys: the keys of encrypted events; None: events are not decrypted or encrypted.
        """
        self.datastore = datastore
        self._keys = keys

    def next_key(self, stream: str) -> Key | None:
        """Return the key that encrypts a stream's next event; None: events are not encrypted.

        Raises:
            OperationalError: the key is unavailable, or was erased.
        """
        if self._keys is None:
            return None
        newest: list[RecordedEvent] = self._select(
            statements.STREAM_LATEST_FIRST, (stream, _BEFORE_ALL, MAX_VERSION, 1)
        )
        return self._keys.next_key(stream, newest[0] if newest else None)

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        """Append all events or none, and return their positions.

        Raises:
            eventsourcing.persistence.IntegrityError: a version exists already, or does not follow.
            eventsourcing.persistence.PersistenceError: the events could not be appended.
        """
        if not stored_events:
            return []
        events = tuple(
            StoredEvent(str(event.originator_id), event.originator_version, event.topic, event.state)
            for event in stored_events
        )
        # The command id makes a retry after a lost answer idempotent.
        positions: list[int] = self._append(AppendRequest(uuid.uuid4(), events))
        return positions

    def select_events(
        self,
        originator_id: UUID | str,
        *,
        gt: int | None = None,
        lte: int | None = None,
        desc: bool = False,
        limit: int | None = None,
    ) -> Sequence[StoredEvent]:
        """Return the events of a stream between two versions."""
        bounds = (_BEFORE_ALL if gt is None else gt, MAX_VERSION if lte is None else lte)
        statement = statements.STREAM_LATEST_FIRST if desc else statements.STREAM
        events: list[RecordedEvent] = self._select(statement, (str(originator_id), *bounds, limit))
        return events

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        """Return the events between two positions, in the log's order."""
        after = 0 if start is None else start - (1 if inclusive_of_start else 0)
        up_to = MAX_VERSION if stop is None else stop
        parameters = {"after": after, "up_to": up_to, "topics": list(topics), "limit": limit}
        events: list[RecordedEvent] = self._select(statements.AFTER, parameters)
        return events

    @_retry
    def max_notification_id(self) -> int | None:
        """Return the position of the last event."""
        with self.datastore.get_connection() as connection:
            (head,) = connection.cursor(row_factory=tuple_row).execute(statements.HEAD).fetchall()
            return int(head[0]) or None

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> "LogSubscription":
        """Follow the log from a position."""
        return LogSubscription(self, gt=gt, topics=topics)

    @_retry
    def _select(self, statement: str, parameters: Any) -> list[RecordedEvent]:
        with self.datastore.get_connection() as connection:
            cursor = connection.cursor(row_factory=args_row(RecordedEvent), binary=True)
            events = cursor.execute(statement, parameters).fetchall()
        if self._keys is not None:
            self._keys.unlock(events)
        return events

    @_retry
    def _append(self, request: AppendRequest) -> list[int]:
        with self.datastore.get_connection() as connection:
            cursor = psycopg.RawCursor(connection, row_factory=tuple_row)
            parameters = parameters_of([request], STEADY_CLOCK.now())
            try:
                with connection.transaction():
                    cursor.execute(_LOCK_TIMEOUT)
                    rows = cursor.execute(statements.APPEND, parameters, binary=True).fetchall()
            except psycopg.Error as error:
                if isinstance(refusal := refusal_of(error), ClockJumped):
                    raise OperationalError(str(refusal)) from None
                raise
            (outcome,) = outcomes_of([request], rows)
            if isinstance(outcome, Exception):
                raise IntegrityError(str(outcome))
            positions = [event.position for event in outcome.events]
            cursor.execute(statements.NOTIFY, [str(positions[-1])])
            return positions


class LogSubscription(ListenNotifySubscription[FleetlogRecorder]):
    """Yields the events after a position, each once and in the log's order.

    Unlike the library's own subscription, it also delivers events appended before it listens, retries while
    the server is unavailable, and advances past events of other topics.
    """

    def __init__(self, recorder: FleetlogRecorder, gt: int | None, topics: Sequence[str]) -> None:
        super().__init__(recorder, gt, topics)
        self._listening = Thread(target=self._listen, name="fleetlog", daemon=True)
        self._listening.start()

    def __exit__(self, *args: object, **kwargs: Any) -> None:
        super().__exit__(*args, **kwargs)
        self._listening.join()

    def _listen(self) -> None:
        while not self._has_been_stopped:
            with suppress(PersistenceError), self._recorder.datastore.get_connection() as connection:
                connection.execute(f"LISTEN {statements.APPENDED_CHANNEL}")
                while not self._has_been_stopped:
                    self._has_been_notified.set()  # poll, because notifications can be lost
                    until = time.monotonic() + POLL_SECONDS
                    while not self._has_been_stopped and time.monotonic() < until:
                        if list(connection.notifies(timeout=_STOP_CHECK_SECONDS, stop_after=1)):
                            break
            self._has_been_notified.set()
            time.sleep(_STOP_CHECK_SECONDS)

    def _pull(self) -> None:
        try:
            head = self._recorder.max_notification_id() or 0
            super()._pull()
        except PersistenceError as error:
            logger.warning("subscription_retried", error=type(error).__name__)
            return
        if not self._has_been_stopped:
            self._last_notification_id = max(self._last_notification_id or 0, head)
