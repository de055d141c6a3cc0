"""What a start takes that the launcher itself does without: run as errands, so each imports its own.

They import nothing before they run, or the launcher would keep it for as long as it lives.
"""
# ruff: noqa: PLC0415

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ops.launcher.instance.sign_in import Provider

if TYPE_CHECKING:
    from ops.launcher.processes.part import Part


class Prepared(NamedTuple):
    """A database that services can use."""

    dsns: dict[str, str]
    """By role."""
    stopped: str | None
    """Why an operator must decide before it is served, if so."""


def check_database(dsn: str) -> None:
    """See that a database given by the user can be used; see `ops.launcher.instance.database`."""
    from ops.launcher.instance import database

    database.check_database(dsn)


def configure_gateway(
    folder: Path,
    port: int,
    *,
    address: str,
    listen: list[str],
    places: dict[str, list[str]],
    frontend: Path,
    provider: Provider,
    metrics: str | None,
) -> "Part":
    """Write nginx's configuration, and return nginx as a part.

    Raises:
        LauncherError: it cannot be written; see `write_configuration`.
    """
    from ops.launcher.gateway.configuration import SignIn, write_configuration
    from ops.launcher.gateway.part import gateway_part

    write_configuration(
        folder,
        address=address,
        listen=listen,
        upstreams=places,
        frontend=frontend,
        sign_in=SignIn(provider.origin, provider.client_id, provider.audience),
        metrics=metrics,
    )
    return gateway_part(folder, port)


def prepare_keys(folder: Path) -> None:
    """See that the instance has its keys for seals and for pseudonyms.

    Raises:
        LauncherError: one is lost that was used.
    """
    from ops.launcher.instance.data_folder import DataFolder
    from ops.launcher.instance.sealing_key import ensure_sealing_key
    from ops.launcher.instance.secrets import ensure_pseudonym_key

    ensure_sealing_key(DataFolder(folder))
    ensure_pseudonym_key(DataFolder(folder))


def prepare_key_store(owner: str, folder: Path) -> None:
    """Check that the key store is the one of the log, or create it for a log that needs no key yet.

    Raises:
        LauncherError: it is not; the text says what to do.
    """
    from ops.launcher.instance.data_folder import DataFolder
    from ops.launcher.keys.binding import bind_key_store

    bind_key_store(owner, DataFolder(folder))


def make_database(port: int, password: str) -> None:
    """See that the embedded server has our database."""
    from ops.launcher.postgres.embedded import DATABASE
    from ops.launcher.postgres.server import ensure_database, superuser_dsn

    ensure_database(superuser_dsn(port, password), DATABASE)


def prepare_database(owner: str, passwords: dict[str, str], seals: Path) -> Prepared:
    """Migrate the database, see that each service can sign in, and that nothing is lost that was sealed.

    Raises:
        LauncherError: the database refuses, or has a schema that we do not know.
    """
    from ops.launcher.backups.accepting import stop_if_sealed_beyond
    from ops.launcher.instance import database

    return Prepared(database.prepare_database(owner, passwords), stop_if_sealed_beyond(owner, seals))


def prepare_receiver(owner: str, folder: Path | None, binaries: Path, port: int) -> "Part | None":
    """Have the server keep its write-ahead log for a folder of backups, or for none; return the receiver.

    Raises:
        LauncherError: the folder is another log's.
        OSError: it cannot be written to.
    """
    from ops.launcher.backups.folder import BackupFolder
    from ops.launcher.backups.receiving import prepare_slot, receiver_part
    from ops.launcher.saying import say

    backups = BackupFolder(folder) if folder else None
    prepare_slot(owner, backups, say)
    return receiver_part(binaries, port, owner, backups) if backups else None
