"""`./fleetlog privacy seal-log`: a log that was written in the clear becomes a sealed one."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import psycopg
from psycopg.conninfo import make_conninfo

from ops.base.sealing.states import SEALED
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.database import prepare_database
from ops.launcher.instance.sealed_copy import SealedCopy
from ops.launcher.instance.sealing_key import ensure_sealing_key
from ops.launcher.instance.secrets import Secrets, ensure_key_encryption_key, load_or_make
from ops.launcher.paths import PYTHON
from ops.launcher.postgres.cluster import Cluster
from ops.launcher.postgres.embedded import DATABASE, prepare_cluster
from ops.launcher.postgres.server import ensure_database
from ops.launcher.postgres.temporary import temporary_server

_IN_THE_CLEAR: Final = "SELECT count(*) FROM log.events WHERE substring(state FOR %s) <> %s"
_TIMES_AS_LARGE: Final = 2
"""What a copy takes at most, its write-ahead log included."""

Say = Callable[[str], None]


def seal_log(data: DataFolder, say: Say) -> Path | None:
    """Put a sealed copy of an instance's log in its place; interrupted, it begins again or is finished.

    Args:
        data: the instance's folder; it must not run.
        say: prints a line for the user.

    Returns:
        Where what was in the clear is now; None: nothing was.

    Raises:
        LauncherError: it runs, or cannot be sealed; the log is as it was then.
    """
    if not data.secrets.exists():
        raise LauncherError(f"there is no instance in {data.path}")
    data.lock()
    try:
        secrets = load_or_make(data)
        cluster = prepare_cluster(data, secrets.superuser, say)
        copy = SealedCopy(data, cluster)
        if copy.former.exists():
            raise LauncherError(f"destroy {copy.former} first: it is from before")
        with _served(cluster, secrets, data, say) as clear:
            events = _in_the_clear(clear)
            if not events:
                return None
            say(f"{events} events are in the clear")
            _require_space(cluster)
            _make(copy, secrets, data, clear, say)
        copy.finish()
        return copy.former
    finally:
        data.unlock()


def _make(copy: SealedCopy, secrets: Secrets, data: DataFolder, clear: str, say: Say) -> None:
    ensure_key_encryption_key(data)
    ensure_sealing_key(data)
    copy.begin()
    copy.cluster.create(secrets.superuser)
    with _served(copy.cluster, secrets, data, say) as sealed:
        own = {
            "FLEETLOG_DATABASE": sealed,
            "FLEETLOG_DATABASE_IN_THE_CLEAR": clear,
            "FLEETLOG_KEYS": str(data.keys),
            "FLEETLOG_SEALS": str(copy.seals),
            "FLEETLOG_SEALING_KEY": str(data.sealing_key),
            "FLEETLOG_PORT": "0",
        }
        done = subprocess.run([*PYTHON, "projections", "seal-log"], env={**os.environ, **own}, check=False)
        if done.returncode:
            raise LauncherError("the log is as it was: nothing has taken its place")


@contextmanager
def _served(cluster: Cluster, secrets: Secrets, data: DataFolder, say: Say) -> Iterator[str]:
    """Run a cluster's server, and give its owner's DSN, of a database that has today's tables."""
    with temporary_server(
        cluster,
        secrets.superuser,
        data.logs / "seal-log.log",
        database="postgres",
        tell=lambda seconds: say(f"the database recovers, after {seconds:.0f} s"),
    ) as dsn:
        ensure_database(dsn, DATABASE)
        owner = make_conninfo(dsn, dbname=DATABASE)
        prepare_database(owner, secrets.roles)
        yield owner


def _in_the_clear(dsn: str) -> int:
    with psycopg.connect(dsn) as connection:
        ((count,),) = connection.execute(_IN_THE_CLEAR, (len(SEALED), SEALED)).fetchall()
    return int(count)


def _require_space(cluster: Cluster) -> None:
    files = (path for path in cluster.data.rglob("*") if path.is_file())
    wanted = _TIMES_AS_LARGE * sum(path.stat().st_size for path in files)
    free = shutil.disk_usage(cluster.folder).free
    if wanted > free:
        raise LauncherError(
            f"{cluster.folder} has {free // 10**6} MB left, and this may take {wanted // 10**6}"
        )
