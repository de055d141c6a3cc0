"""Passwords of the database roles, and keys that an instance creates once."""

import secrets
from dataclasses import replace
from typing import Final

from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass

from ops.base.encryption.epochs import VALIDATORS_KEY, new_key_encryption_key
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.files import write_private
from ops.launcher.postgres.groups import SERVICE_GROUPS

_KEY_BYTES: Final = 32


@dataclass(frozen=True)
class Secrets:
    """Passwords of the embedded server's superuser, and of the services' login roles by name."""

    superuser: str
    roles: dict[str, str]


_SECRETS: Final = TypeAdapter(Secrets)


def load_or_make(folder: DataFolder) -> Secrets:
    """Return the instance's passwords; create missing ones.

    Raises:
        LauncherError: the file is lost, and a database with these passwords exists.
    """
    try:
        loaded = _SECRETS.validate_json(folder.secrets.read_bytes())
    except FileNotFoundError:
        if (folder.path / "postgres").exists() or (folder.path / "postgres-location").exists():
            raise _lost(folder) from None
        loaded = Secrets(superuser=secrets.token_urlsafe(), roles={})
    except ValueError:
        raise _lost(folder) from None
    # All on the first start; later those of roles that a new release adds.
    missing = {name: secrets.token_urlsafe() for name in SERVICE_GROUPS if name not in loaded.roles}
    if missing:
        loaded = replace(loaded, roles=loaded.roles | missing)
        # Durable before the cluster is created, which is inaccessible without them.
        write_private(folder.secrets, _SECRETS.dump_json(loaded, indent=2).decode(), durable=True)
    return loaded


def new_pseudonym_key() -> str:
    """Generate the key of pseudonyms in the event stream, in hex; a new key changes all pseudonyms."""
    return secrets.token_hex(_KEY_BYTES)


def ensure_pseudonym_key(folder: DataFolder) -> None:
    """Create the key of pseudonyms on the first start."""
    if not folder.pseudonym_key.exists():
        write_private(folder.pseudonym_key, new_pseudonym_key(), durable=True)


def ensure_key_encryption_key(folder: DataFolder, *, keys_are_lost: bool = False) -> None:
    """Create the first key-encryption key and the key of entity tags, unless they exist.

    Args:
        keys_are_lost: an operator's decision to create a key even in an empty folder that is elsewhere.

    Raises:
        LauncherError: the key or its folder is lost, and keys encrypted with it exist.
    """
    if not any(folder.keys.glob("epoch-*.key")):
        # A new key would decrypt nothing, and hide that the old one is missing.
        if (folder.keys_location.exists() and not keys_are_lost) or any(folder.keys.glob("keys.sqlite*")):
            raise LauncherError(
                f"{folder.keys} holds no key-encryption key, without which personal data cannot be decrypted:"
                " restore your copy of the folder (see ops/docs/backups.md)"
            )
        folder.keys.mkdir(mode=0o700, exist_ok=True)
        write_private(folder.keys / "epoch-1.key", new_key_encryption_key(), durable=True)
    if not (folder.keys / VALIDATORS_KEY).exists():
        write_private(folder.keys / VALIDATORS_KEY, secrets.token_hex(_KEY_BYTES), durable=True)


def _lost(folder: DataFolder) -> LauncherError:
    return LauncherError(
        f"{folder.secrets} is missing or damaged: the database needs its passwords; restore it"
    )
