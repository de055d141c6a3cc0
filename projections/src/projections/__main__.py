"""The projection worker's command line: `python -m projections run | status | retry | …`."""

import argparse
import asyncio
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final

import psycopg

from ops.base.database.schema import UnknownSchema, require_known_schema
from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.key_encryption_keys import KeysUnavailable
from ops.base.observability.telemetry import configure_logging
from ops.base.records.operations import KINDS
from ops.base.settings import ServiceSettings
from projections.catalogue import PROJECTIONS, projections
from projections.commands.schemas import schemas
from projections.commands.tables import rebuild, retry, status
from projections.engine.projection import Projection
from projections.failures import ProjectionStopped
from projections.leadership.locks import hold_command_lock
from projections.revisions.settings import configured_publishing

if TYPE_CHECKING:
    from projections.notify.service import NotifyService
    from projections.relay.service import RelayService
    from projections.workers.process import Worker

    Work = NotifyService | RelayService | Worker

_NICENESS: Final = 10
"""Of the notifier: about a tenth of a processor that others want as well."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code."""
    options = _parser().parse_args(arguments)
    if options.command == "schemas":  # needs no instance
        return schemas(releasing=options.release)
    settings = ServiceSettings.load()
    dsn = settings.database.get_secret_value()
    service = options.command if options.command in ("relay", "notify") else "projections"
    configure_logging(service, settings.log_format)
    if unknown := set(getattr(options, "projections", ())) - PROJECTIONS.keys():
        sys.stderr.write(f"There is no projection {min(unknown)}; there are {', '.join(PROJECTIONS)}\n")
        return 2
    if options.command in ("run", "relay", "notify"):
        return _serve(service, options, settings, dsn)
    return _run(_execute(options, dsn))


def _configured() -> dict[str, Projection]:
    return projections(configured_publishing())


def _chosen(options: argparse.Namespace) -> list[Projection]:
    known = _configured()
    return [known[name] for name in options.projections or known]


def _serve(service: str, options: argparse.Namespace, settings: ServiceSettings, dsn: str) -> int:
    # Imported here because it takes longer than most other commands.
    from ops.base.database.log_watch import LogWatch  # noqa: PLC0415
    from ops.base.http.health import ReadinessCheck, keys_check  # noqa: PLC0415
    from ops.base.http.server import create_app, serve  # noqa: PLC0415

    work: Work
    try:
        if service == "relay":
            from projections.relay.service import RelayService  # noqa: PLC0415
            from projections.relay.settings import KafkaSettings  # noqa: PLC0415

            title, purpose = "relay", "the relay that publishes events to Kafka"
            # The client's messages quote keys and values, and repeat while a broker is away.
            logging.getLogger("kafka").setLevel(logging.CRITICAL)
            work = RelayService(dsn, KafkaSettings.load(ProjectionStopped), settings.public_address)
        elif service == "notify":
            from projections.notify.channels import channels  # noqa: PLC0415
            from projections.notify.mail.smtp import MailSettings  # noqa: PLC0415
            from projections.notify.service import NotifyService  # noqa: PLC0415
            from projections.notify.settings import NotifySettings  # noqa: PLC0415

            title, purpose = "notifier", "the worker that delivers notifications"
            _lower_priority()
            mails = MailSettings.load(ProjectionStopped)
            factories = channels(NotifySettings.load(ProjectionStopped), mails)
            work = NotifyService(dsn, settings.public_address, factories, missing=mails.missing)
        else:
            from projections.workers.erasure.eraser import eraser_of  # noqa: PLC0415
            from projections.workers.operations.runner import ActionRunner  # noqa: PLC0415
            from projections.workers.process import Worker  # noqa: PLC0415
            from projections.workers.sealing.settings import sealer_of  # noqa: PLC0415

            title = "projection worker"
            purpose = "the worker that projects events into read tables"
            sealer = sealer_of(dsn)
            runner = ActionRunner(verifies=sealer is not None)
            work = Worker(_chosen(options), dsn, sealer, eraser_of(dsn), runner.run)
    except ProjectionStopped as error:
        sys.stderr.write(f"Not possible: {error}\n")
        return 1

    async def readiness() -> Mapping[str, ReadinessCheck]:
        keys = {} if service == "relay" else {"keys": await keys_check(vital=False)}
        return keys | dict(await work.readiness())

    @asynccontextmanager
    async def lifespan(_app: object) -> AsyncIterator[None]:
        async with KEYS.use(dsn=dsn), work.running():
            yield

    app = create_app(
        service=service,
        title=f"Fleetlog {title}",
        description=f"Health and metrics of {purpose}.",
        readiness=readiness,
        lifespan=lifespan,
        watch=LogWatch(dsn, defers_restart=work.defers_restart),
    )
    serve(app, settings)
    return 0


def _lower_priority() -> None:
    """Let commands and projections run before this process, whose work may wait."""
    os.nice(max(0, _NICENESS - os.nice(0)))  # a restart keeps it
    if os.getsid(0) == os.getpid():
        with suppress(OSError):  # on Linux, the priority of processes may count within their session only
            Path("/proc/self/autogroup").write_text(str(_NICENESS))


async def _execute(options: argparse.Namespace, dsn: str) -> int:
    await require_known_schema(dsn)
    async with hold_command_lock(dsn), KEYS.use(dsn=dsn):
        match options.command:
            case "status":
                return await status(dsn, as_json=options.json)
            case "retry":
                return await retry(dsn, _chosen(options))
            case "rebuild":
                return await rebuild(dsn, _configured()[options.projection], only_compare=options.check)
            case "execute":
                from projections.workers.operations.execution import execute  # noqa: PLC0415 - as above

                return await execute(dsn, options.kind, _chosen(options))
            case "rewind":
                from projections.commands.relay import rewind  # noqa: PLC0415 - as above
                from projections.relay.settings import KafkaSettings  # noqa: PLC0415

                return await rewind(dsn, KafkaSettings.load(ProjectionStopped), options.position)
            case _:
                return await _audit(options, dsn)


async def _audit(options: argparse.Namespace, dsn: str) -> int:
    # Imported here because it takes a third of the time of rebuilding a small table.
    from projections.commands.audit import export, restart_sealing, verify  # noqa: PLC0415
    from projections.workers.sealing.settings import (  # noqa: PLC0415
        require_authorities,
        require_seals,
        require_witnesses,
    )
    from projections.workers.verification.verification import Scope  # noqa: PLC0415

    seals, key = require_seals()
    match options.command:
        case "verify":
            scope = Scope(
                options.checkpoint,
                require_witnesses(),
                require_authorities()[1],
                log_only=options.log_only,
                publishing=configured_publishing(),
            )
            return await verify(dsn, seals, key, scope)
        case "restart-sealing":
            return await restart_sealing(dsn, seals, key, require_witnesses(), options.reason)
        case _:
            return await export(dsn, seals, key, options.entity, opened=options.opened)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="projections", description="Projects events into read tables.")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", help="keep the read tables up to date")
    run.add_argument("projections", nargs="*", metavar="NAME", help="only these (default: all)")
    commands.add_parser("relay", help="publish to Kafka")
    commands.add_parser("notify", help="deliver notifications")
    rewind = commands.add_parser("rewind", help="publish the events after a position to Kafka again")
    rewind.add_argument("position", type=_position, metavar="POSITION", help="the last position to skip")
    status = commands.add_parser("status", help="show positions, lag and quarantined streams")
    status.add_argument("--json", action="store_true", help="print JSON")
    retry = commands.add_parser("retry", help="retry quarantined streams after their cause was fixed")
    retry.add_argument("projections", nargs="*", metavar="NAME", help="only these (default: all)")
    rebuild = commands.add_parser(
        "rebuild", help="rebuild a read table from the log while the old one serves"
    )
    rebuild.add_argument("projection", choices=PROJECTIONS)
    rebuild.add_argument("--check", action="store_true", help="only compare; fail if the table differs")
    execute = commands.add_parser("execute", help="run a requested action (workers use this command)")
    execute.add_argument("kind", choices=KINDS)
    execute.add_argument("projections", nargs="*", metavar="NAME", help="only these (default: all)")
    schemas = commands.add_parser(
        "schemas", help="show differences from the released schemas of public events"
    )
    schemas.add_argument("--release", action="store_true", help="release new and compatible schemas")
    verify = commands.add_parser("verify", help="verify the log and the read tables against the seals")
    verify.add_argument(
        "--checkpoint", type=Path, action="append", default=[], help="a file stored elsewhere"
    )
    verify.add_argument("--log-only", action="store_true", help="skip the read tables")
    begin = commands.add_parser("restart-sealing", help="restart sealing after seals were lost or disagree")
    begin.add_argument("--reason", required=True, help="the reason, which every later seal states")
    export = commands.add_parser("export", help="print an entity's history with proofs")
    export.add_argument("entity", metavar="ID", help="an id, or a type and an id: driver:EMP-001")
    export.add_argument("--opened", action="store_true", help="include the decrypted events")
    return parser


def _position(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError("must be 0 or a position of the log")
    return int(text)


def _run(command: Coroutine[None, None, int]) -> int:
    """Run a command, and report expected errors in one line."""
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
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores SIGINT for background commands
    sys.exit(main())
