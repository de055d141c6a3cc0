"""The library's recorder over our log, and its subscription, which here outlives the server's restarts."""

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
from command_api.event_store.records import MAX_VERSION, Append, ClockJumped, RecordedEvent, VersionConflict
from command_api.event_store.transaction import outcomes_of, parameters_of, refusal_of
from command_api.persistence.keys import Keys
from ops.base.clock import STEADY_CLOCK
from ops.base.encryption.keys import Key

POLL_SECONDS: Final = 1.0
"""How long a lost notification can delay an event."""
_LOOK_SECONDS: Final = 0.1
"""How soon it sees that it has been stopped."""
_BEFORE_ALL: Final = -1  # the library's streams may begin with version 0
_PATIENCE: Final = "SET LOCAL lock_timeout = '4s'"  # of an append; the session serves the application, too
_again = retry((InterfaceError, OperationalError), max_attempts=10, wait=0.2)

logger = structlog.get_logger()


class FleetlogRecorder(ApplicationRecorder):
    """Reads our log and follows it; appends to it where the role may call `log.append`."""

    def __init__(self, datastore: PostgresDatastore, keys: Keys | None = None) -> None:
        """Describe the recorder.

        Args:
            datastore: the library's connections, of a role that may select from `log.events` and `log.head`.
            keys: what is sealed is opened with; None: nothing is.
        """
        self.datastore = datastore
        self._keys = keys

    def next_key(self, stream: str) -> Key | None:
        """Return what a stream's next event is sealed under; None: nothing is.

        Raises:
            OperationalError: it cannot be had now, or was erased.
        """
        if self._keys is None:
            return None
        newest: list[RecordedEvent] = self._select(
            statements.STREAM_LATEST_FIRST, (stream, _BEFORE_ALL, MAX_VERSION, 1)
        )
        return self._keys.next_key(stream, newest[0] if newest else None)

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        """Append events: all of them, or none.

        Returns:
            Their positions.

        Raises:
            eventsourcing.persistence.IntegrityError: a version is there already, or does not follow.
            eventsourcing.persistence.PersistenceError: they could not be appended.
        """
        if not stored_events:
            return []
        events = tuple(
            StoredEvent(str(event.originator_id), event.originator_version, event.topic, event.state)
            for event in stored_events
        )
        # With a command id of its own, so that trying again after a lost answer appends nothing twice.
        positions: list[int] = self._append(Append(uuid.uuid4(), events))
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
        """Return events of the log between two positions, in its order."""
        after = 0 if start is None else start - (1 if inclusive_of_start else 0)
        up_to = MAX_VERSION if stop is None else stop
        parameters = {"after": after, "up_to": up_to, "topics": list(topics), "limit": limit}
        events: list[RecordedEvent] = self._select(statements.AFTER, parameters)
        return events

    @_again
    def max_notification_id(self) -> int | None:
        """Return the position of the last event."""
        with self.datastore.get_connection() as connection:
            (head,) = connection.cursor(row_factory=tuple_row).execute(statements.HEAD).fetchall()
            return int(head[0]) or None

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> "LogSubscription":
        """Follow the log from a position on."""
        return LogSubscription(self, gt=gt, topics=topics)

    @_again
    def _select(self, statement: str, parameters: Any) -> list[RecordedEvent]:
        with self.datastore.get_connection() as connection:
            cursor = connection.cursor(row_factory=args_row(RecordedEvent), binary=True)
            events = cursor.execute(statement, parameters).fetchall()
        if self._keys is not None:
            self._keys.give(events)
        return events

    @_again
    def _append(self, append: Append) -> list[int]:
        with self.datastore.get_connection() as connection:
            cursor = psycopg.RawCursor(connection, row_factory=tuple_row)
            parameters = parameters_of([append], STEADY_CLOCK.now())
            try:
                with connection.transaction():
                    cursor.execute(_PATIENCE)
                    rows = cursor.execute(statements.APPEND, parameters, binary=True).fetchall()
            except psycopg.Error as error:
                if isinstance(refusal := refusal_of(error), ClockJumped):
                    raise OperationalError(str(refusal)) from None
                raise
            (outcome,) = outcomes_of([append], rows)
            if isinstance(outcome, VersionConflict):
                raise IntegrityError(str(outcome))
            positions = [event.position for event in outcome.events]
            cursor.execute(statements.NOTIFY, [str(positions[-1])])
            return positions


class LogSubscription(ListenNotifySubscription[FleetlogRecorder]):
    """Gives the events after a position as they come, each once and in the log's order.

    Unlike the library's own it needs no further event to see one that came before it began to listen, tries
    again while the server is away, and leaves behind what its topics leave out.
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
                    self._has_been_notified.set()  # never dependent on being told
                    until = time.monotonic() + POLL_SECONDS
                    while not self._has_been_stopped and time.monotonic() < until:
                        if list(connection.notifies(timeout=_LOOK_SECONDS, stop_after=1)):
                            break
            self._has_been_notified.set()
            time.sleep(_LOOK_SECONDS)

    def _pull(self) -> None:
        try:
            head = self._recorder.max_notification_id() or 0
            super()._pull()
        except PersistenceError as error:
            logger.warning("subscription_retried", error=type(error).__name__)
            return
        if not self._has_been_stopped:
            self._last_notification_id = max(self._last_notification_id or 0, head)
