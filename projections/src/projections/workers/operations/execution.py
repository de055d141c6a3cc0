"""`projections carry-out`: one action that an operator has asked for, which a worker has begun."""

import asyncio
import json
import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any, Final

import psycopg
import structlog

from ops.base.database.pools import connect
from projections.engine.projection import Projection
from projections.engine.retry import retry_all
from projections.failures import ProjectionStopped
from projections.leases.sessions import end_when_silent
from projections.rebuild.rebuilding import Progress, rebuild
from projections.revisions.settings import configured_publishing
from projections.workers.operations.queue import WORDS
from projections.workers.sealing.settings import require_seals, require_witnesses
from projections.workers.verification.verification import Wanted, hold_against_seals, record

_TELL_SECONDS: Final = 0.2

logger = structlog.get_logger()


async def carry_out(dsn: str, kind: str, projections: Sequence[Projection]) -> int:
    """Carry it out, and print how far it is, and at last what has come of it: a line of JSON each.

    Args:
        dsn: where to connect, with the rights of a worker.
        kind: `retry`, `rebuild` or `verify`.
        projections: of which.

    Returns:
        130 where the worker is gone, or wants it to end, which it tells by the end of standard input.

    Raises:
        psycopg.OperationalError: the database cannot be reached.
    """
    work = asyncio.create_task(_outcome(dsn, kind, projections))
    loop, wanted = asyncio.get_running_loop(), sys.stdin.fileno()

    def end() -> None:
        # Once: what is cancelled tells the database, which takes a moment.
        loop.remove_reader(wanted)
        work.cancel()

    loop.add_reader(wanted, end)
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
    _tell(failed=failed, words="\n".join(lines)[:WORDS])
    return 0


async def _outcome(dsn: str, kind: str, projections: Sequence[Projection]) -> tuple[bool, Iterable[str]]:
    """Return whether it has failed, and what to say of it."""
    progress = _Progress()
    match kind:
        case "retry":
            return await _retry(dsn, projections, progress)
        case "rebuild":
            return False, await _rebuild(dsn, projections, progress)
        case _:
            seals, key = require_seals()
            wanted = Wanted(witnesses=require_witnesses(), publishing=configured_publishing())
            findings = await hold_against_seals(dsn, seals, key, wanted, progress.reached)
            progress.tell()
            await record(dsn, findings)
            return findings.is_amiss, findings.lines()


async def _retry(
    dsn: str, projections: Sequence[Projection], progress: "_Progress"
) -> tuple[bool, Iterable[str]]:
    healed, still = 0, list[str]()
    async with await connect(dsn, autocommit=True) as connection:
        await end_when_silent(connection, idle_seconds=60)
        async for tried in retry_all(connection, projections):
            if tried.is_healed:
                healed += 1
            else:
                still.append(str(tried))
            progress.reached(tried.number, tried.of)
    progress.tell()
    return bool(still), [f"{healed} healed, {len(still)} still set aside", *still]


async def _rebuild(dsn: str, projections: Sequence[Projection], progress: "_Progress") -> Iterable[str]:
    lines: list[str] = []
    for number, projection in enumerate(projections):

        def report(reached: Progress, number: int = number) -> None:
            progress.reached(number * reached.head + reached.position, len(projections) * reached.head)

        rebuilt = await rebuild(dsn, projection, report)
        lines += rebuilt.lines(projection.table.name)
    progress.tell()
    return lines


class _Progress:
    """Tells how far it is, but not at each step."""

    def __init__(self) -> None:
        self._reached: dict[str, int] = {}
        self._told = time.monotonic()

    def reached(self, done: int, total: int) -> None:
        self._reached = {"done": done, "total": total}
        if time.monotonic() - self._told >= _TELL_SECONDS:
            self.tell()

    def tell(self) -> None:
        self._told = time.monotonic()
        _tell(**self._reached)


def _tell(**what: Any) -> None:
    print(json.dumps(what), flush=True)
