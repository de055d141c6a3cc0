"""The encrypted payload of an entity table's row: record and list item as JSON."""

from collections.abc import Sequence


def packed(record: str, list_item: str) -> list[str]:
    """Return the texts to encrypt; the list item is empty if it equals the record."""
    return [record, "" if list_item == record else list_item]


def record_in(texts: Sequence[bytes]) -> bytes:
    """Return the record of the decrypted texts."""
    return texts[0]


def list_item_in(texts: Sequence[bytes]) -> bytes:
    """Return the list item of the decrypted texts."""
    return texts[1] or texts[0]
