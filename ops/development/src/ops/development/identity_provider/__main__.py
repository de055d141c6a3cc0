"""`python -m ops.development.identity_provider`: serve until SIGINT or SIGTERM, or end sessions."""

import argparse
import sqlite3
import sys

import pydantic
import uvicorn

from ops.base.observability.telemetry import configure_logging
from ops.base.process.watchdog import WatchedServer
from ops.base.settings import explained
from ops.development.identity_provider.app import create_app
from ops.development.identity_provider.settings import IdentityProviderSettings
from ops.development.identity_provider.store import Store


def main(words: list[str]) -> int:
    """Execute the command, and return the exit status."""
    parser = argparse.ArgumentParser(prog="python -m ops.development.identity_provider")
    actions = parser.add_subparsers(dest="action")
    sign_out = actions.add_parser("sign-out", help="end a user's sessions here, without notifying the APIs")
    sign_out.add_argument("--session", metavar="SID", help="end this session only")
    sign_out.add_argument("subject", metavar="SUBJECT")
    arguments = parser.parse_args(words)
    try:
        settings = IdentityProviderSettings()
        if arguments.action == "sign-out":
            store = Store(settings.idp_state)
            store.end_sessions(arguments.subject, arguments.session)
            store.close()
        else:
            _serve(settings)
    except pydantic.ValidationError as error:
        for line in explained(error).splitlines():
            print(f"identity provider: {line}", file=sys.stderr)
        return 2
    except (OSError, ValueError, sqlite3.Error) as error:
        print(f"identity provider: {error}", file=sys.stderr)
        return 1
    return 0


def _serve(settings: IdentityProviderSettings) -> None:
    app = create_app(settings)
    configure_logging("identity-provider", settings.log_format)
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http="httptools",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=5,
    )
    WatchedServer(config, stall_seconds=settings.stall_seconds).run()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
