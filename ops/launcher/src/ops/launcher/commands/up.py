"""`./fleetlog up`: run the product on this machine.

Examples:
  ./fleetlog up
  ./fleetlog up --port 8081 --data /srv/fleetlog --detach
  ./fleetlog up --backups /mnt/backups
  ./fleetlog up --issuer https://tenant.eu.auth0.com/ --audience ID --client-id ID
  ./fleetlog up --issuer https://sso.example/realms/fleet --audience ID --client-id ID
"""

import argparse
import asyncio
import os
import select
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO

from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder, add_data_argument
from ops.launcher.instance.sign_in import Provider, company_provider
from ops.launcher.messages import notify
from ops.launcher.paths import PYTHON
from ops.launcher.services import KAFKA_SETTING, KAFKA_SETTINGS

DATABASE_SETTING = "FLEETLOG_DATABASE"
BACKUPS_SETTING = "FLEETLOG_BACKUPS"
_SHOW_SECONDS = 0.1


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=_port, default=8080, help="port on this machine (default: 8080)")
    add_data_argument(parser)
    parser.add_argument(
        "--database",
        metavar="DSN",
        default=os.environ.get(DATABASE_SETTING),
        help="use your own PostgreSQL server instead of the embedded one; the role must be allowed to create"
        f" schemas and roles (or set {DATABASE_SETTING}, which no process list shows)",
    )
    parser.add_argument(
        "--kafka",
        metavar="HOST:PORT[,…]",
        type=_brokers,
        default=os.environ.get(KAFKA_SETTING) or None,
        help=f"publish all events to these Kafka brokers (or set {KAFKA_SETTING}); variables that begin with"
        f" {KAFKA_SETTINGS} configure the connection, see ops/docs/operators.md",
    )
    parser.add_argument(
        "--backups",
        metavar="FOLDER",
        type=Path,
        default=os.environ.get(BACKUPS_SETTING) or None,
        help="stream all changes of the embedded database into this folder, preferably on another disk;"
        f" `backup` puts its copies there (or set {BACKUPS_SETTING})",
    )
    company = parser.add_argument_group(
        "your company's identity provider",
        "Saved for later starts. The development identity provider then does not run.",
    )
    company.add_argument("--issuer", metavar="URL", help="its address, such as https://tenant.eu.auth0.com/")
    company.add_argument("--audience", metavar="ID", help="the identifier of the API")
    company.add_argument("--client-id", metavar="ID", help="the client of the browser application")
    company.add_argument("--jwks", metavar="URL", help="its keys (default: from its OpenID configuration)")
    company.add_argument(
        "--development-sign-in",
        action="store_true",
        help="remove the saved provider; everyone can sign in without a password again",
    )
    parser.add_argument("--detach", action="store_true", help="return when ready; the product keeps running")


def run(arguments: argparse.Namespace) -> int:
    arguments.database = arguments.database or None
    arguments.provider = _provider(arguments)
    if arguments.detach:
        return _detach(arguments)
    if arguments.database is None:  # libpq's variables would concern a server of the user's
        for name in [name for name in os.environ if name.startswith("PG")]:
            del os.environ[name]
    from ops.launcher.launch import Launch  # noqa: PLC0415 - with --detach, only the child needs it

    launch = Launch(arguments)
    launch.prepare()
    asyncio.run(launch.run())
    notify("stopped")
    return 0


def _detach(options: argparse.Namespace) -> int:
    """Start `up` in the background and return when it is ready.

    The output goes to `logs/launcher.log` in the data folder, and until then also to the user.

    Returns:
        The exit status: that of the background launcher if it ended before it was ready.
    """
    folder = DataFolder(options.data).create()
    log_path = folder.logs / "launcher.log"
    environment = dict(os.environ)
    if options.database:
        environment[DATABASE_SETTING] = options.database  # every user can read command lines
    if options.kafka:
        environment[KAFKA_SETTING] = options.kafka
    if options.backups:
        environment[BACKUPS_SETTING] = str(options.backups.absolute())
    command = ["up", "--port", str(options.port), "--data", str(folder.path)]
    if provider := options.provider:
        command += ["--issuer", provider.issuer, "--audience", provider.audience]
        command += ["--client-id", provider.client_id]
        command += ["--jwks", provider.jwks_url] if provider.jwks_url else []
    elif options.development_sign_in:
        command += ["--development-sign-in"]
    with log_path.open("ab") as log:
        begin = log.tell()
        launcher = subprocess.Popen(
            [*PYTHON, "ops.launcher", *command],
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=log,
            start_new_session=True,
            text=True,
        )
    if launcher.stdout is None:
        raise AssertionError("a pipe")
    try:
        with log_path.open("rb") as output, launcher.stdout as lines:
            output.seek(begin)
            line = _wait_for_line(lines, output)
    except KeyboardInterrupt:
        launcher.send_signal(signal.SIGTERM)
        launcher.wait()
        raise
    if not line:
        return launcher.wait() or 1  # the launcher has printed why
    print(line, end="")
    return 0


def _wait_for_line(lines: IO[str], output: IO[bytes]) -> str:
    """Return the launcher's first line, empty if it ended; meanwhile show what it writes to its log."""
    ready: list[IO[str]] = []
    while not ready:
        ready, _, _ = select.select([lines], [], [], _SHOW_SECONDS)
        line = lines.readline() if ready else ""
        if not line:
            sys.stderr.write(output.read().decode(errors="replace"))
            sys.stderr.flush()
    return line


def _provider(arguments: argparse.Namespace) -> Provider | None:
    names = ("issuer", "audience", "client_id", "jwks")
    given = {name: getattr(arguments, name) for name in names if getattr(arguments, name) is not None}
    if not given:
        return None
    if arguments.development_sign_in:
        raise LauncherError("--development-sign-in cannot be combined with a company's identity provider")
    if not all(given.get(name) for name in names[:3]):
        raise LauncherError("a company's identity provider needs --issuer, --audience and --client-id")
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
            raise argparse.ArgumentTypeError("must be HOST:PORT, or several of them separated by commas")
    return text


def _port(text: str) -> int:
    port = int(text)
    if not 1 <= port <= 65535:
        raise argparse.ArgumentTypeError("must be between 1 and 65535")
    return port
