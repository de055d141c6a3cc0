"""The key that signs checkpoints: creation, persistence, and errors if it is lost or damaged."""

from collections.abc import Callable
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)

from ops.launcher.errors import LauncherError
from ops.launcher.instance.data_folder import DataFolder
from ops.launcher.instance.sealing_key import PUBLIC_KEY, ensure_sealing_key
from ops.tamper_evidence.signed_notes import KEY_NAME, SigningKey, VerifyingKey


@pytest.fixture
def folder(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path / "data").create()


def public_key(folder: DataFolder) -> VerifyingKey:
    return VerifyingKey.parse((folder.audit / PUBLIC_KEY).read_text())


def test_the_key_is_private_and_its_public_key_is_beside_it(folder: DataFolder) -> None:
    ensure_sealing_key(folder)
    assert folder.sealing_key.stat().st_mode & 0o777 == 0o600
    assert folder.audit.stat().st_mode & 0o777 == 0o700
    key = load_pem_private_key(folder.sealing_key.read_bytes(), password=None)
    assert isinstance(key, Ed25519PrivateKey)
    assert public_key(folder).open(SigningKey(KEY_NAME, key).sign("text\n")) == "text\n"


def test_the_key_survives_a_restart(folder: DataFolder) -> None:
    ensure_sealing_key(folder)
    made = folder.sealing_key.read_bytes()
    folder.seals.mkdir()
    ensure_sealing_key(folder)
    assert folder.sealing_key.read_bytes() == made


@pytest.mark.parametrize("spoil", [Path.unlink, lambda path: path.write_bytes(b"\xff")])
def test_the_public_key_is_rewritten_if_missing_or_different(
    folder: DataFolder, spoil: Callable[[Path], None]
) -> None:
    ensure_sealing_key(folder)
    before = str(public_key(folder))
    spoil(folder.audit / PUBLIC_KEY)
    ensure_sealing_key(folder)
    assert str(public_key(folder)) == before


def test_a_lost_key_is_not_replaced_while_seals_exist(folder: DataFolder) -> None:
    ensure_sealing_key(folder)
    folder.seals.mkdir()
    folder.sealing_key.unlink()
    with pytest.raises(LauncherError, match=r"sealing-key\.pem is missing: restore it, or move .* away"):
        ensure_sealing_key(folder)
    assert not folder.sealing_key.exists()


OF_ANOTHER_KIND = generate_private_key(SECP256R1()).private_bytes(
    Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()
)
WITH_A_PASSWORD = Ed25519PrivateKey.generate().private_bytes(
    Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")
)


@pytest.mark.parametrize("content", [b"", b"\xff", b"no key", OF_ANOTHER_KIND, WITH_A_PASSWORD])
def test_a_damaged_key_is_reported_and_not_replaced(folder: DataFolder, content: bytes) -> None:
    folder.sealing_key.write_bytes(content)
    with pytest.raises(LauncherError, match=r"sealing-key\.pem is not an Ed25519 private key in PEM"):
        ensure_sealing_key(folder)
    assert folder.sealing_key.read_bytes() == content


def test_an_unreadable_key_is_reported(folder: DataFolder) -> None:
    folder.sealing_key.mkdir()  # root can read every file
    with pytest.raises(LauncherError, match=r"cannot read .*sealing-key\.pem: Is a directory"):
        ensure_sealing_key(folder)
