"""The instance's own PostgreSQL server: where its cluster lies, and the server as a part of the product."""

import secrets
import signal
from collections.abc import Callable
from functools import partial
from pathlib import Path

from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.postgres.account import Account, server_account
from ops.launcher.postgres.binaries import STATE_FOLDER, find_binaries, make_state_folder
from ops.launcher.postgres.cluster import DURABLE, Cluster
from ops.launcher.postgres.server import takes_sessions
from ops.launcher.processes.part import Part

DATABASE = "fleetlog"
_KEPT = {"max_slot_wal_keep_size": "16GB"}
"""How much of the write-ahead log waits for a folder of backups: a full disk would stop the product."""
_WITH_READERS = 18
"""Since this version PostgreSQL has processes that read for the others."""
_READS_ITSELF = {"io_method": "sync"}
"""On few processors, from the system's memory, it is sooner done alone: two letters are looked for among
a million drivers in 240 ms instead of 320 (95th percentile)."""
_POINTER = "postgres-location"
_PASSING_FAILURE = "pre-existing shared memory block"


def prepare_cluster(folder: DataFolder, password: str, say: Callable[[str], None]) -> Cluster:
    """The instance's cluster, made now if there is none.

    Args:
        folder: the instance's data folder.
        password: the superuser's.
        say: prints a line for the user.

    Raises:
        LauncherError: it cannot be made or belongs to another version of PostgreSQL.
    """
    cluster = _cluster(folder, say)
    if not cluster.data.exists():
        say("making the database")
    cluster.create(password)
    return cluster


def new_cluster(folder: DataFolder, say: Callable[[str], None]) -> Cluster:
    """A place for the cluster of an instance that has none, in a folder that is made now.

    Raises:
        LauncherError: it has one.
    """
    cluster = _cluster(folder, say)
    if cluster.folder.exists():
        raise LauncherError(f"there is a cluster in {cluster.folder}")
    cluster.folder.mkdir(mode=0o700)
    return cluster


def _cluster(folder: DataFolder, say: Callable[[str], None]) -> Cluster:
    account = server_account()
    return Cluster(_cluster_folder(folder.path, account, say), find_binaries(account), account)


def _reading(cluster: Cluster) -> dict[str, str]:
    return _READS_ITSELF if int(cluster.version) >= _WITH_READERS else {}


def postgres_part(cluster: Cluster, port: int) -> Part:
    """The server as a part, durable whatever dies.

    Args:
        cluster: what it serves.
        port: on 127.0.0.1.
    """
    return Part(
        name="postgres",
        command=cluster.command(port, {**DURABLE, **_KEPT, **_reading(cluster)}),
        environment=cluster.environment(),
        port=port,
        is_ready=partial(takes_sessions, port),
        stop_order=3,
        stop_signal=signal.SIGINT,
        stop_seconds=60,
        popen_options=cluster.account.popen_options(),
        # On a full disk it cannot start, and everything waits for it once there is room. A try costs little.
        longest_pause=1.0,
        # after a kill -9 its last children may need a moment to notice
        passing_failure=_PASSING_FAILURE,
    )


def cluster_folder(data: Path) -> Path:
    """Where the cluster of a data folder is, or would be."""
    pointer = data / _POINTER
    return Path(pointer.read_text().strip()) if pointer.exists() else data / "postgres"


def _cluster_folder(data: Path, account: Account, say: Callable[[str], None]) -> Path:
    inside, pointer = cluster_folder(data), data / _POINTER
    if pointer.exists() or account.can_enter(data):
        return inside
    if inside.exists():
        raise LauncherError(
            f"PostgreSQL does not run as root, and its user cannot enter {data}: a folder above it is closed"
        )
    make_state_folder()
    outside = STATE_FOLDER / f"{data.parent.name}-{secrets.token_hex(4)}"
    pointer.write_text(f"{outside}\n")
    say(f"the database is kept in {outside}, for PostgreSQL's user cannot enter {data}")
    return outside
