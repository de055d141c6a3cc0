"""A new epoch of a key store: what is left in it is wrapped anew, and what wrapped it before is destroyed.

Whoever has an older copy of the store then opens nothing in it, nor what was erased since it was made. A
process that is killed on the way leaves a store that opens everything; the next rotation begins a newer epoch
and destroys all before it. Services use the store meanwhile: it takes no key of an epoch that is retired.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final, NamedTuple

from ops.base.encryption.epochs import begin_epoch, destroy_epochs_before
from ops.base.encryption.wrapping import KeyEncryptionKeys
from ops.base.process.failpoints import failpoint

AT_ONCE: Final = 10_000
"""Keys that are wrapped anew between two statements."""

TRIES: Final = 3
"""How often keys are wrapped for a store whose epoch is retired at that very moment."""


class Rotation(NamedTuple):
    """What has come of one."""

    destroyed: int | None
    """The newest epoch whose key-encryption key is destroyed now; all before it are, too."""
    epoch: int
    """Under which keys are wrapped now."""
    survivors: int
    """Keys that are not erased."""
    kept_because: str | None
    """Why older key-encryption keys are still there."""


async def rotate(
    wrapping: KeyEncryptionKeys, count: Callable[[], Awaitable[int]], rewrap: Callable[[int], Awaitable[None]]
) -> Rotation:
    """Carry one out.

    Args:
        wrapping: what keys are wrapped with.
        count: sees that all keys can be unwrapped, and tells how many there are; so no attempt that must
            fail leaves another key-encryption key behind.
        rewrap: retires all epochs before one, and wraps all keys under that one, in one transaction.

    Raises:
        KeysUnavailable: the store cannot be used now, or a key in it cannot be unwrapped.
    """
    survivors = await count()
    try:
        epoch = await asyncio.to_thread(begin_epoch, wrapping.folder)
    except OSError as error:
        return Rotation(None, wrapping.newest, survivors, _told(wrapping, error))
    failpoint("keys.epoch_made")
    await rewrap(epoch)
    failpoint("keys.rewrapped")
    try:
        destroyed = await asyncio.to_thread(destroy_epochs_before, wrapping.folder, epoch)
    except OSError as error:
        return Rotation(None, epoch, survivors, _told(wrapping, error))
    finally:
        wrapping.forget()
    return Rotation(destroyed, epoch, survivors, None)


def _told(wrapping: KeyEncryptionKeys, error: OSError) -> str:
    return f"{error.filename or wrapping.folder}: {error.strerror}"
