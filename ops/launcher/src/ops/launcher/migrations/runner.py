"""Migration of a database to a release: runs new scripts, and replaces changed functions.

Migrations are forward only: a later script corrects a mistake. Scripts run while services are working. A
script that waits for a lock blocks all later requests for it, so it waits only briefly and is retried.
"""

import sys
import time
from collections.abc import Sequence
from typing import Final

import psycopg

from ops.base.database.schema import SCHEMA, UnknownSchema, require_compatible
from ops.launcher.errors import LauncherError
from ops.launcher.migrations.scripts import Release, Script, this_release

_ADVISORY_LOCK: Final = 0x466C6565744C6F67
"""Admits one migrating process: the bytes of `FleetLog`."""
_LOCK_WAIT: Final = "SET lock_timeout = '500ms'"
"""The longest time that a waiting script blocks requests of services."""
_TRIES: Final = 20
_PAUSE_SECONDS: Final = 1.0
_TABLE: Final = """
CREATE TABLE fleetlog_migrations (
  name text PRIMARY KEY,
  checksum text NOT NULL,
  applied timestamptz NOT NULL DEFAULT clock_timestamp()
)
"""
_RECORD: Final = """
INSERT INTO fleetlog_migrations (name, checksum) VALUES (%s, %s)
ON CONFLICT (name) DO UPDATE SET checksum = excluded.checksum, applied = excluded.applied
"""
_EXISTS: Final = "SELECT to_regclass('fleetlog_migrations') IS NOT NULL"
_SCHEMAS: Final = "SELECT nspname FROM pg_namespace WHERE nspname IN ('log', 'read')"
_OLDEST_TRANSACTION: Final = """
SELECT pid, usename, extract(epoch FROM clock_timestamp() - xact_start)::int FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
ORDER BY xact_start LIMIT 1
"""


def migrate(owner_dsn: str, *, release: Release | None = None, tries: int = _TRIES) -> list[str]:
    """Migrate a database; several processes may do so at once.

    A later release's schema and functions stay unchanged if they are compatible with this release, so that an
    upgrade can be reverted.

    Args:
        owner_dsn: DSN of a role that may create schemas and roles.
        release: None: this release.
        tries: the number of attempts for a script that waits for a lock, about a second apart.

    Returns:
        The names of the executed scripts, in order.

    Raises:
        LauncherError: the database cannot be reached, has an unknown schema, or a script failed; that script
            has no effect.
    """
    try:
        with psycopg.connect(owner_dsn, autocommit=True) as connection:
            connection.add_notice_handler(_print_warning)
            connection.execute("SELECT pg_advisory_lock(%s)", [_ADVISORY_LOCK])
            connection.execute(_LOCK_WAIT)
            steps = _pending(connection, release or this_release())
            for step in steps:
                _run_patiently(connection, step, tries)
            return [script.name for step in steps for script in step]
    except psycopg.Error as error:
        reason = str(error).strip().splitlines()
        raise LauncherError(
            f"cannot migrate the database: {reason[0] if reason else type(error).__name__}"
        ) from error


def _print_warning(notice: psycopg.errors.Diagnostic) -> None:
    # A script warns of a step that needs more rights than the owner has.
    if notice.severity_nonlocalized == "WARNING":
        sys.stderr.write(f"migrate: {notice.message_primary}\n")


def _pending(connection: psycopg.Connection, release: Release) -> list[list[Script]]:
    """Return the scripts to run, by transaction: one each, and functions together with the last."""
    applied = _applied(connection, release)
    scripts = {script.name: script for script in release.scripts}
    for name, script in scripts.items():
        if applied.get(name, script.checksum) != script.checksum:
            raise LauncherError(
                f"another development commit made this database: its script {name} differs. Open the database"
                " with that commit, or start with an empty one"
            )
    if later := [name for name in applied.keys() - scripts.keys() if name[0].isdigit()]:
        _require_serving(connection, max(later).partition("_")[0])
        return []
    steps = [[script] for script in release.scripts if script.name not in applied] or [[]]
    steps[-1] += [one for one in release.functions if applied.get(one.name) != one.checksum]
    return steps


def _applied(connection: psycopg.Connection, release: Release) -> dict[str, str]:
    """Return the checksums of executed scripts by name, from a table that is created if missing."""
    with connection.transaction():
        if connection.execute(_EXISTS).fetchone() != (True,):
            for (schema,) in connection.execute(_SCHEMAS):
                raise LauncherError(
                    f"the database has a schema {schema} of another application; use another database"
                )
            connection.execute(_TABLE)
        applied: dict[str, str] = dict(
            connection.execute("SELECT name, checksum FROM fleetlog_migrations").fetchall()
        )
    if applied and release.scripts[0].name not in applied:
        raise LauncherError(
            "another development commit made this database, before the first release. Open the database with"
            " that commit, or start with an empty one"
        )
    return applied


def _require_serving(connection: psycopg.Connection, revision: str) -> None:
    row = connection.execute(SCHEMA).fetchone()
    try:
        require_compatible(*(row or ("", "")))
    except UnknownSchema as error:
        raise LauncherError(
            f"the database's schema has revision {revision}, which this version does not know"
        ) from error


def _run_patiently(connection: psycopg.Connection, step: Sequence[Script], tries: int) -> None:
    for left in reversed(range(tries)):
        try:
            _run(connection, step)
        except psycopg.errors.LockNotAvailable as error:
            if not left:
                raise LauncherError(
                    "cannot migrate the database: a script waits for a lock, maybe of the oldest transaction"
                    f" ({_oldest_transaction(connection)}). The script had no effect; run it again when that"
                    " transaction has ended"
                ) from error
            time.sleep(_PAUSE_SECONDS)
        else:
            return


def _run(connection: psycopg.Connection, step: Sequence[Script]) -> None:
    with connection.transaction():
        for script in step:
            # Without parameters, the text may contain several statements, and % is literal.
            connection.execute(script.text.encode())
            connection.execute(_RECORD, [script.name, script.checksum])


def _oldest_transaction(connection: psycopg.Connection) -> str:
    row = connection.execute(_OLDEST_TRANSACTION).fetchone()
    return f"process {row[0]} of role {row[1]}, running for {row[2]} s" if row else "unknown"
