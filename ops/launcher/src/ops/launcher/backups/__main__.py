"""`python -m ops.launcher.backups`: the service `accept` of `compose.yaml`, which accepts a restored log."""

import argparse
import sys
from pathlib import Path

import psycopg
from pydantic import Field

from ops.base.settings import ServiceSettings
from ops.launcher.backups.acceptance import accept_from_arguments, add_accept_arguments
from ops.launcher.containers import exit_on_error


class AcceptanceSettings(ServiceSettings):
    """Settings; `database` is the owner's DSN."""

    seals: Path | None = Field(default=None, description="folder of the worker's seals")
    sealing_key: Path | None = Field(default=None, description="the key that signs them")


def main() -> None:
    """Accept the log."""
    parser = argparse.ArgumentParser(
        prog="accept", description="Let a restored log accept changes, as another log."
    )
    add_accept_arguments(parser)
    arguments = parser.parse_args()
    with exit_on_error("accept"):
        settings = AcceptanceSettings.load()
        owner = settings.database.get_secret_value()
        try:
            print(accept_from_arguments(arguments, owner, settings.seals, settings.sealing_key))
        except psycopg.OperationalError as error:
            sys.exit(f"accept: the database cannot be reached: {type(error).__name__}")


if __name__ == "__main__":
    main()
