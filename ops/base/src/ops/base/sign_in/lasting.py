"""Answers that last: they end where whoever reads them has been signed out meanwhile."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING

from starlette.types import Scope

from ops.base.http.long_bodies import LONG_BODIES
from ops.base.sign_in.dependency import TOKEN, unauthorized
from ops.base.sign_in.refusal import InvalidToken

if TYPE_CHECKING:
    from ops.base.sign_in.revocations import Revocations
    from ops.base.sign_in.verified_token import VerifiedToken


def when_signed_out(scope: Scope, callback: Callable[[], None]) -> AbstractContextManager[None]:
    """Have something called as soon as a request's token is good no more, for the time of a context."""
    token: VerifiedToken | None = scope.get(TOKEN)
    return nullcontext() if token is None else _revocations(scope).when_revoked(token, callback)


def require_signed_in(scope: Scope) -> None:
    """Refuse a request whose token is good no more.

    Raises:
        Problem: 401; where an answer has begun, it is broken off.
    """
    token: VerifiedToken | None = scope.get(TOKEN)
    if token is not None and _revocations(scope).include(token):
        raise unauthorized(InvalidToken("revoked"))


async def while_signed_in(scope: Scope, parts: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Yield the parts of an answer in pieces, as long as the request's token is valid.

    Raises:
        Problem: the token was revoked.
    """
    async for part in parts:
        async for piece in LONG_BODIES.pieces(scope, part):
            require_signed_in(scope)
            yield piece


def _revocations(scope: Scope) -> "Revocations":
    revocations: Revocations = scope["app"].state.revocations
    return revocations
