"""The command API as the loader uses it: signed in as several users, and patient while it is away."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import httpx

from ops.development.demo.story import Command
from ops.launcher.errors import LauncherError

CONCURRENCY: Final = 8
"""More would only make the client slower: the services share the machine with it."""
_PATIENCE: Final = 30.0
"""Seconds for which a request is tried again before loading is given up."""
_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE: Final = 5.0
_AWAY: Final = frozenset({502, 503, 504})


class Api:
    """Sends commands. All carry an idempotency key, so trying one again is always safe."""

    def __init__(self, client: httpx.AsyncClient, *, token_of: Callable[[str], str], patience: float) -> None:
        """Use a client.

        Args:
            client: knows the API's address.
            token_of: gives an access token of a demonstration user, by role or subject.
            patience: seconds for which a request is tried again.
        """
        self._client = client
        self._token_of = cache(token_of)
        self._patience = patience
        self._free = asyncio.Semaphore(CONCURRENCY)

    async def head(self) -> int:
        """Return the position of the last event that the feed has.

        Raises:
            LauncherError: the API is away for too long, or refuses.
        """
        headers = {"Authorization": f"Bearer {self._token_of('analyst')}"}
        answer = await self._try(
            self._client.build_request("GET", "/api/v1/events", params={"after": "head"}, headers=headers)
        )
        if not answer.is_success:
            told = problem_of(answer).get("detail", answer.status_code)
            raise LauncherError(f"{self._client.base_url} does not tell how far its log is: {told}")
        (place,) = parse_qs(urlsplit(answer.links["next"]["url"]).query)["after"]
        return int(place.rpartition(":")[2])

    async def send(self, command: Command, path: str, key: str) -> httpx.Response:
        """Send a command and return the answer, whatever it is.

        Args:
            command: what to send.
            path: to which address.
            key: its idempotency key.

        Raises:
            LauncherError: the API is away for too long.
        """
        request = self._client.build_request(
            command.method,
            path,
            json=command.body,
            headers={"Authorization": f"Bearer {self._token_of(command.actor)}", "Idempotency-Key": key},
        )
        if command.body is None:
            request.headers.pop("Content-Type", None)
        async with self._free:
            return await self._try(request)

    async def _try(self, request: httpx.Request) -> httpx.Response:
        deadline = time.monotonic() + self._patience
        pause = _FIRST_PAUSE
        while True:
            asked: float | None = None
            try:
                answer = await self._client.send(request)
            except httpx.TransportError as error:
                problem = str(error) or type(error).__name__
            else:
                if answer.status_code not in _AWAY:
                    return answer
                problem = f"it answers {answer.status_code}"
                asked = _retry_after(answer)
            wait = pause if asked is None else max(asked, _FIRST_PAUSE)
            if time.monotonic() + wait > deadline:
                raise LauncherError(
                    f"{request.url.copy_with(path='/')} does not answer ({problem}); "
                    "when it does, ./fleetlog demo goes on where it stopped"
                )
            await asyncio.sleep(wait)
            pause = min(2 * pause, _LONGEST_PAUSE)


@asynccontextmanager
async def open_api(
    address: str, *, token_of: Callable[[str], str], patience: float = _PATIENCE
) -> AsyncIterator[Api]:
    """Open connections to an instance; see `Api`."""
    # The cookie would make answers tell the newest position that was seen, not the command's own.
    no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
    async with httpx.AsyncClient(
        base_url=address,
        cookies=no_cookies,
        limits=httpx.Limits(max_connections=CONCURRENCY, max_keepalive_connections=CONCURRENCY),
        timeout=10,
        trust_env=False,
    ) as client:
        yield Api(client, token_of=token_of, patience=patience)


def problem_of(answer: httpx.Response) -> dict[str, Any]:
    """Return an answer's problem details (RFC 9457), empty when it has none."""
    try:
        problem = answer.json()
    except ValueError:
        return {}
    return problem if isinstance(problem, dict) else {}


def _retry_after(answer: httpx.Response) -> float | None:
    seconds = answer.headers.get("retry-after", "")
    return float(seconds) if seconds.isdecimal() else None
