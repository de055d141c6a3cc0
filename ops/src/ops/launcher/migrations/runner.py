"""Runs the SQL scripts of `versions/` that a database has not seen, through Alembic.

A script is a plain file `NNNN_what_it_does.sql`; each continues the one numbered before it. There is no way
back: a mistake is mended by the next script. Alembic keeps the database's revision (table `alembic_version`)
and runs each script in a transaction of its own together with the change of that revision.
"""

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
from sqlalchemy.exc import DBAPIError
from sqlalchemy.pool import NullPool

from ops.launcher.errors import LauncherError
from ops.launcher.migrations.scripts import VERSIONS, scripts

_ADVISORY_LOCK = 0x466C6565744C6F67
"""Key of the lock under which one process at a time migrates: the bytes of `FleetLog`."""


def migrate(owner_dsn: str, *, versions: Path = VERSIONS) -> list[str]:
    """Bring a database to the newest revision; several processes may try at once.

    Args:
        owner_dsn: DSN of a role that may create schemas and roles.
        versions: folder of the scripts.

    Returns:
        The revisions applied now, in order.

    Raises:
        LauncherError: the database cannot be reached, has a schema that we do not know, or refuses a script.
    """
    engine = create_engine(
        "postgresql+psycopg://", creator=partial(psycopg.connect, owner_dsn), poolclass=NullPool
    )
    try:
        with engine.connect() as connection:
            connection.execute(text("SELECT pg_advisory_lock(:key)"), {"key": _ADVISORY_LOCK})
            connection.commit()
            return _run(connection, versions)
    except ResolutionError as error:
        raise LauncherError(
            f"the database's schema has revision {error.argument}, which this version does not know"
        ) from error
    except (psycopg.Error, DBAPIError) as error:
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()
        raise LauncherError(
            f"cannot migrate the database: {reason[0] if reason else type(error).__name__}"
        ) from error


def _run(connection: Connection, versions: Path) -> list[str]:
    revisions = RevisionMap(partial(_scripts, versions, connection))
    applied: list[str] = []

    def pending(current: Any, _context: MigrationContext) -> list[RevisionStep]:
        scripts = list(revisions.iterate_revisions("head", current, implicit_base=True))
        applied.extend(str(script.revision) for script in reversed(scripts))
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


def _refuse_foreign_schemas(connection: Connection) -> None:
    query = text("SELECT nspname FROM pg_namespace WHERE nspname IN ('log', 'read')")
    found: Collection[str] = connection.scalars(query).all()
    connection.commit()
    if found:
        raise LauncherError(
            f"the database has a schema {sorted(found)[0]} that Fleetlog did not make; give it another one"
        )
