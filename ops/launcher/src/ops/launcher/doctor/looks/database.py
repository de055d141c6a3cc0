"""What the database is asked over one connection, for reading only, and what each answer means."""

import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import psycopg

from ops.base.database.schema import SCHEMA, UnknownSchema, require_compatible
from ops.launcher.backups.accepting import newest_seal
from ops.launcher.doctor.commands import Commands
from ops.launcher.doctor.findings import Finding, Findings, well, wrong
from ops.launcher.doctor.looks.queries import LIMITS, QUERIES

LEADING: Final = 0x466C65
"""The first half of the locks of those who lead; the second is made of what they do."""
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
_FOLLOWERS: Final = """
SELECT kept.projection, greatest(head.position - kept.position, 0),
  (SELECT count(*) FROM read.quarantined_streams AS aside WHERE aside.projection = kept.projection)
FROM read.positions AS kept CROSS JOIN log.head
WHERE kept.projection NOT LIKE '%\\_next' ORDER BY kept.projection
"""
_LED: Final = """
SELECT objid::bigint FROM pg_locks
WHERE locktype = 'advisory' AND granted AND objsubid = 2 AND classid::bigint = %s
  AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""


def database(dsn: str, commands: Commands, *, seals: Path | None, relays: bool) -> Findings:
    """Connect once, for reading only, and ask all, one after the other.

    Args:
        dsn: where to; best the owner's: what its role may not see is left out.
        commands: of this topology.
        seals: the folder of the seals, where they can be seen.
        relays: whether events are published to Kafka.
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
    if not relays:
        del looks["kafka's position"]
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


def read_tables(connection: psycopg.Connection, commands: Commands) -> Findings:
    """Look whether somebody keeps each read table up, and what was set aside."""
    led = {key for (key,) in connection.execute(_LED, [LEADING])}
    bad, most = False, 0
    for name, behind, aside in connection.execute(_FOLLOWERS):
        bad, most = bad or lock_of(name) not in led or bool(aside), max(most, behind)
        if lock_of(name) not in led:
            what = f"nobody keeps {name} up, which is {behind} events behind"
            yield wrong(what, commands.projections, commands.log_of("projections"))
        if aside:
            yield wrong(f"{aside} records of {name} are set aside", commands.projections, commands.retry)
    if not bad:
        yield well(f"all are kept up, at most {most} events behind")


def lock_of(projection: str) -> int:
    """Return the second half of the lock that is held by whoever keeps a projection up."""
    return zlib.crc32(projection.encode()) & 0x7FFF_FFFF


_LOOKS: Final = {"schema": schema, "read tables": read_tables}
