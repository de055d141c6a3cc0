"""Brings a database to a release: runs the scripts that it has not seen, and renews functions that changed.

There is no way back: a mistake is mended by the next script. Scripts run while services are at work. One
that waits for a lock makes everybody wait who comes after it, so it waits for an instant only, gives way, and
tries again.
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
"""Key of the lock under which one process at a time migrates: the bytes of `FleetLog`."""
LAST_BEFORE_BASELINE: Final = "678f87a7"
"""The last commit with the 32 scripts that became `0001_baseline.sql`."""
_LOCK_WAIT: Final = "SET lock_timeout = '500ms'"
"""How long requests may have to wait behind a script that waits for a lock."""
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
    """Bring a database to a release; several processes may try at once.

    A later release's schema that still serves this one is left as it is, and so are its functions: so a
    release can be taken back.

    Args:
        owner_dsn: DSN of a role that may create schemas and roles.
        release: which; None: this one.
        tries: how often to try a script that waits for a lock, about a second apart.

    Returns:
        The names of what was run now, in order.

    Raises:
        LauncherError: the database cannot be reached, has a schema that we do not know, refuses a script, or
            keeps one waiting for too long; then nothing of that script is left behind.
    """
    try:
        with psycopg.connect(owner_dsn, autocommit=True) as connection:
            connection.add_notice_handler(_tell_warning)
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


def _tell_warning(notice: psycopg.errors.Diagnostic) -> None:
    """Tell what a script could not do with the rights that its owner has."""
    if notice.severity_nonlocalized == "WARNING":
        sys.stderr.write(f"migrate: {notice.message_primary}\n")


def _pending(connection: psycopg.Connection, release: Release) -> list[list[Script]]:
    """Return what is to run, by transaction: each script in its own, and functions together with the last."""
    applied = _applied(connection, release)
    scripts = {script.name: script for script in release.scripts}
    for name, script in scripts.items():
        if applied.get(name, script.checksum) != script.checksum:
            raise LauncherError(f"the database has run another script {name} than this version has")
    if later := [name for name in applied.keys() - scripts.keys() if name[0].isdigit()]:
        _require_serving(connection, max(later).partition("_")[0])
        return []
    steps = [[script] for script in release.scripts if script.name not in applied] or [[]]
    steps[-1] += [one for one in release.functions if applied.get(one.name) != one.checksum]
    return steps


def _applied(connection: psycopg.Connection, release: Release) -> dict[str, str]:
    """Return the checksums of the scripts that were run, by name; create their table if it does not exist."""
    with connection.transaction():
        if connection.execute(_EXISTS).fetchone() != (True,):
            for (schema,) in connection.execute(_SCHEMAS):
                raise LauncherError(
                    f"the database has a schema {schema} that Fleetlog did not make; give it another one"
                )
            connection.execute(_TABLE)
        applied: dict[str, str] = dict(
            connection.execute("SELECT name, checksum FROM fleetlog_migrations").fetchall()
        )
    if applied and release.scripts[0].name not in applied:
        raise LauncherError(
            "the database was made by a development version before the first release. The last commit that"
            f" opens it is {LAST_BEFORE_BASELINE}: run that one, or start with an empty database"
        )
    return applied


def _require_serving(connection: psycopg.Connection, revision: str) -> None:
    row = connection.execute(SCHEMA).fetchone()
    try:
        require_compatible(*(row or ("", "")))
    except UnknownSchema as error:
        raise _unknown(revision) from error


def _unknown(revision: str) -> LauncherError:
    return LauncherError(f"the database's schema has revision {revision}, which this version does not know")


def _run_patiently(connection: psycopg.Connection, step: Sequence[Script], tries: int) -> None:
    for left in reversed(range(tries)):
        try:
            _run(connection, step)
        except psycopg.errors.LockNotAvailable as error:
            if not left:
                raise LauncherError(
                    "cannot migrate the database: a script waits for a lock that others hold, maybe the"
                    f" oldest transaction ({_oldest_transaction(connection)}); nothing of it was carried out."
                    " Try again when that has ended"
                ) from error
            time.sleep(_PAUSE_SECONDS)
        else:
            return


def _run(connection: psycopg.Connection, step: Sequence[Script]) -> None:
    with connection.transaction():
        for script in step:
            # Without parameters it may hold many statements, and a % means itself.
            connection.execute(script.text.encode())
            connection.execute(_RECORD, [script.name, script.checksum])


def _oldest_transaction(connection: psycopg.Connection) -> str:
    row = connection.execute(_OLDEST_TRANSACTION).fetchone()
    return f"process {row[0]} of role {row[1]}, at work for {row[2]} s" if row else "nobody that can be told"
