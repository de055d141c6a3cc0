"""Under which key each event of a log belongs that was written in the clear."""

import math
import secrets
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Self

from psycopg import AsyncConnection

from ops.base.sealing.keys import Key
from ops.base.sealing.ring import KEYS
from ops.base.sealing.states import KEY_ID, SEALED
from projections.failures import ProjectionStopped

_KEY_BYTES: Final = 32
# An event that is sealed says which key its record has, in that life; erasing ends a life.
_KEYS: Final = """
SELECT originator_id, min(originator_version),
  convert_from(substring(state FROM %(at)s FOR 22), 'UTF8') AS key_id
FROM log.events WHERE substring(state FOR %(length)s) = %(begins)s
GROUP BY originator_id, key_id ORDER BY originator_id, 2
"""
_ENDS: Final = """
SELECT originator_id, originator_version FROM log.events WHERE topic LIKE '%.erased'
ORDER BY originator_id, originator_version
"""
_PARAMETERS: Final = {"begins": SEALED, "length": len(SEALED), "at": KEY_ID.start + 1}


@dataclass
class _Life:
    """Of a record, until it was erased, or until now."""

    last: float
    """Its last version; infinite: it goes on."""
    key_id: str | None = None

    @property
    def is_over(self) -> bool:
        return self.last != math.inf


class Lives:
    """The keys of all records, found or made as they are asked for."""

    def __init__(self) -> None:
        self._lives: dict[str, list[_Life]] = {}
        self._destroyed: dict[str, Key] = {}
        self._to_erase: list[str] = []

    @classmethod
    async def of(cls, connection: AsyncConnection) -> Self:
        """Find which lives there were, and which of them have keys.

        Args:
            connection: to where the log is.
        """
        lives = cls()
        ends: dict[str, list[float]] = defaultdict(list)
        for stream, version in await (await connection.execute(_ENDS)).fetchall():
            ends[stream].append(version)
        keys = await (await connection.execute(_KEYS, _PARAMETERS)).fetchall()
        for stream in {*ends, *(stream for stream, _, _ in keys)}:
            lives._lives[stream] = [_Life(last) for last in (*ends[stream], math.inf)]
        for stream, version, key_id in keys:
            life = lives._life(stream, version)
            life.key_id = life.key_id or key_id
        return lives

    async def load(self, places: Iterable[tuple[str, int]]) -> list[Key]:
        """Return the key of each place.

        Of whom was erased it is one that nobody will ever have again.

        Args:
            places: streams, and their versions.

        Raises:
            KeysUnavailable: they cannot be had now.
            ProjectionStopped: the key store never had one of them.
        """
        ids = [await self._key_id(self._life(*place)) for place in places]
        await KEYS.load(key_id for key_id in ids if key_id not in self._destroyed)
        missing = {key_id for key_id in ids if key_id not in self._destroyed and KEYS.get(key_id) is None}
        if missing:
            known = await KEYS.store.fetch(missing)
            if unknown := missing - known.keys():
                raise ProjectionStopped(f"the key {min(unknown)} is not in this key store: see FLEETLOG_KEYS")
            for key_id in missing:
                self._destroyed[key_id] = Key(key_id, secrets.token_bytes(_KEY_BYTES))
        return [self._destroyed.get(key_id) or _held(key_id) for key_id in ids]

    async def erase(self) -> None:
        """Destroy the keys of those who were erased when they had none yet.

        Raises:
            KeysUnavailable: nobody knows whether they are.
        """
        await KEYS.store.erase(self._to_erase)

    def _life(self, stream: str, version: int) -> _Life:
        lives = self._lives.setdefault(stream, [_Life(math.inf)])
        return next(life for life in lives if version <= life.last)

    async def _key_id(self, life: _Life) -> str:
        if life.key_id is None:
            life.key_id = (await KEYS.new()).id
            if life.is_over:
                self._to_erase.append(life.key_id)
        return life.key_id


def _held(key_id: str) -> Key:
    key = KEYS.get(key_id)
    if key is None:
        raise AssertionError("it was loaded")
    return key
