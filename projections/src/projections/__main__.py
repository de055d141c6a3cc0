"""The projection worker's command line: `python -m projections run | status | rebuild`."""

import argparse
import asyncio
import json
import sys
from collections.abc import Coroutine, Sequence
from dataclasses import asdict

import psycopg
from rich.progress import Progress

from ops.base.database import connect
from ops.base.http import serve
from ops.base.settings import ServiceSettings
from ops.base.telemetry import configure_logging
from projections.catalogue import PROJECTIONS
from projections.failures import ProjectionStopped
from projections.rebuild import empty, wait_until_filled
from projections.status import Status, read_statuses
from projections.tables import READ_TABLES
from projections.worker import create_worker_app


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    options = _parser().parse_args(arguments)
    settings = ServiceSettings.load()
    dsn = settings.database.get_secret_value()
    match options.command:
        case "run":
            configure_logging("projections", settings.log_format)
            serve(create_worker_app([PROJECTIONS[name] for name in options.only], dsn), settings)
            return 0
        case "status":
            return asyncio.run(_told(_status(dsn, as_json=options.json)))
        case _:
            return asyncio.run(_told(_rebuild(dsn, options.projection)))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="projections", description="Turns events into read tables.")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="keep the read tables up with the log")
    run.add_argument("--only", nargs="+", choices=PROJECTIONS, default=list(PROJECTIONS), metavar="NAME")
    status = commands.add_parser("status", help="how far each projection is")
    status.add_argument("--json", action="store_true", help="for machines")
    rebuild = commands.add_parser("rebuild", help="empty a read table and fill it anew from the log")
    rebuild.add_argument("projection", choices=PROJECTIONS)
    return parser


async def _told(command: Coroutine[None, None, int]) -> int:
    """Run a command whose foreseeable failures are told in one line."""
    try:
        return await command
    except psycopg.OperationalError as error:
        sys.stderr.write(f"The database cannot be reached: {type(error).__name__}\n")
    except ProjectionStopped as error:
        sys.stderr.write(f"Not possible: {error}\n")
    return 1


async def _status(dsn: str, *, as_json: bool) -> int:
    async with await connect(dsn, autocommit=True) as connection:
        statuses = await read_statuses(connection, READ_TABLES)
    if as_json:
        print(json.dumps([asdict(status) for status in statuses], indent=2))
    else:
        print(f"{'projection':<12} {'position':>10} {'head':>10} {'lag':>10} {'lag (s)':>9}  worker")
        for status in statuses:
            print(_line(status))
    return 0


def _line(status: Status) -> str:
    worker = "running" if status.worker else "none"
    return (
        f"{status.projection:<12} {status.position:>10} {status.head:>10}"
        f" {status.lag_events:>10} {status.lag_seconds:>9.1f}  {worker}"
    )


async def _rebuild(dsn: str, name: str) -> int:
    table = PROJECTIONS[name].table
    async with await connect(dsn, autocommit=True) as connection:
        await empty(connection, table)
        print(f"{name}: emptied; it is filled anew from the log")
        with Progress() as progress:
            bar = progress.add_task(name)
            filled = await wait_until_filled(
                connection,
                table,
                lambda status: progress.update(bar, completed=status.position, total=status.head),
            )
    if filled:
        print(f"{name}: done")
        return 0
    print(f"{name}: no worker is running; the table fills as soon as one does")
    return 1


if __name__ == "__main__":
    sys.exit(main())
