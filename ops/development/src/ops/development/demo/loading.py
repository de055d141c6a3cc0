"""Sends the stories' commands: each story's in its order, different stories' side by side."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime
from functools import cache
from typing import Final

import httpx

from ops.development.demo.stories import Body, DemoRequest, Story
from ops.launcher.errors import LauncherError
from ops.launcher.instance.readiness import document_in, problem_in

_CONCURRENCY: Final = 8
"""More would only make the client slower: the services share the machine with it."""
_KEYS: Final = "fleetlog-demo-1"
"""Prefix of all idempotency keys. Another text would load the whole fleet a second time."""
_MISMATCH: Final = "urn:fleetlog:problem:idempotency-mismatch"


class Loader:
    """Sends commands to one instance. All carry an idempotency key, so a retry is always safe.

    Attributes:
        loaded: number of commands that this run or an earlier one sent, by kind.
        left_alone: number of commands about records that other users have or removed.
    """

    def __init__(self, client: httpx.AsyncClient, *, token_of: Callable[[str], str]) -> None:
        """Use a client.

        Args:
            client: its base URL is the instance's address.
            token_of: returns an access token of a demonstration user, by role or subject.
        """
        self.loaded: Counter[str] = Counter()
        self.left_alone = 0
        self._client = client
        self._token_of = cache(token_of)
        self._free = asyncio.Semaphore(_CONCURRENCY)
        self._paths: dict[Story, str] = {}
        self._ended: set[Story] = set()

    async def first_day(self, story: Story) -> date:
        """Begin a story and return the day on which it was begun for the first time.

        The log is the only place that stores this day, so a later run counts its dates from the same one.

        Args:
            story: about a record that shows its time of creation; without dates of its own.
        """
        answer = await self._send_step(story, 0)
        if not answer.is_success:
            self._end(story, answer)
            return datetime.now(UTC).date()
        record = answer.json()
        if story.entity_type.wrapper is not None:
            record = record[story.entity_type.wrapper]
        return datetime.fromisoformat(record["created_at"]).date()

    async def load(self, stories: Sequence[Story], on_done: Callable[[], None]) -> None:
        """Send all first commands, then all second ones, and so on; `on_done` is called after each."""
        for step in range(max((len(story.commands) for story in stories), default=0)):
            try:
                async with asyncio.TaskGroup() as group:
                    for story in stories:
                        if step < len(story.commands):
                            group.create_task(self._take_step(story, step, on_done))
            except* LauncherError as failures:
                first = failures
            else:
                continue
            raise first.exceptions[0]

    async def send(self, command: DemoRequest, path: str, key: str) -> httpx.Response:
        """Send a command with its idempotency key, and return the answer."""
        headers = {"Authorization": f"Bearer {self._token_of(command.actor)}", "Idempotency-Key": key}
        if command.reason is not None:
            headers["X-Change-Reason"] = command.reason
        try:
            async with self._free:
                return await self._client.request(command.method, path, headers=headers, json=command.body)
        except httpx.TransportError as error:
            raise LauncherError(
                f"{self._client.base_url} does not answer ({str(error) or type(error).__name__}); "
                "when it does, ./fleetlog demo continues where it stopped"
            ) from None

    def remaining(self, stories: Sequence[Story]) -> dict[str, list[tuple[str, Body]]]:
        """Return the ids and bodies of the records that remain after their stories, by entity type."""
        found: dict[str, list[tuple[str, Body]]] = {story.entity_type.name: [] for story in stories}
        for story in stories:
            body = story.commands[-1].body
            if body is not None and story not in self._ended:
                entity_id = self._paths[story].rpartition("/")[2]
                found[story.entity_type.name].append((entity_id, body))
        return found

    async def _take_step(self, story: Story, step: int, on_done: Callable[[], None]) -> None:
        if story not in self._ended:
            answer = await self._send_step(story, step)
            if not answer.is_success:
                self._end(story, answer)
            elif "location" in answer.headers:
                self._paths[story] = answer.headers["location"]
        if story in self._ended:
            self.left_alone += 1
        else:
            self.loaded[story.commands[step].kind] += 1
        on_done()

    async def _send_step(self, story: Story, step: int) -> httpx.Response:
        command = story.commands[step]
        path = story.entity_type.path if command.method == "POST" else self._paths[story]
        return await self.send(command, path, f"{_KEYS}:{story.entity_type.name}:{story.name}:{step}")

    def _end(self, story: Story, answer: httpx.Response) -> None:
        """Send no further commands of a story, unless its refusal is a failure of the whole fleet.

        Another user has the id, or has removed the record; or another release sent the command under its key.
        """
        if answer.status_code in {404, 409} or document_in(answer).get("type") == _MISMATCH:
            self._ended.add(story)
            return
        raise LauncherError(
            f"the API refused {answer.request.method} of {story.entity_type.name} {story.name}: "
            f"{answer.status_code} {problem_in(answer)}"
        )


@asynccontextmanager
async def open_loader(address: str, *, token_of: Callable[[str], str]) -> AsyncIterator[Loader]:
    """Open connections to an instance; see `Loader`."""
    limits = httpx.Limits(max_connections=_CONCURRENCY, max_keepalive_connections=_CONCURRENCY)
    async with httpx.AsyncClient(base_url=address, limits=limits, timeout=10, trust_env=False) as client:
        yield Loader(client, token_of=token_of)
