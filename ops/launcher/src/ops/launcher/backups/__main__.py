"""`python -m ops.launcher.backups`: accept a restored log where no launcher looks after it.

It is the service `accept` of `compose.yaml`.
"""

import argparse
import sys
from pathlib import Path

import psycopg
from pydantic import Field

from ops.base.settings import ServiceSettings
from ops.launcher.backups.accepting import accept_as_asked, add_accept_arguments
from ops.launcher.errors import LauncherError


class AcceptingSettings(ServiceSettings):
    """The owner's DSN, and where the seals are."""

    seals: Path | None = Field(default=None, description="folder that the worker seals in")
    sealing_key: Path | None = Field(default=None, description="what it signs with")


def main() -> int:
    """Accept, and return the exit status."""
    parser = argparse.ArgumentParser(
        prog="accept", description="Let a log that was restored go on, as another log."
    )
    add_accept_arguments(parser)
    wanted = parser.parse_args()
    settings = AcceptingSettings.load()
    owner = settings.database.get_secret_value()
    try:
        print(accept_as_asked(wanted, owner, settings.seals, settings.sealing_key))
    except (LauncherError, OSError) as error:
        print(f"accept: {error}", file=sys.stderr)
        return 1
    except psycopg.OperationalError as error:
        print(f"accept: the database cannot be reached: {type(error).__name__}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
