"""Carries out what operators have asked for, each in a process of its own."""

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Final, Never

import psycopg
import structlog
from psycopg_pool import PoolTimeout

from ops.base.database.pools import Pool
from projections.workers.operations.queue import Queue, State, Taken

LOOK_SECONDS: Final = 1.0
TELL_SECONDS: Final = 0.5
LAST_WORD_SECONDS: Final = 2.0

logger = structlog.get_logger()


@dataclass
class _Outcome:
    """How far an action is, and what has come of it."""

    done: int | None = None
    total: int | None = None
    failed: bool = False
    words: str | None = None

    @property
    def state(self) -> State:
        """The action's state from now on; without a last word it is to be begun anew."""
        if self.words is None:
            return "asked"
        return "failed" if self.failed else "done"


class Carrier:
    """Carries out one action after another.

    They fold and hash for minutes. In the worker's own event loop that would keep every projection waiting;
    the process that does it instead ends with the worker, however that ends.
    """

    def __init__(
        self,
        environment: Mapping[str, str] = os.environ,
        *,
        verifies: bool = False,
        last_word_seconds: float = LAST_WORD_SECONDS,
    ) -> None:
        """Describe it; `run` makes it work.

        Args:
            environment: the worker's settings.
            verifies: whether they name the seals; if not, another worker must.
            last_word_seconds: how long to go on trying, at the end, to hand over what was begun.
        """
        self._environment = dict(environment)
        self._verifies = verifies
        self._last_word_seconds = last_word_seconds

    async def run(self, pool: Pool) -> Never:
        """Carry out what is asked for until cancelled; a database that is away is tried again.

        Args:
            pool: of the worker.
        """
        queue = Queue(pool, ["retry", "rebuild", *(["verify"] if self._verifies else [])])
        try:
            while True:
                try:
                    if not self._verifies:
                        await queue.give_up_others("No worker has the seals (FLEETLOG_SEALS)")
                    while (action := await queue.take()) is not None:
                        await self._carry_out(queue, action)
                except (psycopg.Error, PoolTimeout, OSError) as error:
                    logger.warning("actions_interrupted", error=type(error).__name__)
                await asyncio.sleep(LOOK_SECONDS)
        finally:
            with suppress(psycopg.Error, PoolTimeout, TimeoutError):
                async with asyncio.timeout(self._last_word_seconds):
                    await queue.hand_over()

    async def _carry_out(self, queue: Queue, action: Taken) -> None:
        if action.was_lost_too_often:
            await queue.tell(action, "failed", words="Whoever began it was gone before its end, three times")
            return
        logger.info("action_begins", kind=action.kind, target=action.target)
        outcome = _Outcome()
        work = asyncio.create_task(self._attempt(action, outcome))
        try:
            while not (await asyncio.wait({work}, timeout=TELL_SECONDS))[0]:
                if not await queue.tell(action, "running", done=outcome.done, total=outcome.total):
                    return  # somebody else has taken it over
            work.result()
            state = outcome.state
            await queue.tell(action, state, done=outcome.done, total=outcome.total, words=outcome.words)
            logger.info("action_ends", kind=action.kind, target=action.target, state=state)
        finally:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)

    async def _attempt(self, action: Taken, outcome: _Outcome) -> None:
        words = ["carry-out", action.kind, *([] if action.target is None else [action.target])]
        command = [sys.executable, "-P", "-m", "projections", *words]
        process = await asyncio.create_subprocess_exec(
            *command, env=self._environment, stdin=PIPE, stdout=PIPE
        )
        assert process.stdout is not None  # noqa: S101 - it is a pipe
        try:
            async for line in process.stdout:
                vars(outcome).update(json.loads(line))
        finally:
            await self._end(process)

    async def _end(self, process: Process) -> None:
        """Let it end, which is what the end of its input asks for."""
        assert process.stdin is not None  # noqa: S101 - it is a pipe
        process.stdin.close()
        try:
            async with asyncio.timeout(self._last_word_seconds):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
