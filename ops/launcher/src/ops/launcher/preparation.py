"""Steps of a start that run in the startup worker, because of what they import.

Their results are unpickled by the launcher, so they must not be of classes defined here or in heavy modules.
"""

from pathlib import Path

from ops.launcher.backups.acceptance import stop_if_sealed_beyond
from ops.launcher.backups.folder import BackupFolder
from ops.launcher.backups.wal_receiver import prepare_slot, receiver_spec
from ops.launcher.gateway.configuration import SignIn, write_configuration
from ops.launcher.gateway.process import gateway_spec
from ops.launcher.instance import database
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.sealing_key import ensure_sealing_key
from ops.launcher.instance.secrets import ensure_pseudonym_key
from ops.launcher.instance.sign_in import Provider
from ops.launcher.keys.binding import bind_key_store
from ops.launcher.messages import notify
from ops.launcher.processes.spec import ProcessSpec


def configure_gateway(
    folder: Path,
    port: int,
    *,
    address: str,
    listen: list[str],
    upstreams: dict[str, list[str]],
    frontend: Path,
    provider: Provider,
    metrics: str | None,
) -> ProcessSpec:
    """Write nginx's configuration; see `write_configuration`."""
    write_configuration(
        folder,
        address=address,
        listen=listen,
        upstreams=upstreams,
        frontend=frontend,
        sign_in=SignIn(provider.origin, provider.client_id, provider.audience),
        metrics=metrics,
    )
    return gateway_spec(folder, port)


def ensure_keys(folder: Path) -> None:
    """Create the keys of seals and pseudonyms on the first start."""
    ensure_sealing_key(DataFolder(folder))
    ensure_pseudonym_key(DataFolder(folder))


def bind_keys(owner: str, folder: Path) -> None:
    """Check that the key store belongs to the log, or create it for a log that needs no key yet."""
    bind_key_store(owner, DataFolder(folder))


def prepare_database(owner: str, passwords: dict[str, str], seals: Path) -> tuple[dict[str, str], str | None]:
    """Migrate the database, and stop its log if more events were sealed than it holds.

    Returns:
        The services' DSNs by role, and why an operator must decide before the log is served, if so.
    """
    return database.prepare_database(owner, passwords), stop_if_sealed_beyond(owner, seals)


def prepare_receiver(owner: str, folder: Path | None, binaries: Path, port: int) -> ProcessSpec | None:
    """Let the server retain its write-ahead log for the backup folder, if there is one.

    Returns:
        The process that streams the write-ahead log into the folder.
    """
    backups = BackupFolder(folder) if folder else None
    prepare_slot(owner, backups, notify)
    return receiver_spec(binaries, port, owner, backups) if backups else None
