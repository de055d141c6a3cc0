"""`python -m ops.launcher.migrations`: the service `migrate` of `compose.yaml`.

It migrates the database and creates the services' login roles. It can be repeated at any time.
"""

from pathlib import Path

from pydantic import Field, SecretStr

from ops.base.settings import ServiceSettings
from ops.launcher.containers import exit_on_error, read_passwords
from ops.launcher.instance.database import check_database
from ops.launcher.migrations.runner import migrate
from ops.launcher.postgres.groups import SERVICE_GROUPS
from ops.launcher.postgres.roles import ensure_login_roles


class MigrationSettings(ServiceSettings):
    """Settings: the owner's DSN, and the passwords of the services' roles."""

    database: SecretStr = Field(description="PostgreSQL DSN of a role that may create schemas and roles")
    command_password_file: Path
    notify_password_file: Path
    projections_password_file: Path
    query_password_file: Path
    relay_password_file: Path
    sealer_password_file: Path


def main() -> None:
    """Migrate."""
    settings = MigrationSettings.load()
    owner = settings.database.get_secret_value()
    with exit_on_error("migrate"):
        passwords = read_passwords(settings, SERVICE_GROUPS)
        check_database(owner)
        migrate(owner)
        ensure_login_roles(owner, passwords)
    print("migrate: the database and the services' roles are up to date")


if __name__ == "__main__":
    main()
