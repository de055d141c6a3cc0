"""`python -m ops.launcher.backups`: accept a restored log where no launcher looks after it.

It is the service `accept` of `compose.yaml`.
"""

import argparse
import sys
from pathlib import Path

import psycopg
from pydantic import Field

from ops.base.settings import ServiceSettings
from ops.launcher.backups.accepting import accept, accept_moment, begin_anew_with
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
    parser.add_argument("--same-log", action="store_true", help="nothing was lost, the log keeps its name")
    parser.add_argument(
        "--anyway", action="store_true", help="also where nobody has noticed that it was restored"
    )
    parser.add_argument(
        "--moment", action="store_true", help="only that the log's last moment lies in the future"
    )
    wanted = parser.parse_args()
    settings = AcceptingSettings.load()
    owner = settings.database.get_secret_value()
    seals = settings.seals if settings.seals is not None and settings.seals.exists() else None
    key = settings.sealing_key
    try:
        if wanted.moment:
            print(accept_moment(owner))
            return 0
        accepted = accept(
            owner,
            seals,
            begin_anew_with(owner, seals, key) if seals is not None and key is not None else None,
            same_log=wanted.same_log,
            anyway=wanted.anyway,
        )
    except (LauncherError, OSError) as error:
        print(f"accept: {error}", file=sys.stderr)
        return 1
    except psycopg.OperationalError as error:
        print(f"accept: the database cannot be reached: {type(error).__name__}", file=sys.stderr)
        return 1
    print(accepted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
