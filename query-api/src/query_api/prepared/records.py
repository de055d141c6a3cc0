"""Records and short histories: what was read of one stream, until that stream changes."""

from collections.abc import Awaitable, Callable, Hashable
from functools import partial
from typing import Final

from starlette.requests import Request

from ops.base.sign_in import VerifiedToken
from projections.tables import ReadTable
from query_api import metrics
from query_api.freshness.notified import Notified
from query_api.http.representation import Content, Missing
from query_api.masking.masking import sees_masked
from query_api.prepared.kept import Body, Kept

MAX_RECORD_BYTES: Final = 16_000_000
"""Of all prepared records and histories together."""
LONGEST_RECORD_BYTES: Final = 128 * 1024
"""A longer one is read each time, rather than many others."""

Answer = tuple[Content, Body]
"""What there is, and its JSON ready to be sent."""
Read = Callable[[], Awaitable[Content | Missing]]
Mask = Callable[[Content], Awaitable[Content]]
_MASKED: Final = "masked"


class PreparedRecords:
    """All of them that are kept."""

    def __init__(
        self,
        notified: Notified,
        *,
        max_bytes: int = MAX_RECORD_BYTES,
        longest_bytes: int = LONGEST_RECORD_BYTES,
    ) -> None:
        """Prepare to prepare.

        Args:
            notified: tells what has changed.
            max_bytes: of all that is kept.
            longest_bytes: of one answer that is kept.
        """
        self._notified = notified
        self._kept = Kept(max_bytes)
        self._longest_bytes = longest_bytes

    @property
    def size(self) -> int:
        """Bytes kept."""
        return self._kept.size

    def forget(self) -> None:
        """Keep nothing, nor what is being read just now: it may have been erased."""
        self._kept = Kept(self._kept.max_bytes)

    async def shown_to(
        self,
        token: VerifiedToken,
        table: ReadTable,
        stream: str,
        read: Read,
        *,
        part: Hashable = None,
        mask: Mask,
    ) -> Answer | Missing:
        """Return what somebody is shown of a stream: masked, if they may not see all; see `read`."""
        if not sees_masked(token):
            found = await self.read(table, stream, read, part=part)
            if isinstance(found, Missing) or not sees_masked(token, restricted=found[0].restricted):
                return found
        return await self.read(table, stream, read, part=part, mask=mask)

    async def read(
        self,
        table: ReadTable,
        stream: str,
        read: Read,
        *,
        part: Hashable = None,
        mask: Mask | None = None,
    ) -> Answer | Missing:
        """Return what there is of a stream.

        Args:
            table: where it is read.
            stream: its name.
            read: reads it.
            part: what of the stream is asked for; None: its record.
            mask: makes of it what is shown to those who may not see all; there is one such form at most.
        """
        if mask is not None:
            read, part = partial(self._masked, table, stream, read, part, mask), (_MASKED, part)
        key, kept = (stream, part), self._kept
        prepared = kept.get(key)
        if prepared is not None and prepared.is_current:
            metrics.FROM_MEMORY.inc()
            return prepared.content, prepared
        unchanged = self._notified.watch(table, stream)  # from before it is read
        content = await read()
        if isinstance(content, Missing):
            return content
        json = content.json or b""
        if unchanged is None or not unchanged.holds or len(json) > self._longest_bytes:
            return content, Body(json)
        return content, kept.keep(key, content, json, unchanged)

    async def _masked(
        self, table: ReadTable, stream: str, read: Read, part: Hashable, mask: Mask
    ) -> Content | Missing:
        found = await self.read(table, stream, read, part=part)
        return found if isinstance(found, Missing) else await mask(found[0])


def records_of(request: Request) -> PreparedRecords:
    """Return what the application has prepared."""
    records: PreparedRecords = request.app.state.records
    return records
