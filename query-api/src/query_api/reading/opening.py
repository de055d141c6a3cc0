"""The door to what is in the boxes of revisions: all that is served of them has come through it."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple, TypeVar

from ops.base.encryption.ring import KEYS
from projections.tables.revision_texts import RevisionTexts

ASIDE_FROM_BYTES: Final = 128 * 1024
"""Opening more takes milliseconds, which other requests need not wait for."""

T = TypeVar("T")


class Boxed(NamedTuple):
    """What tells of a revision whether it is sealed, and how it is opened."""

    stream: str
    version: int
    key_id: str | None
    """What it is sealed under; None: it is in the clear, or must not be opened."""
    box: bytes | None


async def opening(boxes: Sequence[Boxed], use: Callable[[Sequence[RevisionTexts | None]], T]) -> T:
    """Return what a function makes of what is in boxes, beside other requests if that takes long.

    Args:
        boxes: of revisions.
        use: is given what is in each; None where it is in the clear, or nobody has its key any more.

    Raises:
        KeysUnavailable: they cannot be opened now.
        CannotOpen: one was changed.
    """
    ids = {one.key_id for one in boxes if one.key_id is not None}
    await KEYS.load(ids)
    keys = {key_id: KEYS.get(key_id) for key_id in ids}  # at once, before some are forgotten

    def opened(one: Boxed) -> RevisionTexts | None:
        key = None if one.key_id is None else keys[one.key_id]
        if key is None or one.box is None:
            return None
        return RevisionTexts.opened(key, one.stream, one.version, one.box)

    def used() -> T:
        return use([opened(one) for one in boxes])

    size = sum(len(one.box) for one in boxes if one.box is not None)
    return used() if size < ASIDE_FROM_BYTES else await asyncio.to_thread(used)
