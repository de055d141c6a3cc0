"""The instance's database: reachable, migrated, with a login role per service."""

import psycopg

from ops.launcher.errors import LauncherError
from ops.launcher.migrations.runner import migrate
from ops.launcher.postgres.roles import ensure_login_roles


def check_database(dsn: str) -> None:
    """See that a database given by the user can be used.

    Raises:
        LauncherError: it cannot; the text holds no part of the DSN.
    """
    try:
        psycopg.conninfo.conninfo_to_dict(dsn)
    except psycopg.ProgrammingError:
        # libpq's message would quote it, password and all
        raise LauncherError("the database's DSN is not well-formed; it looks like postgresql://…") from None
    try:
        with psycopg.connect(dsn, connect_timeout=10) as connection:
            encoding = connection.info.parameter_status("server_encoding")
    except psycopg.OperationalError as error:
        raise LauncherError(
            f"cannot connect to the database: {str(error).strip().splitlines()[0]}"
        ) from error
    if encoding != "UTF8":
        raise LauncherError(f"the database's encoding is {encoding}; Fleetlog needs UTF8")


def prepare_database(owner_dsn: str, passwords: dict[str, str]) -> dict[str, str]:
    """Migrate a database and make the services' roles in it.

    Args:
        owner_dsn: DSN of a role that may do that.
        passwords: of the services' roles.

    Returns:
        The services' DSNs, by role.

    Raises:
        LauncherError: the database refuses, or has a schema we do not know.
    """
    migrate(owner_dsn)
    return ensure_login_roles(owner_dsn, passwords)
