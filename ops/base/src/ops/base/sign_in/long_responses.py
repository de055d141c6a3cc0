"""Long-lasting answers end as soon as the caller's token is revoked."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from starlette.types import Scope

from ops.base.http.long_bodies import LONG_BODIES
from ops.base.sign_in.dependency import TOKEN, unauthorized
from ops.base.sign_in.refusal import InvalidToken

if TYPE_CHECKING:
    from ops.base.sign_in.actor import VerifiedToken
    from ops.base.sign_in.revocations import Revocations


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
