"""`./fleetlog up`: run the whole product on this machine."""

import argparse
import asyncio
import contextlib
import os
import sys
from pathlib import Path

from ops.launcher.detaching import detach, ready_reporter
from ops.launcher.instance.data_folder import add_data_argument
from ops.launcher.running import Options, RunningInstance, forget_postgres_settings
from ops.launcher.services import KAFKA_SETTING, KAFKA_SETTINGS

DATABASE_SETTING = "FLEETLOG_DATABASE"
BACKUPS_SETTING = "FLEETLOG_BACKUPS"


def configure(parser: argparse.ArgumentParser) -> None:
    """Declare the command's arguments."""
    parser.add_argument("--port", type=_port, default=8080, help="port on this machine (default: 8080)")
    add_data_argument(parser)
    parser.add_argument(
        "--database",
        metavar="DSN",
        default=os.environ.get(DATABASE_SETTING),
        help="a PostgreSQL server of yours instead of the embedded one; its role must be allowed to create "
        f"schemas and roles. The variable {DATABASE_SETTING} says the same, and shows in no process list.",
    )
    parser.add_argument(
        "--kafka",
        metavar="HOST:PORT[,…]",
        type=_brokers,
        default=os.environ.get(KAFKA_SETTING),
        help="publish all events to these Kafka brokers; how to sign in is said by variables that begin with "
        f"{KAFKA_SETTINGS} (see projections/README.md). The variable {KAFKA_SETTING} says the same.",
    )
    parser.add_argument(
        "--backups",
        metavar="FOLDER",
        type=Path,
        default=os.environ.get(BACKUPS_SETTING),
        help="stream all that the embedded database writes into this folder, where `backup` puts its copies;"
        f" best on another disk. The variable {BACKUPS_SETTING} says the same.",
    )
    parser.add_argument("--detach", action="store_true", help="return when ready, and leave it running")


def run(arguments: argparse.Namespace) -> int:
    """Run the product until it is told to end."""
    options = Options(
        port=arguments.port,
        data=arguments.data,
        database=arguments.database or None,
        kafka=arguments.kafka or None,
        backups=arguments.backups or None,
    )
    if arguments.detach:
        return detach(options)
    if options.database is None:
        forget_postgres_settings()
    instance = RunningInstance(options, say=say)
    report = ready_reporter()
    instance.prepare()
    asyncio.run(instance.run(lambda: report(ready_line(instance.address))))
    say("stopped")
    return 0


def ready_line(address: str) -> str:
    """The one line that tells where it is, how to sign in, and how to end it."""
    ending = "Ctrl-C ends it" if sys.stdin.isatty() else "./fleetlog down ends it"
    return f"Fleetlog is ready: {address} (sign in as any user listed there, without a password; {ending})"


def say(message: str) -> None:
    """Tell the user a line, if their terminal is still there."""
    with contextlib.suppress(OSError):
        print(f"fleetlog: {message}", file=sys.stderr, flush=True)


def _brokers(text: str) -> str:
    for broker in text.split(","):
        host, _, port = broker.rpartition(":")
        if not host or not port.isdecimal():
            raise argparse.ArgumentTypeError("must be HOST:PORT, several of them with commas between")
    return text


def _port(text: str) -> int:
    port = int(text)
    if not 1 <= port <= 65535:
        raise argparse.ArgumentTypeError("must be between 1 and 65535")
    return port
