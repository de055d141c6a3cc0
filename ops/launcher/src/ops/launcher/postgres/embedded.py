"""The instance's own PostgreSQL server: location of its cluster, and its process."""

import secrets
import signal
from functools import partial
from pathlib import Path

from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.messages import notify
from ops.launcher.postgres.account import Account, server_account
from ops.launcher.postgres.binaries import STATE_FOLDER, find_binaries, make_state_folder
from ops.launcher.postgres.cluster import DURABLE, SERVER_ENVIRONMENT, Cluster
from ops.launcher.postgres.server import accepts_sessions
from ops.launcher.processes.spec import ProcessSpec

DATABASE = "fleetlog"
# Limits the write-ahead log that waits for a folder of backups: a full disk would stop the product.
_RETENTION = {"max_slot_wal_keep_size": "16GB"}
_POINTER = "postgres-location"


def prepare_cluster(folder: DataFolder, password: str) -> Cluster:
    """Return the instance's cluster, created with the superuser's password unless it exists."""
    cluster = _cluster(folder)
    if not cluster.data.exists():
        notify("creating the database")
    cluster.create(password)
    return cluster


def new_cluster(folder: DataFolder) -> Cluster:
    """Return a cluster yet to be filled, in a new folder."""
    cluster = _cluster(folder)
    if cluster.folder.exists():
        raise LauncherError(f"there is a cluster in {cluster.folder}")
    cluster.folder.mkdir(mode=0o700)
    return cluster


def _cluster(folder: DataFolder) -> Cluster:
    account = server_account()
    return Cluster(_cluster_folder(folder.path, account), find_binaries(account), account)


def postgres_spec(cluster: Cluster, port: int) -> ProcessSpec:
    """Return the server as a process of the supervisor."""
    return ProcessSpec(
        name="postgres",
        command=cluster.command(port, {**DURABLE, **_RETENTION}),
        environment=SERVER_ENVIRONMENT,
        port=port,
        is_ready=partial(accepts_sessions, port),
        stop_order=3,
        stop_signal=signal.SIGINT,
        stop_seconds=60,
        popen_options=cluster.account.popen_options(),
        # On a full disk the server cannot start. All services wait for it, and an attempt costs little.
        longest_pause=1.0,
        # After a kill -9, the last children of the former server may take a moment to end.
        transient_failure="pre-existing shared memory block",
    )


def cluster_folder(data: Path) -> Path:
    """Return the folder of a data folder's cluster, which need not exist."""
    pointer = data / _POINTER
    return Path(pointer.read_text().strip()) if pointer.exists() else data / "postgres"


def _cluster_folder(data: Path, account: Account) -> Path:
    inside, pointer = cluster_folder(data), data / _POINTER
    if pointer.exists() or account.can_enter(data):
        return inside
    if inside.exists():
        raise LauncherError(
            f"PostgreSQL does not run as root, and its user cannot enter {data}: a parent folder is closed"
        )
    make_state_folder()
    outside = STATE_FOLDER / f"{data.parent.name}-{secrets.token_hex(4)}"
    pointer.write_text(f"{outside}\n")
    notify(f"the database is stored in {outside}, because PostgreSQL's user cannot enter {data}")
    return outside
