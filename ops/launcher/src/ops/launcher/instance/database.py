"""Check of a database of the user's own."""

import psycopg

from ops.launcher.errors import LauncherError


def check_database(dsn: str) -> None:
    """Check that a database of the user's own can be used.

    Raises:
        LauncherError: it cannot; the text contains no part of the DSN.
    """
    try:
        psycopg.conninfo.conninfo_to_dict(dsn)
    except psycopg.ProgrammingError:
        # libpq's message would quote the DSN with its password.
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
