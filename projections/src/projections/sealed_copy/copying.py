"""A log in the clear becomes another database in which it is sealed, and its seals tell of it."""

import time
from collections.abc import Callable, Sequence
from typing import Final

from pydantic import Field, SecretStr
from pydantic_settings import BaseSettings, SettingsConfigDict

from ops.base.connection import connect
from ops.base.database import open_pool
from ops.base.sealing.actors import ACTORS
from ops.base.sealing.ring import KEYS
from ops.base.settings import PREFIX
from ops.tamper_evidence.checkpoints import Checkpoint
from ops.tamper_evidence.sealed_log import SealedLog
from ops.tamper_evidence.signed_notes import SigningKey
from projections.failures import ProjectionStopped
from projections.reading.log import read_head
from projections.sealed_copy.accesses import copy_accesses
from projections.sealed_copy.events import compare_events, copy_events
from projections.sealed_copy.lives import Lives
from projections.sealed_copy.tables import copy_tables
from projections.sealed_copy.views import copy_views
from projections.sealing.beginning import BegunAnew, begin_anew
from projections.sealing.rows import origin_of
from projections.sealing.witnesses import Witness

_TELL_SECONDS: Final = 2.0

Say = Callable[[str], None]
"""Prints a line for whoever waits."""


class SourceSettings(BaseSettings):
    """Where the log in the clear is; the service's own database is the one that becomes its copy."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="ignore")

    database_in_the_clear: SecretStr = Field(description="DSN of its owner")


async def copy_sealed(
    dsn: str, seals: SealedLog, key: SigningKey, witnesses: Sequence[Witness], say: Say
) -> BegunAnew:
    """Copy a log into another database, sealed, and seal what it is now.

    Args:
        dsn: of the other database's owner; it is migrated, and as new.
        seals: the log's; what is there is put aside.
        key: what to sign with.
        witnesses: asked what they know.
        say: hears of progress.

    Raises:
        KeysUnavailable: nothing can be sealed now.
        ProjectionStopped: the log is not whole, or not what was sealed; or the other database is in use.
    """
    if not KEYS.seals:
        raise ProjectionStopped(f"{PREFIX}KEYS names no key store")
    where = SourceSettings().database_in_the_clear.get_secret_value()
    async with (
        await connect(where, autocommit=True) as source,
        await connect(dsn, autocommit=True) as target,
        open_pool(dsn, size=1) as pool,
        ACTORS.opened(pool),
    ):
        if await read_head(target):
            raise ProjectionStopped("there are events in the other database already")
        head, last = await read_head(source), seals.latest(key.verifying_key)
        await copy_tables(source, target)
        lives = await Lives.of(source)
        root = await copy_events(
            source, target, lives, up_to=head, sealed=last, tell=_progress(say, "sealed", head)
        )
        await copy_accesses(source, target)
        await copy_views(source, target)
        await compare_events(source, target, lives, up_to=head, tell=_progress(say, "compared", head))
        await lives.erase()
        formerly = Checkpoint(await origin_of(source), head, root, 0)
        reason = f"the log was in the clear, and each of its {head} events was sealed"
        return await begin_anew(target, seals, key, witnesses, reason, formerly=formerly)


def _progress(say: Say, done: str, head: int) -> Callable[[int], None]:
    began = told = time.monotonic()

    def tell(position: int) -> None:
        nonlocal told
        now = time.monotonic()
        if position == head or now - told > _TELL_SECONDS:
            told = now
            say(f"{done} {position} of {head} events, {position / max(now - began, 0.001):.0f} a second")

    return tell
