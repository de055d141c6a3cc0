"""Long answers: sent in pieces, bounded in memory, and ended as soon as the caller's token is revoked.

Unread data stays in the service, because the gateway writes nothing to disk.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Final, NamedTuple

import structlog
from starlette.types import Scope

from ops.base.http.protocol import connection_of
from ops.base.sign_in.dependency import TOKEN, unauthorized
from ops.base.sign_in.refusal import InvalidToken

if TYPE_CHECKING:
    from ops.base.sign_in.actor import VerifiedToken
    from ops.base.sign_in.revocations import Revocations

PIECE_BYTES: Final = 64 * 1024
"""Size of a piece; the connection copies unsent pieces."""
MOST_BYTES: Final = 64 * 1024 * 1024
PATIENCE_SECONDS: Final = 5.0

logger = structlog.get_logger()


class _Held(NamedTuple):
    body: bytes
    scope: Scope
    since: float


class LongBodies:
    """The bodies that are being sent.

    If they exceed the limit, the oldest answers are aborted once they are older than the patience. Clients
    detect the incomplete answer, and retry.
    """

    def __init__(self, most_bytes: int = MOST_BYTES, patience_seconds: float = PATIENCE_SECONDS) -> None:
        self._most_bytes = most_bytes
        self._patience_seconds = patience_seconds
        self._held: dict[object, _Held] = {}

    @property
    def size(self) -> int:
        """Bytes of all bodies; one that several clients are sent counts once."""
        return sum({id(held.body): len(held.body) for held in self._held.values()}.values())

    async def pieces(self, scope: Scope, body: bytes) -> AsyncIterator[bytes]:
        """Yield a body in pieces."""
        if len(body) <= PIECE_BYTES:
            yield body
            return
        key = object()
        self._held[key] = _Held(body, scope, time.monotonic())
        self._make_room()
        try:
            for start in range(0, len(body), PIECE_BYTES):
                yield body[start : start + PIECE_BYTES]
        finally:
            self._held.pop(key, None)

    def _make_room(self) -> None:
        while self.size > self._most_bytes:
            key, oldest = next(iter(self._held.items()))
            patience = oldest.since + self._patience_seconds - time.monotonic()
            if patience > 0:
                asyncio.get_running_loop().call_later(patience, self._make_room)
                return
            logger.warning("slow_client_disconnected", held_bytes=self.size)
            connection_of(oldest.scope).abort()
            del self._held[key]


LONG_BODIES: Final = LongBodies()
"""Of this process."""


def notify_revocation(scope: Scope, callback: Callable[[], None]) -> AbstractContextManager[None]:
    """Call back when a request's token is revoked, within the context."""
    token: VerifiedToken | None = scope.get(TOKEN)
    return nullcontext() if token is None else _revocations(scope).notify(token, callback)


def require_valid_token(scope: Scope) -> None:
    """Check that a request's token has not been revoked.

    Raises:
        Problem: 401; an answer that has begun is aborted.
    """
    token: VerifiedToken | None = scope.get(TOKEN)
    if token is not None and _revocations(scope).include(token):
        raise unauthorized(InvalidToken("revoked"))


async def stream_while_valid(scope: Scope, parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the parts of an answer in pieces, as long as the request's token is not revoked.

    Raises:
        Problem: the token was revoked.
    """
    async for part in parts:
        async for piece in LONG_BODIES.pieces(scope, part):
            require_valid_token(scope)
            yield piece


def _revocations(scope: Scope) -> "Revocations":
    revocations: Revocations = scope["app"].state.revocations
    return revocations
