"""What the box of an entity table's row holds: three texts, empty where one is as the one before it."""

from collections.abc import Sequence


def packed(state: str, record: str, list_item: str) -> list[str]:
    """Return what is to be sealed.

    Args:
        state: what the next event is applied to.
        record: as it is served alone.
        list_item: as it is served in a list.
    """
    return [state, "" if record == state else record, "" if list_item == record else list_item]


def record_in(texts: Sequence[bytes]) -> bytes:
    """Return the record, of what was opened."""
    return texts[1] or texts[0]


def list_item_in(texts: Sequence[bytes]) -> bytes:
    """Return the list item, of what was opened."""
    return texts[2] or record_in(texts)
