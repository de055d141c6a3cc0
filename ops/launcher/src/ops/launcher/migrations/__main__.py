"""`python -m ops.launcher.migrations`: migrate the database once, and give each service its login role.

For databases that no launcher looks after, as in `compose.yaml`. It may be run as often as one likes.
"""

import sys
from pathlib import Path

from pydantic import Field, SecretStr

from ops.base.settings import PREFIX, ServiceSettings, read_secret
from ops.launcher.errors import LauncherError
from ops.launcher.instance.database import check_database, prepare_database
from ops.launcher.postgres.groups import SERVICE_GROUPS


class MigrationSettings(ServiceSettings):
    """The owner's DSN, and which passwords the services' roles are to have."""

    database: SecretStr = Field(description="PostgreSQL DSN of a role that may make schemas and roles")
    command_password_file: Path
    projections_password_file: Path
    query_password_file: Path
    relay_password_file: Path
    sealer_password_file: Path

    def passwords(self) -> dict[str, str]:
        """Return the passwords of the services' roles, by service.

        Raises:
            ValueError: one of them cannot be read.
        """
        return {
            service: read_secret(
                getattr(self, f"{service}_password_file"), f"{PREFIX}{service.upper()}_PASSWORD_FILE"
            )
            for service in SERVICE_GROUPS
        }


def main() -> int:
    """Migrate, and return the exit status."""
    settings = MigrationSettings.load()
    owner = settings.database.get_secret_value()
    try:
        passwords = settings.passwords()
        check_database(owner)
        prepare_database(owner, passwords)
    except (LauncherError, ValueError) as error:
        print(f"migrate: {error}", file=sys.stderr)
        return 1
    print("migrate: the database is up to date, and each service has its role")
    return 0


if __name__ == "__main__":
    sys.exit(main())
