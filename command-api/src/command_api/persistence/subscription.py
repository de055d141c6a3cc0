"""Following our log with the library's own subscription, which here outlives the server's restarts."""

from collections.abc import Sequence
from concurrent.futures import Future
from typing import TYPE_CHECKING

import structlog
from eventsourcing.persistence import ListenNotifySubscription, OperationalError

if TYPE_CHECKING:
    from command_api.persistence.recorder import FleetlogRecorder

logger = structlog.get_logger()


class LogSubscription(ListenNotifySubscription["FleetlogRecorder"]):
    """Gives the events after a position as they come, each once and in the log's order.

    Unlike the library's own it needs no further event to see one that came before it began to listen, tries
    again while the server is away, and leaves behind what its topics leave out.
    """

    _watching: Future[None] | None = None

    def __init__(self, recorder: "FleetlogRecorder", gt: int | None, topics: Sequence[str]) -> None:
        super().__init__(recorder, gt, topics)
        self._watching = recorder.watch(self._has_been_notified.set)
        if self._has_been_stopped:
            self._watching.cancel()

    def stop(self) -> None:
        """End it: whoever waits for the next event is told that there is none."""
        super().stop()
        if self._watching:
            self._watching.cancel()

    def _pull(self) -> None:
        try:
            head = self._recorder.max_notification_id() or 0
            super()._pull()
        except OperationalError as error:
            logger.warning("subscription_retried", error=str(error))
            return
        if not self._has_been_stopped:
            self._last_notification_id = max(self._last_notification_id or 0, head)
