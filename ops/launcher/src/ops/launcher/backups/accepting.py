"""An operator's decision that a restored log goes on: as another log, for positions will be given again."""

import argparse
import os
import secrets
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import psycopg

from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.keys.binding import bind_key_store
from ops.launcher.paths import PYTHON
from ops.tamper_evidence.sealed_log import SealedLog

_STANDING = "SELECT log_id, position, stopped FROM log.head"
_ACCEPT_MOMENT = "UPDATE log.identity SET moment_accepted = (SELECT moment FROM log.head)"
_NEW_NAME = """
INSERT INTO log.former_identities (log_id, last_position) VALUES (%(former)s, %(position)s)
"""
_SHARED = "UPDATE log.former_identities SET last_position = least(last_position, %(position)s)"
_ACCEPT = "UPDATE log.identity SET log_id = %(log_id)s, stopped = NULL"
# Lists' ETags hold the generation, and may name what is there no more: it must be one that never was.
_RENEW = """
UPDATE read.positions SET generation = greatest(generation + 1, extract(epoch FROM clock_timestamp())::bigint)
"""
# Filled from more than the log holds: a version that never was makes the worker fill them anew.
_REBUILD = "UPDATE read.positions SET version = 0 WHERE position > %(position)s RETURNING projection"
# Who answers from memory must not wait until it looks.
_TELL = "NOTIFY fleetlog_projected"
_PUBLISHED = "DELETE FROM read.relay_positions"

_ARGUMENTS = {
    "--same-log": "nothing was lost, the log keeps its name",
    "--anyway": "also where nobody has noticed that it was restored",
    "--keys-lost": "also where the key store lacks keys: what is encrypted with them is lost for good",
    "--moment": "only that the log's last moment lies in the future",
}

BeginAnew = Callable[[str], None]
"""Lets sealing begin anew, for a reason."""


class Accepted(NamedTuple):
    """What came of it."""

    log_id: str
    position: int
    rebuilt: list[str]
    """Read tables that held more than the log, and are filled anew."""
    same_log: bool
    """Whether it keeps its name."""

    def __str__(self) -> str:
        lines = [f"Accepted: the log {self.log_id} goes on after position {self.position}"]
        if self.rebuilt:
            lines.append(f"Read tables that held more are filled anew: {', '.join(self.rebuilt)}")
        if not self.same_log:
            lines += [
                "To Kafka this is another log: publish to another cluster, or delete the topics first.",
                "Followers of the feed begin anew. Everybody should reload the page in their browser.",
            ]
        return "\n".join(lines)


def accept(
    owner_dsn: str,
    seals: Path | None,
    begin_anew: BeginAnew | None = None,
    *,
    same_log: bool = False,
    anyway: bool = False,
) -> Accepted:
    """Let a log that was stopped go on.

    Args:
        owner_dsn: DSN of the database's owner.
        seals: the log's seals, if they are at hand.
        begin_anew: lets sealing begin anew with what the log holds; not used where it stays the same log.
        same_log: nothing was lost, so it keeps its name.
        anyway: also where nobody has stopped it, as after a restore by other means that nobody noticed.

    Raises:
        LauncherError: it is not stopped; or it should stay the same log, and more was sealed than it holds;
            or sealing cannot begin anew.
    """
    with psycopg.connect(owner_dsn, autocommit=True) as connection:
        _, position, stopped = _standing(connection)
        if stopped is None:
            if not anyway:
                raise LauncherError("this log is not stopped: there is nothing to accept")
            connection.execute("SELECT log.stop('an operator is about to accept it')")
        if same_log and seals is not None and newest_seal(seals) > position:
            raise LauncherError(f"more than this log's {position} events was sealed: something was lost")
        if not same_log and begin_anew is not None:
            # While it is stopped, and bears the name that its seals have.
            begin_anew(f"accepted as another log, {stopped or 'as an operator wanted'}")
    with psycopg.connect(owner_dsn) as connection:
        connection.execute("LOCK TABLE log.identity")
        former, position, _ = _standing(connection)
        values = {
            "former": former,
            "position": position,
            "log_id": former if same_log else secrets.token_hex(16),
        }
        if not same_log:
            connection.execute(_NEW_NAME, values)
            connection.execute(_SHARED, values)
            connection.execute(_PUBLISHED)
        connection.execute(_RENEW)
        rebuilt = [str(name) for (name,) in connection.execute(_REBUILD, values).fetchall()]
        connection.execute(_ACCEPT, values)
        connection.execute(_TELL)
    return Accepted(str(values["log_id"]), position, rebuilt, same_log)


def _standing(connection: psycopg.Connection) -> tuple[str, int, str | None]:
    for log_id, position, stopped in connection.execute(_STANDING):
        return log_id, position, stopped
    raise LauncherError("the log has lost its id")


def add_accept_arguments(parser: argparse.ArgumentParser, prefix: str = "") -> None:
    """Declare what there is to say about accepting a log; each help begins with the prefix."""
    for name, purpose in _ARGUMENTS.items():
        parser.add_argument(name, action="store_true", help=f"{prefix}{purpose}")


def accept_as_asked(
    arguments: argparse.Namespace,
    owner_dsn: str,
    seals: Path | None,
    key: Path | None,
    settings: Mapping[str, str] | None = None,
    *,
    data: DataFolder | None = None,
) -> str:
    """Let a log go on as those arguments say, and tell what came of it.

    Args:
        arguments: of `add_accept_arguments`.
        owner_dsn: DSN of the database's owner.
        seals: where the log's seals may be.
        key: what they are signed with.
        settings: see `begin_anew_with`.
        data: see `bind_key_store`.

    Raises:
        LauncherError: see `accept` and `bind_key_store`.
    """
    if arguments.moment:
        return accept_moment(owner_dsn)
    named = (settings or {}).get("FLEETLOG_KEYS")
    keys = bind_key_store(owner_dsn, data, named, keys_are_lost=arguments.keys_lost)
    if arguments.keys_lost and not arguments.anyway and not is_stopped(owner_dsn):
        lost = sum(keys.lost.values()) if keys else 0
        return (
            f"Accepted: the log goes on without the keys of {lost} events; what they encrypt reads as erased"
        )
    seals = seals if seals is not None and seals.exists() else None
    begin_anew = None if seals is None or key is None else begin_anew_with(owner_dsn, seals, key, settings)
    same_log, anyway = arguments.same_log, arguments.anyway
    accepted = str(accept(owner_dsn, seals, begin_anew, same_log=same_log, anyway=anyway))
    if not same_log:  # under its new name, by which the store does not know it yet
        bind_key_store(owner_dsn, data, named, keys_are_lost=True)
    return accepted


def begin_anew_with(
    owner_dsn: str, seals: Path, key: Path, settings: Mapping[str, str] | None = None
) -> BeginAnew:
    """Return what lets sealing begin anew where no instance may be running: the worker's own command.

    Args:
        owner_dsn: DSN of the database's owner.
        seals: the log's.
        key: what they are signed with.
        settings: of the instance's worker, which names its witnesses; as in the environment if not given.
    """

    def begin_anew(reason: str) -> None:
        own = {
            "FLEETLOG_DATABASE": owner_dsn,
            "FLEETLOG_SEALS": str(seals),
            "FLEETLOG_SEALING_KEY": str(key),
            "FLEETLOG_PORT": "0",
        }
        # The DSN holds its password already.
        environment = {**os.environ}
        environment.pop("FLEETLOG_DATABASE_PASSWORD_FILE", None)
        done = subprocess.run(
            [*PYTHON, "projections", "begin-anew", "--reason", reason],
            env={**environment, **(settings or {}), **own},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise LauncherError(f"sealing cannot begin anew: {done.stderr.strip()}")
        print(done.stdout, end="")

    return begin_anew


def is_stopped(owner_dsn: str) -> bool:
    """Return whether the log waits for an operator's decision."""
    with psycopg.connect(owner_dsn) as connection:
        return _standing(connection)[2] is not None


def accept_moment(owner_dsn: str) -> str:
    """Let a log go on whose last moment lies in the future; no event gets an earlier one.

    Returns:
        What came of it.
    """
    with psycopg.connect(owner_dsn) as connection:
        connection.execute(_ACCEPT_MOMENT)
        row = connection.execute("SELECT moment FROM log.head").fetchone()
    return f"Accepted: the log goes on, and its time stands still until {row and row[0]}"


def stop_if_sealed_beyond(owner_dsn: str, seals: Path) -> str | None:
    """Stop a log of which more was sealed than it holds, and return why it is stopped, if it is."""
    with psycopg.connect(owner_dsn) as connection:
        row = connection.execute(_STANDING).fetchone()
        if row is None or row[2] is not None:
            return str(row[2]) if row else None
        sealed, position = newest_seal(seals), int(row[1])
        if sealed <= position:
            return None
        reason = f"the log ends at {position} and was sealed up to {sealed}: it is older than its seals"
        connection.execute("SELECT log.stop(%s)", [reason])
    return reason


def newest_seal(seals: Path) -> int:
    """Return the size of the newest checkpoint; 0: there is none."""
    stems = (path.stem for path in SealedLog(seals).note_files())
    return max((int(stem) for stem in stems if stem.isdecimal()), default=0)


def bring_seals(owner_dsn: str, seals: Path) -> None:
    """Write those checkpoints to the folder that the database remembers beyond them: it was restored further.

    Args:
        owner_dsn: DSN of the database's owner.
        seals: the folder, as it was backed up.
    """
    folder = SealedLog(seals)
    with psycopg.connect(owner_dsn) as connection:
        if connection.execute("SELECT to_regclass('audit.checkpoints') IS NULL").fetchone() == (True,):
            return  # a release that remembered none there
        rows = connection.execute(
            "SELECT note FROM audit.checkpoints WHERE number > coalesce("
            "(SELECT max(number) FROM audit.checkpoints WHERE note = %s), 0) ORDER BY number",
            [folder.note(newest_seal(seals))],
        ).fetchall()
    folder.follow(note for (note,) in rows)
