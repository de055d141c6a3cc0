"""`projections execute`: runs one requested action in a process that a worker has started."""

import asyncio
import json
import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any, Final

import psycopg
import structlog

from projections.engine.projection import Projection
from projections.engine.retry import retry_all
from projections.failures import ProjectionStopped
from projections.leadership.sessions import open_session
from projections.rebuild.rebuild import Progress, rebuild
from projections.revisions.settings import configured_publishing
from projections.workers.operations.queue import WORDS
from projections.workers.sealing.settings import require_authorities, require_seals, require_witnesses
from projections.workers.verification.verification import Scope, record, verify_log

_PROGRESS_SECONDS: Final = 0.2

logger = structlog.get_logger()


async def execute(dsn: str, kind: str, projections: Sequence[Projection]) -> int:
    """Run an action, and print its progress and finally its result as lines of JSON.

    Args:
        dsn: where to connect, with a worker's rights.
        kind: `retry`, `rebuild` or `verify`.

    Returns:
        130 if standard input is closed: the worker has ended, or asks this process to end.

    Raises:
        psycopg.OperationalError: the database cannot be reached.
    """
    work = asyncio.create_task(_run(dsn, kind, projections))
    loop, stdin = asyncio.get_running_loop(), sys.stdin.fileno()

    def end() -> None:
        loop.remove_reader(stdin)  # a second cancellation would interrupt the first one's clean-up
        work.cancel()

    loop.add_reader(stdin, end)
    try:
        failed, lines = await work
    except asyncio.CancelledError:
        return 130
    except psycopg.OperationalError:
        raise
    except ProjectionStopped as error:
        failed, lines = True, [str(error)]
    except Exception as error:
        logger.exception("action_failed", kind=kind)
        failed, lines = True, [type(error).__name__]
    _print(failed=failed, words="\n".join(lines)[:WORDS])
    return 0


async def _run(dsn: str, kind: str, projections: Sequence[Projection]) -> tuple[bool, Iterable[str]]:
    """Return whether the action failed, and the lines of its result."""
    progress = _Progress()
    match kind:
        case "retry":
            return await _retry(dsn, projections, progress)
        case "rebuild":
            return False, await _rebuild(dsn, projections, progress)
        case _:
            seals, key = require_seals()
            scope = Scope(
                witnesses=require_witnesses(),
                authorities=require_authorities()[1],
                publishing=configured_publishing(),
            )
            findings = await verify_log(dsn, seals, key, scope, progress.reached)
            progress.print()
            await record(dsn, findings)
            return findings.has_faults, findings.lines()


async def _retry(
    dsn: str, projections: Sequence[Projection], progress: "_Progress"
) -> tuple[bool, Iterable[str]]:
    async with open_session(dsn, answer_seconds=None, silence_seconds=60) as connection:
        released, still = await retry_all(
            connection, projections, lambda _line, done, total: progress.reached(done, total)
        )
    progress.print()
    return bool(still), [f"{released} released, {len(still)} still quarantined", *still]


async def _rebuild(dsn: str, projections: Sequence[Projection], progress: "_Progress") -> Iterable[str]:
    lines: list[str] = []
    for number, projection in enumerate(projections):

        def report(reached: Progress, number: int = number) -> None:
            progress.reached(number * reached.head + reached.position, len(projections) * reached.head)

        rebuilt = await rebuild(dsn, projection, report)
        lines += rebuilt.lines(projection.table.name)
    progress.print()
    return lines


class _Progress:
    """Prints the progress, at most five times a second."""

    def __init__(self) -> None:
        self._reached: dict[str, int] = {}
        self._printed = time.monotonic()

    def reached(self, done: int, total: int) -> None:
        self._reached = {"done": done, "total": total}
        if time.monotonic() - self._printed >= _PROGRESS_SECONDS:
            self.print()

    def print(self) -> None:
        self._printed = time.monotonic()
        _print(**self._reached)


def _print(**members: Any) -> None:
    print(json.dumps(members), flush=True)
