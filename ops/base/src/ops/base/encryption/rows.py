"""Encrypted rows of read tables: the JSON texts that are served, in one ciphertext per row."""

from collections.abc import Sequence
from typing import Final

from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.keys import Key

_SEPARATOR: Final = b"\n"
"""Does not occur in compact JSON."""


def row_context(table: str, stream: str, version: int) -> str:
    """Return the encryption context of a row.

    Args:
        table: `ReadTable.encrypted_as`.
    """
    return f"{table}|{stream}|{version}"


def encrypt_texts(key: Key, context: str, texts: Sequence[str | bytes]) -> bytes:
    """Encrypt the compact JSON texts of a row; `context` is the row's `row_context`."""
    encoded = [text.encode() if isinstance(text, str) else text for text in texts]
    return key.encrypt(_SEPARATOR.join(encoded), context.encode())


def decrypt_texts(key: Key, context: str, ciphertext: bytes) -> list[bytes]:
    """Return the texts of a row; raises `DecryptionError`."""
    return key.decrypt(ciphertext, context.encode()).split(_SEPARATOR)


def decrypt_row(
    table: str, stream: str, version: int, key_id: str | None, ciphertext: bytes | None
) -> list[bytes] | None:
    """Return the texts of a row with a cached key; None if the row has no ciphertext, or its key is erased.

    Raises:
        DecryptionError: the ciphertext was changed, or is another row's.
    """
    key = None if key_id is None or ciphertext is None else KEYS.get(key_id)
    if key is None or ciphertext is None:
        return None
    return decrypt_texts(key, row_context(table, stream, version), ciphertext)
