"""The projection worker's command line: `python -m projections run | status | retry | …`."""

import argparse
import asyncio
import logging
import signal
import sys
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg

from ops.base.database.schema import UnknownSchema, require_known_schema
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.observability.telemetry import configure_logging
from ops.base.records.operations import KINDS
from ops.base.settings import ServiceSettings
from projections.catalogue import PROJECTIONS, projections
from projections.commands.rebuild import rebuild
from projections.commands.retry import retry
from projections.commands.schemas import schemas
from projections.commands.status import status
from projections.engine.projection import Projection
from projections.failures import ProjectionStopped
from projections.leases.openings import opening
from projections.revisions.settings import configured_publishing

if TYPE_CHECKING:
    from projections.relay.service import RelayService
    from projections.workers.process import Worker

    Work = RelayService | Worker


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    options = _parser().parse_args(arguments)
    if options.command == "schemas":  # of the code, not of an instance
        return schemas(releasing=options.release)
    settings = ServiceSettings.load()
    dsn = settings.database.get_secret_value()
    configure_logging("relay" if options.command == "relay" else "projections", settings.log_format)
    if unknown := set(getattr(options, "projections", ())) - PROJECTIONS.keys():
        sys.stderr.write(f"There is no projection {min(unknown)}; there are {', '.join(PROJECTIONS)}\n")
        return 2
    if options.command in ("run", "relay"):
        return _serve(options, settings, dsn)
    return _told(_command(options, dsn))


def _configured() -> dict[str, Projection]:
    """Return all projections as the environment wants them.

    Raises:
        ProjectionStopped: it cannot be told what the environment wants.
    """
    return projections(configured_publishing())


def _serve(options: argparse.Namespace, settings: ServiceSettings, dsn: str) -> int:
    # Here, for it takes most of the time in which the other commands have done their work.
    from ops.base.database.log_watch import LogWatch  # noqa: PLC0415
    from ops.base.http.health import Check, keys_check  # noqa: PLC0415
    from ops.base.http.server import create_app, serve  # noqa: PLC0415

    work: Work
    try:
        if options.command == "relay":
            from projections.commands.relay import kafka_settings  # noqa: PLC0415
            from projections.relay.service import RelayService  # noqa: PLC0415

            service, title, purpose = "relay", "relay", "the relay that publishes events to Kafka"
            # The client's own messages quote keys and values, and repeat themselves while a broker is away.
            logging.getLogger("kafka").setLevel(logging.CRITICAL)
            work = RelayService(dsn, kafka_settings(), settings.public_address)
        else:
            from projections.workers.erasure.settings import eraser_of  # noqa: PLC0415
            from projections.workers.operations.runner import Carrier  # noqa: PLC0415
            from projections.workers.process import Worker  # noqa: PLC0415
            from projections.workers.sealing.settings import sealer_of  # noqa: PLC0415

            service, title = "projections", "projection worker"
            purpose = "the worker that turns events into read tables"
            known = _configured()
            names = options.projections or known
            sealer = sealer_of(dsn)
            carrier = Carrier(verifies=sealer is not None)
            work = Worker([known[name] for name in names], dsn, sealer, eraser_of(dsn), carrier.run)
    except ProjectionStopped as error:
        sys.stderr.write(f"Not possible: {error}\n")
        return 1

    async def readiness() -> Mapping[str, Check]:
        keys = {} if service == "relay" else {"keys": await keys_check(vital=False)}
        return keys | dict(await work.readiness())

    app = create_app(
        service=service,
        title=f"Fleetlog {title}",
        description=f"Health and metrics of {purpose}.",
        readiness=readiness,
        lifespan=lambda _app: _with_keys(work, dsn),
        watch=LogWatch(dsn, defers_restart=work.goes_on),
    )
    serve(app, settings)
    return 0


@asynccontextmanager
async def _with_keys(work: "Work", dsn: str) -> AsyncIterator[None]:
    async with KEYS.use(dsn=dsn), work.running():
        yield


async def _command(options: argparse.Namespace, dsn: str) -> int:
    await require_known_schema(dsn)
    async with opening(dsn), KEYS.use(dsn=dsn):
        return await _carried_out(options, dsn)


async def _carried_out(options: argparse.Namespace, dsn: str) -> int:
    match options.command:
        case "status":
            return await status(dsn, as_json=options.json)
        case "retry":
            return await retry(dsn, [PROJECTIONS[name] for name in options.projections or PROJECTIONS])
        case "rebuild":
            return await rebuild(dsn, _configured()[options.projection], only_compare=options.check)
        case "carry-out":
            from projections.workers.operations.execution import carry_out  # noqa: PLC0415 - as above

            known = _configured()
            return await carry_out(dsn, options.kind, [known[name] for name in options.projections or known])
        case "rewind":
            from projections.commands.relay import kafka_settings, rewind  # noqa: PLC0415 - as above

            return await rewind(dsn, kafka_settings(), options.position)
        case _:
            return await _audit(options, dsn)


async def _audit(options: argparse.Namespace, dsn: str) -> int:
    # Here, for it takes a third of the time in which small tables are rebuilt.
    from projections.commands.audit import begin_anew, export  # noqa: PLC0415
    from projections.commands.verify import Wanted, verify  # noqa: PLC0415
    from projections.workers.sealing.settings import require_seals, require_witnesses  # noqa: PLC0415

    seals, key = require_seals()
    match options.command:
        case "verify":
            wanted = Wanted(
                options.checkpoint,
                require_witnesses(),
                log_only=options.log_only,
                publishing=configured_publishing(),
            )
            return await verify(dsn, seals, key, wanted)
        case "begin-anew":
            return await begin_anew(dsn, seals, key, require_witnesses(), options.reason)
        case _:
            return await export(dsn, seals, key, options.entity, opened=options.opened)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="projections", description="Turns events into read tables.")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="keep the read tables up with the log")
    run.add_argument("projections", nargs="*", metavar="NAME", help="only these (default: all)")
    commands.add_parser("relay", help="publish to Kafka")
    rewind = commands.add_parser("rewind", help="publish to Kafka again, from a position on")
    rewind.add_argument("position", type=_position, metavar="POSITION", help="the last one to leave out")
    status = commands.add_parser("status", help="how far each projection is, and what it has set aside")
    status.add_argument("--json", action="store_true", help="for machines")
    retry = commands.add_parser("retry", help="apply what was set aside, after its cause has been mended")
    retry.add_argument("projections", nargs="*", metavar="NAME", help="of which projections (default: all)")
    rebuild = commands.add_parser(
        "rebuild", help="fill a read table anew from the log, while the old one serves"
    )
    rebuild.add_argument("projection", choices=PROJECTIONS)
    rebuild.add_argument("--check", action="store_true", help="only compare; fails when the table differs")
    carry_out = commands.add_parser("carry-out", help="what an operator has asked for; workers run it")
    carry_out.add_argument("kind", choices=KINDS)
    carry_out.add_argument(
        "projections", nargs="*", metavar="NAME", help="of which projections (default: all)"
    )
    schemas = commands.add_parser("schemas", help="what differs from the released schemas of public events")
    schemas.add_argument("--release", action="store_true", help="release what is new or compatible")
    verify = commands.add_parser("verify", help="hold the log, and what people look at, against its seals")
    verify.add_argument("--checkpoint", type=Path, action="append", default=[], help="one kept elsewhere")
    verify.add_argument("--log-only", action="store_true", help="leave out the read tables")
    begin = commands.add_parser("begin-anew", help="let sealing go on where seals are gone or do not fit")
    begin.add_argument("--reason", required=True, help="why; every seal tells it from then on")
    export = commands.add_parser("export", help="print an entity's history with proofs")
    export.add_argument("entity", metavar="ID", help="an id, or its type and id: driver:EMP-001")
    export.add_argument("--opened", action="store_true", help="show as well what is in its boxes")
    return parser


def _position(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError("must be 0 or a position of the log")
    return int(text)


def _told(command: Coroutine[None, None, int]) -> int:
    """Run a command whose foreseeable failures are told in one line."""
    try:
        return asyncio.run(command)
    except psycopg.OperationalError as error:
        sys.stderr.write(f"The database cannot be reached: {type(error).__name__}\n")
    except (ProjectionStopped, UnknownSchema, KeysUnavailable, OSError) as error:
        sys.stderr.write(f"Not possible: {error}\n")
    except KeyboardInterrupt:
        return 130
    return 1


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell starts what ends in `&` without it
    sys.exit(main())
