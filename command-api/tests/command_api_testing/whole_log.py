"""The log in PostgreSQL, with reads in the log's order for tests."""

from collections.abc import Sequence

from command_api.event_store import statements
from command_api.event_store.log import EventLog
from command_api.event_store.records import MAX_VERSION, RecordedEvent


class WholeLog(EventLog):
    """A log whose events can be read in order."""

    async def after(
        self, position: int, *, limit: int, up_to: int = MAX_VERSION, topics: Sequence[str] = ()
    ) -> list[RecordedEvent]:
        """Return the events after a position.

        Args:
            limit: maximum number of events.
            topics: topics of the events; empty: all.
        """
        parameters = {"after": position, "up_to": up_to, "topics": list(topics), "limit": limit}
        return [RecordedEvent(*row) for row in await self._fetch(statements.AFTER, parameters)]
