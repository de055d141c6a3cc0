"""What the database is asked over one connection, for reading only, and what each answer means."""

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import psycopg

from ops.base.checks.database import EVERY_CHECK, failures
from ops.base.checks.registry import Check
from ops.base.database.schema import SCHEMA, UnknownSchema, require_compatible
from ops.launcher.backups.accepting import newest_seal
from ops.launcher.doctor.commands import Commands
from ops.launcher.doctor.findings import Finding, Findings, Level, well, wrong
from ops.launcher.doctor.looks.queries import LIMITS, QUERIES

_NOT_FOR_US: Final = (
    psycopg.errors.InsufficientPrivilege,
    # `schema` tells of a database that has not what we look for.
    psycopg.errors.UndefinedTable,
    psycopg.errors.UndefinedColumn,
    psycopg.errors.InvalidSchemaName,
)
NO_SEALS: Final = {"seals": None, "newest": None, "remembered": None}
_REMEMBERED: Final = "SELECT coalesce(max(size), 0) FROM audit.checkpoints"
_READING: Final = """
SET default_transaction_read_only = on; SET statement_timeout = '3s'; SET lock_timeout = '1s'
"""


def database(dsn: str, commands: Commands, *, seals: Path | None) -> Findings:
    """Connect once, for reading only, and ask all, one after the other.

    Args:
        dsn: where to; best the owner's: what its role may not see is left out.
        commands: of this topology.
        seals: the folder of the seals, where they can be seen.
    """
    try:
        connection = psycopg.connect(dsn, autocommit=True, connect_timeout=3)
    except psycopg.OperationalError as error:
        reason = (str(error).strip().splitlines() or [type(error).__name__])[0]
        yield wrong(f"does not answer: {reason}", commands.log_of("postgres"), commands.status)
        return
    looks: dict[str, Callable[[], Findings]] = {
        name: partial(ask, connection, name, commands) for name in QUERIES
    }
    if seals is not None:
        looks["seals"] = partial(ask_of_seals, connection, commands, seals)
    looks |= {name: partial(look, connection, commands) for name, look in _LOOKS.items()}
    with connection:
        connection.execute(_READING)
        for name, look in looks.items():
            try:
                yield from [replace(finding, look=name) for finding in look()]
            except _NOT_FOR_US:
                continue
            except psycopg.Error as error:
                failed = f"cannot be asked: {type(error).__name__}"
                yield Finding("warning", failed, (_typed(LIMITS["who"], commands),), name)


def ask(
    connection: psycopg.Connection, name: str, commands: Commands, known: Mapping[str, Any] = NO_SEALS
) -> Findings:
    """Ask one of `QUERIES`.

    Args:
        connection: see `database`.
        name: of the look.
        commands: of this topology.
        known: what the query is told beside `LIMITS`, or in their place.
    """
    parameters = {**LIMITS, "now": time.time(), **known}
    rows = connection.execute(QUERIES[name].encode(), parameters).fetchall()
    for level, what, typed in [row for row in rows if row[0] != "well"] or rows:
        yield Finding(level, what, tuple(_typed(text, commands) for text in typed))


def ask_of_seals(connection: psycopg.Connection, commands: Commands, seals: Path) -> Findings:
    """Ask about the seals, while somebody may be sealing.

    Args:
        connection: see `database`.
        commands: of this topology.
        seals: their folder.
    """
    # A sealer writes to the folder, then to the database: looked at in that order, the folder would lack one.
    ((remembered,),) = connection.execute(_REMEMBERED).fetchall()
    known = {"seals": str(seals), "newest": newest_seal(seals), "remembered": remembered}
    yield from ask(connection, "seals", commands, known)


def typed(check: Check, commands: Commands) -> tuple[str, ...]:
    """Return what an operator types to fix what a check of the registry reports."""
    return tuple(_typed(text, commands) for text in check.fix)


def _typed(text: str, commands: Commands) -> str:
    kind, _, rest = text.partition(" ")
    if kind == "LOG":
        return commands.log_of(rest)
    if kind == "SQL":
        statement, mark, comment = rest.partition("  #")
        return f"{commands.sql(statement)}{mark}{comment}"
    return str(getattr(commands, text, text))


def schema(connection: psycopg.Connection, commands: Commands) -> Findings:
    """Look whether this release and the schema know each other."""
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


def failing_checks(connection: psycopg.Connection, commands: Commands) -> Findings:
    """Run the checks of the registry that have SQL."""
    failed = failures(connection.execute(EVERY_CHECK).fetchall())
    for check, since, summary in failed:
        began = f" (since {since:%Y-%m-%d %H:%M} UTC)" if since else ""
        level: Level = "wrong" if check.severity == "page" else "warning"
        yield Finding(level, f"{check.alert}: {summary}{began}", typed(check, commands))
    if not failed:
        yield well("no alert")


_LOOKS: Final = {"schema": schema, "alerts": failing_checks}
