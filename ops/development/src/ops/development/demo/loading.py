"""Sends the stories' commands: each story's in its order, different stories' side by side."""

import asyncio
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime
from enum import Enum
from functools import cache
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import httpx

from ops.base.http.consistency import POSITION_HEADER, LogPosition
from ops.development.demo.stories import DemoRequest, Story
from ops.launcher.errors import LauncherError
from ops.launcher.instance.readiness import document_in

_CONCURRENCY: Final = 8
"""More would only make the client slower: the services share the machine with it."""
_PATIENCE: Final = 30.0
"""Seconds for which a request is retried."""
_FIRST_PAUSE: Final = 0.1
_LONGEST_PAUSE: Final = 5.0
_AWAY: Final = frozenset({502, 503, 504})
_KEYS: Final = "fleetlog-demo-1"
"""Prefix of all idempotency keys. Another text would load the whole fleet a second time."""
_MISMATCH: Final = "urn:fleetlog:problem:idempotency-mismatch"


class LoadResult(Enum):
    """Result of a command."""

    ADDED = "added"
    THERE = "already there"
    """An earlier run sent it, or another release's command under its key."""
    LEFT_ALONE = "left alone"
    """Another user has the id, or has removed the record since."""


class Loader:
    """Sends commands to one instance. All carry an idempotency key, so a retry is always safe.

    Attributes:
        tally: number of commands by kind and result.
    """

    def __init__(self, client: httpx.AsyncClient, *, token_of: Callable[[str], str], patience: float) -> None:
        """Use a client.

        Args:
            client: its base URL is the instance's address.
            token_of: returns an access token of a demonstration user, by role or subject.
            patience: seconds for which a request is retried.
        """
        self.tally: Counter[tuple[str, LoadResult]] = Counter()
        self._client = client
        self._token_of = cache(token_of)
        self._patience = patience
        self._free = asyncio.Semaphore(_CONCURRENCY)
        self._paths: dict[Story, str] = {}
        self._ended: dict[Story, LoadResult] = {}

    async def head(self) -> int:
        """Return the last position of the feed."""
        headers = {"Authorization": f"Bearer {self._token_of('analyst')}"}
        answer = await self._request("GET", "/api/v1/events", params={"after": "head"}, headers=headers)
        if not answer.is_success:
            detail = document_in(answer).get("detail", answer.status_code)
            raise LauncherError(f"{self._client.base_url} does not report the end of its log: {detail}")
        (place,) = parse_qs(urlsplit(answer.links["next"]["url"]).query)["after"]
        return int(place.rpartition(":")[2])

    async def first_day(self, story: Story) -> date:
        """Begin a story and return the day on which it was begun for the first time.

        The log is the only place that stores this day, so a later run counts its dates from the same one.

        Args:
            story: about a record that shows its time of creation; without dates of its own.
        """
        answer = await self._send_step(story, 0)
        if not answer.is_success:
            if _reason_to_end(answer) is None:
                raise _refused(story, answer)
            return datetime.now(UTC).date()
        record = answer.json()
        if story.entity_type.wrapper is not None:
            record = record[story.entity_type.wrapper]
        return datetime.fromisoformat(record["created_at"]).date()

    async def load(self, stories: Sequence[Story], head: int, on_done: Callable[[], None]) -> None:
        """Send all first commands, then all second ones, and so on.

        Args:
            head: last position before; a command with a later one was added by this run.
            on_done: called after each command.
        """
        for step in range(max(len(story.commands) for story in stories)):
            try:
                async with asyncio.TaskGroup() as group:
                    for story in stories:
                        if step < len(story.commands):
                            group.create_task(self._take_step(story, step, head, on_done))
            except* LauncherError as failures:
                first = failures
            else:
                continue
            raise first.exceptions[0]

    async def send(self, command: DemoRequest, path: str, key: str) -> httpx.Response:
        """Send a command with its idempotency key, and return the answer."""
        headers = {"Authorization": f"Bearer {self._token_of(command.actor)}", "Idempotency-Key": key}
        more = {} if command.body is None else {"json": command.body}
        async with self._free:
            return await self._request(command.method, path, headers=headers, **more)

    async def _take_step(self, story: Story, step: int, head: int, on_done: Callable[[], None]) -> None:
        result = self._ended.get(story)
        if result is None:
            result = self._result(story, await self._send_step(story, step), head)
        self.tally[story.commands[step].kind, result] += 1
        on_done()

    async def _send_step(self, story: Story, step: int) -> httpx.Response:
        command = story.commands[step]
        path = story.entity_type.path if command.method == "POST" else self._paths[story]
        return await self.send(command, path, f"{_KEYS}:{story.entity_type.name}:{story.name}:{step}")

    def _result(self, story: Story, answer: httpx.Response, head: int) -> LoadResult:
        position = LogPosition.parse(answer.headers.get(POSITION_HEADER)) if answer.is_success else None
        if position is None:
            reason = _reason_to_end(answer)
            if reason is None:
                raise _refused(story, answer)
            self._ended[story] = reason
            return reason
        if "location" in answer.headers:
            self._paths[story] = answer.headers["location"]
        return LoadResult.ADDED if position.position > head else LoadResult.THERE

    async def _request(self, method: str, path: str, **options: Any) -> httpx.Response:
        deadline = time.monotonic() + self._patience
        pause = _FIRST_PAUSE
        while True:
            wait = pause
            try:
                answer = await self._client.request(method, path, **options)
            except httpx.TransportError as error:
                problem = str(error) or type(error).__name__
            else:
                if answer.status_code not in _AWAY:
                    return answer
                problem = f"it answers {answer.status_code}"
                if (seconds := answer.headers.get("retry-after", "")).isdecimal():
                    wait = max(float(seconds), _FIRST_PAUSE)
            if time.monotonic() + wait > deadline:
                raise LauncherError(
                    f"{self._client.base_url} does not answer ({problem}); "
                    "when it does, ./fleetlog demo continues where it stopped"
                )
            await asyncio.sleep(wait)
            pause = min(2 * pause, _LONGEST_PAUSE)


@asynccontextmanager
async def open_loader(
    address: str, *, token_of: Callable[[str], str], patience: float = _PATIENCE
) -> AsyncIterator[Loader]:
    """Open connections to an instance; see `Loader`."""
    # With the cookie, answers would contain the newest position seen, not the command's own.
    no_cookies = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
    limits = httpx.Limits(max_connections=_CONCURRENCY, max_keepalive_connections=_CONCURRENCY)
    async with httpx.AsyncClient(
        base_url=address, cookies=no_cookies, limits=limits, timeout=10, trust_env=False
    ) as client:
        yield Loader(client, token_of=token_of, patience=patience)


def _reason_to_end(answer: httpx.Response) -> LoadResult | None:
    """Return why a refusal is no failure, but makes the rest of its story pointless."""
    if document_in(answer).get("type") == _MISMATCH:
        return LoadResult.THERE
    return LoadResult.LEFT_ALONE if answer.status_code in {404, 409} else None


def _refused(story: Story, answer: httpx.Response) -> LauncherError:
    problem = document_in(answer)
    broken = "; ".join(f"{item['field']}: {item['message']}" for item in problem.get("validation_errors", []))
    return LauncherError(
        f"the API refused {answer.request.method} of {story.entity_type.name} {story.name}: "
        f"{answer.status_code} {broken or problem.get('detail') or answer.reason_phrase}"
    )
