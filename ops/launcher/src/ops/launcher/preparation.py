"""Steps of a start, which wait for the database."""

from pathlib import Path

from ops.launcher.backups.acceptance import stop_if_sealed_beyond
from ops.launcher.backups.folder import BackupFolder
from ops.launcher.backups.wal_receiver import prepare_slot, receiver_spec
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.sealing_key import ensure_sealing_key
from ops.launcher.instance.secrets import ensure_pseudonym_key
from ops.launcher.keys.binding import bind_key_store
from ops.launcher.messages import notify
from ops.launcher.migrations.runner import migrate
from ops.launcher.postgres.roles import ensure_login_roles
from ops.launcher.processes.spec import ProcessSpec


def prepare_database(
    owner: str, passwords: dict[str, str], folder: DataFolder
) -> tuple[dict[str, str], str | None]:
    """Migrate the database, and check that it is not older than its seals and that its keys belong to it.

    Seals, pseudonyms and encryption get their keys on the first start.

    Returns:
        The services' DSNs by role, and why an operator must decide before the log is served, if so.
    """
    ensure_sealing_key(folder)
    ensure_pseudonym_key(folder)
    migrate(owner)
    dsns = ensure_login_roles(owner, passwords)
    if (stopped := stop_if_sealed_beyond(owner, folder.seals)) is None:
        bind_key_store(owner, folder)
    return dsns, stopped


def prepare_receiver(owner: str, folder: Path | None, binaries: Path, port: int) -> ProcessSpec | None:
    """Let the server retain its write-ahead log for the backup folder, if there is one.

    Returns:
        The process that streams the write-ahead log into the folder.
    """
    backups = BackupFolder(folder) if folder else None
    prepare_slot(owner, backups, notify)
    return receiver_spec(binaries, port, owner, backups) if backups else None
