"""Client of the event feed."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

import httpx

from ops.base.http.client import trusting
from ops.launcher.errors import LauncherError
from ops.launcher.instance.readiness import problem_in

_PATH: Final = "/api/v1/events"
_UNAVAILABLE: Final = frozenset({429, 502, 503, 504})
_SILENCE_SECONDS: Final = 60.0
"""Longer than the interval of the feed's heartbeats."""


class FeedUnavailable(Exception):
    """The feed cannot be reached, or a stream was interrupted; a retry may succeed."""


@dataclass(frozen=True)
class Filter:
    """The feed's query parameters."""

    after: str
    entity: Sequence[str] = ()
    type: Sequence[str] = ()


class EventSource:
    """The event feed of one instance."""

    def __init__(self, address: str, token: Callable[[], str]) -> None:
        """Create a client.

        Args:
            token: returns an access token; called for each request.
        """
        self.address = address.rstrip("/")
        self._token = token
        timeout = httpx.Timeout(10, read=_SILENCE_SECONDS)
        self._client = httpx.Client(
            base_url=self.address, timeout=timeout, trust_env=False, verify=trusting()
        )

    @contextmanager
    def stream(self, wanted: Filter, media_type: str) -> Iterator[Iterator[str]]:
        """Open a stream and yield its lines.

        Raises:
            FeedUnavailable: the feed cannot be reached, or the stream was interrupted.
            LauncherError: the feed refuses the request.
        """
        headers = {"Authorization": f"Bearer {self._token()}", "Accept": media_type}
        parameters = {"after": wanted.after, "entity": list(wanted.entity), "type": list(wanted.type)}
        try:
            with self._client.stream("GET", _PATH, params=parameters, headers=headers) as answer:
                if answer.status_code in _UNAVAILABLE:
                    raise FeedUnavailable(f"it answers {answer.status_code}")
                if answer.status_code != 200:
                    answer.read()
                    raise LauncherError(f"{self.address} refuses: {problem_in(answer)}")
                yield _lines(answer)
        except httpx.TransportError as error:
            raise FeedUnavailable(str(error) or type(error).__name__) from error
        except httpx.InvalidURL as error:
            raise LauncherError(f"{self.address} is not an address: {error}") from None


def _lines(answer: httpx.Response) -> Iterator[str]:
    """Yield the lines of a body; unlike in httpx, only `\\n` separates lines."""
    rest = b""
    for chunk in answer.iter_bytes():
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line.decode()
