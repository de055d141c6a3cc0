"""Digests in entity tags are equal in all processes of an instance, and keyed."""

import hmac
import subprocess
import sys
from hashlib import blake2b, sha256
from pathlib import Path
from typing import Final

import pytest

from ops.base.encryption.epochs import VALIDATORS_KEY, new_key_encryption_key
from ops.base.http.record_etags import RecordETag

BODY: Final = b'{"mobile_number_1":"+91 98450 12345"}'
LOG_ID: Final = "0123456789abcdef"
DIGEST_OF_BODY: Final = f"""
from ops.base.http.record_etags import keyed_digest
print("DIGEST", keyed_digest({BODY!r}))
"""


def digest(**environment: str) -> tuple[str, str]:
    """Return the digest that a new process makes of the body, and everything that the process printed."""
    output = subprocess.run(
        [sys.executable, "-c", DIGEST_OF_BODY], env=environment, capture_output=True, text=True, check=True
    )
    return output.stdout.split("DIGEST ")[1].strip(), output.stdout + output.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / VALIDATORS_KEY).write_text(new_key_encryption_key(), encoding="ascii")
    return tmp_path


def test_processes_with_the_same_key_make_equal_digests(folder: Path) -> None:
    embedded, _ = digest(FLEETLOG_KEYS=str(folder))
    split, _ = digest(
        FLEETLOG_KEYS="postgresql://user:password@nowhere/keys", FLEETLOG_KEY_ENCRYPTION_KEYS=str(folder)
    )
    key = bytes.fromhex((folder / VALIDATORS_KEY).read_text())
    assert embedded == split == hmac.new(key, BODY, sha256).hexdigest()


@pytest.mark.parametrize("kept", [None, "", "00", "no key"])
def test_digests_without_a_key_use_a_random_key_and_warn(folder: Path, kept: str | None) -> None:
    (folder / VALIDATORS_KEY).unlink()
    if kept is not None:
        (folder / VALIDATORS_KEY).write_text(kept, encoding="ascii")
    (first, output), (second, _) = (digest(FLEETLOG_KEYS=str(folder)) for _ in range(2))
    assert "validators_key_unavailable" in output
    assert first != second
    unkeyed = {hmac.new(b"", BODY, sha256).hexdigest(), hmac.new(b"\0", BODY, sha256).hexdigest()}
    assert not unkeyed & {first, second}


def test_digests_without_a_key_store_use_a_random_key() -> None:
    (first, output), (second, _) = (digest(FLEETLOG_KEYS="") for _ in range(2))
    assert first != second
    assert "validators_key_unavailable" not in output


def test_tag_contains_a_keyed_digest() -> None:
    tag = RecordETag.of(3, LOG_ID, BODY)
    assert tag.digest not in {sha256(BODY).hexdigest()[:12], blake2b(BODY).hexdigest()[:12]}
    assert RecordETag.parse(str(tag)) == tag
    assert RecordETag.of(3, LOG_ID, BODY) == tag
    assert RecordETag.of(3, LOG_ID, BODY + b" ") != tag
    assert RecordETag.parse('"3"') == RecordETag(3)
