"""The log in PostgreSQL, which tests also read from its beginning to its end."""

from collections.abc import Sequence

from command_api.event_store import statements
from command_api.event_store.log import EventLog
from command_api.event_store.records import MAX_VERSION, RecordedEvent


class WholeLog(EventLog):
    """A log whose events can be read in their order, as followers do."""

    async def after(
        self, position: int, *, limit: int, up_to: int = MAX_VERSION, topics: Sequence[str] = ()
    ) -> list[RecordedEvent]:
        """Return the events after a position.

        Args:
            position: the position.
            limit: the most events.
            up_to: the last position that may be among them.
            topics: of which they are; none: of any.
        """
        parameters = {"after": position, "up_to": up_to, "topics": list(topics), "limit": limit}
        return [RecordedEvent(*row) for row in await self._fetch(statements.AFTER, parameters)]
