"""Creation of the database of keys and of its roles."""

from pathlib import Path
from typing import Final

import psycopg

from ops.launcher.errors import LauncherError
from ops.launcher.postgres.groups import KEY_GROUPS
from ops.launcher.postgres.roles import ensure_login_roles

_LOCK: Final = "SELECT pg_advisory_xact_lock(hashtext('fleetlog keys'))"


def prepare_keys_database(owner_dsn: str, passwords: dict[str, str]) -> dict[str, str]:
    """Create or update the schema and the roles; several processes may do so at once.

    Args:
        owner_dsn: DSN of a role that may create schemas and roles.
        passwords: by the names in `KEY_GROUPS`.

    Returns:
        The DSNs by these names.
    """
    schema = Path(__file__).with_name("schema.sql").read_bytes()
    try:
        with psycopg.connect(owner_dsn, connect_timeout=10) as connection:
            connection.execute(_LOCK)
            connection.execute(schema)
    except psycopg.Error as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise LauncherError(f"cannot create the database of keys: {reason}") from None
    return ensure_login_roles(owner_dsn, passwords, KEY_GROUPS)
