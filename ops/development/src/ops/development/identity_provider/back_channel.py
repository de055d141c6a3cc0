"""Telling the APIs that somebody has signed out (OpenID Connect Back-Channel Logout 1.0)."""

import asyncio
from typing import Final

import structlog

from ops.base.http.client import post_form
from ops.development.identity_provider.store import Session, sid_of
from ops.development.identity_provider.tokens import TokenSigner

_SECONDS: Final = 5.0
"""For one try."""
_PAUSES: Final = (0.0, 0.5, 2.0, 8.0)
"""Seconds before each try; after the last one nobody is told, and access tokens expire in their time."""
_MOST: Final = 100
"""Sessions of which is told at once."""

_log = structlog.get_logger(__name__)


class BackChannel:
    """Tells of sessions that have ended, and holds nobody up with it."""

    def __init__(self, signer: TokenSigner, address: str) -> None:
        """Prepare to tell, at an address; empty: nobody wants to know."""
        self._signer = signer
        self._address = address
        self._telling: set[asyncio.Task[None]] = set()

    def tell(self, session: Session) -> None:
        """Begin to tell that a session has ended."""
        if self._address and len(self._telling) < _MOST:
            task = asyncio.create_task(self._tell(session))
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)

    async def close(self) -> None:
        """Give up what is not told yet."""
        for task in self._telling:
            task.cancel()
        await asyncio.gather(*self._telling, return_exceptions=True)

    async def _tell(self, session: Session) -> None:
        for pause in _PAUSES:
            await asyncio.sleep(pause)
            form = {"logout_token": self._signer.logout_token(session.sub, sid_of(session.id))}
            try:
                await post_form(self._address, form, seconds=_SECONDS)
            except (OSError, ValueError) as error:  # TimeoutError is an OSError
                _log.warning("logout_not_told", error=repr(error))
            else:
                return
