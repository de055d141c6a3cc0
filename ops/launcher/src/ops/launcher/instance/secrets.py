"""Passwords of the database roles, and the key of pseudonyms: made once, for the data folder's owner only."""

import json
import secrets
from dataclasses import asdict, dataclass, replace
from typing import Final

from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.files import known, write_private
from ops.launcher.postgres.groups import SERVICE_GROUPS

_KEY_BYTES: Final = 32


@dataclass(frozen=True)
class Secrets:
    """The instance's passwords.

    Attributes:
        superuser: of the embedded server's superuser.
        roles: of the services' login roles, by service.
    """

    superuser: str
    roles: dict[str, str]


def load_or_make(folder: DataFolder) -> Secrets:
    """The instance's passwords, made now if it has none.

    Raises:
        LauncherError: they are lost, and a database is there that only they open.
    """
    try:
        kept = Secrets(**known(Secrets, json.loads(folder.secrets.read_text())))
        if not all(isinstance(word, str) for word in (kept.superuser, *kept.roles.values())):
            raise _lost(folder)
    except FileNotFoundError:
        if (folder.path / "postgres").exists() or (folder.path / "postgres-location").exists():
            raise _lost(folder) from None
        kept = Secrets(superuser=secrets.token_urlsafe(), roles={})
    except (ValueError, KeyError, TypeError, AttributeError):
        raise _lost(folder) from None
    # None yet, or an earlier release knew fewer roles.
    missing = {name: secrets.token_urlsafe() for name in SERVICE_GROUPS if name not in kept.roles}
    if missing:
        kept = replace(kept, roles=kept.roles | missing)
        # before the cluster is made with them: without them nobody could ever sign in to it
        write_private(folder.secrets, json.dumps(asdict(kept), indent=2), durable=True)
    return kept


def new_pseudonym_key() -> str:
    """Make the key of people's pseudonyms in the event stream, in hex; with another one they get others."""
    return secrets.token_hex(_KEY_BYTES)


def ensure_pseudonym_key(folder: DataFolder) -> None:
    """Make the key if there is none."""
    if not folder.pseudonym_key.exists():
        write_private(folder.pseudonym_key, new_pseudonym_key(), durable=True)


def ensure_key_encryption_key(folder: DataFolder, *, keys_are_lost: bool = False) -> None:
    """Make the first key-encryption key, if there is none of any epoch, and the key of entity tags.

    Args:
        folder: the instance's data folder.
        keys_are_lost: make it also where the folder is elsewhere and holds none: an operator's decision.

    Raises:
        LauncherError: it is lost, or its folder is, and there are keys that it has wrapped.
    """
    # Here, for the launcher needs no cryptography, and this is done in an errand.
    from ops.base.encryption.epochs import VALIDATORS_KEY, new_key_encryption_key  # noqa: PLC0415

    if not any(folder.keys.glob("epoch-*.key")):
        # Another one would not open what there is, and hide that it is missing.
        if (folder.keys_location.exists() and not keys_are_lost) or any(folder.keys.glob("keys.sqlite*")):
            raise LauncherError(
                f"{folder.keys} holds no key-encryption key, and nothing else opens what is sealed about"
                " people: bring back the copy that was kept of the folder (see ops/docs/backups.md)"
            )
        folder.keys.mkdir(mode=0o700, exist_ok=True)
        write_private(folder.keys / "epoch-1.key", new_key_encryption_key(), durable=True)
    if not (folder.keys / VALIDATORS_KEY).exists():
        write_private(folder.keys / VALIDATORS_KEY, secrets.token_hex(_KEY_BYTES), durable=True)


def _lost(folder: DataFolder) -> LauncherError:
    return LauncherError(f"{folder.secrets} is missing or damaged, and only its passwords open the database")
