"""Where events come from: a running instance, or any other one by its address."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

import httpx

from ops.base.http.client import trusting
from ops.launcher.errors import LauncherError

EVENTS: Final = "/api/v1/events"
AWAY: Final = frozenset({429, 502, 503, 504})
_SILENCE_SECONDS: Final = 60.0
"""A stream's heartbeats come more often."""


class Away(Exception):
    """The feed cannot be reached now, or a stream was cut; trying again may help."""


@dataclass(frozen=True)
class Wanted:
    """Which events are wanted; see the feed's parameters of the same names."""

    after: str
    entity: Sequence[str] = ()
    type: Sequence[str] = ()


class Source:
    """A feed.

    Attributes:
        address: the product's public address.
    """

    def __init__(self, address: str, token: Callable[[], str]) -> None:
        """Prepare to read.

        Args:
            address: the product's public address.
            token: gives an access token, each time it is needed.
        """
        self.address = address.rstrip("/")
        self._token = token
        timeout = httpx.Timeout(10, read=_SILENCE_SECONDS)
        self._client = httpx.Client(
            base_url=self.address, timeout=timeout, trust_env=False, verify=trusting()
        )

    @contextmanager
    def stream(self, wanted: Wanted, media_type: str) -> Iterator[Iterator[str]]:
        """Open a stream; gives its lines.

        Raises:
            Away: it cannot be reached, or is cut.
            LauncherError: it refuses.
        """
        headers = {"Authorization": f"Bearer {self._token()}", "Accept": media_type}
        parameters = {"after": wanted.after, "entity": list(wanted.entity), "type": list(wanted.type)}
        try:
            with self._client.stream("GET", EVENTS, params=parameters, headers=headers) as answer:
                if answer.status_code in AWAY:
                    raise Away(f"it answers {answer.status_code}")
                if answer.status_code != 200:
                    answer.read()
                    raise LauncherError(f"{self.address} refuses: {_told(answer)}")
                yield _lines(answer)
        except httpx.TransportError as error:
            raise Away(str(error) or type(error).__name__) from error
        except httpx.InvalidURL as error:
            raise LauncherError(f"{self.address} is no address: {error}") from None


def _lines(answer: httpx.Response) -> Iterator[str]:
    """Give the lines of a body; what other characters break lines is part of them, unlike to httpx."""
    rest = b""
    for chunk in answer.iter_bytes():
        *lines, rest = (rest + chunk).split(b"\n")
        for line in lines:
            yield line.decode()


def _told(answer: httpx.Response) -> str:
    try:
        problem: Any = answer.json()
        wrong = [f"{error['field']}: {error['message']}" for error in problem.get("validation_errors", [])]
        return "; ".join(wrong) or str(problem["detail"])
    except (ValueError, KeyError, TypeError, AttributeError):
        return f"it answers {answer.status_code}"
