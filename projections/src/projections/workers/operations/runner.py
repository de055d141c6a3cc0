"""Runs requested actions, each in a process of its own."""

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
from projections.workers.operations.queue import Queue, QueuedAction, State

POLL_SECONDS: Final = 1.0
UPDATE_SECONDS: Final = 0.5
SHUTDOWN_SECONDS: Final = 2.0
_MOST_ATTEMPTS: Final = 3

logger = structlog.get_logger()


@dataclass
class _Outcome:
    """Progress and result of an action, as its process reports them."""

    done: int | None = None
    total: int | None = None
    failed: bool = False
    words: str | None = None

    @property
    def state(self) -> State:
        """The action's final state; an action without a result must be started again."""
        if self.words is None:
            return "asked"
        return "failed" if self.failed else "done"


class ActionRunner:
    """Runs one action at a time.

    An action folds and hashes for minutes, which would block every projection in the worker's event loop. Its
    process ends with the worker, even if the worker is killed.

    Args:
        environment: the worker's settings.
        verifies: whether the settings name the seals; otherwise another worker must verify.
        shutdown_seconds: time to end the process and to release the action.
    """

    def __init__(
        self,
        environment: Mapping[str, str] = os.environ,
        *,
        verifies: bool = False,
        shutdown_seconds: float = SHUTDOWN_SECONDS,
    ) -> None:
        self._environment = dict(environment)
        self._verifies = verifies
        self._shutdown_seconds = shutdown_seconds

    async def run(self, pool: Pool) -> Never:
        """Run requested actions until cancelled."""
        queue = Queue(pool, ["retry", "rebuild", *(["verify"] if self._verifies else [])])
        try:
            while True:
                try:
                    if not self._verifies:
                        await queue.fail_unclaimed("No worker has the seals (FLEETLOG_SEALS)")
                    while (action := await queue.claim()) is not None:
                        await self._run_action(queue, action)
                except (psycopg.Error, PoolTimeout, OSError) as error:
                    logger.warning("actions_interrupted", error=type(error).__name__)
                await asyncio.sleep(POLL_SECONDS)
        finally:
            with suppress(psycopg.Error, PoolTimeout, TimeoutError):
                async with asyncio.timeout(self._shutdown_seconds):
                    await queue.release()

    async def _run_action(self, queue: Queue, action: QueuedAction) -> None:
        if action.attempts > _MOST_ATTEMPTS:  # the action may be the cause of its workers' loss
            await queue.update(action, "failed", words="Three workers stopped before the action had ended")
            return
        logger.info("action_begins", kind=action.kind, target=action.target)
        outcome = _Outcome()
        work = asyncio.create_task(self._attempt(action, outcome))
        try:
            while not (await asyncio.wait({work}, timeout=UPDATE_SECONDS))[0]:
                if not await queue.update(action, "running", done=outcome.done, total=outcome.total):
                    return  # another worker has taken the action over
            work.result()
            state = outcome.state
            await queue.update(action, state, done=outcome.done, total=outcome.total, words=outcome.words)
            logger.info("action_ends", kind=action.kind, target=action.target, state=state)
        finally:
            work.cancel()
            await asyncio.gather(work, return_exceptions=True)

    async def _attempt(self, action: QueuedAction, outcome: _Outcome) -> None:
        target = [] if action.target is None else [action.target]
        command = [sys.executable, "-P", "-m", "projections", "execute", action.kind, *target]
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
        """Close the process's standard input, which asks it to end; kill it if it does not."""
        assert process.stdin is not None  # noqa: S101 - it is a pipe
        process.stdin.close()
        try:
            async with asyncio.timeout(self._shutdown_seconds):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()
