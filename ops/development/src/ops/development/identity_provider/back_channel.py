"""Notification of the APIs of sign-outs (OpenID Connect Back-Channel Logout 1.0)."""

import asyncio
from typing import Final

import httpx
import structlog

from ops.development.identity_provider.store import Session, sid_of
from ops.development.identity_provider.tokens import TokenSigner

_SECONDS: Final = 5.0
"""Time limit of one attempt."""
_PAUSES: Final = (0.0, 0.5, 2.0, 8.0)
"""Seconds before each attempt; after the last one, access tokens remain valid until they expire."""
_MAX_PENDING: Final = 100
"""The maximum number of concurrent notifications."""

_log = structlog.get_logger(__name__)


class BackChannelLogout:
    """Sends logout tokens in the background."""

    def __init__(self, signer: TokenSigner, address: str) -> None:
        """Prepare notifications of an address; empty: send none."""
        self._signer = signer
        self._address = address
        self._pending: set[asyncio.Task[None]] = set()

    def notify(self, session: Session) -> None:
        """Start the notification of a session's end."""
        if self._address and len(self._pending) < _MAX_PENDING:
            task = asyncio.create_task(self._send(session))
            self._pending.add(task)
            task.add_done_callback(self._pending.discard)

    async def close(self) -> None:
        """Cancel pending notifications."""
        for task in self._pending:
            task.cancel()
        await asyncio.gather(*self._pending, return_exceptions=True)

    async def _send(self, session: Session) -> None:
        for pause in _PAUSES:
            await asyncio.sleep(pause)
            form = {"logout_token": self._signer.logout_token(session.sub, sid_of(session.id))}
            try:
                async with httpx.AsyncClient(timeout=_SECONDS, trust_env=False) as client:
                    (await client.post(self._address, data=form)).raise_for_status()
            except httpx.HTTPError as error:
                _log.warning("logout_notification_failed", error=repr(error))
            else:
                return
