"""Rows of read tables: in the clear what is harmless, and in a box the JSON texts that are served."""

from collections.abc import Sequence
from typing import Final

from ops.base.encryption.key_cache import KEYS
from ops.base.encryption.keys import Key

_BETWEEN: Final = b"\n"
"""No JSON that we write has it."""


def row_context(table: str, stream: str, version: int) -> str:
    """Return what a row's box is opened with, and nothing else's.

    Args:
        table: `ReadTable.sealed_as`.
        stream: whose row.
        version: the stream's, after which it was made.
    """
    return f"{table}|{stream}|{version}"


def encrypt_texts(key: Key, place: str, texts: Sequence[str | bytes]) -> bytes:
    """Return a box with JSON texts.

    Args:
        key: of the record that they are about.
        place: the row that they are of: `row_context`.
        texts: compact JSON, or nothing.
    """
    encoded = [text.encode() if isinstance(text, str) else text for text in texts]
    return key.encrypt(_BETWEEN.join(encoded), place.encode())


def decrypt_texts(key: Key, place: str, box: bytes) -> list[bytes]:
    """Return the texts in a box.

    Raises:
        DecryptionError: it was changed, or is another row's.
    """
    return key.decrypt(box, place.encode()).split(_BETWEEN)


def decrypt_row(
    table: str, stream: str, version: int, key_id: str | None, box: bytes | None
) -> list[bytes] | None:
    """Return the texts in a row's box, by a key that was loaded; None: it has none, or nobody has its key.

    Args:
        table: see `row_context`.
        stream: see `row_context`.
        version: see `row_context`.
        key_id: what the row is sealed under, if it is.
        box: the box, if there is one.

    Raises:
        DecryptionError: it was changed, or is another row's.
    """
    key = None if key_id is None or box is None else KEYS.get(key_id)
    return (
        None if key is None or box is None else decrypt_texts(key, row_context(table, stream, version), box)
    )
