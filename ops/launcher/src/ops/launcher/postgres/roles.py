"""Login roles of the services, each with its own rights."""

from collections.abc import Iterable, Mapping

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

from ops.launcher.errors import LauncherError
from ops.launcher.postgres.groups import SERVICE_GROUPS


def ensure_login_roles(
    owner_dsn: str, passwords: dict[str, str], groups: Mapping[str, Iterable[str]] = SERVICE_GROUPS
) -> dict[str, str]:
    """Create login roles, or set the passwords of existing ones.

    Args:
        owner_dsn: DSN of a role that may create roles.
        passwords: by the names in `groups`.
        groups: see `SERVICE_GROUPS`.

    Returns:
        The DSNs by these names.
    """
    dsns = {}
    try:
        with psycopg.connect(owner_dsn) as connection:
            database = connection.info.dbname
            # Every role has these rights by default; no service needs temporary tables.
            connection.execute(
                sql.SQL("REVOKE CONNECT, TEMPORARY ON DATABASE {} FROM PUBLIC").format(
                    sql.Identifier(database)
                )
            )
            for service, members_of in groups.items():
                role = f"{database}_{service}"
                _ensure_role(connection, role, members_of, passwords[service])
                dsns[service] = make_conninfo(
                    owner_dsn, dbname=database, user=role, password=passwords[service]
                )
    except psycopg.Error as error:
        raise LauncherError(
            f"cannot create the services' database roles: {str(error).splitlines()[0]}"
        ) from error
    return dsns


def _ensure_role(connection: psycopg.Connection, role: str, groups: Iterable[str], password: str) -> None:
    # Only the verifier is sent, so that no server log contains the password.
    verifier = connection.pgconn.encrypt_password(password.encode(), role.encode(), b"scram-sha-256").decode()
    exists = connection.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [role]).fetchone()
    # A service that opens all the connections it can get must leave some to the others.
    ((connections,),) = connection.execute("SELECT current_setting('max_connections')::int / 2").fetchall()
    name = sql.Identifier(role)
    connection.execute(
        sql.SQL("{verb} ROLE {role} LOGIN CONNECTION LIMIT {limit} PASSWORD {verifier}").format(
            verb=sql.SQL("ALTER" if exists else "CREATE"),
            role=name,
            limit=sql.Literal(connections),
            verifier=sql.Literal(verifier),
        )
    )
    database = sql.Identifier(connection.info.dbname)
    connection.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(database, name))
    for group in groups:
        is_member = connection.execute("SELECT pg_has_role(%s, %s, 'MEMBER')", [role, group]).fetchone()
        if is_member != (True,):
            connection.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(group), name))
