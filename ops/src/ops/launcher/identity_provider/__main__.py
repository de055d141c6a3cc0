"""`python -m ops.launcher.identity_provider`: serve until SIGINT or SIGTERM."""

import sqlite3
import sys

import pydantic
import uvicorn

from ops.base.settings import explained
from ops.base.telemetry import configure_logging
from ops.base.watchdog import WatchedServer
from ops.launcher.identity_provider.app import create_app
from ops.launcher.identity_provider.settings import IdentityProviderSettings


def main() -> int:
    """Serve; returns the exit code."""
    try:
        settings = IdentityProviderSettings()
        app = create_app(settings)
    except pydantic.ValidationError as error:
        for line in explained(error).splitlines():
            print(f"identity provider: {line}", file=sys.stderr)
        return 2
    except (OSError, ValueError, sqlite3.Error) as error:
        print(f"identity provider: {error}", file=sys.stderr)
        return 1
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
    return 0


if __name__ == "__main__":
    sys.exit(main())
