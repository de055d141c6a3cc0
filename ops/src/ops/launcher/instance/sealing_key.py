"""The key that signs the log's checkpoints: made once, readable by the data folder's owner only."""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from ops.base.tamper_evidence.signed_notes import KEY_NAME, VerifyingKey
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.files import write_private

PUBLIC_KEY = "public-key"
"""File beside the key, with its public half: what outsiders check with."""


def ensure_sealing_key(folder: DataFolder) -> None:
    """Make the key if there is none, and the file with its public half if that is not there or another's.

    Raises:
        LauncherError: it is lost, and there are seals that it has signed; or its file is no key.
    """
    key = _read(folder) if folder.sealing_key.exists() else _make(folder)
    told = f"{VerifyingKey(KEY_NAME, key.public_key())}\n"
    path = folder.audit / PUBLIC_KEY
    if not path.exists() or path.read_bytes() != told.encode():
        path.write_text(told, encoding="utf-8")


def _make(folder: DataFolder) -> Ed25519PrivateKey:
    if folder.seals.exists():
        raise LauncherError(
            f"{folder.sealing_key} is missing: bring it back, or move {folder.seals} away and begin anew"
        )
    key = Ed25519PrivateKey.generate()
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    write_private(folder.sealing_key, pem.decode(), durable=True)
    return key


def _read(folder: DataFolder) -> Ed25519PrivateKey:
    path = folder.sealing_key
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except OSError as error:
        raise LauncherError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, TypeError):  # TypeError: it wants a password
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise LauncherError(f"{path} is no Ed25519 private key in PEM: bring the right one back") from None
    return key
