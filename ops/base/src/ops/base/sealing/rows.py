"""Rows of read tables: in the clear what is harmless, and in a box the JSON texts that are served."""

from collections.abc import Sequence
from typing import Final

from ops.base.sealing.keys import Key

_BETWEEN: Final = b"\n"
"""No JSON that we write has it."""


def place_of(table: str, stream: str, version: int) -> str:
    """Return what a row's box is opened with, and nothing else's.

    Args:
        table: `ReadTable.sealed_as`.
        stream: whose row.
        version: the stream's, after which it was made.
    """
    return f"{table}|{stream}|{version}"


def seal_texts(key: Key, place: str, texts: Sequence[str | bytes]) -> bytes:
    """Return a box with JSON texts.

    Args:
        key: of the record that they are about.
        place: the row that they are of: `place_of`.
        texts: compact JSON, or nothing.
    """
    encoded = [text.encode() if isinstance(text, str) else text for text in texts]
    return key.seal(_BETWEEN.join(encoded), place.encode())


def open_texts(key: Key, place: str, box: bytes) -> list[bytes]:
    """Return the texts in a box.

    Raises:
        CannotOpen: it was changed, or is another row's.
    """
    return key.open(box, place.encode()).split(_BETWEEN)
