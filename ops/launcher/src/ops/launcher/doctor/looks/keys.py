"""Check that the key store can be used, and is the one that the log is encrypted with."""

import asyncio
import shlex
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

import psycopg

from ops.base.database.connection import ANSWER_SECONDS, connect
from ops.base.encryption.binding import compare
from ops.base.encryption.stores import KeySettings, configured_store
from ops.base.encryption.wrapping import KeysUnavailable
from ops.launcher.doctor.findings import Findings, well, wrong

_OTHERS: Final = 0o077


def keys(settings: KeySettings, dsn: str | None, how: str, *, private: bool) -> Findings:
    """Compare the key store with the log.

    Args:
        settings: where it is.
        dsn: of the log's database; None: that cannot be asked.
        how: what shows the store, or what is wrong with it.
        private: whether nobody else may read the key-encryption keys; containers have them in a folder that
            others cannot enter.
    """
    if not settings.where:
        yield well("nothing is to be sealed")
        return
    if private:
        yield from _too_open(settings.wrapping.folder)
    try:
        position = asyncio.run(_compared(settings, dsn))
    except KeysUnavailable as error:
        yield wrong(f"no personal data can be read or changed: {error}", how)
    else:
        yield well(
            "the store answers" if position is None else f"the store has all keys up to position {position}"
        )


async def _compared(settings: KeySettings, dsn: str | None) -> int | None:
    """Return the log's last position, for which the store has all keys; None: the log does not answer."""
    async with configured_store(settings) as store:
        if store is None:
            return None
        with suppress(psycopg.Error):  # another check reports that
            if dsn is not None:
                async with await connect(dsn, autocommit=True, answer_seconds=ANSWER_SECONDS) as connection:
                    found = await compare(store, connection)
                found.require_match()
                await store.check()
                return found.position
        await store.verified_position("")
        await store.check()
        return None


def _too_open(folder: Path) -> Findings:
    for path in sorted([folder, *folder.glob("*.key"), *folder.glob("keys.sqlite*")]):
        with suppress(OSError):
            mode = stat.S_IMODE(path.stat().st_mode)
            if mode & _OTHERS:
                yield wrong(f"others may read {path} ({mode:04o})", f"chmod go= {shlex.quote(str(path))}")
