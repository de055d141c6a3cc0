"""Checks that query the database, read-only, over one connection."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import psycopg

from ops.base.checks.database import EVERY_CHECK, failures
from ops.base.database.schema import SCHEMA, UnknownSchema, require_compatible
from ops.launcher.backups.acceptance import newest_seal
from ops.launcher.doctor.checks.queries import LIMITS, QUERIES
from ops.launcher.doctor.commands import Commands
from ops.launcher.doctor.findings import Finding, Findings, Level, well, wrong

_NOT_PERMITTED: Final = (
    psycopg.errors.InsufficientPrivilege,
    # `schema` reports a database that lacks these.
    psycopg.errors.UndefinedTable,
    psycopg.errors.UndefinedColumn,
    psycopg.errors.InvalidSchemaName,
)
_CHECKPOINTS: Final = "SELECT coalesce(max(size), 0) FROM audit.checkpoints"
_SESSIONS: Final = "SELECT pid, usename, state, wait_event_type, query_start FROM pg_stat_activity"
_SETTINGS: Final = """
SET default_transaction_read_only = on; SET statement_timeout = '3s'; SET lock_timeout = '1s'
"""


def database(dsn: str, commands: Commands, *, seals: Path | None) -> Findings:
    """Run all queries.

    Args:
        dsn: preferably the owner's: queries that the role may not run are omitted.
        seals: folder of checkpoints, if it can be read.
    """
    try:
        connection = psycopg.connect(dsn, autocommit=True, connect_timeout=3)
    except psycopg.OperationalError as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        yield wrong(f"does not answer: {reason}", commands.log_of("postgres"), commands.status)
        return
    checks: dict[str, Callable[[], Findings]] = {
        name: partial(query, connection, name, commands) for name in QUERIES
    }
    checks["schema"] = partial(schema, connection, commands)
    checks["alerts"] = partial(failing_checks, connection, commands)
    if seals is not None:
        checks["seals"] = partial(checkpoints, connection, commands, seals)
    with connection:
        connection.execute(_SETTINGS)
        for name, check in checks.items():
            try:
                yield from [replace(finding, check=name) for finding in check()]
            except _NOT_PERMITTED:
                continue
            except psycopg.Error as error:
                failed = f"cannot be queried: {type(error).__name__}"
                yield Finding("warning", failed, (commands.sql(_SESSIONS),), name)


def query(
    connection: psycopg.Connection, name: str, commands: Commands, limits: Mapping[str, Any] = LIMITS
) -> Findings:
    """Run one of `QUERIES`."""
    rows = connection.execute(QUERIES[name].encode(), {**LIMITS, **limits}).fetchall()
    for level, what, lines in [row for row in rows if row[0] != "well"] or rows:
        yield Finding(level, what, tuple(map(commands.line, lines)))


def failing_checks(connection: psycopg.Connection, commands: Commands) -> Findings:
    """Run the checks of the registry that have SQL."""
    failed = failures(connection.execute(EVERY_CHECK).fetchall())
    for check, since, summary in failed:
        began = f" (since {since:%Y-%m-%d %H:%M} UTC)" if since else ""
        level: Level = "wrong" if check.severity == "page" else "warning"
        yield Finding(level, f"{check.alert}: {summary}{began}", commands.fix(check))
    if not failed:
        yield well("none")


def checkpoints(connection: psycopg.Connection, commands: Commands, seals: Path) -> Findings:
    """Compare the newest checkpoint of the folder with that of the database."""
    # A sealer writes to the folder first. In the opposite order, the folder could seem to lack a checkpoint.
    ((size,),) = connection.execute(_CHECKPOINTS).fetchall()
    newest = newest_seal(seals)
    if size > newest:
        what = f"the database has a checkpoint of {size} events, and {seals} has one of {newest}"
        yield wrong(f"{what}: change nothing, and keep copies of both", commands.verify)
    else:
        yield well(f"{size} events are sealed")


def schema(connection: psycopg.Connection, commands: Commands) -> Findings:
    """Check that this release and the schema are compatible."""
    try:
        row = connection.execute(SCHEMA).fetchone()
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
        row = None
    revision, serves_from = row or ("", "")
    try:
        require_compatible(revision, serves_from)
    except UnknownSchema as error:
        yield wrong(str(error), commands.migrate)
    else:
        yield well(f"revision {revision}")
