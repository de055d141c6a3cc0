"""Sends the stories' commands: each story's in its order, different stories' side by side."""

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from enum import Enum
from typing import Final

import httpx

from ops.base.http.consistency import POSITION_HEADER, LogPosition
from ops.development.demo.api import Api, problem_of
from ops.development.demo.story import Story
from ops.launcher.errors import LauncherError

_KEYS: Final = "fleetlog-demo-1"
"""Begins all idempotency keys. Another text would load the whole fleet a second time."""
_MISMATCH: Final = "urn:fleetlog:problem:idempotency-mismatch"


class LoadResult(Enum):
    """What became of a command."""

    ADDED = "added"
    THERE = "already there"
    """An earlier run sent it, or a command of another release in its place."""
    LEFT_ALONE = "left alone"
    """Somebody else uses the id, or has removed the record since."""


class Loader:
    """Loads stories into one instance.

    Attributes:
        tally: how many commands of each kind had which outcome.
    """

    def __init__(self, api: Api, head: int) -> None:
        """Prepare to load.

        Args:
            api: where commands are sent.
            head: the log's last position before; a command that is answered with a later one was added.
        """
        self.tally: Counter[tuple[str, LoadResult]] = Counter()
        self._api = api
        self._head = head
        self._paths: dict[Story, str] = {}
        self._ended: dict[Story, LoadResult] = {}

    async def first_day(self, story: Story) -> date:
        """Begin a story and return the day on which that was done for the first time.

        Dates that count from it come out the same whenever the fleet is loaded again, without a note of it
        anywhere but in the log.

        Args:
            story: about something whose record signals when it was created, and without dates of its own.

        Raises:
            LauncherError: the API is away or refuses it.
        """
        answer = await self._send(story, 0)
        if _position(answer) is None:
            if _reason_to_end(answer) is None:
                raise _refused(story, answer)
            return datetime.now(UTC).date()
        record = answer.json()
        if story.entity_type.wrapper is not None:
            record = record[story.entity_type.wrapper]
        return datetime.fromisoformat(record["created_at"]).date()

    async def load(self, stories: Sequence[Story], on_done: Callable[[], None]) -> None:
        """Send all commands: everything's first, then everything's second, …

        Args:
            stories: what to load.
            on_done: called after each command.

        Raises:
            LauncherError: the API is away for too long, or refuses a command.
        """
        for step in range(max(len(story.commands) for story in stories)):
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

    async def _take_step(self, story: Story, step: int, on_done: Callable[[], None]) -> None:
        outcome = self._ended.get(story)
        if outcome is None:
            outcome = self._outcome(story, await self._send(story, step))
        self.tally[story.commands[step].kind, outcome] += 1
        on_done()

    async def _send(self, story: Story, step: int) -> httpx.Response:
        command = story.commands[step]
        path = story.entity_type.path if command.method == "POST" else self._paths[story]
        key = f"{_KEYS}:{story.entity_type.name}:{story.name}:{step}"
        return await self._api.send(command, path, key)

    def _outcome(self, story: Story, answer: httpx.Response) -> LoadResult:
        position = _position(answer)
        if position is None:
            reason = _reason_to_end(answer)
            if reason is None:
                raise _refused(story, answer)
            self._ended[story] = reason
            return reason
        if "location" in answer.headers:
            self._paths[story] = answer.headers["location"]
        return LoadResult.ADDED if position > self._head else LoadResult.THERE


def _position(answer: httpx.Response) -> int | None:
    """Return the position at which a command is in the log; None: it was refused."""
    if not answer.is_success:
        return None
    position = LogPosition.parse(answer.headers.get(POSITION_HEADER))
    return position.position if position else None


def _reason_to_end(answer: httpx.Response) -> LoadResult | None:
    """Return why a refusal is no failure, but makes the rest of its story pointless."""
    if problem_of(answer).get("type") == _MISMATCH:
        return LoadResult.THERE
    return LoadResult.LEFT_ALONE if answer.status_code in {404, 409} else None


def _refused(story: Story, answer: httpx.Response) -> LauncherError:
    problem = problem_of(answer)
    broken = "; ".join(f"{item['field']}: {item['message']}" for item in problem.get("validation_errors", []))
    return LauncherError(
        f"the API refused {answer.request.method} of {story.entity_type.name} {story.name}: "
        f"{answer.status_code} {broken or problem.get('detail') or answer.reason_phrase}"
    )
