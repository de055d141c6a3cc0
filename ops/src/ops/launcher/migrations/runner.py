"""Runs the SQL scripts of `versions/` that a database has not seen, through Alembic.

A script is a plain file `NNNN_what_it_does.sql`; each continues the one numbered before it. There is no way
back: a mistake is mended by the next script. Alembic keeps the database's revision (table `alembic_version`)
and runs each script in a transaction of its own together with the change of that revision.

Scripts run while services are at work. One that waits for a lock makes everybody wait who comes after it, so
it waits for an instant only, gives way, and tries again.
"""

import asyncio
import sys
import time
from collections.abc import Collection, Iterator
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import psycopg
from alembic.runtime.migration import MigrationContext, MigrationStep, RevisionStep
from alembic.script import Script
from alembic.script.revision import ResolutionError, RevisionMap
from sqlalchemy import Connection, create_engine, text
from sqlalchemy.exc import DBAPIError, OperationalError
from sqlalchemy.pool import NullPool

from ops.base.schema import UnknownSchema, require_known_schema
from ops.launcher.errors import LauncherError
from ops.launcher.migrations.scripts import VERSIONS, scripts

_ADVISORY_LOCK = 0x466C6565744C6F67
"""Key of the lock under which one process at a time migrates: the bytes of `FleetLog`."""
_LOCK_WAIT = "500ms"
"""How long requests may have to wait behind a script that waits for a lock."""
_TRIES = 20
_PAUSE_SECONDS = 1.0
_OLDEST_TRANSACTION = """
SELECT pid, usename, extract(epoch FROM clock_timestamp() - xact_start)::int FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid() AND xact_start IS NOT NULL
ORDER BY xact_start LIMIT 1
"""


def migrate(owner_dsn: str, *, versions: Path = VERSIONS, tries: int = _TRIES) -> list[str]:
    """Bring a database to the newest revision; several processes may try at once.

    A later release's schema that still serves this one is left as it is: so a release can be taken back.

    Args:
        owner_dsn: DSN of a role that may create schemas and roles.
        versions: folder of the scripts.
        tries: how often to try a script that waits for a lock, about a second apart.

    Returns:
        The revisions applied now, in order.

    Raises:
        LauncherError: the database cannot be reached, has a schema that we do not know, refuses a script, or
            keeps one waiting for too long; then nothing of that script is left behind.
    """
    engine = create_engine("postgresql+psycopg://", creator=partial(_connect, owner_dsn), poolclass=NullPool)
    try:
        with engine.connect() as connection:
            connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": _ADVISORY_LOCK})
            connection.execute(text(f"SET lock_timeout = '{_LOCK_WAIT}'"))
            connection.commit()
            return _run_patiently(connection, versions, tries)
    except ResolutionError as error:
        if _still_serves_us(owner_dsn, str(error.argument)):
            return []
        raise LauncherError(
            f"the database's schema has revision {error.argument}, which this version does not know"
        ) from error
    except (psycopg.Error, DBAPIError) as error:
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()
        raise LauncherError(
            f"cannot migrate the database: {reason[0] if reason else type(error).__name__}"
        ) from error


def _connect(owner_dsn: str) -> psycopg.Connection:
    connection = psycopg.connect(owner_dsn)
    connection.add_notice_handler(_tell_warning)
    return connection


def _tell_warning(notice: psycopg.errors.Diagnostic) -> None:
    """Tell what a script could not do with the rights that its owner has."""
    if notice.severity_nonlocalized == "WARNING":
        sys.stderr.write(f"migrate: {notice.message_primary}\n")


def _run_patiently(connection: Connection, versions: Path, tries: int) -> list[str]:
    pending: list[str] = []
    for left in reversed(range(tries)):
        try:
            return _run(connection, versions, pending)
        except OperationalError as error:
            connection.rollback()
            if not isinstance(error.orig, psycopg.errors.LockNotAvailable):
                raise
            if not left:
                raise LauncherError(
                    "cannot migrate the database: a script waits for a lock that others hold, maybe the"
                    f" oldest transaction ({_oldest_transaction(connection)}); nothing of it was carried out."
                    " Try again when that has ended"
                ) from error
        time.sleep(_PAUSE_SECONDS)
    raise AssertionError("the last try returns or raises")


def _run(connection: Connection, versions: Path, applied: list[str]) -> list[str]:
    revisions = RevisionMap(partial(_scripts, versions, connection))

    def pending(current: Any, _context: MigrationContext) -> list[RevisionStep]:
        scripts = list(revisions.iterate_revisions("head", current, implicit_base=True))
        # An earlier try may have come to the middle of them.
        applied[:] = applied or [str(script.revision) for script in reversed(scripts)]
        return [MigrationStep.upgrade_from_script(revisions, script) for script in reversed(scripts)]  # type: ignore[arg-type]

    context = MigrationContext.configure(connection, opts={"fn": pending, "transaction_per_migration": True})
    if not context.get_current_heads():
        _refuse_foreign_schemas(connection)
    context.run_migrations()
    connection.commit()
    return applied


def _scripts(versions: Path, connection: Connection) -> Iterator[Script]:
    previous: str | None = None
    for revision, path in scripts(versions):
        module = ModuleType(path.stem)
        module.revision = revision  # type: ignore[attr-defined]
        module.down_revision = previous  # type: ignore[attr-defined]
        module.upgrade = partial(_execute, connection, path)  # type: ignore[attr-defined]
        yield Script(module, revision, str(path))
        previous = revision


def _execute(connection: Connection, path: Path, **_options: Any) -> None:
    # Without parameters a script may hold many statements, and a % means itself.
    connection.exec_driver_sql(path.read_text(encoding="utf-8"), execution_options={"no_parameters": True})


def _oldest_transaction(connection: Connection) -> str:
    row = connection.execute(text(_OLDEST_TRANSACTION)).first()
    connection.rollback()
    return f"process {row[0]} of role {row[1]}, at work for {row[2]} s" if row else "nobody that can be told"


def _still_serves_us(owner_dsn: str, revision: str) -> bool:
    try:
        return asyncio.run(require_known_schema(owner_dsn)) == revision
    except (UnknownSchema, psycopg.Error):
        return False


def _refuse_foreign_schemas(connection: Connection) -> None:
    query = text("SELECT nspname FROM pg_namespace WHERE nspname IN ('log', 'read')")
    found: Collection[str] = connection.scalars(query).all()
    connection.commit()
    if found:
        raise LauncherError(
            f"the database has a schema {sorted(found)[0]} that Fleetlog did not make; give it another one"
        )
