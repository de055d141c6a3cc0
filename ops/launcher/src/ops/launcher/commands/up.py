"""`./fleetlog up`: run the whole product on this machine."""

import argparse
import asyncio
import os
import sys
from pathlib import Path

from ops.launcher.detaching import detach, ready_reporter
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import add_data_argument
from ops.launcher.instance.sign_in import Provider, company_provider
from ops.launcher.running import Options, RunningInstance, forget_postgres_settings
from ops.launcher.saying import say
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
        f"{KAFKA_SETTINGS} (see ops/docs/operators.md). The variable {KAFKA_SETTING} says the same.",
    )
    parser.add_argument(
        "--backups",
        metavar="FOLDER",
        type=Path,
        default=os.environ.get(BACKUPS_SETTING) or None,
        help="stream all that the embedded database writes into this folder, where `backup` puts its copies;"
        f" best on another disk. The variable {BACKUPS_SETTING} says the same.",
    )
    company = parser.add_argument_group(
        "your company's identity provider",
        "Remembered: later starts need not name it again. No development provider runs beside it.",
    )
    company.add_argument("--issuer", metavar="URL", help="its origin, such as https://tenant.eu.auth0.com/")
    company.add_argument("--audience", metavar="ID", help="by which it knows the APIs")
    company.add_argument("--client-id", metavar="ID", help="by which it knows the application in the browser")
    company.add_argument("--jwks", metavar="URL", help="where its keys are (default: where it says itself)")
    company.add_argument(
        "--development-sign-in",
        action="store_true",
        help="forget it, and let everybody in without a password again",
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
        provider=_provider(arguments),
        development_sign_in=arguments.development_sign_in,
    )
    if arguments.detach:
        return detach(options)
    if options.database is None:
        forget_postgres_settings()
    instance = RunningInstance(options, say=say)
    report = ready_reporter()
    instance.prepare()
    asyncio.run(instance.run(lambda: report(ready_line(instance.address, instance.provider))))
    say("stopped")
    return 0


def ready_line(address: str, provider: Provider | None) -> str:
    """The one line that tells where it is, how to sign in, and how to end it."""
    ending = "Ctrl-C ends it" if sys.stdin.isatty() else "./fleetlog down ends it"
    how = f"at {provider.issuer}" if provider else "as any user listed there, without a password"
    return f"Fleetlog is ready: {address} (sign in {how}; {ending})"


def _provider(arguments: argparse.Namespace) -> Provider | None:
    """The company's identity provider, if one was named now.

    Raises:
        LauncherError: not all that it takes was named, or it cannot be used.
    """
    names = ("issuer", "audience", "client_id", "jwks")
    given = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}
    if not given:
        return None
    if arguments.development_sign_in:
        raise LauncherError("--development-sign-in is instead of a company's identity provider")
    if not all(given.get(name) for name in names[:3]):
        raise LauncherError("a company's identity provider takes --issuer, --audience and --client-id")
    return company_provider(
        given["issuer"],
        audience=given["audience"],
        client_id=given["client_id"],
        jwks_url=given.get("jwks"),
    )


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
