"""The library's recorder over our log."""

import uuid
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

import psycopg
from eventsourcing.persistence import (
    ApplicationRecorder,
    IntegrityError,
    InterfaceError,
    Notification,
    OperationalError,
    StoredEvent,
)
from eventsourcing.postgres import PostgresDatastore
from eventsourcing.utils import retry
from psycopg.rows import args_row, tuple_row

from command_api.event_store import statements
from command_api.event_store.records import MAX_VERSION, Append, ClockJumped, RecordedEvent, VersionConflict
from command_api.event_store.transaction import outcomes_of, parameters_of, refusal_of
from command_api.persistence.subscription import LogSubscription
from ops.base.clock import STEADY_CLOCK

_BEFORE_ALL: Final = -1  # the library's streams may begin with version 0
_again = retry((InterfaceError, OperationalError), max_attempts=10, wait=0.2)


class FleetlogRecorder(ApplicationRecorder):
    """Reads our log and follows it; appends to it where the role may call `log.append`."""

    def __init__(self, datastore: PostgresDatastore) -> None:
        """Describe the recorder.

        Args:
            datastore: the library's connections, of a role that may select from `log.events` and `log.head`.
        """
        self.datastore = datastore

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

    def subscribe(self, gt: int | None = None, topics: Sequence[str] = ()) -> LogSubscription:
        """Follow the log from a position on."""
        return LogSubscription(self, gt=gt, topics=topics)

    @_again
    def _select(self, statement: str, parameters: Any) -> list[RecordedEvent]:
        with self.datastore.get_connection() as connection:
            cursor = connection.cursor(row_factory=args_row(RecordedEvent), binary=True)
            return cursor.execute(statement, parameters).fetchall()

    @_again
    def _append(self, append: Append) -> list[int]:
        with self.datastore.get_connection() as connection:
            connection.execute(statements.SESSION)
            cursor = connection.cursor(row_factory=tuple_row, binary=True)
            try:
                rows = cursor.execute(
                    statements.APPEND, parameters_of([append], STEADY_CLOCK.now())
                ).fetchall()
            except psycopg.Error as error:
                refusal = refusal_of(error)
                raise (
                    OperationalError(str(refusal)) if isinstance(refusal, ClockJumped) else refusal
                ) from None
            (outcome,) = outcomes_of([append], rows)
            if isinstance(outcome, VersionConflict):
                raise IntegrityError(str(outcome))
            positions = [event.position for event in outcome.events]
            connection.execute(statements.NOTIFY, [str(positions[-1])])
            return positions
