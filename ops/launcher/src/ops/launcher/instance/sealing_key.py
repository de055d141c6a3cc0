"""The private key that signs the log's checkpoints."""

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
"""File in the private key's folder, for offline checks."""


def ensure_sealing_key(folder: DataFolder) -> None:
    """Create the key on the first start, and the file with the public key if it is missing or differs."""
    if not folder.sealing_key.exists():
        if folder.seals.exists():
            raise LauncherError(
                f"{folder.sealing_key} is missing: restore it, or move {folder.seals} away and seal with a"
                " new key: audit restart-sealing"
            )
        write_private(folder.sealing_key, new_sealing_key(), durable=True)
    line = public_line(read_sealing_key(folder.sealing_key))
    path = folder.audit / PUBLIC_KEY
    if not path.exists() or path.read_bytes() != line.encode():
        path.write_text(line, encoding="utf-8")


def new_sealing_key() -> str:
    """Generate a private key in PEM."""
    key = Ed25519PrivateKey.generate()
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode()


def public_line(key: Ed25519PrivateKey) -> str:
    """Return the public key in the format of signed notes."""
    return f"{VerifyingKey(KEY_NAME, key.public_key())}\n"


def read_sealing_key(path: Path) -> Ed25519PrivateKey:
    """Read a private key."""
    try:
        key = load_pem_private_key(path.read_bytes(), password=None)
    except OSError as error:
        raise LauncherError(f"cannot read {path}: {error.strerror}") from None
    except (ValueError, TypeError):  # TypeError: an encrypted key
        key = None
    if not isinstance(key, Ed25519PrivateKey):
        raise LauncherError(f"{path} is not an Ed25519 private key in PEM: restore the right file") from None
    return key
