"""Following our log with the library's own subscription, which here outlives the server's restarts."""

import time
from collections.abc import Sequence
from contextlib import suppress
from threading import Thread
from typing import TYPE_CHECKING, Any, Final

import structlog
from eventsourcing.persistence import ListenNotifySubscription, PersistenceError

from command_api.event_store.statements import APPENDED_CHANNEL

if TYPE_CHECKING:
    from command_api.persistence.recorder import FleetlogRecorder

POLL_SECONDS: Final = 1.0
"""How long a lost notification can delay an event."""
_LOOK_SECONDS: Final = 0.1
"""How soon it sees that it has been stopped."""

logger = structlog.get_logger()


class LogSubscription(ListenNotifySubscription["FleetlogRecorder"]):
    """Gives the events after a position as they come, each once and in the log's order.

    Unlike the library's own it needs no further event to see one that came before it began to listen, tries
    again while the server is away, and leaves behind what its topics leave out.
    """

    def __init__(self, recorder: "FleetlogRecorder", gt: int | None, topics: Sequence[str]) -> None:
        super().__init__(recorder, gt, topics)
        self._listening = Thread(target=self._listen, name="fleetlog", daemon=True)
        self._listening.start()

    def __exit__(self, *args: object, **kwargs: Any) -> None:
        super().__exit__(*args, **kwargs)
        self._listening.join()

    def _listen(self) -> None:
        while not self._has_been_stopped:
            with suppress(PersistenceError), self._recorder.datastore.get_connection() as connection:
                connection.execute(f"LISTEN {APPENDED_CHANNEL}")
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
            logger.warning("subscription_retried", error=str(error))
            return
        if not self._has_been_stopped:
            self._last_notification_id = max(self._last_notification_id or 0, head)
