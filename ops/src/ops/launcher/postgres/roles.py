"""Login roles: each service signs in to the database with rights of its own, and no more."""

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from ops.launcher.errors import LauncherError

SERVICE_GROUPS = {
    "command": "fleetlog_writer",
    "projections": "fleetlog_projector",
    "query": "fleetlog_reader",
}
"""Suffix of each login role, and the group role (made by the migrations) whose rights it has."""


def ensure_login_roles(owner_dsn: str, passwords: dict[str, str]) -> dict[str, str]:
    """Make the services' login roles, or set the passwords of those that are there.

    Args:
        owner_dsn: DSN of a role that may create roles.
        passwords: by the names of `SERVICE_GROUPS`.

    Returns:
        The services' DSNs by the same names.

    Raises:
        LauncherError: the role lacks the right.
    """
    dsns = {}
    try:
        with psycopg.connect(owner_dsn) as connection:
            database = connection.info.dbname
            # Everybody has this right where it was not taken; nobody here needs tables of their own.
            connection.execute(
                sql.SQL("REVOKE TEMPORARY ON DATABASE {} FROM PUBLIC").format(sql.Identifier(database))
            )
            for service, group in SERVICE_GROUPS.items():
                role = f"{database}_{service}"
                _ensure_role(connection, role, group, passwords[service])
                dsns[service] = make_conninfo(
                    owner_dsn, dbname=database, user=role, password=passwords[service]
                )
    except psycopg.Error as error:
        raise LauncherError(
            f"cannot make the services' database roles: {str(error).splitlines()[0]}"
        ) from error
    return dsns


def _ensure_role(connection: psycopg.Connection, role: str, group: str, password: str) -> None:
    # Only the verifier travels, so that no server log can hold the password.
    verifier = connection.pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256").decode()
    exists = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
    statement = (
        "ALTER ROLE {role} LOGIN PASSWORD {verifier}"
        if exists
        else "CREATE ROLE {role} LOGIN PASSWORD {verifier}"
    )
    connection.execute(sql.SQL(statement).format(role=sql.Identifier(role), verifier=sql.Literal(verifier)))
    is_member = connection.execute("SELECT pg_has_role(%s, %s, 'MEMBER')", [role, group]).fetchone()
    if is_member != (True,):
        connection.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(group), sql.Identifier(role)))
