"""The key that signs the log's checkpoints: made once, readable by the data folder's owner only."""

from pathlib import Path

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.files import write_private
from ops.tamper_evidence.signed_notes import KEY_NAME, VerifyingKey

PUBLIC_KEY = "public-key"
"""File beside the key, with its public half: what outsiders check with."""


def ensure_sealing_key(folder: DataFolder) -> None:
    """Make the key if there is none, and the file with its public half if that is not there or another's.

    Raises:
        LauncherError: it is lost, and there are seals that it has signed; or its file is no key.
    """
    if not folder.sealing_key.exists():
        if folder.seals.exists():
            raise LauncherError(
                f"{folder.sealing_key} is missing: bring it back, or move {folder.seals} away"
                " and seal with another one: audit begin-anew"
            )
        write_private(folder.sealing_key, new_sealing_key(), durable=True)
    output = public_line(read_sealing_key(folder.sealing_key))
    path = folder.audit / PUBLIC_KEY
    if not path.exists() or path.read_bytes() != output.encode():
        path.write_text(output, encoding="utf-8")


def new_sealing_key() -> str:
    """Make a key, as PEM."""
    key = Ed25519PrivateKey.generate()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def public_line(key: Ed25519PrivateKey) -> str:
    """A key's public half as outsiders take it."""
    return f"{VerifyingKey(KEY_NAME, key.public_key())}\n"


def read_sealing_key(path: Path) -> Ed25519PrivateKey:
    """Read a key.

    Raises:
        LauncherError: there is none.
    """
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except OSError as error:
        raise LauncherError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, TypeError):  # TypeError: it wants a password
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise LauncherError(f"{path} is no Ed25519 private key in PEM: bring the right one back") from None
    return key
