"""The key that signs the log's checkpoints: made once, readable by the data folder's owner only."""

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from ops.base.tamper_evidence.checkpoints import KEY_NAME, VerifyingKey
from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.files import write_private


def ensure_sealing_key(folder: DataFolder) -> None:
    """Make the key, and the file with its public half, if there is none.

    Raises:
        LauncherError: it is lost, and there are seals that it has signed.
    """
    path = folder.sealing_key
    if path.exists():
        return
    if folder.seals.exists():
        raise LauncherError(f"{path} is missing, and the seals beside it can only go on with it")
    key = Ed25519PrivateKey.generate()
    public = VerifyingKey(KEY_NAME, key.public_key())
    (folder.audit / "public-key").write_text(f"{public}\n", encoding="utf-8")
    pem = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    write_private(path, pem.decode(), durable=True)
