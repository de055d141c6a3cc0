"""The projection worker's command line: `python -m projections run | status | retry | rebuild`."""

import argparse
import asyncio
import sys
from collections.abc import Coroutine, Sequence
from pathlib import Path

import psycopg

from ops.base.settings import ServiceSettings
from ops.base.telemetry import configure_logging
from projections.catalogue import PROJECTIONS
from projections.commands.audit import export, verify
from projections.commands.rebuild import rebuild
from projections.commands.retry import retry
from projections.commands.status import status
from projections.failures import ProjectionStopped
from projections.sealing.settings import require_seals, sealer_of


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    options = _parser().parse_args(arguments)
    settings = ServiceSettings.load()
    dsn = settings.database.get_secret_value()
    configure_logging("projections", settings.log_format)
    if unknown := set(getattr(options, "projections", ())) - PROJECTIONS.keys():
        sys.stderr.write(f"There is no projection {min(unknown)}; there are {', '.join(PROJECTIONS)}\n")
        return 2
    if options.command == "run":
        # Here, for it takes most of the time in which the other commands have done their work.
        from ops.base.http import serve  # noqa: PLC0415
        from projections.worker import create_worker_app  # noqa: PLC0415

        projections = [PROJECTIONS[name] for name in options.only]
        try:
            sealer = sealer_of(dsn)
        except ProjectionStopped as error:
            sys.stderr.write(f"Not possible: {error}\n")
            return 1
        serve(create_worker_app(projections, dsn, sealer), settings)
        return 0
    return _told(_command(options, dsn))


async def _command(options: argparse.Namespace, dsn: str) -> int:
    match options.command:
        case "status":
            return await status(dsn, as_json=options.json)
        case "retry":
            return await retry(dsn, [PROJECTIONS[name] for name in options.projections or PROJECTIONS])
        case "rebuild":
            return await rebuild(dsn, PROJECTIONS[options.projection], only_compare=options.check)
        case "verify":
            return await verify(dsn, *require_seals(), options.checkpoint)
        case _:
            return await export(dsn, *require_seals(), options.entity)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="projections", description="Turns events into read tables.")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="keep the read tables up with the log")
    run.add_argument("--only", nargs="+", choices=PROJECTIONS, default=list(PROJECTIONS), metavar="NAME")
    status = commands.add_parser("status", help="how far each projection is, and what it has set aside")
    status.add_argument("--json", action="store_true", help="for machines")
    retry = commands.add_parser("retry", help="apply what was set aside, after its cause has been mended")
    retry.add_argument("projections", nargs="*", metavar="NAME", help="of which projections (default: all)")
    rebuild = commands.add_parser(
        "rebuild", help="fill a read table anew from the log, while the old one serves"
    )
    rebuild.add_argument("projection", choices=PROJECTIONS)
    rebuild.add_argument("--check", action="store_true", help="only compare; fails when the table differs")
    verify = commands.add_parser("verify", help="hold the whole log against its seals")
    verify.add_argument("--checkpoint", type=Path, action="append", default=[], help="one kept elsewhere")
    export = commands.add_parser("export", help="print an entity's history with proofs")
    export.add_argument("entity", metavar="ID", help="an id, or its type and id: driver:EMP-001")
    return parser


def _told(command: Coroutine[None, None, int]) -> int:
    """Run a command whose foreseeable failures are told in one line."""
    try:
        return asyncio.run(command)
    except psycopg.OperationalError as error:
        sys.stderr.write(f"The database cannot be reached: {type(error).__name__}\n")
    except (ProjectionStopped, OSError) as error:
        sys.stderr.write(f"Not possible: {error}\n")
    except KeyboardInterrupt:
        return 130
    return 1


if __name__ == "__main__":
    sys.exit(main())
