"""Acceptance of a restored log by an operator.

The log gets a new id, because positions that were in use before the restore will be assigned again.
"""

import argparse
import os
import secrets
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import psycopg

from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.keys.binding import bind_key_store
from ops.launcher.paths import PYTHON
from ops.tamper_evidence.sealed_log import SealedLog

_HEAD = "SELECT log_id, position, stopped FROM log.head"
_ACCEPT_MOMENT = "UPDATE log.identity SET moment_accepted = (SELECT moment FROM log.head)"
_ADD_FORMER_ID = """
INSERT INTO log.former_identities (log_id, last_position) VALUES (%(former)s, %(position)s)
"""
_LIMIT_FORMER_IDS = "UPDATE log.former_identities SET last_position = least(last_position, %(position)s)"
_ACCEPT = "UPDATE log.identity SET log_id = %(log_id)s, stopped = NULL"
# The generation is part of the ETags of lists. It must be new, because clients may have ETags of lost states.
_RENEW_GENERATION = """
UPDATE read.positions SET generation = greatest(generation + 1, extract(epoch FROM clock_timestamp())::bigint)
"""
# Tables with events that the log lost; the worker rebuilds tables of an unknown version.
_REBUILD = "UPDATE read.positions SET version = 0 WHERE position > %(position)s RETURNING projection"
# Query APIs that answer from memory then look at the database immediately.
_NOTIFY = "NOTIFY fleetlog_projected"
_RESET_RELAY = "DELETE FROM read.relay_positions"

_ARGUMENTS = {
    "--same-log": "nothing was lost: keep the id of the log",
    "--anyway": "also if no check has noticed the restore",
    "--keys-lost": "also if the key store lacks keys: what they encrypt is lost for good",
    "--moment": "only accept that the time of the last event is in the future",
}


class Accepted(NamedTuple):
    """The result of an acceptance.

    Attributes:
        position: the last position.
        rebuilt: read tables that are rebuilt, because they contain lost events.
        same_log: whether the log kept its id.
    """

    log_id: str
    position: int
    rebuilt: list[str]
    same_log: bool

    def __str__(self) -> str:
        lines = [f"Accepted: the log {self.log_id} continues after position {self.position}"]
        if self.rebuilt:
            lines.append(f"Read tables with lost events are rebuilt: {', '.join(self.rebuilt)}")
        if not self.same_log:
            lines += [
                "For Kafka this is another log: publish to another cluster, or delete the topics first.",
                "Subscribers of the feed must start again. All users should reload the page.",
            ]
        return "\n".join(lines)


def accept(
    owner_dsn: str,
    seals: Path | None,
    sealing_key: Path | None = None,
    settings: Mapping[str, str] | None = None,
    *,
    same_log: bool = False,
    anyway: bool = False,
) -> Accepted:
    """Let a stopped log accept changes again.

    Args:
        owner_dsn: DSN of the database's owner.
        seals: the log's seals, if available.
        sealing_key: the key that signs them; sealing then continues with the log.
        settings: environment of the instance's worker, with its witnesses; None: this process's.
        same_log: whether nothing was lost, so that the log keeps its id.
        anyway: accept a log that is not stopped, as after an unnoticed restore.
    """
    with psycopg.connect(owner_dsn, autocommit=True) as connection:
        _, position, stopped = _head(connection)
        if stopped is None:
            if not anyway:
                raise LauncherError("this log is not stopped: there is nothing to accept")
            connection.execute("SELECT log.stop('an operator is about to accept it')")
        if same_log and seals is not None and newest_seal(seals) > position:
            raise LauncherError(f"more than this log's {position} events were sealed: some were lost")
        if not same_log and seals is not None and sealing_key is not None:
            # While the log is stopped, and has the id in its seals.
            reason = f"accepted as another log, {stopped or 'as an operator wanted'}"
            _restart_sealing(owner_dsn, seals, sealing_key, settings or {}, reason)
    with psycopg.connect(owner_dsn) as connection:
        connection.execute("LOCK TABLE log.identity")
        former, position, _ = _head(connection)
        log_id = former if same_log else secrets.token_hex(16)
        values = {"former": former, "position": position, "log_id": log_id}
        if not same_log:
            for statement in (_ADD_FORMER_ID, _LIMIT_FORMER_IDS):
                connection.execute(statement, values)
            connection.execute(_RESET_RELAY)
        connection.execute(_RENEW_GENERATION)
        rebuilt = [str(name) for (name,) in connection.execute(_REBUILD, values).fetchall()]
        connection.execute(_ACCEPT, values)
        connection.execute(_NOTIFY)
    return Accepted(log_id, position, rebuilt, same_log)


def _head(connection: psycopg.Connection) -> tuple[str, int, str | None]:
    for log_id, position, stopped in connection.execute(_HEAD):
        return log_id, position, stopped
    raise LauncherError("the log has lost its id")


def add_accept_arguments(parser: argparse.ArgumentParser, prefix: str = "") -> None:
    """Add the options of an acceptance; each help text begins with the prefix."""
    for name, purpose in _ARGUMENTS.items():
        parser.add_argument(name, action="store_true", help=f"{prefix}{purpose}")


def accept_from_arguments(
    arguments: argparse.Namespace,
    owner_dsn: str,
    seals: Path | None,
    key: Path | None,
    settings: Mapping[str, str] | None = None,
    *,
    data: DataFolder | None = None,
) -> str:
    """Accept a log and return the result as text.

    Args:
        arguments: of `add_accept_arguments`.
        owner_dsn: DSN of the database's owner.
        seals: folder of the log's seals; it need not exist.
        settings: see `accept`.
        data: see `bind_key_store`.
    """
    if arguments.moment:
        return accept_moment(owner_dsn)
    named = (settings or {}).get("FLEETLOG_KEYS")
    keys = bind_key_store(owner_dsn, data, named, keys_are_lost=arguments.keys_lost)
    if arguments.keys_lost and not arguments.anyway:
        with psycopg.connect(owner_dsn) as connection:
            is_stopped = _head(connection)[2] is not None
        if not is_stopped:
            lost = sum(keys.lost.values()) if keys else 0
            return f"Accepted: the keys of {lost} events are lost; what they encrypt reads as erased"
    seals = seals if seals is not None and seals.exists() else None
    same_log, anyway = arguments.same_log, arguments.anyway
    accepted = str(accept(owner_dsn, seals, key, settings, same_log=same_log, anyway=anyway))
    if not same_log:  # binds the key store to the new id
        bind_key_store(owner_dsn, data, named, keys_are_lost=True)
    return accepted


def _restart_sealing(
    owner_dsn: str, seals: Path, key: Path, settings: Mapping[str, str], reason: str
) -> None:
    """Run the worker's command `restart-sealing`, also while no instance is running."""
    environment = {
        **os.environ,
        **settings,
        "FLEETLOG_DATABASE": owner_dsn,
        "FLEETLOG_SEALS": str(seals),
        "FLEETLOG_SEALING_KEY": str(key),
        "FLEETLOG_PORT": "0",
    }
    environment.pop("FLEETLOG_DATABASE_PASSWORD_FILE", None)  # the DSN contains the password
    command = [*PYTHON, "projections", "restart-sealing", "--reason", reason]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise LauncherError(f"sealing cannot restart: {done.stderr.strip()}")
    print(done.stdout, end="")


def accept_moment(owner_dsn: str) -> str:
    """Accept that the last event's time is in the future; later events get no earlier time.

    Returns:
        The result as text.
    """
    with psycopg.connect(owner_dsn) as connection:
        connection.execute(_ACCEPT_MOMENT)
        row = connection.execute("SELECT moment FROM log.head").fetchone()
    return f"Accepted: the log continues; new events get the time {row and row[0]} until the clock reaches it"


def stop_if_sealed_beyond(owner_dsn: str, seals: Path) -> str | None:
    """Stop a log if more events were sealed than it contains.

    Returns:
        Why the log is stopped; None: it is not.
    """
    with psycopg.connect(owner_dsn) as connection:
        row = connection.execute(_HEAD).fetchone()
        if row is None or row[2] is not None:
            return str(row[2]) if row else None
        sealed, position = newest_seal(seals), int(row[1])
        if sealed <= position:
            return None
        reason = f"the log ends at {position} and was sealed up to {sealed}: it is older than its seals"
        connection.execute("SELECT log.stop(%s)", [reason])
    return reason


def newest_seal(seals: Path) -> int:
    """Return the number of events of the newest checkpoint; 0: there is none."""
    return SealedLog(seals).newest()


def restore_seals(owner_dsn: str, seals: Path) -> None:
    """Add the database's later checkpoints to a backup's folder of seals, which may be older."""
    folder = SealedLog(seals)
    with psycopg.connect(owner_dsn) as connection:
        if connection.execute("SELECT to_regclass('audit.checkpoints') IS NULL").fetchone() == (True,):
            return  # a database of an earlier release
        rows = connection.execute(
            "SELECT note FROM audit.checkpoints WHERE number > coalesce("
            "(SELECT max(number) FROM audit.checkpoints WHERE note = %s), 0) ORDER BY number",
            [folder.note(newest_seal(seals))],
        ).fetchall()
    folder.follow(note for (note,) in rows)
