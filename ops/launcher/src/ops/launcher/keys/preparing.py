"""Makes the database of the keys, and the roles that may use it."""

from pathlib import Path
from typing import Final

import psycopg

from ops.launcher.errors import LauncherError
from ops.launcher.keys.groups import KEY_GROUPS
from ops.launcher.postgres.roles import ensure_login_roles

_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtext('fleetlog keys'))"


def prepare_keys_database(owner_dsn: str, passwords: dict[str, str]) -> dict[str, str]:
    """Make what is missing in a database that keeps keys; several processes may try at once.

    Args:
        owner_dsn: DSN of a role that may make schemas and roles.
        passwords: by the names of `KEY_GROUPS`.

    Returns:
        The DSNs by the same names.

    Raises:
        LauncherError: the database cannot be reached, or refuses.
    """
    schema = Path(__file__).with_name("schema.sql").read_bytes()
    try:
        with psycopg.connect(owner_dsn, connect_timeout=10) as connection:
            connection.execute(_LOCK)
            connection.execute(schema)
    except psycopg.Error as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise LauncherError(f"cannot make the database of the keys: {reason}") from None
    return ensure_login_roles(owner_dsn, passwords, KEY_GROUPS)
