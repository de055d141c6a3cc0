"""The interface between the worker and the ways to deliver."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, NamedTuple, Never, Protocol
from uuid import UUID

from ops.base.database.pools import Pool
from projections.notify.clock import Clock
from projections.notify.deliveries import DeliveryWriter
from projections.notify.events import shared_events
from projections.notify.subscriptions import Subscription
from read_model.public_events.envelope import Origin

POLL_SECONDS: Final = 1.0
"""Delay of a change whose notification was lost."""
CURRENT_SECONDS: Final = 0.5
"""Age of the leader's knowledge of the subscriptions up to which deliveries begin."""


class Request(NamedTuple):
    """A row of `notify.requests`: what a user wants done once."""

    id: UUID
    subscription_id: str
    kind: Literal["test", "again", "replay", "resume"]
    delivery: int | None
    """The delivery to send again."""
    after: int | None
    """The position after which to replay."""
    actor: dict[str, Any]
    """The user, as in events."""


@dataclass
class Context:
    """What the leading worker shares with all channels.

    Attributes:
        pool: connections in autocommit mode, with the notifier's rights.
        head: the last position of the revisions.
        moves: the number of requests that have moved a cursor.
        read_at: `time.monotonic` before the last read of the subscriptions.
        is_delivering: whether a delivery has begun, or waits to begin, since then.
    """

    pool: Pool
    clock: Clock
    origin: Origin
    head: int = 0
    moves: int = 0
    read_at: float = 0.0
    is_delivering: bool = False

    def __post_init__(self) -> None:
        self._changed = asyncio.Event()
        self.events = shared_events(self.pool)
        self.writer = DeliveryWriter(self.pool)

    def wake(self) -> None:
        """End all waits: the head, a subscription, a cursor or the clock may have changed."""
        self._changed.set()
        self._changed = asyncio.Event()

    async def wait(self, seconds: float) -> None:
        """Return when something may have changed, or after a while."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._changed.wait()

    async def wait_until_current(self) -> None:
        """Return when a delivery may begin. Otherwise a busy process would follow a pause late."""
        self.is_delivering = True
        while time.monotonic() - self.read_at > CURRENT_SECONDS:
            await self.wait(POLL_SECONDS)

    async def pause(self, *, until: datetime | None, moves: int) -> None:
        """Return at a time, or earlier if a request has moved a cursor since `moves` was read."""
        while self.moves == moves and (until is None or self.clock() < until):
            await self.wait(POLL_SECONDS)


class Channel(Protocol):
    """Delivers to the target of one subscription, in a task of its own."""

    async def run(self) -> Never:
        """Deliver what is due, until cancelled. After an error it is called again.

        Not called while the subscription is paused; a change of the subscription creates a new channel.
        """
        ...

    async def execute(self, request: Request) -> None:
        """Execute a request of the kind `test` or `again` while `run` runs; it is repeated after a crash."""
        ...

    async def close(self) -> None:
        """Release what the channel holds, after its last call."""
        ...


ChannelFactory = Callable[[Subscription, Context], Channel]
