"""An operator's decision that a restored log goes on: as another log, for positions will be given again."""

import secrets
import shutil
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import psycopg

from ops.base.tamper_evidence.sealed_log import HASH_BYTES
from ops.launcher.errors import LauncherError

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
_PUBLISHED = "DELETE FROM read.relay_positions"
_ARCHIVE = "seals-beyond-"


class Accepted(NamedTuple):
    """What came of it."""

    log_id: str
    position: int
    rebuilt: list[str]
    """Read tables that held more than the log, and are filled anew."""
    archived: Path | None
    """Where seals went that are of more than the log holds."""
    same_log: bool
    """Whether it keeps its name."""

    def __str__(self) -> str:
        lines = [f"Accepted: the log {self.log_id} goes on after position {self.position}"]
        if self.rebuilt:
            lines.append(f"Read tables that held more are filled anew: {', '.join(self.rebuilt)}")
        if self.archived:
            lines.append(f"Seals of what was lost are in {self.archived}")
        if not self.same_log:
            lines += [
                "To Kafka this is another log: publish to another cluster, or delete the topics first.",
                "Followers of the feed begin anew. Everybody should reload the page in their browser.",
            ]
        return "\n".join(lines)


def accept(
    owner_dsn: str,
    seals: Path | None,
    *,
    archives: Path | None = None,
    same_log: bool = False,
    anyway: bool = False,
) -> Accepted:
    """Let a log that was stopped go on.

    Args:
        owner_dsn: DSN of the database's owner.
        seals: the log's seals, if they are at hand.
        archives: the folder for seals of what was lost; the one that holds the seals' if not given.
        same_log: nothing was lost, so it keeps its name, and what is known of it elsewhere holds.
        anyway: also where nobody has stopped it, as after a restore by other means that nobody noticed.

    Raises:
        LauncherError: it is not stopped; or it should stay the same log, and more was sealed than it holds.
    """
    with psycopg.connect(owner_dsn) as connection:
        connection.execute("LOCK TABLE log.identity")
        row = connection.execute(_STANDING).fetchone()
        if row is None:
            raise LauncherError("the log has lost its id")
        former, position, stopped = row
        if stopped is None and not anyway:
            raise LauncherError("this log is not stopped: there is nothing to accept")
        archived = None
        if seals is not None and newest_seal(seals) > position:
            if same_log:
                raise LauncherError(f"more than this log's {position} events was sealed: something was lost")
            archived = archive_beyond(seals, position, archives or seals.parent)
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
    return Accepted(values["log_id"], position, rebuilt, archived, same_log)


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
    names = (path.stem for path in (seals / "checkpoints").glob("*.note"))
    return max((int(name) for name in names if name.isdecimal()), default=0)


def archive_beyond(seals: Path, position: int, archives: Path) -> Path:
    """Put seals of what lies beyond a position aside, in a folder of archives, and return where."""
    archive = archives / f"{_ARCHIVE}{position}-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    shutil.copytree(seals, archive, ignore=shutil.ignore_patterns(f"{_ARCHIVE}*"))
    notes = sorted((seals / "checkpoints").glob("*.note"))
    kept = [note for note in notes if int(note.stem) <= position]
    # First the checkpoints: hashes without one would tell that it was taken away.
    with (seals / "hashes").open("r+b") as hashes:
        hashes.truncate((int(kept[-1].stem) if kept else 0) * HASH_BYTES)
    for note in notes[len(kept) :]:
        note.unlink()
    return archive
