"""`./fleetlog up`: run the whole product on this machine."""

import argparse
import asyncio
import contextlib
import os
import sys

from ops.launcher.detaching import detach, ready_reporter
from ops.launcher.instance.data_folder import add_data_argument
from ops.launcher.running import Options, RunningInstance, forget_postgres_settings

DATABASE_SETTING = "FLEETLOG_DATABASE"


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
    parser.add_argument("--detach", action="store_true", help="return when ready, and leave it running")


def run(arguments: argparse.Namespace) -> int:
    """Run the product until it is told to end."""
    options = Options(port=arguments.port, data=arguments.data, database=arguments.database or None)
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


def _port(text: str) -> int:
    port = int(text)
    if not 1 <= port <= 65535:
        raise argparse.ArgumentTypeError("must be between 1 and 65535")
    return port
