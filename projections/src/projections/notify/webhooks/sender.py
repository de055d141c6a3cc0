"""Posts to one address."""

import asyncio
import ssl
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Final

import httpcore
import httpx

from projections.notify.deliveries import TEXT_BYTES
from projections.notify.webhooks.guard import AddressRefused, GuardedBackend, NameUnknown

# httpcore tries to import it for each of its locks, and Python does not remember that it is missing.
sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type]

ANSWER_SECONDS: Final = 15.0
"""Time limit of a delivery, from the resolution of the name to the end of the response."""
_USER_AGENT: Final = "Fleetlog-Webhooks/1"


@dataclass(frozen=True)
class Answer:
    """The result of a delivery.

    Attributes:
        error: what prevented a response; it never quotes the address, which may contain a secret.
        retry_after: the header, if there is one.
    """

    milliseconds: int
    status: int | None = None
    response: str | None = None
    error: str | None = None
    retry_after: str | None = None

    @property
    def ok(self) -> bool:
        """Whether the receiver has accepted the message."""
        return self.status is not None and 200 <= self.status < 300

    @property
    def reason(self) -> str:
        """Why the delivery failed."""
        return self.error or f"status {self.status}"

    def retry_seconds(self, now: datetime) -> float:
        """Return how long the receiver asks to wait, in seconds or as a date; 0 by default."""
        text = self.retry_after or ""
        try:
            moment = None if text.isdecimal() else parsedate_to_datetime(text)
            return float(text) if moment is None else (moment.astimezone(UTC) - now).total_seconds()
        except (ValueError, OverflowError):
            return 0.0


class Sender:
    """Posts to one `https:` address, over a connection that is reused; follows no redirect and no proxy.

    Args:
        seconds: see `ANSWER_SECONDS`.
    """

    def __init__(
        self,
        url: str,
        backend: GuardedBackend,
        tls: ssl.SSLContext,
        *,
        seconds: float = ANSWER_SECONDS,
    ) -> None:
        self._url = url
        self._seconds = seconds
        self._backend = backend
        self._pool = httpcore.AsyncConnectionPool(
            tls, max_connections=4, keepalive_expiry=30.0, network_backend=backend
        )

    async def post(self, headers: Mapping[str, str], body: bytes) -> Answer:
        """Post a body, and return the answer or the reason why there is none."""
        began = time.monotonic()

        def answer(**fields: object) -> Answer:
            return Answer(round(1000 * (time.monotonic() - began)), **fields)  # type: ignore[arg-type]

        try:
            async with asyncio.timeout(self._seconds):
                return answer(**await self._exchange(headers, body))
        except (TimeoutError, httpcore.TimeoutException):
            return answer(error=f"no complete answer in {self._seconds:.0f} s")
        except (
            httpcore.NetworkError,
            httpcore.ProtocolError,
            httpx.InvalidURL,
            ValueError,
            OSError,
        ) as error:
            return answer(error=_described(error))

    async def close(self) -> None:
        """Close the connections."""
        await self._pool.aclose()
        self._backend.close()

    async def _exchange(self, headers: Mapping[str, str], body: bytes) -> dict[str, object]:
        url = httpx.URL(self._url)
        if url.scheme != "https" or not url.host:
            raise ValueError
        target = httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)
        sent = {
            "host": url.netloc.decode(),
            "user-agent": _USER_AGENT,
            "accept-encoding": "identity",
            **headers,
        }
        async with self._pool.stream("POST", target, headers=list(sent.items()), content=body) as response:
            text = b""
            async for part in response.aiter_stream():
                text += part
                if len(text) >= TEXT_BYTES:
                    break
            fields = {name.lower(): value for name, value in response.headers}
            retry_after = fields.get(b"retry-after", b"").decode("latin-1") or None
            shown = text[:TEXT_BYTES].decode(errors="replace")
            return {"status": response.status, "response": shown, "retry_after": retry_after}


def _described(error: Exception) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return f"the certificate is not valid: {cause.verify_message}"
        cause = cause.__cause__ or cause.__context__
    if isinstance(error, AddressRefused | NameUnknown):
        return str(error)
    if isinstance(error, httpx.InvalidURL | UnicodeError | ValueError):
        return "the address is not valid: it must begin with https://"
    if isinstance(error, httpcore.ConnectError):
        return "the receiver cannot be reached"
    return "the receiver closed the connection, or its answer is not HTTP"
