"""The keys that people's data is sealed with: whether they can be had, and are those of the log."""

import shlex
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

import psycopg

from ops.base.sealing.stores import KeySettings
from ops.base.sealing.wrapping import KeysUnavailable
from ops.launcher.doctor.findings import Findings, well, wrong
from ops.launcher.keys.of_log import held, newest_keys

_NEWEST: Final = 1_000
_OTHERS: Final = 0o077


def keys(settings: KeySettings, dsn: str | None, how: str, *, private: bool) -> Findings:
    """Ask the store for the keys of the log's newest events.

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
    wanted: dict[str, int] = {}
    if dsn is not None:
        with suppress(psycopg.OperationalError), psycopg.connect(dsn, connect_timeout=3) as connection:
            wanted = newest_keys(connection, _NEWEST)  # that it does not answer, another look says
    try:
        found = held(wanted, settings)
    except KeysUnavailable as error:
        yield wrong(f"cannot be had, so nothing that is sealed can be read or changed: {error}", how)
        return
    if found.unknown:
        yield wrong(
            f"{len(found.unknown)} of {found.keys} that the newest events are sealed under are not in the"
            " store: it is not this log's, or has lost them",
            how,
        )
    else:
        yield well(f"the store answers, and has the {found.keys} of the newest events, {found.erased} erased")


def _too_open(folder: Path) -> Findings:
    for path in sorted([folder, *folder.glob("*.key"), *folder.glob("keys.sqlite*")]):
        with suppress(OSError):
            mode = stat.S_IMODE(path.stat().st_mode)
            if mode & _OTHERS:
                yield wrong(f"others may read {path} ({mode:04o})", f"chmod go= {shlex.quote(str(path))}")
